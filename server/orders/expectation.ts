import type { Attempt } from './attempt.ts';

/** How long a broker's positions may show a state from before our own last fill. */
export const LAG_MS = 5000;
/** No read takes longer, so older fills explain nothing. */
const KEPT_MS = 60_000;

/** Net quantities, both ends included. */
export interface Range {
  low: number;
  high: number;
}

/** Fills of ours, as they were seen at `at`, monotonic ms. */
export interface SeenFills {
  bought: number;
  sold: number;
  at: number;
}

/**
 * What the net quantity of one symbol must be: a read, and our own fills since. A range, because a read made while orders of ours are under way
 * may or may not hold their fills already.
 */
export class Expectation {
  #now: Range;
  /** In the order they were seen. */
  readonly #fills: SeenFills[];
  readonly #underWay: ReadonlySet<string>;

  /** `underWay`: tags of our attempts that were open when the read was made. `recent`: fills it may lack, seen by an earlier process. */
  constructor(read: number, underWay: ReadonlySet<string>, recent?: SeenFills) {
    this.#now = { low: read - (recent?.sold ?? 0), high: read + (recent?.bought ?? 0) };
    this.#fills = recent ? [recent] : [];
    this.#underWay = underWay;
  }

  get now(): Range {
    return this.#now;
  }

  /** Takes in fills of the attempt with this tag. */
  filled(tag: string, fills: SeenFills): void {
    const { low, high } = this.#now;
    const { bought, sold, at } = fills;
    const already = this.#underWay.has(tag);
    this.#now = { low: low - sold + (already ? 0 : bought), high: high + bought - (already ? 0 : sold) };
    const old = this.#fills.findIndex((one) => one.at > at - KEPT_MS);
    this.#fills.splice(0, old < 0 ? this.#fills.length : old);
    this.#fills.push(fills);
  }

  /** A read begun at `beganAt` shows no more than what is expected, without some of our young fills, and with some that `open` may have made unseen. */
  explains(read: number, beganAt: number, open: readonly Attempt[]): boolean {
    const [bought, sold, young] = this.#youngerThan(beganAt - LAG_MS);
    if (young === 0) return false;
    const low = this.#now.low - bought - unfilled(open, 'SELL');
    const high = this.#now.high + sold + unfilled(open, 'BUY');
    return read >= low && read <= high;
  }

  /** Bought, sold and the number of fills after `at`. Runs for every order over a minute's fills, so it makes nothing. */
  #youngerThan(at: number): [bought: number, sold: number, fills: number] {
    let [bought, sold, fills] = [0, 0, 0];
    for (const one of this.#fills) {
      if (one.at <= at) continue;
      bought += one.bought;
      sold += one.sold;
      fills += 1;
    }
    return [bought, sold, fills];
  }
}

function unfilled(open: readonly Attempt[], side: string): number {
  return sum(
    open.filter((one) => one.side === side),
    (one) => one.quantity - one.filledQuantity,
  );
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
