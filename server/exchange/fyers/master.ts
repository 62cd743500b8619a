import { Big } from '../../money.ts';
import type { Instrument, Listed } from '../types.ts';
import { type Cell, csvLine } from '../wire/csv.ts';
import type { MasterFile } from '../wire/master-files.ts';
import { dateParts, epochSeconds } from '../wire/times.ts';
import { fyToken, identity, symbolOf } from './rows.ts';

/** FYERS' symbol masters: a CSV of 21 columns without a header for each exchange and segment. Strikes and ticks in rupees; commodities and currencies count lots. */

const fileOf = { NSE: 'NSE_CM', NFO: 'NSE_FO', CDS: 'NSE_CD', BSE: 'BSE_CM', BFO: 'BSE_FO', MCX: 'MCX_COM' } as const satisfies Record<
  Instrument['exchange'],
  string
>;
/** NSE's commodities have a file of their own, and nothing is in it. */
const files = [...Object.values(fileOf), 'NSE_COM'];
/** The session of a day, and when it ends for a contract that expires. */
const sessions = {
  NSE: ['0915-1530|1815-1915:', '15:30'],
  BSE: ['0915-1530|1815-1915:', '15:30'],
  NFO: ['0915-1540|1815-1915:', '15:40'],
  BFO: ['0915-1540|1815-1915:', '15:40'],
  MCX: ['0900-2330|1815-1915:', '23:30'],
  CDS: ['0900-1700|1815-1915:', '17:00'],
} as const;

export const masterFiles: readonly MasterFile[] = files.map((file) => ({
  path: `/sym_details/${file}.csv`,
  type: 'text/csv',
  *lines(listed, day) {
    for (const one of listed) yield fileOf[one.exchange] === file ? csvLine(row(one, day)) : '';
  },
}));

function row(one: Listed, day: string): readonly Cell[] {
  const { exchange, kind, lotSize, tick, isin, expiry, strike, exchangeToken, underlying, base } = one;
  const [session, close] = sessions[exchange];
  const place = identity(one);
  const ends = expiry === null ? null : epochSeconds(Date.parse(`${expiry}T${close}:00+05:30`));
  const option = kind === 'CE' || kind === 'PE' ? kind : exchange === 'BFO' ? null : 'XX';
  const own = base ?? one;
  const about: Cell[] = [fyToken(one), details(one), typeOf(one), lotSize, pointed(tick), isin, session, day, ends, symbolOf(one)];
  const codes: Cell[] = [place.exchange, place.segment, exchangeToken, underlying, own.exchangeToken, pointed(strike ?? '-1')];
  return [...about, ...codes, option, fyToken(own), 'None', 0, pointed('0')];
}

function typeOf({ exchange, kind, base }: Listed): number {
  if (kind === 'EQ') return 0;
  if (kind === 'INDEX') return 10;
  const future = kind === 'FUT';
  if (exchange === 'MCX') return future ? 30 : 31;
  if (exchange === 'CDS') return future ? 16 : 19;
  return (future ? 11 : 14) + (base?.kind === 'EQ' ? (future ? 2 : 1) : 0);
}

/** NIFTY 29 Dec 26 26000 CE; a share or index by its name. */
function details({ name, expiry, underlying, strike, kind }: Listed): string {
  if (expiry === null) return name;
  const { day, monthName, year } = dateParts(expiry);
  return `${underlying} ${day} ${monthName} ${year.slice(2)} ${strike === null ? 'FUT' : `${strike} ${kind}`}`;
}

/** A decimal with a point whatever it is: 65 as 65.0. */
function pointed(decimal: string): string {
  const text = new Big(decimal).toFixed();
  return text.includes('.') ? text : `${text}.0`;
}
