import type { Broker, Listing, OrderRow, PositionRow } from '../brokers/broker.ts';
import type { Limiter, ReadBudget } from './limiter.ts';
import type { SharedRead } from './shared-read.ts';

/** One signed-in account as the order desk uses it: the broker, its shared reads, its order budget. */
export interface Account {
  readonly broker: Broker;
  /** Broker account id, e.g. the client code. */
  readonly id: string;
  readonly positions: SharedRead<Listing<PositionRow>>;
  readonly orderBook: SharedRead<Listing<OrderRow>>;
  /** Budget of every other read. */
  readonly reads: ReadBudget;
  readonly limiter: Limiter;
}

/** Where the desk finds accounts. */
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
