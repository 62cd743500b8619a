import type { Account, Accounts } from '../brokers/account.ts';
import type { Failure, HoldingRow, Listing, OrderRow, PositionRow } from '../brokers/broker.ts';
import type { SharedRead } from '../brokers/shared-read.ts';
import { type Clock, within } from '../clock.ts';
import type { Instruments } from '../instruments/instruments.ts';
import type { OrderService } from '../orders/order-service.ts';

export interface SurveyParts {
  clock: Clock;
  orders: Pick<OrderService, 'standing' | 'held' | 'resting' | 'known' | 'instrumentKey' | 'unresolved'>;
  instruments: Pick<Instruments, 'of'>;
}

export interface LegParts extends SurveyParts {
  accounts: Accounts;
  orders: Pick<
    OrderService,
    'standing' | 'held' | 'resting' | 'known' | 'instrumentKey' | 'unresolved' | 'countElsewhere' | 'place' | 'cancel'
  >;
}

/** What one leg belongs to. */
export interface LegFrame {
  account: Account;
  /** The idempotency key of its n-th order. */
  key(piece: number): string;
  /** It may still send: later positions are others, and it only tells what its own orders did. */
  goesOn: boolean;
  /** It was planned in this session's day. */
  today: boolean;
  /** Nothing is sent after this, monotonic ms. */
  until: number;
  stop: AbortSignal;
  /** What is held from earlier days is exited too. */
  holdings: boolean;
}

/** A read that takes longer is done without: an exit does not wait for a broker that hangs. */
const READ_MS = 2500;
/** A list that came; null where it did not. */
export type Read<Row> = Extract<Listing<Row>, { success: true }> | null;

/** What the broker showed; null where it did not answer in time. */
export interface Seen {
  book: Read<OrderRow>;
  positions: Read<PositionRow>;
  holdings: Read<HoldingRow>;
}

/** The answer of a read begun from here on; null where it fails or takes longer than 2.5 s. */
export async function readNow<Row>(clock: Clock, read: SharedRead<Listing<Row>>): Promise<Read<Row>> {
  const answer = await within(
    clock,
    READ_MS,
    read.next('exits').catch((): Failure => ({ success: false, message: '' })),
  );
  return answer?.success ? answer : null;
}
