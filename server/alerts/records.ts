import { and, desc, eq, gte, inArray, or, sql } from 'drizzle-orm';
import { events, orderDetails, orders, positions, tradeHistory } from '../../drizzle/schema.ts';
import type { Db } from '../db/handle.ts';

/** Shorter ones are no account ids, and would meet in ordinary words. */
const LEAST_ACCOUNT = 4;

/** Why an order ended so, in the broker's words, without the account; `external`: a person placed it elsewhere. Null where no record is. */
export async function reasonOf(db: Db, broker: string, orderId: string): Promise<{ reason: string | null; external: boolean } | null> {
  const same = and(
    eq(orderDetails.broker, orders.broker),
    eq(orderDetails.order_id, orders.order_id),
    eq(orderDetails.created_at, orders.created_at),
  );
  const [row] = await db
    .select({ reason: orders.reason, external: orderDetails.external, account: orderDetails.account })
    .from(orders)
    .innerJoin(orderDetails, same)
    .where(and(eq(orders.broker, broker), eq(orders.order_id, orderId)))
    .orderBy(desc(orders.created_at))
    .limit(1);
  if (!row) return null;
  const { reason, external, account } = row;
  return { reason: account.length < LEAST_ACCOUNT ? reason : (reason?.replaceAll(account, '***') ?? null), external };
}

/** Whether a person ended the last session that was there; null where none ever was. */
export async function endedByPerson(db: Db): Promise<boolean | null> {
  const kinds = ['session.connected', 'session.lost', 'session.disconnected'];
  const [row] = await db.select({ kind: events.kind }).from(events).where(inArray(events.kind, kinds)).orderBy(desc(events.id)).limit(1);
  return row ? row.kind === 'session.disconnected' : null;
}

/** Where something is open, or was within a week. */
export async function tradedExchanges(db: Db): Promise<string[]> {
  const recent = gte(positions.updated_at, sql`now() - interval '7 days'`);
  const rows = await db
    .selectDistinct({ exchange: positions.exchange })
    .from(positions)
    .where(or(eq(positions.status, 'OPEN'), recent));
  return rows.map(({ exchange }) => exchange);
}

/** How many orders were recorded since an instant, and how many fills belong to a trading day (`YYYY-MM-DD`, IST). */
export async function dayCounts(db: Db, day: string): Promise<{ orders: number; fills: number }> {
  const count = sql<number>`count(*)::int`;
  const midnight = sql`${`${day}T00:00:00+05:30`}::timestamptz`;
  const [placed] = await db.select({ count }).from(orders).where(gte(orders.created_at, midnight));
  const [filled] = await db.select({ count }).from(tradeHistory).where(eq(tradeHistory.trading_day, day));
  return { orders: placed?.count ?? 0, fills: filled?.count ?? 0 };
}
