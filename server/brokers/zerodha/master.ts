import { numberToken } from '../instrument.ts';
import type { Listed, Master, MasterExchange, MasterFields, Skipped } from '../master.ts';
import { listed } from '../master-row.ts';
import { calendarDay, kiteUnderlying } from '../master-values.ts';

const exchanges: Readonly<Record<string, MasterExchange>> = {
  NSE: 'NSE',
  BSE: 'BSE',
  NFO: 'NFO',
  BFO: 'BFO',
  MCX: 'MCX',
  CDS: 'CDS',
  BCD: 'BCD',
  NCO: 'NCO',
};
const indices: Readonly<Record<string, MasterExchange>> = { NSE: 'NSE_INDEX', BSE: 'BSE_INDEX', MCX: 'MCX_INDEX' };
const kinds: Readonly<Record<string, Listed['kind']>> = { EQ: 'EQ', FUT: 'FUT', CE: 'CE', PE: 'PE' };

/** Kite counts lots of commodities and of currencies, whatever stands in `lot_size`. */
const inLots: readonly string[] = ['MCX', 'NCO', 'CDS', 'BCD'];
const cash: readonly string[] = ['NSE', 'BSE'];

/** A series behind a share's symbol. Other letters behind a hyphen are the symbol's own: BAJAJ-AUTO, MCDOWELL-N. */
const seriesSuffix = /^(.+)-([A-Z][A-Z0-9])$/;

function read(row: MasterFields, _file: unknown, today: string): Listed | Skipped {
  const { tradingsymbol: symbol = '', exchange: venue = '', segment = '', name = '', strike = '', instrument_type = '' } = row;
  const index = segment === 'INDICES';
  const table = index ? indices : exchanges;
  const exchange = Object.hasOwn(table, venue) ? table[venue] : undefined;
  if (exchange === undefined) return { skipped: 'other exchange' };
  const kind = index ? 'INDEX' : Object.hasOwn(kinds, instrument_type) ? kinds[instrument_type] : undefined;
  // Shares stand on the cash exchanges and contracts beside them.
  if (kind === undefined || (!index && (kind === 'EQ') !== cash.includes(exchange))) return { skipped: 'other kind' };
  const expiry = calendarDay(row.expiry ?? '');
  const [, bare = symbol, series = 'EQ'] = (exchange === 'NSE' && seriesSuffix.exec(symbol)) || [];
  const underlying = kind === 'EQ' || index ? bare : name || kiteUnderlying(symbol, kind, strike, expiry);
  return listed(
    {
      exchange,
      kind,
      root: underlying,
      series,
      name,
      expiry,
      strike,
      tick: row.tick_size ?? '',
      lot: row.lot_size ?? '',
      countsLots: inLots.includes(exchange),
      freeze: '',
      isin: '',
      symbol,
      token: numberToken(row.instrument_token ?? '') ?? '',
    },
    today,
  );
}

/** Kite's dump of all exchanges. Orders go by the trading symbol, the token is that of the ticker. */
export const master: Master = { files: [{ path: 'instruments', pack: 'gzip', form: 'csv' }], read };
