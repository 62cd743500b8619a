import type { Exchange } from '../exchange.ts';
import type { Listed } from '../types.ts';
import { dailyFiles, gzipped, unhurried } from '../wire/daily-files.ts';
import type { Call, Route } from '../wire/emulator.ts';
import type { LongReply, WireReply } from '../wire/message.ts';
import { exchangeToken, instrumentToken, tradingSymbol } from './rows.ts';

/** Kite Connect v3's instrument list: https://kite.trade/docs/connect/v3/market-quotes. Prices in rupees, 0 where there is none. */

const header =
  'instrument_token,exchange_token,tradingsymbol,name,last_price,expiry,strike,tick_size,lot_size,instrument_type,segment,exchange';

/** The list of all exchanges and of each; packed for who takes it so. */
export function masterRoutes(exchange: Exchange, listed: Iterable<Listed> = exchange.listed): Route[] {
  const daily = dailyFiles(exchange.clock);

  function instruments({ request, params }: Call): LongReply | Promise<WireReply> {
    const { exchange: wanted } = params;
    // The official client reads the list only under exactly this content type.
    const headers = { 'Content-Type': 'text/csv' };
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) {
      return { status: 200, headers, pieces: unhurried(lines(listed, wanted)) };
    }
    const packed = daily(wanted ?? '', () => gzipped(lines(listed, wanted)));
    return packed.then((body) => ({ status: 200, headers: { ...headers, 'Content-Encoding': 'gzip' }, body }));
  }

  const open = { method: 'GET', operation: 'market', open: true, handle: instruments } as const;
  return [
    { ...open, path: '/instruments' },
    { ...open, path: '/instruments/:exchange' },
  ];
}

function* lines(listed: Iterable<Listed>, exchange: string | undefined): Generator<string> {
  yield `${header}\n`;
  for (const one of listed) yield exchange === undefined || one.exchange === exchange ? `${line(one)}\n` : '';
}

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
