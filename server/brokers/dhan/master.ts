import type { Master, MasterExchange } from '../master.ts';
import { listed } from '../master-row.ts';
import { calendarDay, contractKind, tokenNumber } from '../master-values.ts';

/** Exchange and segment -> our exchange. */
const exchanges: ReadonlyMap<string, MasterExchange> = new Map([
  ['NSE E', 'NSE'],
  ['BSE E', 'BSE'],
  ['NSE D', 'NFO'],
  ['BSE D', 'BFO'],
  ['NSE C', 'CDS'],
  ['BSE C', 'BCD'],
  ['MCX M', 'MCX'],
  ['NSE M', 'NCO'],
  ['NSE I', 'NSE_INDEX'],
  ['BSE I', 'BSE_INDEX'],
  ['MCX I', 'MCX_INDEX'],
]);
/** Ids of indices that the file lists more than once. */
const indexIds: ReadonlyMap<string, string> = new Map([
  ['NIFTY', '13'],
  ['NIFTY50', '13'],
  ['BANKNIFTY', '25'],
  ['NIFTYBANK', '25'],
  ['INDIAVIX', '21'],
  ['VIX', '21'],
  ['SENSEX', '51'],
]);

/**
 * Dhan's compact scrip master. The detailed one tells ISIN and freeze quantity, but not the trading symbol that Dhan's rows print. Strikes in rupees,
 * ticks in paise.
 */
export const master: Master = {
  files: [{ path: 'api-scrip-master.csv', pack: 'plain', form: 'csv' }],
  // Indices are listed again under higher ids.
  rank: ({ kind, token }) => (kind === 'INDEX' ? -Number(token) : null),
  read(row, _file, today) {
    const { SEM_TRADING_SYMBOL: symbol = '', SEM_SMST_SECURITY_ID: token = '', SEM_INSTRUMENT_NAME: type = '' } = row;
    const exchange = exchanges.get(`${row.SEM_EXM_EXCH_ID} ${row.SEM_SEGMENT}`);
    const terms = {
      exchange,
      name: row.SEM_CUSTOM_SYMBOL || (row.SM_SYMBOL_NAME ?? ''),
      // Orders on MCX count lots.
      countsLots: exchange === 'MCX',
      lot: row.SEM_LOT_UNITS,
      tick: row.SEM_TICK_SIZE,
      tickPlaces: 2,
      symbol,
      token: tokenNumber(token),
    };
    if (type === 'INDEX') {
      const id = indexIds.get(symbol.toUpperCase().replace(/[\s-]+/g, ''));
      if (id !== undefined && id !== token) return { skipped: 'told elsewhere' };
      return listed({ ...terms, kind: 'INDEX', root: symbol }, today);
    }
    if (type === 'EQUITY') {
      const series = /^NA$/i.test(row.SEM_SERIES ?? '') ? '' : (row.SEM_SERIES ?? '');
      return listed({ ...terms, kind: 'EQ', root: symbol, series }, today);
    }
    const kind = contractKind(type, row.SEM_OPTION_TYPE ?? '');
    const [expiry, strike] = [calendarDay(row.SEM_EXPIRY_DATE), row.SEM_STRIKE_PRICE];
    return listed({ ...terms, kind, root: underlyingOf(symbol), expiry, strike }, today);
  },
};

/** `NIFTY` of `NIFTY-Sep2026-29200-CE`, `CRUDEOIL` of `CRUDEOIL-19Oct2026-FUT`; empty for a symbol of another form. */
function underlyingOf(symbol: string): string {
  return /^(.+)-(?:\d{2})?[A-Z][a-z]{2}\d{4}-(?:FUT|[\d.]+-(?:CE|PE))$/.exec(symbol)?.[1] ?? '';
}
