import { and, eq, gte, lt, ne, or, type SQL, sql } from 'drizzle-orm';
import { events, idempotencyRecords, orderDetails, orders } from '../../drizzle/schema.ts';
import type { AccountKey } from '../books/keys.ts';
import type { Db } from '../db/handle.ts';
import { instant, msOf } from '../db/rows.ts';
import type { Day } from './day.ts';

/** An order record with the state of its attempt, where that is kept. */
export type OrderRecord = Awaited<ReturnType<typeof readRecords>>[number];

/** An attempt whose fate is not known. */
export type OpenAttempt = Awaited<ReturnType<typeof readOpen>>[number];

/** One line of the audit trail about an order. */
export type OrderEvent = Awaited<ReturnType<typeof readEvents>>[number];

export interface OrderDay {
  records: OrderRecord[];
  open: OpenAttempt[];
  events: OrderEvent[];
}

/** Reads what our records hold of a day's orders, today with those that wait for a later session and those of any day whose fate is not known. One statement each. */
export async function readOrderDay(db: Db, who: AccountKey, day: Day): Promise<OrderDay> {
  const [records, open, told] = await Promise.all([readRecords(db, who, day), readOpen(db, who, day), readEvents(db, who, day)]);
  return { records, open, events: told };
}

function ofDay({ broker, account }: AccountKey, day: Day): SQL | undefined {
  const { trading_day } = orderDetails;
  const named = day.isToday ? gte(trading_day, day.name) : eq(trading_day, day.name);
  return and(eq(orderDetails.broker, broker), eq(orderDetails.account, account), named);
}

const itsRecord = and(
  eq(orders.broker, orderDetails.broker),
  eq(orders.order_id, orderDetails.order_id),
  eq(orders.created_at, orderDetails.created_at),
);

async function readRecords(db: Db, who: AccountKey, day: Day) {
  const { order_id, symbol, exchange, side, order_type, product, quantity, filled_quantity, price, avg_price, status, strategy, reason } =
    orders;
  const { token, external, trading_day } = orderDetails;
  const { state } = idempotencyRecords;
  const attempt = and(
    eq(idempotencyRecords.broker, orderDetails.broker),
    eq(idempotencyRecords.account, orderDetails.account),
    eq(idempotencyRecords.order_id, orderDetails.order_id),
    eq(idempotencyRecords.trading_day, trading_day),
    ne(idempotencyRecords.order_id, sql`''`),
  );
  const names = { order_id, symbol, token, exchange, side, order_type, product, quantity, filled_quantity, price, avg_price };
  return await db
    .select({ ...names, status, strategy, reason, external, state, madeMs: msOf(orders.created_at) })
    .from(orderDetails)
    .innerJoin(orders, itsRecord)
    .leftJoin(idempotencyRecords, attempt)
    .where(ofDay(who, day));
}

async function readOpen(db: Db, { broker, account }: AccountKey, day: Day) {
  const { key, order_id, symbol, token, exchange, side, order_type, product, quantity, filled_quantity, price, state, strategy } =
    idempotencyRecords;
  // Words and not parameters: the partial index has them.
  const pending = sql`state not in ('DONE', 'NOT_SENT')`;
  const ours = and(eq(idempotencyRecords.broker, broker), eq(idempotencyRecords.account, account));
  return await db
    .select({
      ...{ key, order_id, symbol, token, exchange, side, order_type, product, quantity, filled_quantity, price, state, strategy },
      madeMs: msOf(idempotencyRecords.started_at),
    })
    .from(idempotencyRecords)
    .where(and(pending, ours, day.isToday ? undefined : eq(idempotencyRecords.trading_day, day.name)));
}

const FAMILIES = ['order', 'modify', 'cancel'];

/** From when the first of the day's orders was placed, which for an AMO order is before its day, until the last was told of. */
async function readEvents(db: Db, who: AccountKey, day: Day) {
  const { id, kind, symbol, order_id, key, detail, at } = events;
  const made = sql`(select min(${orderDetails.created_at}) from ${orderDetails} where ${ofDay(who, day)})`;
  const last = sql`(select max(${orders.updated_at}) + interval '1 minute' from ${orderDetails} join ${orders} on ${itsRecord} where ${ofDay(who, day)})`;
  const from = sql`least(${instant(day.from)}, ${made} - interval '1 second')`;
  const through = day.isToday ? undefined : lt(at, sql`greatest(${instant(day.to)}, ${last})`);
  const about = or(...FAMILIES.map((family) => and(gte(kind, `${family}.`), lt(kind, `${family}/`))));
  // An order that is refused before a broker is connected has none.
  const ours = or(and(eq(events.broker, who.broker), eq(events.account, who.account)), eq(events.broker, 'unknown'));
  return await db
    .select({ id, kind, symbol, order_id, key, detail, at: msOf(at) })
    .from(events)
    .where(and(gte(at, from), through, about, ours))
    .orderBy(id);
}
