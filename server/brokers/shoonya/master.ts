import type { Listed, Master, MasterFields, MasterFile, Skipped } from '../master.ts';
import { listed } from '../master-row.ts';
import { contractKind, indexExchanges, kiteUnderlying, namedDay, tokenNumber } from '../master-values.ts';

const exchanges = ['NSE', 'BSE', 'NFO', 'BFO', 'CDS', 'MCX'] as const;
const indexTypes: readonly string[] = ['INDEX', 'UNDIND', 'AMXIDX'];
const cash: readonly string[] = ['NSE', 'BSE'];
/** The first placeholders of the currency file. */
const LAST_CDS_DUMMY = 100;

/** A share's series. On NSE all symbols carry one, on BSE none does. */
const seriesSuffix = /-([A-Z0-9]{2})$/;

function read(row: MasterFields, _file: unknown, today: string): Listed | Skipped {
  const { TradingSymbol: symbol = '', Symbol: name = '', Instrument = '', StrikePrice: strike = '' } = row;
  const venue = exchanges.find((each) => each === row.Exchange);
  if (venue === undefined) return { skipped: 'other exchange' };
  const token = tokenNumber(row.Token);
  const index = indexTypes.includes(Instrument);
  const exchange = index ? indexExchanges.get(venue) : venue;
  // Spot prices and underlyings are neither futures nor options.
  const kind = index ? 'INDEX' : cash.includes(venue) ? 'EQ' : contractKind(Instrument, row.OptionType ?? '');
  if (exchange === 'CDS' && token !== '' && Number(token) <= LAST_CDS_DUMMY) return { skipped: 'dummy' };
  const expiry = namedDay(row.Expiry);
  const series = exchange === 'NSE' ? (seriesSuffix.exec(symbol)?.[1] ?? '') : '';
  if (exchange === 'NSE' && symbol !== '' && series === '') return { skipped: 'no series' };
  const contract = exchange === 'BFO' ? kiteUnderlying(symbol, kind, strike, expiry) : name;
  return listed(
    {
      exchange,
      kind,
      root: kind === 'EQ' ? symbol : kind === 'INDEX' ? name || symbol : contract,
      series,
      expiry,
      strike,
      tick: row.TickSize,
      lot: row.LotSize,
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
