import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';
import type { FeedSink, FeedTalk, Frame, FrameQuote } from '../../server/brokers/feed.ts';
import { type Random, seededRandom } from '../../server/clock.ts';
import { trialsOf } from '../support/proven.ts';

/** What a decoder said of one frame. */
export interface Heard {
  quotes: ({ key: string | number } & FrameQuote)[];
  prices: { key: string | number; rupees: number; at: number | null }[];
  orders: (string | null)[];
  ready: number;
  refused: string[];
  replies: Frame[];
}

export function hearing(): { heard: Heard; sink: FeedSink } {
  const heard: Heard = { prices: [], quotes: [], orders: [], ready: 0, refused: [], replies: [] };
  const sink: FeedSink = {
    ready: () => {
      heard.ready += 1;
    },
    refused: (reason) => heard.refused.push(reason),
    price: (key, rupees, at) => heard.prices.push({ key, rupees, at }),
    quote: (key, quote) => heard.quotes.push({ key, ...quote }),
    order: (orderId) => heard.orders.push(orderId),
    reply: (frame) => heard.replies.push(frame),
  };
  return { heard, sink };
}

/** What a talk hears in some frames, one after the other. */
export function hear(talk: Pick<FeedTalk, 'decode'>, ...frames: Frame[]): Heard {
  const { heard, sink } = hearing();
  for (const frame of frames) talk.decode(frame, sink);
  return heard;
}

/** `npm run proofs`: 100,000. */
const FRAMES = trialsOf(10_000, 100_000);
/** A decoder may keep this much more after all frames than before, rubbish collected. */
const MOST_KEPT_BYTES = 8 * 1024 * 1024;

/**
 * Feeds one decoder these frames: random bytes, and good frames with bits turned, cut short, or drawn out. It must throw at none,
 * say no more than the frame has bytes, and keep nothing that grows. The seed of a failure is in its message.
 */
export function fuzz(makeTalk: () => Pick<FeedTalk, 'decode'>, good: readonly Frame[], seed = Date.now() >>> 0): void {
  const random = seededRandom(seed);
  const talk = makeTalk();
  let said = 0;
  const count = () => {
    said += 1;
  };
  const sink: FeedSink = { ready: count, refused: count, price: count, quote: count, order: count, reply: count };
  const before = keptBytes();
  for (let index = 0; index < FRAMES; index++) {
    const frame = nextFrame(random, good);
    said = 0;
    try {
      talk.decode(frame, sink);
    } catch (error) {
      throw new Error(`seed ${seed}, frame ${index} (${typeof frame === 'string' ? frame : Buffer.from(frame).toString('hex')}): ${error}`);
    }
    expect(said, `seed ${seed}, frame ${index}: said more than the frame can hold`).toBeLessThanOrEqual(frame.length + 1);
  }
  const kept = keptBytes() - before;
  expect(kept, `seed ${seed}: kept ${kept} bytes`).toBeLessThan(MOST_KEPT_BYTES);
}

function keptBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function nextFrame(random: Random, good: readonly Frame[]): Frame {
  const pick = good[Math.floor(random.next() * good.length)];
  if (pick === undefined || random.next() < 0.3) {
    const bytes = Buffer.from(random.bytes(Math.floor(random.next() * 64)));
    return random.next() < 0.3 ? bytes.toString('utf8') : bytes;
  }
  const bytes = Buffer.from(pick);
  const turns = Math.floor(random.next() * 4);
  for (let turn = 0; turn < turns && bytes.length > 0; turn++)
    bytes[Math.floor(random.next() * bytes.length)] = Math.floor(random.next() * 256);
  const cut = random.next() < 0.4 ? bytes.subarray(0, Math.floor(random.next() * bytes.length)) : bytes;
  const drawn = random.next() < 0.1 ? Buffer.concat([cut, Buffer.from(random.bytes(16))]) : cut;
  return typeof pick === 'string' ? drawn.toString('utf8') : drawn;
}
