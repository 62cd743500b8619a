import type { Listed } from '../types.ts';
import type { MasterFile } from '../wire/master-files.ts';
import { exchangeToken, instrumentToken, tradingSymbol } from './rows.ts';

/** Kite Connect v3's instrument list: https://kite.trade/docs/connect/v3/market-quotes. Prices in rupees, 0 where there is none. */

const header =
  'instrument_token,exchange_token,tradingsymbol,name,last_price,expiry,strike,tick_size,lot_size,instrument_type,segment,exchange';

const exchanges = ['NSE', 'BSE', 'NFO', 'BFO', 'MCX', 'CDS'] as const;

/** The list of all exchanges and of each; packed for who takes it so. The official client reads it only under exactly this content type. */
export const masterFiles: readonly MasterFile[] = [null, ...exchanges].map((exchange) => ({
  path: exchange === null ? '/instruments' : `/instruments/${exchange}`,
  type: 'text/csv',
  pack: 'as taken',
  limited: true,
  *lines(listed) {
    yield `${header}\n`;
    for (const one of listed) yield exchange === null || one.exchange === exchange ? `${line(one)}\n` : '';
  },
}));

function line(one: Listed): string {
  const { exchange, expiry, strike, kind } = one;
  const index = kind === 'INDEX';
  const symbol = tradingSymbol(one);
  const name = (index ? symbol : one.name).replaceAll('"', '""');
  const named = [instrumentToken(one), exchangeToken(one), symbol, `"${name}"`, 0, expiry ?? '', strike ?? 0];
  // What is counted in lots, on MCX and CDS, has a lot of 1; an index has neither tick nor lot.
  const traded = index ? [0, 0, 'EQ'] : [one.tick, one.lotSize, kind];
  return [...named, ...traded, segmentOf(one), exchange].join(',');
}

function segmentOf({ exchange, kind }: Listed): string {
  if (kind === 'INDEX') return 'INDICES';
  return kind === 'EQ' ? exchange : `${exchange}-${kind === 'FUT' ? 'FUT' : 'OPT'}`;
}
