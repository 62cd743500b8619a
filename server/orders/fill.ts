import type { FillStatus } from '../../contract/words.ts';
import type { OrderRow } from '../brokers/broker.ts';
import { type Bell, type Clock, type Random, within } from '../clock.ts';

/** The whole wait for a fill state, ms. */
export const POLL_MS = 8000;
/** Two acknowledged reads this far apart show an order that rests. */
const RESTING_MS = 500;
const READS_MS = [0, 100, 250, 500, 900, 1500, 2500, 3500, 4500, 5500, 6500, 7500];
/** A read that ends this late still begins its moment; one that ends later has used it up. */
const LATE_MS = 50;

export interface Fill {
  status: FillStatus;
  /** In the broker's own unit. */
  filledQuantity: number;
  /** Rupees; 0 while nothing filled. */
  averagePrice: number;
  /** The last row seen; null when none was. */
  row: OrderRow | null;
}

/** Moments of a poll, ms from its start, up to and including its end, each moved by up to 10 % so that pollers spread. */
export function* pollMoments(random: Random): Generator<number> {
  for (const planned of READS_MS) yield Math.min(POLL_MS, planned * (0.9 + 0.2 * random.next()));
  yield POLL_MS;
}

/** Collects what successive reads say of one order, and knows when enough is known. */
export class FillView {
  #filled = 0;
  #average = 0;
  #row: OrderRow | null = null;
  /** The first and the last of the reads in a row that showed an order that the exchange holds. */
  #acknowledged: { since: number; at: number } | null = null;

  /** Takes in one read of the row at `at` (monotonic ms). */
  see(row: OrderRow, at: number): void {
    this.#row = row;
    // A late or reordered read never takes a fill back; the average of fewer fills says nothing of more.
    if (row.filled_quantity > this.#filled) {
      this.#filled = row.filled_quantity;
      this.#average = 0;
    }
    if (row.filled_quantity === this.#filled && row.average_price) this.#average = row.average_price;
    const held = row.state === 'OPEN' || row.state === 'TRIGGER_PENDING';
    this.#acknowledged = held ? { since: this.#acknowledged?.since ?? at, at } : null;
  }

  /** The last read showed an order that the exchange holds. */
  get acknowledged(): boolean {
    return this.#acknowledged !== null;
  }

  /** Nothing more can change, or the order is known to rest. A fill without its average is not known yet, unless `unpriced` may pass. */
  settled(unpriced = false): boolean {
    if (this.#row === null || !(this.#priced || unpriced)) return false;
    const { state } = this.#row;
    if (state === 'FILLED') return this.#status() === 'FILLED';
    return isEnded(state) || this.#rests;
  }

  /** Two acknowledged reads far enough apart show that it does. */
  get #rests(): boolean {
    return this.#acknowledged !== null && this.#acknowledged.at - this.#acknowledged.since >= RESTING_MS;
  }

  /** The average of what filled is known; some brokers show it a moment after the quantity. */
  get #priced(): boolean {
    return this.#filled === 0 || this.#average > 0;
  }

  /** What can be said now: at the end of a poll, or once settled; of `unpriced` as there. */
  result(unpriced = false): Fill {
    const status = this.#priced || unpriced ? this.#status() : 'UNKNOWN';
    return { status, filledQuantity: this.#filled, averagePrice: this.#average, row: this.#row };
  }

  #status(): FillStatus {
    const row = this.#row;
    if (row === null || row.state === 'UNKNOWN') return 'UNKNOWN';
    const some = this.#filled > 0;
    if (isEnded(row.state)) return some ? 'PARTIALLY_FILLED' : 'REJECTED';
    if (some) return this.#filled >= row.quantity ? 'FILLED' : 'PARTIALLY_FILLED';
    return row.state === 'TRANSIT' || row.state === 'FILLED' ? 'UNKNOWN' : 'PENDING';
  }
}

interface Poll {
  clock: Clock;
  random: Random;
  /** Reads the order; null when this read told nothing (failed, or the row is not there yet). */
  read(): Promise<OrderRow | null>;
  view: FillView;
  signal: AbortSignal;
  /** Rings when the broker says that an order changed: it is read then, beside the planned moments. */
  news: Bell;
}

/** Reads an order until its fill state is known, at most 8 s. Never throws. */
export async function pollFill(poll: Poll): Promise<Fill> {
  const { clock, view, signal, news } = poll;
  const until = clock.mono() + POLL_MS;
  /** Taken before each read: news that come while one runs may tell of what it missed. */
  let heard = news.signal;

  /** Reads once; true when nothing is left to learn. A read that failed, or comes too late, told nothing. */
  async function look(): Promise<boolean> {
    heard = news.signal;
    const reading = poll.read().catch(() => undefined);
    const row = await within(clock, Math.max(LATE_MS, until - clock.mono()), reading);
    if (row) view.see(row, clock.mono());
    return signal.aborted || view.settled() || clock.mono() >= until;
  }

  for (const moment of pollMoments(poll.random)) {
    const at = until - POLL_MS + moment;
    // A slow read has used up the moments it took.
    if (at - clock.mono() < -LATE_MS) continue;
    while (at > clock.mono() && !signal.aborted) {
      await clock.sleep(at - clock.mono(), AbortSignal.any([signal, heard]));
      if (heard.aborted && !signal.aborted && (await look())) return view.result();
    }
    if (signal.aborted || (await look())) break;
  }
  return view.result();
}

/** Nothing can become of the order any more. */
export function isOver({ state, filled_quantity, quantity }: OrderRow): boolean {
  return isEnded(state) || (state === 'FILLED' && filled_quantity >= quantity);
}

function isEnded(state: OrderRow['state']): boolean {
  return state === 'REJECTED' || state === 'CANCELLED' || state === 'EXPIRED';
}

/** After these reads the exchange still holds the order. */
export function rests({ row, status }: Fill): boolean {
  return row !== null && !isOver(row) && (status === 'PENDING' || status === 'PARTIALLY_FILLED');
}
