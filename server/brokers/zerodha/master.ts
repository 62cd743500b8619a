import type { InstrumentKind } from '../../../contract/words.ts';
import type { Listed, Master, MasterExchange, MasterFields, Skipped } from '../master.ts';
import { listed } from '../master-row.ts';
import { calendarDay, indexExchanges, kiteUnderlying, tokenNumber } from '../master-values.ts';

const exchanges = ['NSE', 'BSE', 'NFO', 'BFO', 'MCX', 'CDS', 'BCD', 'NCO'] as const;
const kinds: ReadonlyMap<string, InstrumentKind> = new Map([
  ['EQ', 'EQ'],
  ['FUT', 'FUT'],
  ['CE', 'CE'],
  ['PE', 'PE'],
]);

/** Kite counts lots of commodities and of currencies, whatever stands in `lot_size`. */
const inLots: readonly (MasterExchange | undefined)[] = ['MCX', 'NCO', 'CDS', 'BCD'];

/** A series behind a share's symbol. Other letters behind a hyphen are the symbol's own: BAJAJ-AUTO, MCDOWELL-N. */
const seriesSuffix = /-([A-Z][A-Z0-9])$/;

function read(row: MasterFields, _file: unknown, today: string): Listed | Skipped {
  const { tradingsymbol: symbol = '', exchange: venue = '', segment = '', name = '', strike = '', instrument_type = '' } = row;
  const index = segment === 'INDICES';
  const exchange = index ? indexExchanges.get(venue) : exchanges.find((each) => each === venue);
  const kind = index ? 'INDEX' : kinds.get(instrument_type);
  const expiry = calendarDay(row.expiry);
  return listed(
    {
      exchange,
      kind,
      root: kind === 'EQ' || index ? symbol : name || kiteUnderlying(symbol, kind, strike, expiry),
      series: seriesSuffix.exec(symbol)?.[1] ?? 'EQ',
      name,
      expiry,
      strike,
      tick: row.tick_size,
      lot: row.lot_size,
      countsLots: inLots.includes(exchange),
      symbol,
      token: tokenNumber(row.instrument_token),
    },
    today,
  );
}

/** Kite's dump of all exchanges. Orders go by the trading symbol, the token is that of the ticker. */
export const master: Master = { files: [{ path: 'instruments', pack: 'gzip', form: 'csv' }], read };
