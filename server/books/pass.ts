import type { Sql } from 'postgres';
import type { HoldingRow, TradeRow } from '../brokers/broker.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Account } from '../orders/account.ts';
import { accountBooks, openCapital } from './capital.ts';
import { ourNames, type Renaming } from './names.ts';
import { type Correction, differences, reconcilePositions } from './reconcile.ts';
import type { Held, Scope } from './scope.ts';
import { hasOpenOrders, syncOrders } from './sync-orders.ts';
import { newestDerived, settleTrades } from './trades.ts';

export interface PassParts {
  sql: Sql;
  clock: Clock;
  log: Log;
  mode: string;
}

function whose({ mode }: PassParts, account: Account): Held {
  return { broker: account.broker.id, account: account.id, mode };
}

/** Follows the open orders of our records, when there are any. Rejects when the broker's order book cannot be read. */
export async function followOrders(parts: PassParts, account: Account): Promise<void> {
  const who = whose(parts, account);
  if (await hasOpenOrders(parts.sql, who)) await readOrders(parts, account, false);
}

/**
 * One whole reconciliation of an account: orders, then positions, then trades, then, until it is known, the capital. Before a difference in positions
 * is settled the order book is read once more, and the trade book, so that what explains it is booked instead. Rejects when orders or positions
 * cannot be read; what was done until then stands.
 */
export async function reconcileAccount(parts: PassParts, account: Account): Promise<Correction[]> {
  const { sql, clock } = parts;
  const who = whose(parts, account);
  const { began, opened } = await accountBooks(sql, who);
  let waiting = await readOrders(parts, account, !began);
  const positions = await account.positions.next();
  if (!positions.success) throw new Error(positions.message);
  // After the orders: what they opened has its name.
  const renamed = await ourNames(sql, who, account);
  const listed = renamed(positions.normalized);
  const found = await differences(sql, who, { positions: listed, holdings: [], waiting }, clock.now());
  let holdings: readonly HoldingRow[] | null = null;
  if (found.length > 0) {
    if (began) waiting = await readOrders(parts, account, false);
    if (found.some((one) => one.style === 'DELIVERY')) holdings = await readHoldings(account, renamed);
  }
  const trades = found.length > 0 || !began || (await newestDerived(sql, who)) !== null ? await readTrades(parts, account) : null;
  const corrections = await reconcilePositions(
    sql,
    who,
    { positions: listed, holdings, trades: trades && renamed(trades), waiting },
    clock.now(),
  );
  if (trades) await settleTrades(sql, who, trades, clock.now());
  if (!opened) await readFunds(parts, account);
  return corrections;
}

/** Puts the exchange's trades in the place of derived ones. Never rejects: what the trade book does not tell stays derived. */
export async function exchangeTrades(parts: PassParts, account: Account): Promise<void> {
  const trades = await readTrades(parts, account);
  if (trades) await settleTrades(parts.sql, whose(parts, account), trades, parts.clock.now());
}

/** The newest fill that the exchange's trades have not confirmed, null when none. */
export function unconfirmed(parts: PassParts, account: Account): Promise<number | null> {
  return newestDerived(parts.sql, whose(parts, account));
}

/** Returns the places whose fills wait for their price. */
async function readOrders(parts: PassParts, account: Account, first: boolean): Promise<Scope[]> {
  const book = await account.orderBook.next();
  if (!book.success) throw new Error(book.message);
  const who = whose(parts, account);
  const rows = (await ourNames(parts.sql, who, account))(book.normalized);
  await syncOrders(parts.sql, who, rows, parts.clock.now(), first);
  return rows.filter((row) => row.filled_quantity > 0 && !row.average_price).map((row) => ({ ...row, style: row.product_type }));
}

async function readHoldings(account: Account, renamed: Renaming): Promise<readonly HoldingRow[] | null> {
  await account.reads.take();
  const holdings = await account.broker.holdings();
  return holdings.success ? renamed(holdings.normalized) : null;
}

async function readTrades(parts: PassParts, account: Account): Promise<readonly TradeRow[] | null> {
  if (!account.broker.tradebook) return null;
  await account.reads.take();
  const trades = await account.broker.tradebook().catch((error: unknown) => ({ success: false as const, message: String(error) }));
  if (trades.success) return trades.normalized;
  parts.log.warn({ broker: account.broker.id, reason: trades.message }, 'The trade book could not be read; it is read again later');
  return null;
}

async function readFunds(parts: PassParts, account: Account): Promise<void> {
  const { availableFunds } = account.broker.traits;
  if (!availableFunds) return;
  const askedAt = parts.clock.now();
  await account.reads.take();
  const funds = await account.broker.funds().catch(() => null);
  const available = funds?.success ? availableFunds(funds.data) : null;
  if (available !== null) await openCapital(parts.sql, whose(parts, account), available, askedAt);
}
