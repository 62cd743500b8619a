import { z } from 'zod';
import type { Broker, BrokerEnv, BrokerQuote } from '../broker.ts';
import { numberToken } from '../instrument.ts';
import { indexExchanges, norenPrices, norenQuote, type QuoteCall, quoteReader, quotesBy, quotesOf } from '../quote.ts';
import type { Api } from './api.ts';
import { exchanges } from './wire.ts';

const quoted: Readonly<Record<string, string>> = { ...exchanges, BCD: 'BCD', ...indexExchanges };

/** The answer of GetQuotes, all texts: rupees. Members without a value are left out; there is no time beside that of the answer. */
export const quoteSchema: z.ZodType<BrokerQuote> = z.looseObject(norenPrices).transform((prices) => norenQuote(prices, null));

/** Shoonya answers for one instrument a call. */
export function createQuotes(env: BrokerEnv, api: Api): Pick<Broker, 'quotes'> {
  const read = quoteReader(env.log, 'shoonya', quoteSchema);
  const call: QuoteCall = {
    most: 1,
    key({ exchange, token }) {
      const id = numberToken(token);
      return quoted[exchange] && id ? `${quoted[exchange]} ${id}` : null;
    },
    async ask([key = '']) {
      const [exch = '', token = ''] = key.split(' ');
      const answer = await api.request('GetQuotes', { exch, token });
      if (!answer.success) return answer.empty ? new Map() : answer;
      return quotesOf([answer.data], () => key, read);
    },
  };
  return { quotes: (instruments, room) => quotesBy(call, instruments, room) };
}
