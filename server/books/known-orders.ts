import { and, desc, eq, gte, sql } from 'drizzle-orm';
import type { OrderStatus } from '../../contract/words.ts';
import { idempotencyRecords, orderDetails, orders, tradeHistory } from '../../drizzle/schema.ts';
import type { OrderRow, TradeRow } from '../brokers/broker.ts';
import { tradingDay } from '../clock.ts';
import type { Db } from '../db/handle.ts';
import { type Given, given, msOf } from '../db/rows.ts';
import type { AccountKey } from './keys.ts';
import { DETAILS, isOpenOrder, ordersOf } from './tables.ts';

/** At midnight the broker's clock and ours may show two days. */
export const CLOCKS_APART_MS = 60_000;
/** Rows without a time may be what a book still shows of the last trading day. */
const TIMELESS_MS = 7 * 86_400_000;

/** An order record, as it stands. */
export interface KnownOrder {
  order_id: string;
  tradingDay: string;
  /** Its created_at: exact text, and epoch ms. */
  made: string;
  made_ms: number;
  symbol: string;
  exchange: string;
  side: string;
  product: string;
  quantity: number;
  price: string | null;
  token: string | null;
  status: OrderStatus;
  filled_quantity: number;
  avg_price: string | null;
  reason: string | null;
}

/** A read of the order book beside our records. */
export interface Matched {
  /** The records that a row may belong to, and those that are open; of the newest day first. */
  known: KnownOrder[];
  /** The row of a record. */
  rows: Map<KnownOrder, OrderRow>;
  /** Rows without a record, each order once. */
  strangers: OrderRow[];
}

/**
 * Finds the record of each row of an order book read at `now` (epoch ms, UTC): ids come again, so that it is the record of that id which lived on the
 * day the row's order was placed. When `lock` is set the records are locked, in one order.
 */
export async function matchOrders(db: Db, who: AccountKey, book: readonly OrderRow[], now: number, lock = false): Promise<Matched> {
  const known = await knownOrders(db, who, book, now, lock);
  const byId = Map.groupBy(known, (order) => order.order_id);
  const rows: Matched['rows'] = new Map();
  const strangers = new Map<string, OrderRow>();
  for (const row of book) {
    const order = recordOf(row, byId.get(row.order_id) ?? []);
    if (order) rows.set(order, row);
    else strangers.set(`${row.order_id}|${dayOf(row, now)}`, row);
  }
  return { known, rows, strangers: [...strangers.values()] };
}

/** The trading day of an order that nobody recorded. */
export function dayOf(row: OrderRow, now: number): string {
  return tradingDay(row.placed_at === null ? now : Date.parse(row.placed_at));
}

/**
 * An order placed on the record's day, or, as an AMO order, on an earlier one since the record was made. Without a time it is the newest record:
 * nothing is booked twice, and a stranger's new order under an old id is found by its trades.
 */
function recordOf({ placed_at }: OrderRow, records: readonly KnownOrder[]): KnownOrder | undefined {
  if (placed_at === null) return records[0];
  const placed = Date.parse(placed_at);
  const [earliest, latest] = [tradingDay(placed - CLOCKS_APART_MS), tradingDay(placed + CLOCKS_APART_MS)];
  const living = records.filter((order) => tradingDay(order.made_ms) <= latest && earliest <= order.tradingDay);
  const apart = (order: KnownOrder) => Math.abs(order.made_ms - placed);
  return living.sort((a, b) => apart(a) - apart(b))[0];
}

async function knownOrders(db: Db, who: AccountKey, book: readonly OrderRow[], now: number, lock: boolean): Promise<KnownOrder[]> {
  const { broker, order_id, account, trading_day } = orderDetails;
  const rows = book.map((row) => {
    const since = tradingDay(row.placed_at === null ? now - TIMELESS_MS : Date.parse(row.placed_at) - CLOCKS_APART_MS);
    return { order_id: row.order_id, since };
  });
  const asked = given('asked', { order_id, since: 'text' }, rows);
  const columns = sql`${order_id}, ${orderDetails.created_at}, ${trading_day}, ${orderDetails.token}`;
  // Fenced as DETAILS is.
  const found = sql`(
    select ${columns} from ${asked.table} cross join lateral (
      select * from ${orderDetails} where ${broker} = ${who.broker} and ${order_id} = ${asked.order_id} and ${account} = ${who.account}
        and ${trading_day} >= ${asked.since} offset 0
    ) as ${sql.identifier('order_details')}
    union
    select ${columns} from ${orders} cross join lateral ${DETAILS} where ${isOpenOrder} and ${ordersOf(who)}
  ) as found`;
  const { exchange, symbol, side, product, quantity, price, status, filled_quantity, avg_price, reason } = orders;
  const order = {
    ...{
      order_id: orders.order_id,
      symbol,
      exchange,
      side,
      product: sql<string>`${product}`,
      quantity,
      price,
      status,
      filled_quantity,
      avg_price,
      reason,
    },
    tradingDay: sql<string>`found.trading_day`,
    made: sql<string>`${orders.created_at}::text`,
    made_ms: msOf(orders.created_at),
    token: sql<string | null>`found.token`,
  };
  const query = db
    .select(order)
    .from(orders)
    .innerJoin(found, sql`found.order_id = ${orders.order_id} and found.created_at = ${orders.created_at}`)
    .where(eq(orders.broker, who.broker))
    .orderBy(orders.order_id, desc(sql`found.trading_day`));
  return await (lock ? query.for('update', { of: orders }) : query);
}

/** As long before the send as a broker's clock may stamp it, and as long after as it may still arrive, ms. */
const EARLIER_MS = 2000;
const LATER_MS = 7000 + 120_000;

/**
 * Ids of the rows of an order book that are today's orders which a person settled without knowing the id: their records stand under their tags,
 * so that these rows and their trades are neither a stranger's nor booked again. Without a tag a row is one of them by what and when it is.
 */
export async function settledRows(db: Db, who: AccountKey, book: readonly OrderRow[], now: number): Promise<Set<string>> {
  const settled = await settledAttempts(db, who, now);
  if (settled.length === 0) return new Set();
  return new Set(book.filter((row) => settled.some((order) => isOf(row, order))).map((row) => row.order_id));
}

type Settled = Awaited<ReturnType<typeof settledAttempts>>[number];

async function settledAttempts(db: Db, who: AccountKey, now: number) {
  const { exchange, symbol, side, quantity, order_id, tag, started_at, broker, account, trading_day } = idempotencyRecords;
  const started_ms = sql<number>`extract(epoch from ${started_at})::float8 * 1000`;
  return await db
    .select({ exchange, symbol, side, quantity, tag, started_ms })
    .from(idempotencyRecords)
    .where(and(sql`${order_id} = ${tag}`, eq(broker, who.broker), eq(account, who.account), gte(trading_day, tradingDay(now))));
}

function isOf(row: OrderRow, { exchange, symbol, side, quantity, tag, started_ms }: Settled): boolean {
  if (row.tag !== null) return row.tag.toLowerCase() === tag.toLowerCase();
  if (row.exchange !== exchange || row.symbol !== symbol || row.transaction_type !== side || row.quantity !== quantity) return false;
  if (row.placed_at === null) return true;
  const placedAt = Date.parse(row.placed_at);
  return placedAt >= started_ms - EARLIER_MS && placedAt <= started_ms + LATER_MS;
}

/** An order of ours that is being sent, or whose fate or fill is not known: its rows and its fills are not to be taken for a stranger's. */
export type Unresolved = Awaited<ReturnType<typeof unresolvedAttempts>>[number];

export async function unresolvedAttempts(db: Db, who: AccountKey) {
  const { exchange, symbol, side, quantity, order_id, tag, state, broker, account } = idempotencyRecords;
  return await db
    .select({ exchange, symbol, side, quantity, order_id, tag })
    .from(idempotencyRecords)
    .where(and(sql`${state} in ('SENDING', 'ACCEPTED', 'AMBIGUOUS')`, eq(broker, who.broker), eq(account, who.account)));
}

/** Whether a row nobody claims may be one of these: by its tag, or, while the order has no id, by what it is. */
export function mayBeOurs(row: OrderRow, attempts: readonly Unresolved[]): boolean {
  return attempts.some((attempt) => {
    if (row.tag === attempt.tag || row.order_id === attempt.order_id) return true;
    const alike = row.exchange === attempt.exchange && row.symbol === attempt.symbol && row.transaction_type === attempt.side;
    return attempt.order_id === '' && alike && row.quantity === attempt.quantity;
  });
}

/** What names an order record of one broker account. */
export interface OrderName {
  order_id: string;
  trading_day: string;
}

export function nameOf({ order_id, trading_day }: OrderName): string {
  return `${order_id}|${trading_day}`;
}

/** A trade as `recordTraded` asks for it: its day (IST) and instant (epoch s), null where the broker does not tell them. */
export function tradedAs({ order_id, traded_at }: TradeRow): { order_id: string; day: string | null; at: number | null } {
  if (traded_at === null) return { order_id, day: null, at: null };
  const at = Date.parse(traded_at);
  return { order_id, day: tradingDay(at - CLOCKS_APART_MS), at: at / 1000 };
}

/** What `tradedAs` tells, beside what else a statement asks by. */
export const tradedColumns = { order_id: orders.order_id, day: 'text', at: 'float8' } as const;

/**
 * The record of a trade's order, none where nobody recorded it. Ids come again: it is the newest record of the id made before the trade whose day was
 * not over, or that was seen to fill on the trade's day or later, as an AMO order placed elsewhere does.
 */
export function recordTraded(db: Db, who: AccountKey, { order_id, day, at }: Omit<Given<typeof tradedColumns>, 'table'>) {
  const { trading_day, created_at } = orderDetails;
  const filledSince = db
    .select({ id: tradeHistory.id })
    .from(tradeHistory)
    .where(
      and(
        ...[eq(tradeHistory.broker, who.broker), eq(tradeHistory.account, who.account), eq(tradeHistory.order_id, order_id)],
        eq(tradeHistory.trading_day, trading_day),
        sql`${tradeHistory.traded_at} >= (${day} || ' 00:00')::timestamp at time zone 'Asia/Kolkata'`,
      ),
    );
  return db
    .select({ trading_day, filled_quantity: orders.filled_quantity })
    .from(orderDetails)
    .innerJoin(
      orders,
      and(eq(orders.broker, orderDetails.broker), eq(orders.order_id, orderDetails.order_id), eq(orders.created_at, created_at)),
    )
    .where(
      and(
        ...[eq(orderDetails.broker, who.broker), eq(orderDetails.order_id, order_id), eq(orderDetails.account, who.account)],
        sql`(${at} is null or ${created_at} <= to_timestamp(${at}) + interval '10 minutes')`,
        sql`(${day} is null or ${trading_day} >= ${day} or ${isOpenOrder} or exists ${filledSince})`,
      ),
    )
    .orderBy(desc(trading_day))
    .limit(1);
}
