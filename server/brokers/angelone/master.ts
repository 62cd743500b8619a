import { contractKind, countOf, listed, priceOf, wordedDayOf } from '../listed-fields.ts';
import type { Master, MasterExchange } from '../master.ts';

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
const indexExchanges: ReadonlyMap<string | undefined, MasterExchange> = new Map([
  ['NSE', 'NSE_INDEX'],
  ['BSE', 'BSE_INDEX'],
  ['MCX', 'MCX_INDEX'],
]);
const INDEX = 'AMXIDX';
/** Rupees of 1 in `strike` and `tick_size`. */
const [PAISE, CURRENCY] = ['0.01', '0.0000001'];

/**
 * SmartAPI's OpenAPIScripMaster. A lot is told in units; what orders on MCX and CDS count is not documented, and none are sent there. It tells
 * neither freeze quantity nor ISIN.
 */
export const master: Master = {
  files: [{ path: 'OpenAPIScripMaster.json', pack: 'plain', form: 'json' }],
  read({ symbol = '', name = '', token = '', exch_seg = '', instrumenttype: type = '', ...row }, _file, today) {
    const venue = exchanges.get(exch_seg);
    const unit = venue === 'CDS' ? CURRENCY : PAISE;
    const terms = {
      name,
      lotSize: countOf(row.lotsize ?? ''),
      tickSize: priceOf(row.tick_size ?? '', unit),
      brokerSymbol: symbol,
      token,
    };
    if (type === INDEX) return listed({ ...terms, exchange: indexExchanges.get(venue), kind: 'INDEX', root: symbol }, today);
    if (type === '') {
      const series = venue === 'NSE' ? (/-([A-Z0-9]{2})$/.exec(symbol)?.[1] ?? '') : '';
      // Orders on NSE name the series.
      if (venue === 'NSE' && series === '' && symbol !== '') return { skipped: 'no series' };
      return listed({ ...terms, exchange: venue, kind: 'EQ', root: symbol, series }, today);
    }
    const kind = contractKind(type, type.startsWith('OPT') ? symbol.slice(-2) : '');
    const [expiry, strike] = [wordedDayOf(row.expiry ?? ''), priceOf(row.strike ?? '', unit)];
    return listed({ ...terms, exchange: venue, kind, root: name, expiry, strike }, today);
  },
};
