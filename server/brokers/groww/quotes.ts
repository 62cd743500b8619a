import { z } from 'zod';
import type { Broker, BrokerEnv, BrokerQuote, Room } from '../broker.ts';
import type { Refused } from '../dialect.ts';
import type { FeedInstrument } from '../feed.ts';
import { plainText } from '../instrument.ts';
import { failure, issueText } from '../parse.ts';
import {
  dayPrices,
  indexExchanges,
  instant,
  noRoom,
  type QuoteCall,
  type QuoteMap,
  quoteReader,
  quotesBy,
  quotesOf,
  shownPrice,
  shownVolume,
} from '../quote.ts';
import type { Api } from './api.ts';
import { exchanges, segmentOf } from './wire.ts';

/** Live data has a limit of its own. */
export const quoteLimits = [
  { requests: 10, perMs: 1_000 },
  { requests: 300, perMs: 60_000 },
];
/** Bid, ask and volume come of one instrument a call alone: for so many. More are asked for together, their last prices and their days. */
const MOST_WHOLE = 4;
/** Most names of one call. */
const MOST_NAMES = 50;

const quoted: Readonly<Record<string, string>> = { ...exchanges, MCX: 'MCX', ...indexExchanges };

/** The payload of GET /v1/live-data/quote: rupees, epoch ms. */
export const quoteSchema: z.ZodType<BrokerQuote> = z
  .looseObject({ last_price: shownPrice, bid_price: shownPrice, offer_price: shownPrice, ohlc: dayPrices, volume: shownVolume })
  .extend({ last_trade_time: z.unknown().optional() })
  .transform(({ last_price, bid_price, offer_price, ohlc, volume, last_trade_time }) => {
    return { lastPrice: last_price, bid: bid_price, ask: offer_price, ...ohlc, volume, at: instant(last_trade_time) };
  });

/** A day of GET /v1/live-data/ohlc: an object, or the text `{open: 149.50,high: ...}` of the documents. */
const dayOrText = z.preprocess(
  (day) =>
    typeof day === 'string' ? Object.fromEntries([...day.matchAll(/(\w+):\s*([\d.]+)/g)].map(([, name, price]) => [name, price])) : day,
  dayPrices,
);
const manySchema = z
  .object({ last: shownPrice, day: dayOrText })
  .transform(({ last, day }): BrokerQuote => ({ lastPrice: last, bid: null, ask: null, ...day, volume: null, at: null }));
const listSchema = z.record(z.string(), z.unknown());

/** `CASH NSE_RELIANCE`: a name is one within its segment. */
function keyOf({ exchange, symbol }: FeedInstrument): string | null {
  const [venue, name] = [quoted[exchange], plainText(symbol)];
  return venue && name && !name.includes(',') ? `${segmentOf({ exchange })} ${venue}_${name}` : null;
}

function partsOf(key: string) {
  const [, segment = '', name = '', exchange = '', trading_symbol = ''] = /^(\w+) ((\w+?)_(.+))$/.exec(key) ?? [];
  return { segment, name, exchange, trading_symbol };
}

export function createQuotes(env: BrokerEnv, api: Api): Pick<Broker, 'quotes'> {
  const readWhole = quoteReader(env.log, 'groww', quoteSchema);
  const readMany = quoteReader(env.log, 'groww', manySchema);

  async function list(path: string, segment: string, names: readonly string[]): Promise<Record<string, unknown> | Refused> {
    const answer = await api.ask({ method: 'GET', path, query: { segment, exchange_symbols: names.join(',') }, changing: true });
    if (!answer.success) return answer;
    const told = listSchema.safeParse(answer.data);
    return told.success ? told.data : failure(`quotes: ${issueText(told.error)}`);
  }

  const whole: QuoteCall = {
    most: 1,
    key: keyOf,
    async ask([key = '']) {
      const { segment, exchange, trading_symbol } = partsOf(key);
      const query = { exchange, segment, trading_symbol };
      const answer = await api.ask({ method: 'GET', path: '/v1/live-data/quote', query, changing: true });
      return answer.success ? quotesOf([answer.data], () => key, readWhole) : answer;
    },
  };

  /** The names of one segment, in two calls: `room` is asked for the second here. */
  const many = (room: Room): QuoteCall => ({
    most: MOST_NAMES,
    key: keyOf,
    async ask(keys): Promise<QuoteMap | Refused> {
      const { segment } = partsOf(keys[0] ?? '');
      const names = keys.map((key) => partsOf(key).name);
      const last = await list('/v1/live-data/ltp', segment, names);
      if (isRefused(last)) return last;
      const days = (await room()) ? await list('/v1/live-data/ohlc', segment, names) : noRoom;
      if (isRefused(days)) return days;
      const rows = keys.map((key) => ({ key, last: last[partsOf(key).name], day: days[partsOf(key).name] }));
      return quotesOf(
        rows.filter(({ last, day }) => last !== undefined || day !== undefined),
        ({ key }) => key,
        readMany,
      );
    },
  });

  return {
    async quotes(instruments, room = async () => true) {
      if (new Set(instruments.map(keyOf)).size <= MOST_WHOLE) return quotesBy(whole, instruments, room);
      const quotes: (BrokerQuote | null)[] = instruments.map(() => null);
      for (const segment of new Set(instruments.map(segmentOf))) {
        const places = instruments.flatMap((instrument, index) => (segmentOf(instrument) === segment ? [index] : []));
        const answer = await quotesBy(
          many(room),
          places.flatMap((place) => instruments[place] ?? []),
          room,
        );
        if (!answer.success) return answer;
        for (const [index, place] of places.entries()) quotes[place] = answer.quotes[index] ?? null;
      }
      return { success: true, quotes };
    },
  };
}

function isRefused(answer: Record<string, unknown> | Refused): answer is Refused {
  return answer.success === false;
}
