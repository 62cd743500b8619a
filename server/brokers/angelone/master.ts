import type { Master, MasterExchange } from '../master.ts';
import { listed } from '../master-row.ts';
import { contractKind, indexExchanges, namedDay, tokenNumber } from '../master-values.ts';

/** `exch_seg`, in the words of the file and in those of its documents. */
const exchanges: ReadonlyMap<string, MasterExchange> = new Map([
  ['NSE', 'NSE'],
  ['BSE', 'BSE'],
  ['NFO', 'NFO'],
  ['BFO', 'BFO'],
  ['MCX', 'MCX'],
  ['CDS', 'CDS'],
  ['nse_cm', 'NSE'],
  ['bse_cm', 'BSE'],
  ['nse_fo', 'NFO'],
  ['bse_fo', 'BFO'],
  ['mcx_fo', 'MCX'],
  ['cde_fo', 'CDS'],
]);
const INDEX = 'AMXIDX';
/** Decimal places that `strike` and `tick_size` are moved up by. */
const [PAISE, CURRENCY] = [2, 7];

/**
 * SmartAPI's OpenAPIScripMaster. A lot is told in units; what orders on MCX and CDS count is not documented, and none are sent there. It tells
 * neither freeze quantity nor ISIN.
 */
export const master: Master = {
  files: [{ path: 'OpenAPIScripMaster.json', pack: 'plain', form: 'json' }],
  read({ symbol = '', name = '', token = '', exch_seg = '', instrumenttype: type = '', ...row }, _file, today) {
    const venue = exchanges.get(exch_seg);
    const places = venue === 'CDS' ? CURRENCY : PAISE;
    const terms = {
      name,
      lot: row.lotsize,
      tick: row.tick_size,
      tickPlaces: places,
      symbol,
      token: tokenNumber(token),
    };
    if (type === INDEX) return listed({ ...terms, exchange: indexExchanges.get(venue), kind: 'INDEX', root: symbol }, today);
    if (type === '') {
      const series = venue === 'NSE' ? (/-([A-Z0-9]{2})$/.exec(symbol)?.[1] ?? '') : '';
      // Orders on NSE name the series.
      if (venue === 'NSE' && series === '' && symbol !== '') return { skipped: 'no series' };
      return listed({ ...terms, exchange: venue, kind: 'EQ', root: symbol, series }, today);
    }
    const kind = contractKind(type, type.startsWith('OPT') ? symbol.slice(-2) : '');
    const contract = { root: name, expiry: namedDay(row.expiry), strike: row.strike, strikePlaces: places };
    return listed({ ...terms, exchange: venue, kind, ...contract }, today);
  },
};
