import type { OrderRow } from '../brokers/broker.ts';
import type { Attempt } from '../journal/attempt.ts';
import type { PlaceReply } from './answer.ts';
import { isOver } from './fill.ts';
import type { Settled } from './outcome.ts';

/**
 * What an order may still do to a position. `asked`: nothing yet. `unknown`: it was or may have been sent, and its fate or fill is not known.
 * `resting`: the exchange holds it. `over`: nothing any more.
 */
export type Stage = 'asked' | 'unknown' | 'resting' | 'over';

/** Follows an order, and writes what becomes of it. */
export interface Tracker {
  /** As its newest step leaves it, also where the store does not hold that yet. */
  readonly attempt: Attempt;
  /** Every step stands in the store. */
  readonly stored: boolean;
  /** The attempt was changed by another hand: nothing of what was taken here is written. */
  readonly superseded: boolean;
  /** Rows that may be this order, and nobody can tell; the order ids of the newest read. */
  readonly candidates: readonly string[];
  /** Reads now instead of at the next moment. */
  wake(): void;
  /** Resolves when the attempt is final, or after `waitMs`. */
  wait(waitMs: number): Promise<void>;
  /** Waits until every step stands in the store, at most 10 s; false when they do not yet. */
  settled(): Promise<boolean>;
  /** Goes on until the attempt is final and stands in the store. Never sends, never throws. */
  follow(): Promise<void>;
  /** What a person found out at the broker. */
  resolve(outcome: Settled): void;
}

/** A change of an order that was sent, until a read shows what became of it. */
interface Change {
  quantity: number;
  /** Monotonic ms: reads begun before say nothing of it. Infinity while the broker has not answered. */
  answeredAt: number;
}

/** The book of the account an order is in. */
export interface Home {
  /** Something has become of an order. */
  settle(entry: Entry): void;
  /** So much of an order has filled that was not known before. */
  filled(entry: Entry, quantity: number): void;
}

/** One order of ours in the live book: its attempt, its tracker with what is still to be written, and the callers that joined it. */
export class Entry {
  /** The key of its attempt; empty for an order of which only the record is left. */
  readonly key: string;
  readonly requestHash: string;
  /** When it was asked for, monotonic ms; null for one taken over from an earlier process. */
  readonly begunAt: number | null;
  stage: Stage = 'asked';
  /** As its newest step leaves it, also where the store does not hold that yet; null until it is about to be sent. */
  attempt: Attempt | null = null;
  /** What its first caller will be told; null once that has been told, and for what an earlier process left. */
  reply: Promise<PlaceReply> | null = null;
  tracker: Tracker | null = null;
  /** Why nothing was sent, while its record may still stand in the store. */
  withdrawing: string | null = null;
  home: Home | null = null;
  /** Trading day it belongs to, `YYYY-MM-DD`, IST. */
  day = '';
  product = '';
  side = '';
  /** It is to reduce the product's position, and nothing of what is held from earlier days. */
  positionAlone = false;
  /** As the broker was last known to hold it. */
  held = 0;
  filled = 0;
  orderId = '';
  tag = '';
  #changes: Change[] = [];

  constructor(key: string, requestHash: string, begunAt: number | null) {
    this.key = key;
    this.requestHash = requestHash;
    this.begunAt = begunAt;
  }

  /** The larger one while a change is not known to have been refused and no read shows it. */
  get quantity(): number {
    return Math.max(this.held, ...this.#changes.map((change) => change.quantity));
  }

  /** What it may still fill. */
  get open(): number {
    return this.stage === 'unknown' || this.stage === 'resting' ? Math.max(0, this.quantity - this.filled) : 0;
  }

  /** Tells it from our other orders. */
  get name(): string {
    return this.tag || this.orderId;
  }

  /** Takes on the attempt that is to be sent, or that an earlier process left. */
  hold(attempt: Attempt): void {
    this.attempt = attempt;
    this.stage = 'unknown';
    this.day = attempt.tradingDay;
    this.product = attempt.product;
    this.side = attempt.side;
    this.held = attempt.quantity;
    this.filled = attempt.filledQuantity;
    this.orderId = attempt.orderId;
    this.tag = attempt.tag;
  }

  /** Takes in a row of the broker's order book read from `beganAt` on (monotonic ms). Returns what filled since; a fill is never taken back. */
  saw(row: OrderRow, beganAt: number): number {
    const added = Math.max(0, row.filled_quantity - this.filled);
    this.filled += added;
    if (row.quantity > 0 && this.#changes.every(({ answeredAt }) => answeredAt < beganAt)) {
      this.held = row.quantity;
      this.#changes = [];
    }
    if (this.stage === 'resting' && isOver(row)) this.stage = 'over';
    return added;
  }

  /** A change is being sent; `quantity`: what it asks for, 0 where it leaves that alone. To be called with its end, `at` monotonic ms. */
  changing(quantity: number): (refused: boolean, at: number) => void {
    const change: Change = { quantity, answeredAt: Number.POSITIVE_INFINITY };
    this.#changes.push(change);
    return (refused, at) => {
      change.answeredAt = at;
      if (refused) this.#changes = this.#changes.filter((one) => one !== change);
    };
  }

  /** In words for a person. */
  describe(): string {
    const name = this.orderId ? `order ${this.orderId}` : `the order with tag ${this.tag}`;
    return `${name} (${this.side} ${this.quantity})`;
  }
}
