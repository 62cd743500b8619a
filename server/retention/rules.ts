import { type SQL, sql } from 'drizzle-orm';
import {
  accounts,
  equityPoints,
  events,
  idempotencyRecords,
  orderDetails,
  orders,
  positionDetails,
  positions,
  tradeHistory,
  tradeLearning,
} from '../../drizzle/schema.ts';
import type { CutRecords } from '../meters.ts';

/** What is older may go. */
export interface Before {
  /** ISO text, UTC. */
  moment: string;
  /** Its trading day, `YYYY-MM-DD`, IST. */
  day: string;
}

/** One kind of old records. */
export interface Rule {
  records: CutRecords;
  keptBy: 'tradesYears' | 'eventsYears';
  /** A statement that deletes at most `most` rows of `Before` and tells how many as `rows`. */
  cut(before: Before, most: number): SQL;
}

/** A fate that is not known, or an order that still may fill: what belongs to it stays, however old. */
const openAttempt = sql`${idempotencyRecords.state} not in ('DONE', 'NOT_SENT')`;
const openOrder = sql`${orders.status} in ('PLACED', 'PARTIALLY_FILLED', 'UNKNOWN')`;

/** Rows by which table and row they are: found through an index, deleted where they lie. */
const rowsOf = (name: SQL) => sql`${name}.ctid`;

/** Rows of one account after the other: the indexes of their tables begin with broker and account, and an account is one of a few. */
const each = (rows: SQL, most: number) =>
  sql`select found.ctid from ${accounts} cross join lateral (${rows} limit ${most}) as found limit ${most}`;

const counted = (table: SQL, found: SQL) => sql`
  with gone as (delete from ${table} where ctid = any(array(${found})) returning 1) select count(*)::integer as rows from gone`;

/** In this order: an order goes after its trades, these with the position that they made, and the events last. */
export const rules: readonly Rule[] = [
  {
    records: 'positions',
    keptBy: 'tradesYears',
    // None where a position is open that began before: it may go on from what was closed then. None of an account whose capital is not known yet: it is
    // computed from the profit booked so far.
    cut: ({ moment }, most) => sql`
      with gone as (
        select ${positions.id} from ${accounts} join ${positions} on ${positions.broker} = ${accounts.broker}
        join ${positionDetails} on ${positionDetails.position_id} = ${positions.id} and ${positionDetails.account} = ${accounts.account}
        where ${accounts.opening} is not null and ${positions.status} = 'CLOSED' and ${positions.closed_at} < ${moment} and not exists (
          select from ${positions} held where held.status = 'OPEN' and held.opened_at < ${moment}::timestamptz + interval '2 days' and held.broker = ${positions.broker}
            and held.exchange = ${positions.exchange} and held.symbol = ${positions.symbol} and held.style = ${positions.style})
        order by ${positions.closed_at} limit ${most}
      ), trades as (delete from ${tradeHistory} where ${tradeHistory.position_id} in (select id from gone) returning 1),
      learned as (delete from ${tradeLearning} where ${tradeLearning.position_id} in (select id from gone)),
      cut as (delete from ${positions} where ${positions.id} in (select id from gone) returning 1)
      select ((select count(*) from cut) + (select count(*) from trades))::integer as rows`,
  },
  {
    records: 'trades',
    keptBy: 'tradesYears',
    // The others go with their positions.
    cut: ({ day }, most) =>
      counted(
        sql`${tradeHistory}`,
        each(
          sql`select ${rowsOf(sql`${tradeHistory}`)} from ${tradeHistory} where ${tradeHistory.broker} = ${accounts.broker} and ${tradeHistory.account} = ${accounts.account}
            and ${tradeHistory.trading_day} < ${day} and ${tradeHistory.position_id} is null`,
          most,
        ),
      ),
  },
  {
    records: 'orders',
    keptBy: 'tradesYears',
    // Their details go with them.
    cut: ({ day }, most) =>
      counted(
        sql`${orders}`,
        each(
          sql`select ${rowsOf(sql`${orders}`)} from ${orderDetails}
            join ${orders} on ${orders.broker} = ${orderDetails.broker} and ${orders.order_id} = ${orderDetails.order_id} and ${orders.created_at} = ${orderDetails.created_at}
            where ${orderDetails.broker} = ${accounts.broker} and ${orderDetails.account} = ${accounts.account} and ${orderDetails.trading_day} < ${day} and not (${openOrder})
            and not exists (select from ${tradeHistory} where ${tradeHistory.broker} = ${orderDetails.broker} and ${tradeHistory.account} = ${orderDetails.account}
              and ${tradeHistory.order_id} = ${orderDetails.order_id} and ${tradeHistory.trading_day} = ${orderDetails.trading_day})`,
          most,
        ),
      ),
  },
  {
    records: 'equity',
    keptBy: 'tradesYears',
    cut: ({ day }, most) =>
      counted(
        sql`${equityPoints}`,
        each(
          sql`select ${rowsOf(sql`${equityPoints}`)} from ${equityPoints} where ${equityPoints.broker} = ${accounts.broker} and ${equityPoints.account} = ${accounts.account}
            and ${equityPoints.trading_day} < ${day}`,
          most,
        ),
      ),
  },
  {
    records: 'events',
    keptBy: 'eventsYears',
    cut: ({ moment }, most) =>
      counted(
        sql`${events}`,
        sql`select ${rowsOf(sql`${events}`)} from ${events} where ${events.at} < ${moment}
          and not exists (select from ${idempotencyRecords} where ${idempotencyRecords.key} = ${events.key} and ${openAttempt})
          and not exists (select from ${orders} where ${orders.broker} = ${events.broker} and ${orders.order_id} = ${events.order_id}
            and ${orders.created_at} < ${moment}::timestamptz + interval '1 day')
          order by ${events.at} limit ${most}`,
      ),
  },
];
