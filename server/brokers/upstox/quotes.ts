import { z } from 'zod';
import { exact } from '../../money.ts';
import type { Broker, BrokerEnv, BrokerQuote } from '../broker.ts';
import { failure, issueText } from '../parse.ts';
import { dayPrices, instant, type QuoteCall, quoteReader, quotesBy, quotesOf, shownPrice, shownVolume, touch } from '../quote.ts';
import type { Api } from './api.ts';

export const MOST_QUOTES = 500;

/**
 * An entry of GET /v2/market-quote/quotes. The `close` of its day is the last price while the market is open: yesterday's lies `net_change` away from
 * the last price. The time is ISO text or epoch ms.
 */
export const quoteSchema: z.ZodType<BrokerQuote> = z
  .looseObject({ last_price: shownPrice, volume: shownVolume, ohlc: dayPrices, depth: touch })
  .extend({ net_change: z.unknown().optional(), timestamp: z.unknown().optional() })
  .transform(({ last_price, volume, ohlc, depth, net_change, timestamp }) => {
    const change = exact(net_change);
    const before = last_price !== null && change ? (exact(last_price)?.minus(change) ?? null) : null;
    const close = before?.gt(0) ? before.toFixed() : change ? null : ohlc.close;
    return { lastPrice: last_price, ...depth, ...ohlc, close, volume, at: instant(timestamp) ?? instant(Date.parse(String(timestamp))) };
  });
const entry = z.looseObject({ instrument_token: z.string() }).catch({ instrument_token: '' });
const answerSchema = z.record(z.string(), z.unknown());

/** `NSE_EQ|INE848E01016`, `NSE_INDEX|Nifty 50`: names of indices are told apart by letter case, whatever an order's token is. */
export function quoteKey(token: string): string | null {
  return /^[A-Z_]+\|[^|,]+$/.test(token.trim()) ? token.trim() : null;
}

export function createQuotes(env: BrokerEnv, api: Api): Pick<Broker, 'quotes'> {
  const read = quoteReader(env.log, 'upstox', quoteSchema);
  const call: QuoteCall = {
    most: MOST_QUOTES,
    key: ({ token }) => quoteKey(token),
    async ask(names) {
      const query = { instrument_key: names.join(',') };
      const answer = await api.ask({ method: 'GET', path: '/v2/market-quote/quotes', query, changing: true });
      if (!answer.success) return answer;
      const entries = answerSchema.safeParse(answer.data);
      if (!entries.success) return failure(`quotes: ${issueText(entries.error)}`);
      return quotesOf(Object.values(entries.data), (row) => entry.parse(row).instrument_token, read);
    },
  };
  return { quotes: (instruments, room) => quotesBy(call, instruments, room) };
}
