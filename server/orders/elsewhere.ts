import type { OrderRow } from '../brokers/broker.ts';
import type { InstrumentName } from '../brokers/instrument.ts';

/** The side and product that an order would reduce by. */
export interface Reducing {
  product: string;
  side: string;
}

/** An order as the newest order book has it, that book's trading day, and when it was first heard how much of it had filled, monotonic ms, oldest first. */
interface Known {
  row: OrderRow;
  day: string;
  fills: { quantity: number; at: number }[];
}

type IsRow = (row: OrderRow) => boolean;

/** Ids of ours that are remembered; far beyond what a broker takes in a day. */
const MOST_OURS = 100_000;
/** Positions that left no doubt are younger. */
const KEPT_MS = 600_000;

/**
 * What orders placed elsewhere, such as in the broker's own app, filled, and when that was heard: while positions cannot be read, or may lack a fill,
 * only the order book tells it.
 */
export class ElsewhereFills {
  readonly #orders = new Map<string, Known>();
  /** Whose ids came again on a later day: what they filled is no less true. */
  #earlier: Known[] = [];
  /** The day of each of ours, by its id. */
  readonly #ours = new Map<string, string>();
  #heard = false;
  /** Of the newest order book. */
  #day = '';
  /** The newest order book: a row that is the same object at the same place tells nothing new. */
  #rows: readonly OrderRow[] = [];

  /** An order of a day (`YYYY-MM-DD`, IST) that the live book counts itself. */
  ours(orderId: string, day: string): void {
    if ((this.#ours.get(orderId) ?? '') > day) return;
    if (this.#ours.size >= MOST_OURS) this.#ours.clear();
    this.#ours.set(orderId, day);
    const known = this.#orders.get(orderId);
    if (known && known.day < day) this.#earlier.push(known);
    this.#orders.delete(orderId);
  }

  /** Whether the live book counts, or counted, the order that has an id on a day. */
  isOurs(orderId: string, day: string): boolean {
    return this.#ours.get(orderId) === day;
  }

  /** An order book of a day that had been heard at `at`. What the first one shows as filled is taken as known: it is from before this process. */
  heardOrders(rows: readonly OrderRow[], at: number, day: string): void {
    const heardAt = this.#heard ? at : Number.NEGATIVE_INFINITY;
    if (day !== this.#day) this.#forgetBefore(this.#day);
    this.#day = day;
    for (const [index, row] of rows.entries()) {
      if (row === this.#rows[index]) continue;
      this.#setAside(row, day);
      if (row.filled_quantity > 0 && !this.#ours.has(row.order_id)) this.#hear(row, heardAt, day);
    }
    this.#heard = true;
    this.#rows = rows;
  }

  /** Positions that left no doubt are younger than two days of trading. */
  #forgetBefore(day: string): void {
    for (const [id, known] of this.#orders) if (known.day < day) this.#orders.delete(id);
    this.#earlier = this.#earlier.filter((known) => known.day >= day);
  }

  /** An id of an earlier day that comes again is another order. */
  #setAside(row: OrderRow, day: string): void {
    const known = this.#orders.get(row.order_id);
    if (!known || known.day === day || (row.placed_at === known.row.placed_at && row.filled_quantity >= known.row.filled_quantity)) return;
    this.#earlier.push(known);
    this.#orders.delete(row.order_id);
  }

  /**
   * The quantity that filled on a side, in rows of an instrument and product, and was heard of since an instant. `ours`: which rows may be an order of ours
   * whose id nobody knows yet. That counts at its full quantity already, so of the rows that may be it the one that filled least does not count again.
   */
  since({ product, side }: Reducing, instant: number, isIt: (name: InstrumentName) => boolean, ours: readonly IsRow[] = []): number {
    let filled: { row: OrderRow; quantity: number }[] = [];
    for (const { row, fills } of [...this.#orders.values(), ...this.#earlier]) {
      if (row.transaction_type !== side || row.product_type !== product || !isIt(row)) continue;
      const known = fills.findLast(({ at }) => at <= instant)?.quantity ?? 0;
      filled.push({ row, quantity: Math.max(0, row.filled_quantity - known) });
    }
    for (const isOurs of ours) {
      const [least] = filled.filter(({ row }) => isOurs(row)).toSorted((a, b) => a.quantity - b.quantity);
      filled = filled.filter((one) => one !== least);
    }
    return filled.reduce((sum, { quantity }) => sum + quantity, 0);
  }

  #hear(row: OrderRow, at: number, day: string): void {
    const { order_id, filled_quantity: quantity } = row;
    const known = this.#orders.get(order_id) ?? { row, day, fills: [] };
    [known.row, known.day] = [row, day];
    if (known.fills.at(-1)?.quantity !== quantity) {
      const old = known.fills.findLastIndex((fill) => fill.at < at - KEPT_MS);
      known.fills = [...known.fills.slice(Math.max(0, old)), { quantity, at }];
    }
    this.#orders.set(order_id, known);
  }
}
