import type { OrderRow } from '../brokers/broker.ts';
import type { InstrumentName } from '../brokers/instrument.ts';

/** The side and product that an order would reduce by. */
export interface Reducing {
  product: string;
  side: string;
}

/** An order book as it was read. `at`: when it had been heard, monotonic ms. */
interface Book {
  rows: readonly OrderRow[];
  at: number;
}

/** Ids of ours that are remembered; far beyond what a broker takes in a day. */
const MOST_OURS = 100_000;

/**
 * What orders placed elsewhere, such as in the broker's own app, filled since the positions were read last: while those cannot be read, only the
 * order book tells it. Keeps the books as they came, and works nothing out before it is asked.
 */
export class ElsewhereFills {
  /** The newest book, and the one that was newest before it. */
  #newest: Book = { rows: [], at: Number.NEGATIVE_INFINITY };
  #previous: Book = this.#newest;
  /** What it showed as filled was in the newest positions. */
  #before: Book = this.#newest;
  readonly #ours = new Set<string>();

  /** An order that the live book counts itself. */
  ours(orderId: string): void {
    if (this.#ours.size >= MOST_OURS) this.#ours.clear();
    this.#ours.add(orderId);
  }

  /** What the first book shows as filled is taken as known: it is from before this process. */
  heardOrders(rows: readonly OrderRow[], at: number): void {
    const isFirst = this.#newest.at === Number.NEGATIVE_INFINITY;
    this.#previous = this.#newest;
    this.#newest = { rows, at };
    if (isFirst) this.#before = this.#newest;
  }

  /** Positions were read, from `beganAt` on (monotonic ms). */
  heardPositions(beganAt: number): void {
    const known = [this.#newest, this.#previous].find(({ at }) => at <= beganAt);
    if (known && known.at >= this.#before.at) this.#before = known;
  }

  /** The quantity that filled on a side since then, in rows of an instrument and product. */
  since({ product, side }: Reducing, isIt: (name: InstrumentName) => boolean): number {
    if (this.#newest === this.#before) return 0;
    const fits = (row: OrderRow) =>
      row.filled_quantity > 0 &&
      row.transaction_type === side &&
      row.product_type === product &&
      !this.#ours.has(row.order_id) &&
      isIt(row);
    const before = new Map(this.#before.rows.map(({ order_id, filled_quantity }) => [order_id, filled_quantity]));
    return this.#newest.rows
      .filter(fits)
      .reduce((sum, { order_id, filled_quantity }) => sum + Math.max(0, filled_quantity - (before.get(order_id) ?? 0)), 0);
  }
}
