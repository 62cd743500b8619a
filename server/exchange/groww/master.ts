import { seriesOf } from '../listed.ts';
import type { Listed } from '../types.ts';
import { type Cell, csvLines } from '../wire/csv.ts';
import type { MasterFile } from '../wire/master-files.ts';
import { dateParts } from '../wire/times.ts';
import { indexName, tokenOf, tradingSymbol, venueOf } from './rows.ts';

/** Groww's one list of instruments. Strikes and ticks in rupees; the lot of a commodity is its size in the units it is quoted in. */

const header =
  'exchange,exchange_token,trading_symbol,groww_symbol,name,instrument_type,segment,series,isin,underlying_symbol,underlying_exchange_token,expiry_date,strike_price,lot_size,tick_size,freeze_quantity,is_reserved,buy_allowed,sell_allowed,internal_trading_symbol,is_intraday';

/** A row without a symbol, as there are some. */
const nameless: readonly Cell[] = ['NSE', 99_999, '', '', '', 'EQ', 'CASH', 'EQ', '', '', '', '', '', 1, 0.01, '', 0, 0, 0, '', 0];

export const masterFiles: readonly MasterFile[] = [
  { path: '/instruments/instrument.csv', type: 'text/csv', lines: (listed) => csvLines(header, rowsOf(listed)) },
];

function* rowsOf(listed: Iterable<Listed>): Generator<readonly Cell[] | null> {
  for (const one of listed) yield row(one);
  yield nameless;
}

/** Null for what Groww does not offer. */
function row(one: Listed): readonly Cell[] | null {
  const venue = venueOf[one.exchange];
  if (!venue) return null;
  const { kind, name, isin, underlying, base, expiry, strike, lotSize, multiplier, tick, freezeQuantity } = one;
  const symbol = tradingSymbol(one);
  const index = kind === 'INDEX';
  const size = one.exchange === 'MCX' ? multiplier : 1;
  const under = kind === 'EQ' || index ? [null, null] : [indexName(underlying), base && tokenOf(base)];
  const named: Cell[] = [venue.exchange, tokenOf(one), symbol, growwSymbol(one, venue.exchange), name, index ? 'IDX' : kind];
  const facts: Cell[] = [venue.segment, seriesOf(one), isin, ...under, expiry, strike ?? (index ? 'NaN' : null)];
  const allowed = index ? 0 : 1;
  const sizes: Cell[] = [lotSize * size, index ? 'NaN' : tick, freezeQuantity === null ? null : freezeQuantity * size];
  return [...named, ...facts, ...sizes, 0, allowed, allowed, symbol, allowed];
}

/** NSE-RELIANCE, NSE-NIFTY-29Dec26-26000-CE. */
function growwSymbol(one: Listed, exchange: string): string {
  const { expiry, underlying, strike, kind } = one;
  if (expiry === null) return `${exchange}-${tradingSymbol(one)}`;
  const { day, monthName, year } = dateParts(expiry);
  return [exchange, underlying, `${day}${monthName}${year.slice(2)}`, ...(strike === null ? [] : [strike]), kind].join('-');
}
