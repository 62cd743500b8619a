import { type Clock, within } from '../clock.ts';
import type { Meters } from '../meters.ts';
import type { Window } from './broker.ts';
import { Calls, isBrief, JITTER_MS, Turns } from './budget.ts';

/** Cancels go first, then orders that reduce a position, then entries. */
export type OrderRank = 'cancel' | 'exit' | 'entry';
const ranks: Record<OrderRank, number> = { cancel: 0, exit: 1, entry: 2 };

/** SEBI's retail algo rules since 1 April 2026: below ten orders in any second, at every broker. */
export const secondWindow: Window = { requests: 9, perMs: 1000 };
/** As long as the second's window is held, so that a tenth cancel in one moment waits instead of being refused. */
const WAIT_MS = 1000 + JITTER_MS + 1;
const KEPT_OF_A_SECOND = 2;
const KEPT_OF_LONGER = { least: 5, part: 1 / 20 };

/** How many calls of a window are kept for cancels and exits. An entry is always left one. */
export function keptForExits({ requests, perMs }: Window): number {
  const kept = isBrief({ requests, perMs }) ? KEPT_OF_A_SECOND : Math.max(KEPT_OF_LONGER.least, Math.ceil(requests * KEPT_OF_LONGER.part));
  return Math.min(kept, requests - 1);
}

function kept(window: Window, rank: number): number {
  return rank === ranks.entry ? keptForExits(window) : 0;
}

/** Why and for how long an order is refused by the order budget. */
export interface Refused {
  retryAfterMs: number;
}

/** The order budget of one account: sliding windows shared by place, modify and cancel. Counted on the monotonic clock: a wall clock may be set. */
export class OrderBudget {
  readonly #clock: Clock;
  readonly #takes: Turns;
  readonly #leaves: Turns;

  /** `sent`: times (epoch ms, ascending) of the calls already made today; what lies in the future counts as now. No windows: no limit. */
  constructor(clock: Clock, windows: readonly Window[], sent: readonly number[] = [], meters?: Meters) {
    this.#clock = clock;
    const now = clock.now();
    const monoAhead = clock.mono() - now;
    const made = sent.map((at) => Math.min(at, now) + monoAhead);
    this.#takes = new Turns(clock, new Calls(windows, made), kept, (ms) => meters?.budget('orders', ms));
    this.#leaves = new Turns(clock, new Calls(windows, made), kept, (ms) => meters?.budget('sends', ms));
  }

  /** Null when the call may be made; it is counted. Waits a second at most, and not at all where a long window cannot come free in time. */
  async take(rank: OrderRank): Promise<Refused | null> {
    const turn = this.#takes.ask(ranks[rank]);
    if (turn.isGranted()) return null;
    if (this.#takes.freeInMs(ranks[rank]) <= WAIT_MS) await within(this.#clock, WAIT_MS, turn.granted);
    return turn.leave() ? null : { retryAfterMs: Math.max(1000, this.#takes.freeInMs(ranks[rank])) };
  }

  /** The last wait before the send itself: with a slow store, turns taken seconds apart come together. Cancels and exits overtake entries here too. */
  async pace(rank: OrderRank): Promise<void> {
    await this.#leaves.ask(ranks[rank]).granted;
  }
}
