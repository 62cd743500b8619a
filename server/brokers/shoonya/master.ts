import { numberToken } from '../instrument.ts';
import type { Listed, Master, MasterExchange, MasterFields, MasterFile, Skipped } from '../master.ts';
import { listed } from '../master-row.ts';
import { kiteUnderlying, namedDay } from '../master-values.ts';

const exchanges = ['NSE', 'BSE', 'NFO', 'BFO', 'CDS', 'MCX'] as const;
const indices: Readonly<Record<string, MasterExchange>> = { NSE: 'NSE_INDEX', BSE: 'BSE_INDEX', MCX: 'MCX_INDEX' };
const indexTypes: readonly string[] = ['INDEX', 'UNDIND', 'AMXIDX'];
const cash: readonly string[] = ['NSE', 'BSE'];
const optionKinds: Readonly<Record<string, Listed['kind']>> = { CE: 'CE', PE: 'PE' };
/** The first placeholders of the currency file. */
const LAST_CDS_DUMMY = 100;

/** A contract's kind: its instrument says future or option, its option type which. Spot prices and underlyings are neither. */
function contractKind(instrument: string, type: string): Listed['kind'] | undefined {
  if (/^FUT[A-Z]{3}$/.test(instrument)) return type === 'XX' || type === '' ? 'FUT' : undefined;
  return /^OPT[A-Z]{3}$/.test(instrument) && Object.hasOwn(optionKinds, type) ? optionKinds[type] : undefined;
}

/** The share and its series: `BAJAJ-AUTO-EQ` is BAJAJ-AUTO. On NSE all symbols carry one, on BSE none does. */
const seriesSuffix = /^(.+)-([A-Z0-9]{2})$/;

function read(row: MasterFields, _file: unknown, today: string): Listed | Skipped {
  const { TradingSymbol: symbol = '', Symbol: name = '', Instrument = '', StrikePrice: strike = '' } = row;
  const venue = exchanges.find((each) => each === row.Exchange);
  if (venue === undefined) return { skipped: 'other exchange' };
  const token = numberToken(row.Token ?? '') ?? '';
  const index = indexTypes.includes(Instrument);
  const exchange = index ? indices[venue] : venue;
  const kind = index ? 'INDEX' : cash.includes(venue) ? 'EQ' : contractKind(Instrument, row.OptionType ?? '');
  if (exchange === undefined || kind === undefined) return { skipped: 'other kind' };
  if (exchange === 'CDS' && token !== '' && Number(token) <= LAST_CDS_DUMMY) return { skipped: 'dummy' };
  const expiry = namedDay(row.Expiry ?? '');
  const split = exchange === 'NSE' ? seriesSuffix.exec(symbol) : null;
  if (exchange === 'NSE' && symbol !== '' && split === null) return { skipped: 'no series' };
  const roots = {
    EQ: split?.[1] ?? symbol,
    INDEX: name || symbol,
    contract: exchange === 'BFO' ? kiteUnderlying(symbol, kind, strike, expiry) : name,
  };
  return listed(
    {
      exchange,
      kind,
      root: kind === 'EQ' || kind === 'INDEX' ? roots[kind] : roots.contract,
      series: split?.[2] ?? '',
      // The file has symbols alone.
      name: '',
      expiry,
      strike,
      tick: row.TickSize ?? '',
      lot: row.LotSize ?? '',
      freeze: '',
      isin: '',
      symbol,
      token,
    },
    today,
  );
}

/** One file an exchange. Orders go by the trading symbol, prices by exchange and token. */
export const master: Master = {
  files: exchanges.map((each): MasterFile => ({ path: `${each}_symbols.txt.zip`, pack: 'zip', form: 'csv' })),
  read,
};
