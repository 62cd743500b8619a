import { z } from 'zod';
import type { Broker, BrokerEnv, BrokerQuote } from '../broker.ts';
import { plainText } from '../instrument.ts';
import { type QuoteCall, quoteReader, quotesBy, quotesOf, shownPrice, shownVolume } from '../quote.ts';
import type { Api } from './api.ts';

/** Most symbols of one call. */
const MOST_SYMBOLS = 50;

/** What GET /data/quotes tells of a symbol: rupees. `tt` is the trading day, not the time of a price: there is none. */
export const quoteSchema: z.ZodType<BrokerQuote> = z
  .looseObject({ lp: shownPrice, bid: shownPrice, ask: shownPrice, open_price: shownPrice, high_price: shownPrice })
  .extend({ low_price: shownPrice, prev_close_price: shownPrice, volume: shownVolume })
  .transform(({ lp, bid, ask, open_price, high_price, low_price, prev_close_price, volume }) => {
    return { lastPrice: lp, bid, ask, open: open_price, high: high_price, low: low_price, close: prev_close_price, volume, at: null };
  });
const rowSchema = z.looseObject({ n: z.string(), s: z.string(), v: z.unknown().optional() }).catch({ n: '', s: '', v: null });

export function createQuotes(env: BrokerEnv, api: Api): Pick<Broker, 'quotes'> {
  const read = quoteReader(env.log, 'fyers', quoteSchema);
  const call: QuoteCall = {
    most: MOST_SYMBOLS,
    // A symbol names its exchange: NSE:SBIN-EQ, NSE:NIFTY50-INDEX.
    key: ({ symbol }) => (/^[A-Z]+:[^,]+$/.test(plainText(symbol) ?? '') ? plainText(symbol) : null),
    async ask(names) {
      const answer = await api.ask({ method: 'GET', path: '/data/quotes', query: { symbols: names.join(',') }, changing: true });
      if (!answer.success) return answer;
      const { d } = answer.data;
      if (!Array.isArray(d)) return { success: false, message: 'FYERS answered without quotes' };
      const rows = d.map((row) => rowSchema.parse(row)).filter(({ s }) => s === 'ok');
      return quotesOf(
        rows,
        ({ n }) => n,
        ({ v }) => read(v),
      );
    },
  };
  return { quotes: (instruments, room) => quotesBy(call, instruments, room) };
}
