import type { Exchange } from '../exchange.ts';
import type { Listed } from '../types.ts';
import { csvCell } from '../wire/csv.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { masterRoutes as fileRoutes, type MasterFile } from '../wire/master-files.ts';
import { plain } from '../wire/message.ts';
import { BASE, letters, scripCode, scripData, scripName } from './words.ts';

/** 5paisa's scrip master: prices in rupees, dates in Indian time, names and series filled up with blanks. */

export const MASTER = `${BASE}/ScripMaster/segment`;

const header =
  'Exch,ExchType,ScripCode,Name,Expiry,ScripType,StrikeRate,FullName,TickSize,LotSize,QtyLimit,Multiplier,SymbolRoot,BOCOAllowed,ISIN,ScripData,Series';
const segmentFiles: Readonly<Record<string, Listed['exchange'] | null>> = {
  all: null,
  bse_eq: 'BSE',
  nse_eq: 'NSE',
  nse_fo: 'NFO',
  bse_fo: 'BFO',
  ncd_fo: 'CDS',
  mcx_fo: 'MCX',
};
const NAME_LETTERS = 50;
const SERIES_LETTERS = 4;
/** When the last trade of a contract is made. */
const closing = { NSE: '', BSE: '', NFO: '14:30:00', BFO: '14:30:00', CDS: '12:30:00', MCX: '23:30:00' } as const;

const masterFiles = Object.entries(segmentFiles).map(
  ([segment, exchange]): MasterFile => ({
    path: `${MASTER}/${segment}`,
    type: 'application/octet-stream',
    headers: { 'Content-Encoding': 'gzip', 'Content-Disposition': `attachment; filename=ScripMaster_${segment}.csv.gz` },
    pack: 'gzip',
    lines: (listed) => lines(listed, exchange),
  }),
);

/** The file of each segment, always packed, in any letter case; text while there is none. */
export function masterRoutes(exchange: Exchange, switches: { noMaster: boolean }): Route[] {
  const files = new Map(fileRoutes(exchange, masterFiles).map((route) => [route.path, route]));

  function scripMaster(call: Call): ReturnType<Route['handle']> {
    const { segment = '' } = call.params;
    const file = files.get(`${MASTER}/${segment.toLowerCase()}`);
    if (!file) return plain(400, `Invalid segment '${segment}'. Allowed values are: ${Object.keys(segmentFiles).join(', ')}`);
    if (switches.noMaster) return plain(200, `Cache not available for segment '${segment.toLowerCase()}'. Retry after some time.`);
    return file.handle(call);
  }

  return [{ method: 'GET', path: `${MASTER}/:segment`, operation: 'market', open: true, handle: scripMaster }];
}

function* lines(listed: Iterable<Listed>, exchange: Listed['exchange'] | null): Generator<string> {
  yield `${header}\n`;
  let first = true;
  for (const one of listed) {
    if (exchange !== null && one.exchange !== exchange) {
      yield '';
      continue;
    }
    // Some contracts of BFO stand under several codes, of which the highest is the one that trades.
    if (first && one.exchange === 'BFO') {
      first = false;
      yield `${line({ ...one, exchangeToken: one.exchangeToken - 100_000 })}\n`;
    }
    yield `${line(one)}\n`;
  }
}

function line(one: Listed): string {
  const { kind, exchange, expiry, strike } = one;
  const series = expiry !== null ? 'XX' : exchange === 'NSE' ? (one.series ?? 'EQ') : 'EQ';
  const option = kind === 'CE' || kind === 'PE';
  // Documented as EQ for indices and XX for shares; both have been seen for shares.
  const type = option ? kind : exchange === 'NSE' ? 'EQ' : 'XX';
  const closes = expiry === null ? '1980-01-01 00:00:00' : `${expiry} ${closing[exchange]}`;
  const named = [...letters[exchange], scripCode(one), scripName(one).padEnd(NAME_LETTERS), closes, type, Number(strike ?? 0)];
  const sizes = [one.tick, one.lotSize, one.freezeQuantity ?? 0, one.multiplier];
  const rest = [one.underlying, 'N', one.isin ?? '', scripData(one, series), series.padEnd(SERIES_LETTERS)];
  return [...named, csvCell(one.name), ...sizes, ...rest].join(',');
}
