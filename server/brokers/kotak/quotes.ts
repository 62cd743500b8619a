import type { BrokerEnv } from '../broker.ts';
import { issueText, translate } from '../parse.ts';
import type { Api } from './api.ts';
import { type QuoteRow, quotes } from './protect.ts';
import { segments } from './wire.ts';

/** A quote with the time it was asked for (epoch ms), null when Kotak has none. Throws when it cannot be read. */
export type Quote = (exchange: string, token: string) => Promise<{ quote: QuoteRow; at: number } | null>;

export function createQuotes(env: BrokerEnv, api: Api): Quote {
  return async (exchange, token) => {
    const at = env.clock.now();
    // Kotak wants the bar between segment and token as it is.
    const name = `${translate(segments, 'exchange', exchange)}|${encodeURIComponent(token)}`;
    const answer = await api.get(`/script-details/1.0/quotes/neosymbol/${name}/all`);
    if (!answer.success) throw new Error(answer.message);
    const list = quotes.safeParse(answer.data);
    if (!list.success) throw new Error(`quote: ${issueText(list.error)}`);
    const [quote] = list.data;
    return quote ? { quote, at } : null;
  };
}
