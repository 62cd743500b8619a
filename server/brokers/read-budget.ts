import { type Clock, within } from '../clock.ts';
import type { Meters } from '../meters.ts';
import type { Failure, Window } from './broker.ts';
import { Calls, type Turn, Turns } from './budget.ts';

/** What an exit's verdict needs goes first, then the order service's other reads (guard, fate, fill), then reconciliation, then callers over HTTP, then self-tests. */
export type ReadRank = 'exits' | 'orders' | 'books' | 'caller' | 'selftest';
/** Ranks that wait as long as it takes. */
export type PatientRank = 'exits' | 'orders' | 'books';

const order: Record<ReadRank, number> = { exits: 0, orders: 1, books: 2, caller: 3, selftest: 4 };
/** The part of every window that a rank leaves to better ones: a quarter is the order service's own, an eighth more is not for callers. */
const leaves = [0, 0, 1 / 4, 3 / 8, 3 / 8];
/** A caller's read that has not begun by then is refused. */
const CALLER_WAIT_MS = 10_000;

/** At least one where a window has two or more, never all: one call a second cannot be shared out, there the rank alone decides. */
function kept({ requests }: Window, rank: number): number {
  const part = leaves[rank] ?? 0;
  return part === 0 ? 0 : Math.min(requests - 1, Math.max(1, Math.floor(requests * part)));
}

/** What a caller is told whose read could not begin in time. */
const refused: Failure = {
  success: false,
  message: `The read was not made: the broker's read limit left no room for it within ${CALLER_WAIT_MS / 1000} s. Try again later, and read less often.`,
};

/** Spaces reads over a broker's read windows, by rank and within one rank in the order they were asked for. */
export class ReadBudget {
  readonly clock: Clock;
  readonly #calls: Calls;
  readonly #turns: Turns;

  /** No windows: no limit. */
  constructor(clock: Clock, windows: readonly Window[], meters?: Meters) {
    this.clock = clock;
    this.#calls = new Calls(windows);
    this.#turns = new Turns(clock, this.#calls, kept, (ms) => meters?.budget('reads', ms));
  }

  /** Null when one more read may go out; it is counted. A caller or self-test waits 10 s at most and is told why not then; the others are never refused. */
  take(rank: PatientRank): Promise<null>;
  take(rank: ReadRank): Promise<Failure | null>;
  async take(rank: ReadRank): Promise<Failure | null> {
    const turn = this.turn(rank);
    if (turn.isGranted()) return null;
    const began = await inTime(
      this.clock,
      rank,
      turn.granted.then(() => true),
    );
    return began !== null || turn.leave() ? null : refused;
  }

  /** A place in the queue, for a read whose rank may rise while it waits. */
  turn(rank: ReadRank): Turn<ReadRank> {
    const turn = this.#turns.ask(order[rank]);
    return { ...turn, raise: (better) => turn.raise(order[better]) };
  }

  /** Counts a read that was made without asking, as a sign-in's check is. */
  count(): void {
    this.#calls.count(this.clock.mono());
  }
}

/** The better of two ranks. */
export function betterRank(one: ReadRank, other: ReadRank): ReadRank {
  return order[one] <= order[other] ? one : other;
}

/** What `began` resolves with; null where the rank has a bound and it took longer. */
export async function inTime<Began>(clock: Clock, rank: ReadRank, began: Promise<Began>): Promise<Began | null> {
  return order[rank] < order.caller ? await began : await within(clock, CALLER_WAIT_MS, began);
}

export { refused as readRefused };
