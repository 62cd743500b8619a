import type { Clock, Signal } from '../../server/clock.ts';

interface Timer {
  at: number;
  order: number;
  wake(): void;
  live: boolean;
}

/**
 * Simulated time: it stands still while anything can run, then jumps to the next sleeper. Sleepers due at one moment wake in the order they lay
 * down, so that a history depends on nothing but its seed.
 */
export class VirtualClock implements Clock {
  #mono: number;
  #wallAhead: number;
  #order = 0;
  readonly #timers: Timer[] = [];

  /** `mono`: what the monotonic clock shows at the start, ms. */
  constructor(start = '2026-11-20T10:00:00+05:30', mono = 0) {
    this.#mono = mono;
    this.#wallAhead = Date.parse(start) - mono;
  }

  now(): number {
    return Math.floor(this.#mono) + this.#wallAhead;
  }

  mono(): number {
    return this.#mono;
  }

  sleep(ms: number, signal?: Signal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = { at: this.#mono + Math.max(0, ms), order: this.#order++, live: true, wake: done };
      function done(): void {
        timer.live = false;
        signal?.removeEventListener('abort', done);
        resolve();
      }
      signal?.addEventListener('abort', done);
      push(this.#timers, timer);
    });
  }

  /** Steps the wall clock alone, as a time server or a person does. */
  step(ms: number): void {
    this.#wallAhead += ms;
  }

  /** Lets time run until `done`, at most `limitMs`. False when the limit came first, or when nothing sleeps any more. */
  async run(done: () => boolean, limitMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const until = this.#mono + limitMs;
    for (;;) {
      await pendingWork();
      if (done()) return true;
      const next = nextLive(this.#timers);
      if (!next || next.at > until) {
        if (Number.isFinite(until)) this.#mono = Math.max(this.#mono, until);
        return false;
      }
      this.#mono = next.at;
      for (let due: Timer | undefined = next; due?.at === next.at; due = nextLive(this.#timers)) {
        pop(this.#timers);
        due.wake();
      }
    }
  }

  /** Lets `ms` pass. */
  async pass(ms: number): Promise<void> {
    await this.run(() => false, ms);
  }

  /** Lets time run until a promise settles; throws when it cannot. */
  async settle<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const note = () => {
      settled = true;
    };
    promise.then(note, note);
    if (!(await this.run(() => settled))) throw new Error('Everything sleeps for good and the promise is not settled');
    return promise;
  }
}

/** Every promise that can go on does so before an immediate runs. */
function pendingWork(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function nextLive(timers: Timer[]): Timer | undefined {
  while (timers[0] && !timers[0].live) pop(timers);
  return timers[0];
}

function before(a: Timer | undefined, b: Timer | undefined): boolean {
  if (!a || !b) return a !== undefined;
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function swap(timers: Timer[], a: number, b: number): void {
  const [first, second] = [timers[a], timers[b]];
  if (!first || !second) return;
  timers[a] = second;
  timers[b] = first;
}

/** A binary heap: the next timer first. */
function push(timers: Timer[], timer: Timer): void {
  let index = timers.push(timer) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if (!before(timers[index], timers[parent])) break;
    swap(timers, index, parent);
    index = parent;
  }
}

function pop(timers: Timer[]): void {
  swap(timers, 0, timers.length - 1);
  timers.pop();
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    const child = before(timers[left + 1], timers[left]) ? left + 1 : left;
    if (!before(timers[child], timers[index])) break;
    swap(timers, index, child);
    index = child;
  }
}
