import type { Attempt, AttemptChange, AttemptEvent, AttemptState, OrderTruth } from './attempt.ts';

/** An order of our records that may still fill. */
export interface OpenOrderRecord {
  broker: string;
  account: string;
  exchange: string;
  symbol: string;
  token: string | null;
  /** Null where the record does not say. */
  product: string | null;
  side: string;
  orderId: string;
  orderType: string | null;
  quantity: number;
  filledQuantity: number;
  /** Rupees, exact decimal text. */
  price: string | null;
  /** Placed elsewhere, in the broker's own app. */
  external: boolean;
  /** Its attempt's, `YYYY-MM-DD`, IST; of an external one the day it was made. */
  tradingDay: string;
}

/** An open position of our records. */
export interface PositionRecord {
  broker: string;
  account: string;
  exchange: string;
  symbol: string;
  token: string | null;
  product: string;
  /** Long positive. */
  net: number;
}

/** The largest quantity that an order was asked to have, whatever its broker then said. */
export interface AskedQuantity {
  broker: string;
  account: string;
  orderId: string;
  quantity: number;
}

export interface OpenRecords {
  orders: OpenOrderRecord[];
  positions: PositionRecord[];
}

/** What names a stored answer: the tag tells it from a later one under the same key. */
export type AnswerName = Pick<Attempt, 'key' | 'tag'>;

export type JournalNote = AttemptEvent & { broker?: string; account?: string; symbol?: string; orderId?: string; key?: string };

/** The durable journal of attempts. Every method rejects when the store cannot be reached; nothing is half written. Instants are epoch ms, UTC. */
export interface Journal {
  /**
   * The first durable write of an attempt: SENDING, or NOT_SENT with its answer, with its event in the same commit. Does nothing where a living record
   * stands under its key, and returns that; replaces an expired one; null when the attempt now stands. After a rejection it may stand or not: withdraw it.
   */
  begin(attempt: Attempt, event: AttemptEvent, now: number): Promise<Attempt | null>;
  /** The living record of a key, null when there is none. */
  find(key: string, now: number): Promise<Attempt | null>;
  /**
   * Deletes a SENDING that never left, by key, tag, owner and epoch, with its event where there was one. Resolves only once it is gone and its insert cannot
   * be committed any more, also where that insert was never acknowledged; a `begin` still under way then rejects. Rejects while that cannot be confirmed,
   * and may be called again.
   */
  withdraw(attempt: Attempt, event: AttemptEvent): Promise<void>;
  /** Compare-and-set on key, tag, state, owner and epoch. Returns the changed attempt; throws SupersededError when nothing matched. */
  move(attempt: Attempt, to: AttemptState, change: AttemptChange, event: AttemptEvent, now: number, truth?: OrderTruth): Promise<Attempt>;
  /** Makes this process the owner of a record another one left open. Returns it as it stands: what that one still had on its way may have come in. */
  takeOver(attempt: Attempt, owner: string): Promise<Attempt>;
  /** Attempts in SENDING, ACCEPTED or AMBIGUOUS, oldest first. */
  open(): Promise<Attempt[]>;
  /** Attempts begun since an instant whose day ended before their fate was known, oldest first. */
  unresolved(since: number): Promise<Attempt[]>;
  /** Attempts changed since an instant that filled something, oldest first: what positions may not show yet after a restart. */
  changedSince(since: number): Promise<Attempt[]>;
  /** Keys of living records, in no order; null when there are more than `limit`. */
  livingKeys(now: number, limit: number): Promise<string[] | null>;
  /** Living NOT_SENT records that the position guard blocked (their answer has status BLOCKED), oldest first. */
  blocked(now: number): Promise<Attempt[]>;
  /** Ends stored answers (DONE, NOT_SENT) before their time, each with the event: from now on their keys are free. */
  end(answers: readonly AnswerName[], now: number, event: AttemptEvent): Promise<void>;
  /** What our own books hold open, of all brokers and accounts, orders of the newest day first: what the live book starts from. */
  openRecords(): Promise<OpenRecords>;
  /** By order, what modifies asked for that were written down since an instant: each may have reached the broker. */
  askedQuantities(since: number): Promise<AskedQuantity[]>;
  /**
   * Who owns these order ids on a trading day (`YYYY-MM-DD`, IST) or later: the key of the attempt, empty where its record is gone and only its order
   * is known; nothing for a stranger's.
   */
  owners(broker: string, account: string, since: string, orderIds: readonly string[]): Promise<Map<string, string>>;
  /** Ids of the broker's orders last noted as possibly an attempt's (event order.candidates); empty where none were. */
  candidates(attempt: AnswerName): Promise<string[]>;
  /** Deletes one batch of expired records; returns how many. */
  expire(now: number): Promise<number>;
  /** An event that belongs to no step. */
  note(event: JournalNote): Promise<void>;
}

/** What the position guard blocked is known by its answer. */
export function isBlocked({ response }: Pick<Attempt, 'response'>): boolean {
  try {
    const body: { status?: unknown } | null = JSON.parse(response ?? 'null');
    return body?.status === 'BLOCKED';
  } catch {
    return false;
  }
}
