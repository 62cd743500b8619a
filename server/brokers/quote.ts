import { z } from 'zod';
import type { BrokerId } from '../../contract/words.ts';
import type { Log } from '../log.ts';
import { exact } from '../money.ts';
import type { BrokerQuote, Quotes, Room } from './broker.ts';
import type { Refused } from './dialect.ts';
import type { FeedInstrument } from './feed.ts';
import { createWordLog, failure, issueText } from './parse.ts';

/** What adapters share to tell quotes. */

/** Our words for where indices stand, and the exchange of each. */
export const indexExchanges = { NSE_INDEX: 'NSE', BSE_INDEX: 'BSE', MCX_INDEX: 'MCX' } as const;

/** Where an instrument stands by the exchanges' own words: an index among the instruments of its exchange. */
export function venueOf(exchange: string): string {
  return Object.entries(indexExchanges).find(([ours]) => ours === exchange)?.[1] ?? exchange;
}

/** Whether an exchange word is one of indices. */
export function isIndex(exchange: string): boolean {
  return Object.hasOwn(indexExchanges, exchange);
}

/** Rupees, number or numeric text -> exact plain text; null where it is absent, null, empty or not above 0: brokers say 0 for what there is not. */
export const shownPrice = z
  .union([z.number(), z.string()], { error: 'must be a number' })
  .nullish()
  .transform((value, ctx) => {
    if (value === null || value === undefined || value === '') return null;
    const price = exact(value);
    if (price) return price.gt(0) ? price.toFixed() : null;
    ctx.addIssue({ code: 'custom', message: 'must be a number' });
    return z.NEVER;
  });

/** A quantity traded, number or numeric text; null where it is not told or cannot be one. */
export const shownVolume = z
  .unknown()
  .optional()
  .transform((value) => {
    const volume = exact(value);
    return volume && !volume.lt(0) ? Number(volume.round(0, 0).toFixed()) : null;
  });

const level = z.looseObject({ price: shownPrice }).transform(({ price }) => price);

/** A side of the depth, best price first -> the best price; null where nobody stands. */
export const bestOf = z
  .array(level)
  .nullish()
  .transform((prices) => prices?.[0] ?? null);

/** Open, high, low and close as most brokers name them. */
export const dayPrices = z
  .looseObject({ open: shownPrice, high: shownPrice, low: shownPrice, close: shownPrice })
  .partial()
  .nullish()
  .transform((day) => ({ open: day?.open ?? null, high: day?.high ?? null, low: day?.low ?? null, close: day?.close ?? null }));

/** Bid and ask of a depth with two sides. */
export const touch = z
  .looseObject({ buy: bestOf, sell: bestOf })
  .partial()
  .nullish()
  .transform((depth) => ({ bid: depth?.buy ?? null, ask: depth?.sell ?? null }));

/** Epoch ms, number or text; null where it is absent, not above 0 or unreadable. */
export function instant(epochMs: unknown): number | null {
  const at = exact(epochMs);
  return at?.gt(0) ? Number(at.round(0, 0).toFixed()) : null;
}

/** A reader of quotes: what a schema makes of a row; null for a row that cannot be read, which is logged once a reason, and for none. */
export function quoteReader(log: Log, broker: BrokerId, schema: z.ZodType<BrokerQuote>): (row: unknown) => BrokerQuote | null {
  const wordLog = createWordLog(log, broker);
  return (row) => {
    if (row === undefined || row === null) return null;
    const read = schema.safeParse(row);
    if (!read.success) wordLog('quote', issueText(read.error));
    return read.data ?? null;
  };
}

export type QuoteMap = ReadonlyMap<string, BrokerQuote>;

/** How one broker is asked for quotes. */
export interface QuoteCall {
  /** What a call names an instrument by; null where this broker cannot have it. */
  key(instrument: FeedInstrument): string | null;
  /** Most names of one call. */
  most: number;
  /** One call; what it knows nothing of is missing. */
  ask(keys: readonly string[]): Promise<QuoteMap | Refused>;
}

/** So many calls may be spent to find the names for which a broker refuses the whole call. */
const MOST_HALVES = 24;
/** A call for several names that is refused with this status is asked again in halves: one of them may be what is refused. */
const BAD_REQUEST = 400;
export const noRoom: Refused = {
  success: false,
  message: "The broker's read limit leaves no room for the calls that these quotes take. Ask for fewer.",
};

/** Quotes in the order of `instruments`, in as few calls as their number wants, side by side. The first call that fails is the answer. */
export async function quotesBy(call: QuoteCall, instruments: readonly FeedInstrument[], room: Room = async () => true): Promise<Quotes> {
  const keys = instruments.map(call.key);
  const distinct = [...new Set(keys)].filter((each) => each !== null);
  const most = Math.min(call.most, Math.max(1, distinct.length));
  const pieces = Array.from({ length: Math.ceil(distinct.length / most) }, (_, index) => distinct.slice(index * most, (index + 1) * most));
  const spent = { calls: 0 };
  async function ask(names: readonly string[]): Promise<QuoteMap | Refused> {
    if (!(await room())) return noRoom;
    const answer = await call.ask(names);
    if (!('success' in answer) || answer.status !== BAD_REQUEST) return answer;
    if (names.length === 1) return new Map();
    spent.calls += 2;
    if (spent.calls > MOST_HALVES) return answer;
    const middle = Math.ceil(names.length / 2);
    return merged([await ask(names.slice(0, middle)), await ask(names.slice(middle))]);
  }
  const told = merged(await Promise.all(pieces.map(ask)));
  if ('success' in told) return failure(told.message);
  return { success: true, quotes: keys.map((each) => (each === null ? null : (told.get(each) ?? null))) };
}

function merged(answers: readonly (QuoteMap | Refused)[]): QuoteMap | Refused {
  const told = new Map<string, BrokerQuote>();
  for (const answer of answers) {
    if ('success' in answer) return answer;
    for (const [name, quote] of answer) told.set(name, quote);
  }
  return told;
}

/** The quotes of rows that name themselves; rows that cannot be read are left out. */
export function quotesOf<Row>(rows: Iterable<Row>, keyOf: (row: Row) => string | null, read: (row: Row) => BrokerQuote | null): QuoteMap {
  const told = new Map<string, BrokerQuote>();
  for (const row of rows) {
    const [key, quote] = [keyOf(row), read(row)];
    if (key !== null && quote) told.set(key, quote);
  }
  return told;
}

/** The depth of one instrument as Noren's systems tell it, all texts: rupees. Members without a value are left out. */
export const norenPrices = {
  ...{ lp: shownPrice, bp1: shownPrice, sp1: shownPrice },
  ...{ o: shownPrice, h: shownPrice, l: shownPrice, c: shownPrice },
  v: shownVolume,
};

/** The quote it is; `at` is epoch ms. */
export function norenQuote({ lp, bp1, sp1, o, h, l, c, v }: z.output<z.ZodObject<typeof norenPrices>>, at: number | null): BrokerQuote {
  return { lastPrice: lp, bid: bp1, ask: sp1, open: o, high: h, low: l, close: c, volume: v, at };
}
