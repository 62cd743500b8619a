import type { Account } from '../brokers/account.ts';
import type { HoldingRow, Listing, TradeRow, Unreadable } from '../brokers/broker.ts';
import type { Clock } from '../clock.ts';
import type { Handle } from '../db/handle.ts';
import type { Log } from '../log.ts';
import { accountBooks, openCapital } from './capital.ts';
import type { Correction } from './correct.ts';
import { differences, doubtOf } from './differences.ts';
import type { AccountKey, PositionKey } from './keys.ts';
import { settledRows } from './known-orders.ts';
import { ourNames } from './open-positions.ts';
import { lacksMultiplier as lacking, reconcilePositions } from './reconcile.ts';
import { hasOpenOrders, syncOrders } from './sync-orders.ts';
import { newestDerived, settleTrades } from './trades.ts';

type Read<Row> = Extract<Listing<Row>, { success: true }>;

export interface PassParts {
  db: Handle;
  clock: Clock;
  log: Log;
  mode: string;
}

function whose({ mode }: PassParts, account: Account): AccountKey {
  return { broker: account.broker.id, account: account.id, mode };
}

/** Follows the open orders of our records, when there are any. Rejects when the broker's order book cannot be read. */
export async function followOrders(parts: PassParts, account: Account): Promise<void> {
  const who = whose(parts, account);
  if (await hasOpenOrders(parts.db, who)) await readOrders(parts, account, false);
}

/**
 * One whole reconciliation of an account: orders, then positions, then trades, then, until it is known, the capital. Before a difference in positions
 * is settled the order book is read once more, and the trade book, so that what explains it is booked instead. Rejects when orders or positions
 * cannot be read; what was done until then stands.
 */
export async function reconcileAccount(parts: PassParts, account: Account): Promise<Correction[]> {
  const { db, clock } = parts;
  const who = whose(parts, account);
  const { began, opened } = await accountBooks(db, who);
  let orders = await readOrders(parts, account, !began);
  const positions = await account.positions.next('books');
  if (!positions.success) throw new Error(positions.message);
  // After the orders: what they opened has its name.
  const renamed = await ourNames(db, who, account);
  const listed = renamed(positions.normalized);
  const unread = [...(positions.unreadable ?? [])];
  const truth = () => {
    const { waiting, unreadable } = orders;
    return { positions: listed, waiting, doubt: doubtOf([...unread, ...unreadable], positions.normalized, account.broker.traits.tradedBy) };
  };
  const found = await differences(db, who, { ...truth(), holdings: [] }, clock.now());
  let holdings: readonly HoldingRow[] | null = null;
  if (found.length > 0) {
    if (began) orders = await readOrders(parts, account, false);
    if (found.some((one) => one.style === 'DELIVERY')) {
      const read = await readHoldings(account);
      holdings = read && renamed(read.normalized);
      unread.push(...(read?.unreadable ?? []));
    }
  }
  const trades = found.length > 0 || !began || (await newestDerived(db, who)) !== null ? await readTrades(parts, account) : null;
  unread.push(...(trades?.unreadable ?? []));
  const corrections = await reconcilePositions(
    db,
    who,
    { ...truth(), holdings, trades: trades && renamed(trades.normalized).filter((trade) => !orders.settled.has(trade.order_id)) },
    clock.now(),
  );
  if (trades) await settleTrades(db, who, trades.normalized, clock.now());
  if (!opened) await readFunds(parts, account);
  return corrections;
}

/** Exchanges derived trades for the exchange's own. Never rejects: what the trade book does not tell stays derived. */
export async function exchangeTrades(parts: PassParts, account: Account): Promise<void> {
  const trades = await readTrades(parts, account);
  if (trades) await settleTrades(parts.db, whose(parts, account), trades.normalized, parts.clock.now());
}

/** The newest fill that the exchange's trades have not confirmed, null when none. */
export function unconfirmed(parts: PassParts, account: Account): Promise<number | null> {
  return newestDerived(parts.db, whose(parts, account));
}

/** Whether a position is open whose money cannot be told yet, because the broker's positions have not told its multiplier. */
export function lacksMultiplier(parts: PassParts, account: Account): Promise<boolean> {
  return lacking(parts.db, whose(parts, account));
}

interface OrdersRead {
  /** Positions whose fills wait for their price. */
  waiting: PositionKey[];
  /** Rows that cannot be read: their orders are followed when they can. */
  unreadable: readonly Unreadable[];
  /** Ids of orders that a person settled under their tag. */
  settled: ReadonlySet<string>;
}

async function readOrders(parts: PassParts, account: Account, first: boolean): Promise<OrdersRead> {
  const book = await account.orderBook.next('books');
  if (!book.success) throw new Error(book.message);
  const who = whose(parts, account);
  const named = (await ourNames(parts.db, who, account))(book.normalized);
  const settled = await settledRows(parts.db, who, named, parts.clock.now());
  const rows = named.filter((row) => !settled.has(row.order_id));
  const { unreadable = [] } = book;
  await syncOrders(parts.db, who, rows, parts.clock.now(), { first, whole: unreadable.length === 0 });
  const waiting = rows.filter((row) => row.filled_quantity > 0 && !row.average_price).map((row) => ({ ...row, style: row.product_type }));
  return { waiting, unreadable, settled };
}

async function readHoldings(account: Account): Promise<Read<HoldingRow> | null> {
  const holdings = await account.holdings.next('books');
  return holdings.success ? holdings : null;
}

async function readTrades(parts: PassParts, account: Account): Promise<Read<TradeRow> | null> {
  if (!account.broker.tradebook) return null;
  await account.reads.take('books');
  const trades = await account.broker.tradebook().catch((error: unknown) => ({ success: false as const, message: String(error) }));
  // Nothing is booked at a price of zero: such a trade is one the broker has not priced yet.
  if (trades.success) return { ...trades, normalized: trades.normalized.filter(({ price }) => price > 0) };
  parts.log.warn({ broker: account.broker.id, reason: trades.message }, 'The trade book could not be read; it is read again later');
  return null;
}

async function readFunds(parts: PassParts, account: Account): Promise<void> {
  const { availableFunds } = account.broker.traits;
  if (!availableFunds) return;
  const askedAt = parts.clock.now();
  await account.reads.take('books');
  const funds = await account.broker.funds().catch(() => null);
  const available = funds?.success ? availableFunds(funds.data) : null;
  if (available !== null) await openCapital(parts.db, whose(parts, account), available, askedAt);
}
