import { z } from 'zod';
import type { Broker, BrokerEnv, BrokerQuote } from '../broker.ts';
import { numberToken } from '../instrument.ts';
import { failure, instrument, issueText, istTime } from '../parse.ts';
import { indexExchanges, type QuoteCall, quoteReader, quotesBy, quotesOf, shownPrice, shownVolume, touch } from '../quote.ts';
import { type Api, ROOT } from './api.ts';
import { exchanges } from './wire.ts';

/** Most tokens of one call. */
const MOST_TOKENS = 50;
export const quoteLimits = [{ requests: 10, perMs: 1_000 }];

const quoted: Readonly<Record<string, string>> = { ...exchanges, ...indexExchanges };

/** A row of POST /market/v1/quote, mode FULL: rupees; times of India. */
export const quoteSchema: z.ZodType<BrokerQuote> = z
  .looseObject({ ltp: shownPrice, open: shownPrice, high: shownPrice, low: shownPrice, close: shownPrice })
  .extend({ tradeVolume: shownVolume, depth: touch, exchFeedTime: istTime.catch(null) })
  .transform(({ ltp, open, high, low, close, tradeVolume, depth, exchFeedTime }) => {
    const at = exchFeedTime === null ? null : Date.parse(exchFeedTime);
    return { lastPrice: ltp, ...depth, open, high, low, close, volume: tradeVolume, at };
  });
const answerSchema = z.looseObject({ fetched: z.array(z.unknown()).nullish() });
const rowName = z.looseObject({ exchange: z.string(), symbolToken: instrument });

export function createQuotes(env: BrokerEnv, api: Api): Pick<Broker, 'quotes'> {
  const read = quoteReader(env.log, 'angelone', quoteSchema);
  const call: QuoteCall = {
    most: MOST_TOKENS,
    key({ exchange, token }) {
      const id = numberToken(token);
      return quoted[exchange] && id ? `${quoted[exchange]} ${id}` : null;
    },
    async ask(names) {
      const exchangeTokens: Record<string, string[]> = {};
      for (const [exchange = '', token = ''] of names.map((name) => name.split(' '))) {
        exchangeTokens[exchange] = [...(exchangeTokens[exchange] ?? []), token];
      }
      const json = { mode: 'FULL', exchangeTokens };
      const answer = await api.ask({ method: 'POST', path: `${ROOT}/market/v1/quote`, json, changing: true });
      if (!answer.success) return answer;
      const told = answerSchema.safeParse(answer.data);
      return told.success ? quotesOf(told.data.fetched ?? [], nameOf, read) : failure(`quotes: ${issueText(told.error)}`);
    },
  };
  return { quotes: (instruments, room) => quotesBy(call, instruments, room) };
}

function nameOf(row: unknown): string | null {
  const name = rowName.safeParse(row).data;
  return name ? `${name.exchange} ${numberToken(name.symbolToken)}` : null;
}
