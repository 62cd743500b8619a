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
  /** Every step stands in the store. */
  readonly stored: boolean;
  /** The attempt was changed by another hand: nothing of what was taken here is written. */
  readonly superseded: boolean;
  /** Rows that may be this order, and nobody can tell; the order ids of the newest read. */
  readonly candidates: readonly string[];
  /** Reads now instead of at the next moment. */
  hurry(): void;
  /** Resolves when the attempt is final, or after `waitMs`. */
  wait(waitMs: number): Promise<void>;
  /** Waits until every step stands in the store, at most 10 s; false when they do not yet. */
  settled(): Promise<boolean>;
  /** Goes on until the attempt is final and stands in the store. Never sends, never throws. */
  follow(): Promise<void>;
  /** What a person found out at the broker. */
  resolve(outcome: Settled): void;
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
  /** As the broker holds it now; the larger one while a change of it is not known to have been refused. */
  quantity = 0;
  filled = 0;
  orderId = '';
  tag = '';
  /** When a change of the order was last sent, monotonic ms: reads begun before say nothing of its quantity. */
  changedAt = Number.NEGATIVE_INFINITY;

  constructor(key: string, requestHash: string, begunAt: number | null) {
    this.key = key;
    this.requestHash = requestHash;
    this.begunAt = begunAt;
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
    this.quantity = attempt.quantity;
    this.filled = attempt.filledQuantity;
    this.orderId = attempt.orderId;
    this.tag = attempt.tag;
  }

  /** Takes in a row of the broker's order book read from `beganAt` on (monotonic ms). Returns what filled since; a fill is never taken back. */
  saw(row: OrderRow, beganAt: number): number {
    const added = Math.max(0, row.filled_quantity - this.filled);
    this.filled += added;
    if (beganAt > this.changedAt && row.quantity > 0) this.quantity = row.quantity;
    if (this.stage === 'resting' && isOver(row)) this.stage = 'over';
    return added;
  }

  /** In words for a person. */
  describe(): string {
    const name = this.orderId ? `order ${this.orderId}` : `the order with tag ${this.tag}`;
    return `${name} (${this.side} ${this.quantity})`;
  }
}
