import type { Broker, HoldingRow, Listing, OrderRow, PositionRow } from './broker.ts';
import type { Door } from './door.ts';
import type { OrderBudget } from './order-budget.ts';
import type { QuoteRead } from './quote-read.ts';
import type { ReadBudget } from './read-budget.ts';
import type { SharedRead } from './shared-read.ts';

/** One signed-in account as the rest of the gateway uses it: the broker, its shared reads, its budgets, and the door its sends go through. */
export interface Account {
  readonly broker: Broker;
  /** Broker account id, e.g. the client code. */
  readonly id: string;
  readonly positions: SharedRead<Listing<PositionRow>>;
  readonly orderBook: SharedRead<Listing<OrderRow>>;
  readonly holdings: SharedRead<Listing<HoldingRow>>;
  readonly quotes: QuoteRead;
  /** Budget of every other read. */
  readonly reads: ReadBudget;
  /** Budget of place, modify and cancel. */
  readonly budget: OrderBudget;
  /** Every mutating call goes out through it. */
  readonly door: Door;
}

/** Where accounts are found. */
export interface Accounts {
  /** The active session, null when no broker is connected. */
  active(): Account | null;
  /** Name of the active broker, for the fingerprint. */
  activeName(): string | null;
  /** Resolves when the first auto-connect round is over, or after `waitMs`. */
  settled(waitMs: number): Promise<void>;
  /** The account an attempt belongs to, while a session or a read-only handle of it lives. */
  of(broker: string, account: string): Account | null;
}
