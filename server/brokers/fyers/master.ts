import type { InstrumentKind } from '../../../contract/words.ts';
import type { Master, MasterExchange, MasterFields, MasterFile } from '../master.ts';
import { listed } from '../master-row.ts';
import { indexExchanges, istDay, tokenNumber } from '../master-values.ts';

/** The files have no header. */
const columns = [
  ...['fyToken', 'details', 'type', 'lot', 'tick', 'isin', 'session', 'updated', 'expiry', 'ticker', 'exchange', 'segment', 'token'],
  ...['underlying', 'underlyingToken', 'strike', 'option', 'underlyingFyToken', 'reserved1', 'reserved2', 'reserved3'],
] as const;

/** Numbers of exchange and segment -> our exchange. */
const exchanges: ReadonlyMap<string, MasterExchange> = new Map([
  ['10 10', 'NSE'],
  ['12 10', 'BSE'],
  ['10 11', 'NFO'],
  ['12 11', 'BFO'],
  ['11 20', 'MCX'],
  ['10 12', 'CDS'],
  ['12 12', 'BCD'],
  ['10 20', 'NCO'],
]);
/** Exchanges on which orders count lots; on the others they count units. */
const inLots: readonly (MasterExchange | undefined)[] = ['MCX', 'CDS', 'BCD', 'NCO'];

const INDEX = '10';
/** Shares and ETFs: the papers of BSE, whose groups do not tell them apart. */
const shareTypes = ['0', '9'];
const futureTypes = ['11', '13', '16', '30'];
const optionTypes = ['14', '15', '19', '31'];

/**
 * FYERS' symbol master, a CSV for each segment. Strikes and ticks in rupees, expiry in epoch seconds. Freeze quantities are told in its JSON twin
 * alone, which is one object and cannot be read row by row.
 */
export const master: Master = {
  files: ['NSE_CM', 'NSE_FO', 'NSE_CD', 'NSE_COM', 'BSE_CM', 'BSE_FO', 'MCX_COM'].map(
    (segment): MasterFile => ({ path: `${segment}.csv`, pack: 'plain', form: 'csv', columns, optional: segment === 'NSE_COM' }),
  ),
  read(row, _file, today) {
    const { fyToken = '', ticker = '' } = row;
    const [, prefix, symbol = ''] = /^([A-Z]+):(.+)$/.exec(ticker) ?? [];
    if (prefix === undefined) return { skipped: 'no symbol' };
    const venue = exchanges.get(`${row.exchange} ${row.segment}`);
    const kind = kindOf(row, venue);
    const exchange = kind === 'INDEX' ? indexExchanges.get(venue) : venue;
    const terms = {
      exchange,
      kind,
      name: row.details ?? '',
      countsLots: inLots.includes(exchange),
      lot: row.lot,
      tick: row.tick,
      isin: row.isin,
      symbol: ticker,
      token: fyToken.startsWith(`${row.exchange}${row.segment}`) ? tokenNumber(fyToken) : '',
    };
    if (kind === 'INDEX') return listed({ ...terms, root: symbol.replace(/-INDEX$/, '') }, today);
    // `SBIN-EQ` on NSE, `SBIN-A` by its group on BSE.
    if (kind === 'EQ') {
      const [, root = symbol, series = ''] = /^(.+)-([A-Z0-9]{1,2})$/.exec(symbol) ?? [];
      return listed({ ...terms, root, series }, today);
    }
    return listed({ ...terms, root: row.underlying ?? '', expiry: expiryOf(row.expiry), strike: row.strike }, today);
  },
};

/** Epoch seconds at the end of the last session. */
function expiryOf(text = ''): string | null {
  return /^[1-9]\d{8,9}$/.test(text) ? istDay(Number(text) * 1_000) : null;
}

function kindOf({ type = '', option = '', ticker = '' }: MasterFields, venue: MasterExchange | undefined): InstrumentKind | undefined {
  if (type === INDEX || ticker.endsWith('-INDEX')) return 'INDEX';
  // On NSE the series tells what a paper is.
  if (venue === 'NSE') return /^\d{1,2}$/.test(type) ? 'EQ' : undefined;
  if (shareTypes.includes(type)) return 'EQ';
  const side = option === 'CE' || option === 'PE' ? option : undefined;
  if (optionTypes.includes(type)) return side;
  return futureTypes.includes(type) && side === undefined ? 'FUT' : undefined;
}
