import { and, eq, gte, isNotNull, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import { events, orderDetails, orders, positionDetails, positions } from '../../drizzle/schema.ts';
import { DETAILS, detail, detailed, isOpenOrder, isOpenPosition } from '../books/tables.ts';
import type { Db } from '../db/handle.ts';
import { instant } from '../db/rows.ts';
import type { AskedQuantity, OpenRecords } from './journal.ts';

/** Open orders and positions of our records, of all brokers and accounts, as they stood at one moment; orders of the newest day first. */
export async function openRecords(db: Db): Promise<OpenRecords> {
  const rows = await unionAll(openOrders(db), heldPositions(db)).orderBy(sql`"tradingDay" desc`);
  const records: OpenRecords = { orders: [], positions: [] };
  for (const { held, product, side, quantity, orderId, orderType, filledQuantity, price, external, tradingDay, ...names } of rows) {
    if (held === null)
      records.orders.push({ ...names, product, side, orderId, orderType, quantity, filledQuantity, price, external, tradingDay });
    else records.positions.push({ ...names, product: held, net: side === 'BUY' ? quantity : -quantity });
  }
  return records;
}

/** By order, the largest quantity that its modifies asked for since an instant (epoch ms). */
export async function askedQuantities(db: Db, since: number): Promise<AskedQuantity[]> {
  const { broker, account, order_id: orderId, kind, at, detail: asked } = events;
  const quantity = sql`(${asked} ->> 'quantity')::bigint`;
  const rows = await db
    .select({ broker, account, orderId, quantity: sql`max(${quantity})`.mapWith(Number) })
    .from(events)
    .where(and(eq(kind, 'modify.sending'), gte(at, instant(since)), isNotNull(quantity)))
    .groupBy(broker, account, orderId);
  return rows.flatMap(({ broker, account, orderId, quantity }) =>
    broker !== null && account !== null && orderId !== null ? { broker, account, orderId, quantity } : [],
  );
}

function openOrders(db: Db) {
  const { broker, exchange, symbol, product, side, quantity } = orders;
  const { account, token, external, trading_day } = orderDetails;
  return db
    .select({
      ...{ broker, account: detail(account), exchange, symbol, token: detail(token), product, side, quantity },
      held: sql<string | null>`null`.as('held'),
      orderId: sql<string>`${orders.order_id}`.as('orderId'),
      orderType: sql<string | null>`${orders.order_type}`.as('orderType'),
      filledQuantity: sql<number>`${orders.filled_quantity}`.as('filledQuantity'),
      price: sql<string | null>`${orders.price}`.as('price'),
      external: sql<boolean>`${external}`.as('external'),
      tradingDay: sql<string>`${trading_day}`.as('tradingDay'),
    })
    .from(orders)
    .crossJoinLateral(DETAILS)
    .where(isOpenOrder);
}

/** With the columns of an order, of which a position has none; `held` is the product that it is held in. */
function heldPositions(db: Db) {
  const { broker, exchange, symbol, style: product, side, qty: quantity } = positions;
  const { account, token } = positionDetails;
  return db
    .select({
      ...{ broker, account, exchange, symbol, token, product, side, quantity },
      held: sql<string | null>`${product}`.as('held'),
      orderId: sql<string>`''`.as('orderId'),
      orderType: sql<string | null>`null`.as('orderType'),
      filledQuantity: sql<number>`0`.as('filledQuantity'),
      price: sql<string | null>`null`.as('price'),
      external: sql<boolean>`false`.as('external'),
      tradingDay: sql<string>`''`.as('tradingDay'),
    })
    .from(positions)
    .innerJoin(positionDetails, detailed)
    .where(isOpenPosition);
}
