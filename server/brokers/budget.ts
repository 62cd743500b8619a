import { type Clock, Cut } from '../clock.ts';
import type { Window } from './broker.ts';

/** Calls may arrive at the broker closer together than they left, by so much: every window is kept longer by it. */
export const JITTER_MS = 150;

/** Windows of up to a second refill at once; what is kept of longer ones must last. */
export function isBrief(window: Window): boolean {
  return window.perMs <= 1000;
}

/** When calls were made, on the monotonic clock: how many of them still lie in a broker's sliding windows. */
export class Calls {
  readonly #windows: readonly Window[];
  readonly #longest: number;
  #at: number[];

  /** `at`: calls made before, ascending. */
  constructor(windows: readonly Window[], at: readonly number[] = []) {
    this.#windows = windows;
    this.#longest = Math.max(0, ...windows.map((window) => window.requests));
    this.#at = [...at];
  }

  /** Milliseconds until one more call fits that may not use the part of each window that is `kept` for others. */
  waitMs(now: number, kept: (window: Window) => number): number {
    let waitMs = 0;
    for (const window of this.#windows) {
      const oldest = this.#at[this.#at.length - Math.max(1, window.requests - kept(window))];
      if (oldest !== undefined) waitMs = Math.max(waitMs, oldest + window.perMs + JITTER_MS + 1 - now);
    }
    return waitMs;
  }

  count(now: number): void {
    if (this.#longest === 0) return;
    this.#at.push(now);
    if (this.#at.length > 2 * this.#longest) this.#at = this.#at.slice(-this.#longest);
  }
}

/** One who waits in the queue of a budget. */
export interface Turn<Rank = number> {
  /** Resolves when the call may go out; it is counted then. */
  readonly granted: Promise<void>;
  isGranted(): boolean;
  /** Moves it to a better rank, behind those who came there before. A worse rank changes nothing. */
  raise(rank: Rank): void;
  /** Gives up waiting. True when it was granted already. */
  leave(): boolean;
}

interface Waiter {
  rank: number;
  /** Monotonic ms. */
  since: number;
  grant(): void;
}

/** Hears how long a granted turn was waited for, ms. */
export type Waited = (ms: number) => void;

/** Grants turns by rank (0 goes first), equals in the order they came, each as soon as there is room for its rank. */
export class Turns {
  readonly #clock: Clock;
  readonly #calls: Calls;
  readonly #kept: (window: Window, rank: number) => number;
  readonly #waited: Waited;
  readonly #waiting: Waiter[] = [];
  #alarm = new Cut();

  /** `kept`: how many of a window's requests a rank must leave to better ones; a worse rank never leaves fewer. `waited` hears how long each turn took. */
  constructor(clock: Clock, calls: Calls, kept: (window: Window, rank: number) => number, waited: Waited = () => undefined) {
    this.#clock = clock;
    this.#calls = calls;
    this.#kept = kept;
    this.#waited = waited;
  }

  ask(rank: number): Turn {
    const { promise: granted, resolve } = Promise.withResolvers<void>();
    let isGranted = false;
    const waiter: Waiter = {
      rank,
      since: this.#clock.mono(),
      grant() {
        isGranted = true;
        resolve();
      },
    };
    this.#queue(waiter);
    this.#serve();
    return {
      granted,
      isGranted: () => isGranted,
      raise: (better) => this.#raise(waiter, better),
      leave: () => isGranted || this.#leave(waiter),
    };
  }

  /** Until a call of this rank would fit, were nobody waiting. */
  freeInMs(rank: number): number {
    return this.#calls.waitMs(this.#clock.mono(), (window) => this.#kept(window, rank));
  }

  #raise(waiter: Waiter, rank: number): void {
    if (rank >= waiter.rank || !this.#remove(waiter)) return;
    waiter.rank = rank;
    this.#queue(waiter);
    this.#serve();
  }

  #leave(waiter: Waiter): boolean {
    // Its moment may have come in this very millisecond.
    this.#serve();
    const waited = this.#remove(waiter);
    if (waited) this.#serve();
    return !waited;
  }

  #queue(waiter: Waiter): void {
    const behind = this.#waiting.findLastIndex((other) => other.rank <= waiter.rank);
    this.#waiting.splice(behind + 1, 0, waiter);
  }

  #remove(waiter: Waiter): boolean {
    const index = this.#waiting.indexOf(waiter);
    if (index >= 0) this.#waiting.splice(index, 1);
    return index >= 0;
  }

  /** Where the first has no room, nobody behind it has. */
  #serve(): void {
    this.#alarm.abort();
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      const waitMs = this.freeInMs(first.rank);
      if (waitMs > 0) {
        this.#serveIn(waitMs);
        return;
      }
      this.#waiting.shift();
      const now = this.#clock.mono();
      this.#calls.count(now);
      this.#waited(now - first.since);
      first.grant();
    }
  }

  #serveIn(waitMs: number): void {
    const alarm = new Cut();
    this.#alarm = alarm;
    void this.#clock.sleep(Math.max(1, waitMs), alarm).then(() => {
      if (!alarm.aborted) this.#serve();
    });
  }
}
