import { and, eq, type GetColumnData, gte, inArray, type SQL, sql } from 'drizzle-orm';
import { type PgColumn, unionAll } from 'drizzle-orm/pg-core';
import { orderDetails, orders, positionDetails, positions } from '../../drizzle/schema.ts';
import type { Tx } from '../db/handle.ts';
import type { AccountKey } from './keys.ts';

/** Words and not parameters, here and below: only then does a prepared statement know that a partial index serves. */
export const isOpenPosition = sql`${positions.status} = 'OPEN'`;
export const isOpenOrder = sql`${orders.status} in ('PLACED', 'PARTIALLY_FILLED')`;

/** Joins position_details to tsm_positions. */
export const detailed = eq(positionDetails.position_id, positions.id);

/** Positions of an account, where they are joined with their details. */
export function positionsOf({ broker, account }: AccountKey): SQL | undefined {
  return and(eq(positions.broker, broker), eq(positionDetails.account, account));
}

/**
 * A broker's open positions, and those that were closed at or after an instant. Not one condition with `or`: that would walk all positions there
 * ever were.
 */
export function openOrClosedSince(tx: Tx, broker: string, since: SQL): SQL {
  const { id, status, closed_at } = positions;
  const ours = eq(positions.broker, broker);
  const open = tx.select({ id }).from(positions).where(and(ours, isOpenPosition));
  const closed = tx
    .select({ id })
    .from(positions)
    .where(and(ours, sql`${status} = 'CLOSED'`, gte(closed_at, since)));
  return inArray(id, unionAll(open, closed));
}

/** Orders of an account, where they are joined with `DETAILS`. */
export function ordersOf({ broker, account }: AccountKey): SQL | undefined {
  return and(eq(orders.broker, broker), eq(orderDetails.account, account));
}

/**
 * The details of each of `orders`, for a lateral join. Fenced (`offset 0`): until the tables are analyzed a plan would take an account's details for one
 * row and walk the open orders for each of them.
 */
export const DETAILS = sql`(
  select * from ${orderDetails} where ${orderDetails.broker} = ${orders.broker} and ${orderDetails.order_id} = ${orders.order_id}
    and ${orderDetails.created_at} = ${orders.created_at} offset 0) as ${sql.identifier('order_details')}`;

/** A column of `DETAILS` in a select, which drizzle does not know to have it. */
export function detail<Column extends PgColumn>(column: Column): SQL<GetColumnData<Column>> {
  return sql<GetColumnData<Column>>`${sql`${column}`}`.mapWith(column);
}

/**
 * Text of the created_at of a record to be made, of an order of a broker from `at` on. Two accounts of a broker may have one order id in one
 * millisecond: the second record is made a microsecond later, so that the key of tsm_orders, which knows no account, tells them apart.
 */
export function madeAt(broker: string, orderId: string, at: string): string {
  return `coalesce((select max(other.created_at) + interval '1 microsecond' from tsm_orders other
    where other.broker = ${broker} and other.order_id = ${orderId} and other.created_at between ${at} and ${at} + interval '1 millisecond'), ${at})`;
}
