import { randomBytes } from 'node:crypto';

/** Time and chance of one running gateway. Nothing else reads them, so that a seed replays a history. */
export interface Clock {
  /** Wall time, milliseconds since the epoch, UTC. */
  now(): number;
  /** Monotonic time in milliseconds, for measuring waits. */
  mono(): number;
  /** Resolves after `ms`, early when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: Signal): Promise<void>;
}

/** What cuts a wait short: an AbortSignal, or a Cut. */
export interface Signal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { once: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export interface Random {
  bytes(count: number): Uint8Array;
  /** A number in [0, 1), for spreading waits; never for a secret. */
  next(): number;
}

/** By hand, because the promised setTimeout of Node makes an error with a stack of each abort, and most waits here end by one. */
function sleep(ms: number, signal?: Signal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(done, Math.max(0, ms));
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done, { once: true });
  });
}

export const systemClock: Clock = {
  now: () => Date.now(),
  mono: () => performance.now(),
  sleep,
};

/** An AbortController of a few lines: an order waits some ten times, and each wait would make an event target, a signal and an event. */
export class Cut implements Signal {
  aborted = false;
  readonly #listeners = new Set<() => void>();

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  /** Calls each listener, once. */
  abort(): void {
    this.aborted = true;
    for (const listener of this.#listeners) {
      this.#listeners.delete(listener);
      listener();
    }
  }
}

/** What `work` resolves with, or null when it takes longer than `ms`. Rejects as `work` rejects. */
export async function within<Value>(clock: Clock, ms: number, work: Promise<Value>): Promise<Value | null> {
  const patience = new Cut();
  try {
    return await Promise.race([work, clock.sleep(ms, patience).then(() => null)]);
  } finally {
    patience.abort();
  }
}

/** Cuts waits short: `ring` ends every sleep that was begun with the signal of before. */
export class Bell {
  #next = new AbortController();

  get signal(): AbortSignal {
    return this.#next.signal;
  }

  ring(): void {
    const now = this.#next;
    this.#next = new AbortController();
    now.abort('rung');
  }
}

const POOL_BYTES = 4096;
let pool = randomBytes(POOL_BYTES);
let used = 0;

/** Random bytes, each given away once. Drawn by the page, because each order needs 32. */
function bytes(count: number): Uint8Array {
  if (count > POOL_BYTES) return randomBytes(count);
  if (used + count > POOL_BYTES) [pool, used] = [randomBytes(POOL_BYTES), 0];
  used += count;
  return pool.subarray(used - count, used);
}

export const systemRandom: Random = {
  bytes,
  next: () => Math.random(),
};

/** A seeded source (mulberry32) for the simulator and for tests; never for keys or tokens. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }
  return { next, bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(next() * 256)) };
}

const IST_OFFSET_MS = 5.5 * 3_600_000;

/** `YYYY-MM-DD` of the trading day in India at an instant (epoch ms, UTC). */
export function tradingDay(at: number): string {
  return new Date(at + IST_OFFSET_MS).toISOString().slice(0, 10);
}

/** `YYYY-MM-DD HH:MM:SS` in India at an instant (epoch ms, UTC): how most brokers write times. */
export function istText(at: number): string {
  return new Date(at + IST_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ');
}

/** Epoch ms of an IST `YYYY-MM-DD[ T]HH:MM[:SS[.fff]]` text, or null when it is none. */
export function parseIst(text: string): number | null {
  const match = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)$/.exec(text.trim());
  if (!match) return null;
  const at = Date.parse(`${match[1]}T${match[2]}+05:30`);
  return Number.isNaN(at) ? null : at;
}

/** The next time the clock in India shows `hour`:00, after `at` (epoch ms, UTC). */
export function nextIstHour(at: number, hour: number): number {
  const midnight = Date.parse(`${tradingDay(at)}T00:00:00+05:30`);
  const today = midnight + hour * 3_600_000;
  return today > at ? today : today + 86_400_000;
}
