import { z } from 'zod';
import type { Broker, BrokerEnv, BrokerQuote } from '../broker.ts';
import { failure, instrument, issueText, translate } from '../parse.ts';
import {
  dayPrices,
  indexExchanges,
  instant,
  type QuoteCall,
  quoteReader,
  quotesBy,
  quotesOf,
  shownPrice,
  shownVolume,
  touch,
} from '../quote.ts';
import type { Api } from './api.ts';
import { type QuoteRow, quotes } from './protect.ts';
import { segments } from './wire.ts';

const PATH = '/script-details/1.0/quotes/neosymbol';
/** No figure is published. */
const MOST_NAMES = 50;

/** A quote with the time it was asked for (epoch ms), null when Kotak has none. Throws when it cannot be read. */
export type Quote = (exchange: string, token: string) => Promise<{ quote: QuoteRow; at: number } | null>;

export function createQuotes(env: BrokerEnv, api: Api): Quote {
  return async (exchange, token) => {
    const at = env.clock.now();
    // Kotak wants the bar between segment and token as it is.
    const name = `${translate(segments, 'exchange', exchange)}|${encodeURIComponent(token)}`;
    const answer = await api.get(`${PATH}/${name}/all`);
    if (!answer.success) throw new Error(answer.message);
    const list = quotes.safeParse(answer.data);
    if (!list.success) throw new Error(`quote: ${issueText(list.error)}`);
    const [quote] = list.data;
    return quote ? { quote, at } : null;
  };
}

/** A row of the quotes, all texts: rupees, epoch seconds. */
export const quoteSchema: z.ZodType<BrokerQuote> = z
  .looseObject({ ltp: shownPrice, ohlc: dayPrices, depth: touch, last_volume: shownVolume, lstup_time: z.unknown().optional() })
  .transform(({ ltp, ohlc, depth, last_volume, lstup_time }) => {
    const seconds = instant(lstup_time);
    return { lastPrice: ltp, ...depth, ...ohlc, volume: last_volume, at: seconds === null ? null : seconds * 1000 };
  });
const rowName = z.looseObject({ exchange: z.string(), exchange_token: instrument, display_symbol: z.string().nullish() });

/** Indices go by name, all else by token: `nse_cm|Nifty 50`, `nse_fo|44498`. */
function keyOf({ exchange, symbol, token }: Parameters<QuoteCall['key']>[0]): string | null {
  const index = Object.entries(indexExchanges).find(([ours]) => ours === exchange)?.[1];
  const segment = Object.entries(segments).find(([ours]) => ours === (index ?? exchange))?.[1];
  const name = (index ? symbol : token).trim();
  return segment && name && !/[|,/]/.test(name) ? `${segment}|${name}` : null;
}

export function createQuoteLists(env: BrokerEnv, api: Api): Pick<Broker, 'quotes'> {
  const read = quoteReader(env.log, 'kotak', quoteSchema);
  const call: QuoteCall = {
    most: MOST_NAMES,
    key: keyOf,
    async ask(names) {
      const path = names.map((name) => name.split('|').map(encodeURIComponent).join('|')).join(',');
      const answer = await api.ask({ method: 'GET', path: `${PATH}/${path}/all`, changing: true });
      if (!answer.success) return answer;
      const rows = z.array(z.unknown()).safeParse(answer.data);
      if (!rows.success) return failure(`quotes: ${issueText(rows.error)}`);
      const asked = new Map(names.map((name) => [name.toUpperCase(), name]));
      return quotesOf(rows.data, (row) => namedIn(row, asked), read);
    },
  };
  return { quotes: (instruments, room) => quotesBy(call, instruments, room) };
}

/** Which of the names asked for a row answers: it repeats the token, of an index the name. */
function namedIn(row: unknown, asked: ReadonlyMap<string, string>): string | null {
  const name = rowName.safeParse(row).data;
  if (!name) return null;
  const known = (text: string | null | undefined) => asked.get(`${name.exchange}|${text}`.toUpperCase());
  return known(name.exchange_token) ?? known(name.display_symbol) ?? null;
}
