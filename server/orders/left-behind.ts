import type { InstrumentName } from '../brokers/instrument.ts';
import type { Attempt } from '../journal/attempt.ts';
import type { OpenOrderRecord, PositionRecord } from '../journal/journal.ts';
import type { Entry } from './entry.ts';

/** What an earlier process left of one account. */
export interface LeftBehind {
  orders: OpenOrderRecord[];
  positions: PositionRecord[];
  /** Open attempts, each with what it had filled when it was taken over: that is in the positions. */
  entries: { entry: Entry; filled: number }[];
  /** Fills that positions may not show yet: `agoMs` ago. */
  fills: { name: InstrumentName; product: string; side: string; quantity: number; agoMs: number }[];
  /** What modifies asked orders to have, until a read says what they have. */
  asked: { orderId: string; quantity: number }[];
  /** Stored answers of orders that an open position blocked, for so much longer. */
  blocked: { attempt: Attempt; lifeMs: number }[];
}

/** Of an account that no earlier process knew; to be filled in. */
export function nothingLeft(): LeftBehind {
  return { orders: [], positions: [], entries: [], fills: [], asked: [], blocked: [] };
}
