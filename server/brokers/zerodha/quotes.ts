import { z } from 'zod';
import { parseIst } from '../../clock.ts';
import type { Broker, BrokerEnv, BrokerQuote } from '../broker.ts';
import { failure, issueText, note } from '../parse.ts';
import { dayPrices, indexExchanges, type QuoteCall, quoteReader, quotesBy, quotesOf, shownPrice, shownVolume, touch } from '../quote.ts';
import type { Api } from './api.ts';
import { exchanges, lastPrices } from './wire.ts';

/** Kite allows one quote request a second, of at most so many instruments. */
const QUOTE_GAP_MS = 1_000;
export const MOST_QUOTES = 500;
export const quoteLimits = [{ requests: 1, perMs: QUOTE_GAP_MS }];

/** Indices stand on the exchange they are of. */
const quoted: Readonly<Record<string, string>> = { ...exchanges, BCD: 'BCD', NCO: 'NCO', ...indexExchanges };

/** An entry of GET /quote, by `NSE:INFY`; one of an index has neither depth nor volume. Times are of India. */
export const quoteSchema: z.ZodType<BrokerQuote> = z
  .looseObject({ timestamp: note, last_price: shownPrice, volume: shownVolume, ohlc: dayPrices, depth: touch })
  .transform(({ timestamp, last_price, volume, ohlc, depth }) => {
    return { lastPrice: last_price, ...depth, ...ohlc, volume, at: timestamp === null ? null : parseIst(timestamp) };
  });
const answerSchema = z.record(z.string(), z.unknown());

export function createQuotes(env: BrokerEnv, api: Api): Pick<Broker, 'quotes' | 'lastPrice'> {
  const read = quoteReader(env.log, 'zerodha', quoteSchema);
  let nextAt = 0;

  /** Both kinds of quotes share the one a second. */
  async function turn(): Promise<void> {
    const now = env.clock.now();
    const at = Math.max(now, nextAt);
    nextAt = at + QUOTE_GAP_MS;
    if (at > now) await env.clock.sleep(at - now);
  }

  const call: QuoteCall = {
    most: MOST_QUOTES,
    key: ({ exchange, symbol }) => (quoted[exchange] && symbol.trim() ? `${quoted[exchange]}:${symbol.trim()}` : null),
    async ask(names) {
      await turn();
      const answer = await api.ask({ method: 'GET', path: '/quote', query: { i: names }, changing: true });
      if (!answer.success) return answer;
      const entries = answerSchema.safeParse(answer.data);
      if (!entries.success) return failure(`quotes: ${issueText(entries.error)}`);
      return quotesOf(
        Object.entries(entries.data),
        ([name]) => name,
        ([, row]) => read(row),
      );
    },
  };

  return {
    quotes: (instruments, room) => quotesBy(call, instruments, room),
    async lastPrice(exchange, symbol) {
      await turn();
      const name = `${exchange}:${symbol}`;
      const answer = await api.read('/quote/ltp', { i: name });
      if (!answer.success) throw new Error(answer.message);
      const prices = lastPrices.safeParse(answer.data);
      if (!prices.success) throw new Error(`last price: ${issueText(prices.error)}`);
      const price = prices.data[name]?.last_price;
      return price === undefined ? null : { price, at: env.clock.now() };
    },
  };
}
