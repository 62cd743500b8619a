import { z } from 'zod';
import { parseIst } from '../../clock.ts';
import type { Broker, BrokerEnv, BrokerQuote } from '../broker.ts';
import { numberToken } from '../instrument.ts';
import { failure, issueText, note } from '../parse.ts';
import { dayPrices, isIndex, type QuoteCall, quoteReader, quotesBy, quotesOf, shownPrice, shownVolume, touch } from '../quote.ts';
import type { Api } from './api.ts';
import { segments } from './wire.ts';

/** One call a second, of at most so many instruments. */
export const MOST_QUOTES = 1_000;
export const quoteLimits = [{ requests: 1, perMs: 1_000 }];

/** All indices have a segment of their own. */
const INDICES = 'IDX_I';
const quoted: Readonly<Record<string, string>> = { ...segments, BCD: 'BSE_CURRENCY' };

/** `21/11/2026 15:29:58`, in India; null for the year 1980, which stands for never. */
function tradedAt(text: string | null): number | null {
  const [, day, month, year, time] = /^(\d{2})\/(\d{2})\/(\d{4}) (\d{2}:\d{2}:\d{2})$/.exec(text ?? '') ?? [];
  return year === undefined || year === '1980' ? null : parseIst(`${year}-${month}-${day} ${time}`);
}

/** An entry of POST /marketfeed/quote, by segment and security id: rupees. */
export const quoteSchema: z.ZodType<BrokerQuote> = z
  .looseObject({ last_price: shownPrice, volume: shownVolume, ohlc: dayPrices, depth: touch, last_trade_time: note.catch(null) })
  .transform(({ last_price, volume, ohlc, depth, last_trade_time }) => {
    return { lastPrice: last_price, ...depth, ...ohlc, volume, at: tradedAt(last_trade_time) };
  });
const answerSchema = z.looseObject({ data: z.record(z.string(), z.record(z.string(), z.unknown()).nullish()) });

export function createQuotes(env: BrokerEnv, api: Api): Pick<Broker, 'quotes'> {
  const read = quoteReader(env.log, 'dhan', quoteSchema);
  const call: QuoteCall = {
    most: MOST_QUOTES,
    key({ exchange, token }) {
      const segment = isIndex(exchange) ? INDICES : quoted[exchange];
      const id = numberToken(token);
      return segment && id ? `${segment} ${id}` : null;
    },
    async ask(names) {
      const json: Record<string, number[]> = {};
      for (const [segment = '', id = ''] of names.map((name) => name.split(' '))) json[segment] = [...(json[segment] ?? []), Number(id)];
      const answer = await api.ask({ method: 'POST', path: '/marketfeed/quote', json, changing: true });
      if (!answer.success) return answer;
      const told = answerSchema.safeParse(answer.data);
      if (!told.success) return failure(`quotes: ${issueText(told.error)}`);
      const rows = Object.entries(told.data.data).flatMap(([segment, ids]) =>
        Object.entries(ids ?? {}).map(([id, row]) => ({ name: `${segment} ${id}`, row })),
      );
      return quotesOf(
        rows,
        ({ name }) => name,
        ({ row }) => read(row),
      );
    },
  };
  return { quotes: (instruments, room) => quotesBy(call, instruments, room) };
}
