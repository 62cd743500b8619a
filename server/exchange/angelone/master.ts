import { Big } from '../../money.ts';
import type { Listed } from '../types.ts';
import type { MasterFile } from '../wire/master-files.ts';
import { contract, longDate, tokenOf, tradingSymbol } from './rows.ts';

/** SmartAPI's instrument master: one JSON array, every value a text. */

export const masterFiles: readonly MasterFile[] = [
  { path: '/OpenAPI_File/files/OpenAPIScripMaster.json', type: 'application/json', lines: jsonLines },
];

function* jsonLines(listed: Iterable<Listed>): Generator<string> {
  let before = '[';
  for (const one of listed) {
    yield before + JSON.stringify(row(one));
    before = ',\n';
  }
  yield ']';
}

/** Strike and tick in paise, those of currencies in ten-millionths of a rupee; the lot of a commodity is its contract's size. */
function row(one: Listed) {
  const { exchange, expiry, strike, kind, lotSize, multiplier, tick, underlying } = one;
  const perRupee = exchange === 'CDS' ? 10_000_000 : 100;
  const index = kind === 'INDEX';
  const none = index ? '0.000000' : '-1.000000';
  return {
    token: tokenOf(one),
    symbol: tradingSymbol(one),
    name: underlying === 'INDIAVIX' ? 'INDIA VIX' : underlying,
    expiry: longDate(expiry),
    strike: strike === null ? none : new Big(strike).times(perRupee).toFixed(6),
    lotsize: String(exchange === 'MCX' ? multiplier : lotSize),
    instrumenttype: index ? 'AMXIDX' : contract(one, (value) => value).instrumenttype,
    exch_seg: exchange,
    tick_size: index ? none : new Big(tick).times(perRupee).toFixed(6),
  };
}
