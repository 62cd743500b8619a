import type { Window } from '../brokers/broker.ts';
import type { Clock } from '../clock.ts';

/** Cancels go first, then orders that reduce a position, then entries. */
export type Priority = 'cancel' | 'exit' | 'entry';
const ranks: Record<Priority, number> = { cancel: 0, exit: 1, entry: 2 };

/** SEBI's retail algo rules since 1 April 2026: below ten orders in any second, at every broker. */
export const secondWindow: Window = { requests: 9, perMs: 1000 };
/** Of the second's nine, this many are kept for cancels and exits. */
const KEPT = 2;
/** A second, and the millisecond by which a slot comes free after it. */
const WAIT_MS = 1001;
/** Calls may arrive at the broker closer together than they left, by so much. */
const JITTER_MS = 150;
const MOST_LEFT = 50;

function isBrief(window: Window): boolean {
  return window.perMs <= 1000;
}

/** Why and for how long an order is refused by the order budget. */
export interface Refused {
  retryAfterMs: number;
}

interface Waiter {
  rank: number;
  at: number;
  decide(refused: Refused | null): void;
}

/** The order budget of one account: sliding windows shared by place, modify and cancel. Counted on the monotonic clock: a wall clock may be set. */
export class Limiter {
  readonly #clock: Clock;
  readonly #windows: readonly Window[];
  #sent: number[] = [];
  /** When calls really left, and for each rank the last that waits to leave. */
  #left: number[] = [];
  readonly #leaving: Promise<void>[] = [];
  #waiters: Waiter[] = [];
  #ticking = false;

  /** `sent`: times (epoch ms, ascending) of the calls already made today. No windows: no limit. */
  constructor(clock: Clock, windows: readonly Window[], sent: readonly number[] = []) {
    this.#clock = clock;
    this.#windows = windows;
    const monoAhead = clock.mono() - clock.now();
    this.#sent = sent.map((at) => at + monoAhead);
  }

  /** Null when the call may go out now; it is counted. Waits at most 1 s for its turn. */
  async take(priority: Priority): Promise<Refused | null> {
    const rank = ranks[priority];
    if (this.#windows.length === 0) return null;
    if (!this.#waiters.some((waiter) => waiter.rank <= rank) && this.#freeInMs(rank) === 0) {
      this.#count();
      return null;
    }
    const { promise, resolve } = Promise.withResolvers<Refused | null>();
    this.#waiters.push({ rank, at: this.#clock.mono(), decide: resolve });
    this.#waiters.sort((a, b) => a.rank - b.rank || a.at - b.at);
    if (!this.#ticking) void this.#tick();
    return promise;
  }

  /** The last thing before the send itself: with a slow store, turns taken seconds apart come together. Waits where too many would leave in one second. */
  async pace(priority: Priority): Promise<void> {
    const rank = ranks[priority];
    const leaving = (this.#leaving[rank] ?? Promise.resolve()).then(() => this.#leave());
    this.#leaving[rank] = leaving;
    await leaving;
  }

  async #leave(): Promise<void> {
    const brief = this.#windows.filter(isBrief).map((window) => ({ ...window, perMs: window.perMs + JITTER_MS }));
    for (;;) {
      const waitMs = this.#waitMs(brief, ranks.cancel, this.#left);
      if (waitMs === 0) break;
      await this.#clock.sleep(waitMs);
    }
    this.#left = [...this.#left.slice(-MOST_LEFT), this.#clock.mono()];
  }

  async #tick(): Promise<void> {
    this.#ticking = true;
    while (this.#waiters.length > 0) {
      this.#serve();
      const next = this.#waiters[0];
      if (!next) break;
      await this.#clock.sleep(Math.max(1, Math.min(50, this.#freeInMs(next.rank))));
    }
    this.#ticking = false;
  }

  #serve(): void {
    const now = this.#clock.mono();
    const left: Waiter[] = [];
    for (const waiter of this.#waiters) {
      const waitMs = this.#freeInMs(waiter.rank);
      // An earlier waiter of the same rank that could not go keeps its turn.
      if (waitMs === 0 && !left.some((other) => other.rank === waiter.rank)) {
        this.#count();
        waiter.decide(null);
      } else if (waitMs > WAIT_MS || now - waiter.at >= WAIT_MS) {
        // A full minute or day window cannot free up in time: refused at once.
        waiter.decide({ retryAfterMs: Math.max(1000, waitMs) });
      } else {
        left.push(waiter);
      }
    }
    this.#waiters = left;
  }

  #freeInMs(rank: number): number {
    return this.#waitMs(this.#windows, rank, this.#sent);
  }

  /** Until one more of this rank fits behind the calls at `times`. */
  #waitMs(windows: readonly Window[], rank: number, times: readonly number[]): number {
    const now = this.#clock.mono();
    const waits = windows.map((window) => {
      const kept = isBrief(window) && rank === ranks.entry ? KEPT : 0;
      const oldest = times[times.length - Math.max(1, window.requests - kept)];
      return oldest === undefined ? 0 : oldest + window.perMs + 1 - now;
    });
    return Math.max(0, ...waits);
  }

  #count(): void {
    this.#sent.push(this.#clock.mono());
    const longest = Math.max(...this.#windows.map((window) => window.requests));
    if (this.#sent.length > 2 * longest) this.#sent = this.#sent.slice(-longest);
  }
}

/** Spaces reads over a broker's read windows, and by the jitter of the way beyond them; waits as long as it takes, in order. */
export class ReadBudget {
  readonly #clock: Clock;
  readonly #windows: readonly Window[];
  #sent: number[] = [];
  #turn: Promise<void> = Promise.resolve();

  constructor(clock: Clock, windows: readonly Window[]) {
    this.#clock = clock;
    this.#windows = windows;
  }

  /** Resolves when one more read may go out. Never rejects. */
  take(): Promise<void> {
    if (this.#windows.length === 0) return Promise.resolve();
    this.#turn = this.#turn.then(() => this.#wait());
    return this.#turn;
  }

  async #wait(): Promise<void> {
    for (let waitMs = this.#freeInMs(); waitMs > 0; waitMs = this.#freeInMs()) await this.#clock.sleep(waitMs);
    this.#sent.push(this.#clock.mono());
    const longest = Math.max(...this.#windows.map((window) => window.requests));
    if (this.#sent.length > 2 * longest) this.#sent = this.#sent.slice(-longest);
  }

  #freeInMs(): number {
    const now = this.#clock.mono();
    const waits = this.#windows.map(
      (window) => (this.#sent[this.#sent.length - window.requests] ?? Number.NEGATIVE_INFINITY) + window.perMs + JITTER_MS - now,
    );
    return Math.max(0, ...waits);
  }
}
