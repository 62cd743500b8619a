import { z } from 'zod';
import type { Broker, BrokerEnv, BrokerQuote } from '../broker.ts';
import { numberToken } from '../instrument.ts';
import { failure } from '../parse.ts';
import { indexExchanges, instant, norenPrices, norenQuote, type QuoteCall, quoteReader, quotesBy, quotesOf } from '../quote.ts';
import type { Quotes } from './quote.ts';
import { exchanges } from './wire.ts';

const quoted: Readonly<Record<string, string>> = { ...exchanges, BCD: 'BCD', ...indexExchanges };

/** The first frame of an instrument's depth, all texts: rupees, epoch seconds. */
export const quoteSchema: z.ZodType<BrokerQuote> = z
  .looseObject({ ...norenPrices, ft: z.unknown().optional() })
  .transform(({ ft, ...prices }) => {
    const seconds = instant(ft);
    return norenQuote(prices, seconds === null ? null : seconds * 1000);
  });

/** Alice Blue tells prices on its socket alone, as many as are asked for; of what it does not know it says nothing. */
export function createQuotes(env: BrokerEnv, prices: Quotes): Pick<Broker, 'quotes'> {
  const read = quoteReader(env.log, 'aliceblue', quoteSchema);
  const call: QuoteCall = {
    most: Number.POSITIVE_INFINITY,
    key({ exchange, token }) {
      const id = numberToken(token);
      return quoted[exchange] && id ? `${quoted[exchange]}|${id}` : null;
    },
    async ask(keys) {
      try {
        return quotesOf(
          await prices.frames(keys),
          ([key]) => key,
          ([, frame]) => read(frame),
        );
      } catch (error) {
        return failure(`quotes: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
  };
  return { quotes: (instruments, room) => quotesBy(call, instruments, room) };
}
