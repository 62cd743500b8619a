import type { InstrumentKind } from '../../../contract/words.ts';
import type { Master, MasterExchange } from '../master.ts';
import { listed } from '../master-row.ts';
import { calendarDay, indexExchanges, tokenNumber } from '../master-values.ts';

/** Exchange and segment -> our exchange. */
const exchanges: ReadonlyMap<string, MasterExchange> = new Map([
  ['NSE CASH', 'NSE'],
  ['BSE CASH', 'BSE'],
  ['NSE FNO', 'NFO'],
  ['BSE FNO', 'BFO'],
  ['MCX COMMODITY', 'MCX'],
]);
const kinds: ReadonlyMap<string, InstrumentKind> = new Map([
  ['EQ', 'EQ'],
  ['IDX', 'INDEX'],
  ['FUT', 'FUT'],
  ['CE', 'CE'],
  ['PE', 'PE'],
]);
/** Underlyings that Groww calls by another name than the exchange. */
const underlyings: ReadonlyMap<string, string> = new Map([
  ['NIFTYJR', 'NIFTYNXT50'],
  ['NIFTYMIDSELECT', 'MIDCPNIFTY'],
]);
/**
 * Series of NSE whose symbol is theirs alone: shares, and units of REITs (RR) and InvITs (IV). Debentures, warrants and the like bear the symbol of the
 * company's share, by which Groww takes orders: theirs would go into the share.
 */
const ownSymbol: readonly string[] = ['', 'EQ', 'BE', 'BZ', 'SM', 'ST', 'SZ', 'RR', 'IV'];

/** Groww's list of instruments. Strikes and ticks in rupees. MCX lots are in the unit of the quote; what orders count there is not documented. */
export const master: Master = {
  files: [{ path: 'instrument.csv', pack: 'plain', form: 'csv' }],
  read(row, _file, today) {
    const { trading_symbol: symbol = '', instrument_type: type = '', series = '', exchange_token: token = '' } = row;
    const venue = exchanges.get(`${row.exchange} ${row.segment}`);
    const kind = kinds.get(type);
    const terms = {
      exchange: kind === 'INDEX' ? indexExchanges.get(venue) : venue,
      kind,
      name: row.name ?? '',
      lot: row.lot_size,
      tick: row.tick_size,
      freeze: venue === 'MCX' ? '' : row.freeze_quantity,
      isin: row.isin,
      symbol,
      // Of most indices a word.
      token: kind === 'INDEX' ? token : tokenNumber(token),
    };
    if (kind === 'INDEX') return listed({ ...terms, root: symbol }, today);
    if (kind === 'EQ') {
      const told = listed({ ...terms, root: symbol, series }, today);
      const shared = venue === 'NSE' && !('skipped' in told) && !ownSymbol.includes(series);
      return shared ? { skipped: 'symbol of another' } : told;
    }
    const root = underlyings.get(row.underlying_symbol ?? '') ?? row.underlying_symbol ?? '';
    return listed({ ...terms, root, expiry: calendarDay(row.expiry_date), strike: row.strike_price }, today);
  },
};
