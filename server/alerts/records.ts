import { and, desc, eq, gte, inArray, lt, or, sql } from 'drizzle-orm';
import { events, orderDetails, orders, positions, tradeHistory } from '../../drizzle/schema.ts';
import type { Db } from '../db/handle.ts';

/** Shorter ones are no account ids, and would meet in ordinary words. */
const LEAST_ACCOUNT = 4;
/** Events that tell what became of an order. */
export const fateKinds = ['order.done', 'order.resolved', 'order.followed'] as const;

export interface Rejection {
  /** In the broker's words, without the account. */
  reason: string | null;
  /** A person placed it elsewhere. */
  external: boolean;
  /** An earlier event tells it, too: the order book may be followed before the answer is written. */
  known: boolean;
}

/** What the record tells of an order that an event (its number, and when it was: ISO) calls rejected. Null where no record is. */
export async function rejectionOf(db: Db, broker: string, orderId: string, event: { id: number; at: string }): Promise<Rejection | null> {
  const same = and(
    eq(orderDetails.broker, orders.broker),
    eq(orderDetails.order_id, orders.order_id),
    eq(orderDetails.created_at, orders.created_at),
  );
  const { id, kind, at, detail } = events;
  const rejected = sql`coalesce(${detail} ->> 'fill_status', ${detail} ->> 'status') = 'REJECTED'`;
  // Ids come again on another day.
  const ours = and(eq(events.order_id, orderId), eq(events.broker, broker), gte(at, sql`${event.at}::timestamptz - interval '6 hours'`));
  const earlier = db
    .select({ id })
    .from(events)
    .where(and(ours, lt(id, event.id), inArray(kind, [...fateKinds]), rejected));
  const { reason: why, created_at } = orders;
  const { external, account: whose } = orderDetails;
  const [row] = await db
    .select({ reason: why, external, account: whose, known: sql<boolean>`exists(${earlier})` })
    .from(orders)
    .innerJoin(orderDetails, same)
    .where(and(eq(orders.broker, broker), eq(orders.order_id, orderId)))
    .orderBy(desc(created_at))
    .limit(1);
  if (!row) return null;
  const { reason, account, ...rest } = row;
  return { ...rest, reason: account.length < LEAST_ACCOUNT ? reason : (reason?.replaceAll(account, '***') ?? null) };
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
