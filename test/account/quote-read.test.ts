import { expect, test } from 'vitest';
import type { BrokerQuote, Quotes, Room } from '../../server/brokers/broker.ts';
import type { FeedInstrument } from '../../server/brokers/feed.ts';
import { QuoteRead, quoteKey } from '../../server/brokers/quote-read.ts';
import { ReadBudget } from '../../server/brokers/read-budget.ts';
import { standInBroker } from '../support/stand-in-broker.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const named = (symbol: string): FeedInstrument => ({ exchange: 'NSE', symbol, token: '' });
const [a, b, c] = ['A', 'B', 'C'].map(named) as [FeedInstrument, FeedInstrument, FeedInstrument];
const quote: BrokerQuote = { lastPrice: '1', bid: null, ask: null, open: null, high: null, low: null, close: null, volume: null, at: null };

/** Reads of a broker that takes `takesMs`, with one call a second unless told otherwise. */
function reading(
  takesMs: number,
  read?: (instruments: readonly FeedInstrument[], room: Room) => Promise<Quotes>,
  windows = [{ requests: 1, perMs: 1_000 }],
) {
  const clock = new VirtualClock();
  const reads: { symbols: string[]; at: number }[] = [];
  const quotes = async (instruments: readonly FeedInstrument[], room: Room = async () => true): Promise<Quotes> => {
    reads.push({ symbols: instruments.map(({ symbol }) => symbol), at: clock.mono() });
    await clock.sleep(takesMs);
    return read ? read(instruments, room) : { success: true, quotes: instruments.map(() => quote) };
  };
  const reader = new QuoteRead(standInBroker({ quotes }), new ReadBudget(clock, windows));
  return { clock, reads, reader };
}

test('what is asked for within a few milliseconds is one read, each instrument once', async () => {
  const { clock, reads, reader } = reading(50);
  const asked = Promise.all([reader.read([a, b]), reader.read([b]), clock.sleep(3).then(() => reader.read([c, a]))]);
  const answers = await clock.settle(asked);
  expect(reads).toEqual([{ symbols: ['A', 'B', 'C'], at: 4 }]);
  for (const [index, wanted] of [[a, b], [b], [c, a]].entries()) {
    const answer = answers[index];
    expect(answer?.failure).toBeNull();
    for (const instrument of wanted) expect(answer?.quotes.get(quoteKey(instrument))).toMatchObject({ quote });
  }
});

test('one that comes while its instrument is read gets that answer; another instrument waits for the next read', async () => {
  const { clock, reads, reader } = reading(300);
  const first = reader.read([a]);
  await clock.pass(100);
  const asked = Promise.all([first, reader.read([a]), reader.read([a, b]), reader.read([b])]);
  await clock.settle(asked);
  expect(reads.map(({ symbols }) => symbols)).toEqual([['A'], ['B']]);
  expect(reads[1]?.at).toBe(4 + 1_151);
});

test('a read that could not begin in time is refused in words, and never made', async () => {
  const { clock, reads, reader } = reading(10, undefined, [{ requests: 1, perMs: 10_000 }]);
  await clock.settle(reader.read([a]));
  const { failure, quotes } = await clock.settle(reader.read([b]));
  expect(failure?.message).toMatch(/limit for quotes left no room/);
  expect(quotes.size).toBe(0);
  expect(clock.mono()).toBeLessThan(1_300);
  await clock.pass(60_000);
  expect(reads).toHaveLength(1);
  expect((await clock.settle(reader.read([b]))).failure).toBeNull();
});

test('a quote is remembered for 5 s from the beginning of its read, and no failed one', async () => {
  const { clock, reader } = reading(100);
  await clock.settle(reader.read([a]));
  expect(reader.newest(a)?.quote).toEqual(quote);
  expect(reader.newest(b)).toBeNull();
  await clock.pass(4_899);
  expect(reader.newest(a)).not.toBeNull();
  await clock.pass(2);
  expect(reader.newest(a)).toBeNull();
});

test('each call after the first takes room of its own in the budget', async () => {
  const moments: number[] = [];
  const { clock, reader } = reading(
    0,
    async (instruments, room) => {
      for (const _ of instruments) {
        expect(await room()).toBe(true);
        moments.push(clock.mono());
      }
      return { success: true, quotes: instruments.map(() => quote) };
    },
    [{ requests: 1, perMs: 1_000 }],
  );
  await clock.settle(reader.read([a, b, c]));
  expect(moments).toEqual([4, 4 + 1_151, 4 + 2 * 1_151]);
});

test('what a broker throws is a failure, and the next read goes out', async () => {
  let broken = true;
  const { clock, reader } = reading(1, async (instruments) => {
    if (broken) throw new Error('cut off');
    return { success: true, quotes: instruments.map(() => null) };
  });
  expect(await clock.settle(reader.read([a]))).toEqual({ quotes: new Map(), failure: { success: false, message: 'cut off' } });
  broken = false;
  const { quotes, failure } = await clock.settle(reader.read([a]));
  expect([failure, quotes.get(quoteKey(a))?.quote]).toEqual([null, null]);
});
