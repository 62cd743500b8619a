import type { Sql, TransactionSql } from 'postgres';
import type { OrderStatus } from '../../contract/words.ts';
import type { OrderRow } from '../brokers/broker.ts';
import { tradingDay } from '../clock.ts';
import type { AccountKey } from './keys.ts';
import { DETAILED } from './order-record.ts';
import { rowsOf } from './rebook-store.ts';

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
export async function matchOrders(
  tx: Sql | TransactionSql,
  who: AccountKey,
  book: readonly OrderRow[],
  now: number,
  lock = false,
): Promise<Matched> {
  const known = await knownOrders(tx, who, book, now, lock);
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

function knownOrders(
  tx: Sql | TransactionSql,
  who: AccountKey,
  book: readonly OrderRow[],
  now: number,
  lock: boolean,
): Promise<KnownOrder[]> {
  const asked = book.map(({ order_id, placed_at }) => {
    const since = tradingDay(placed_at === null ? now - TIMELESS_MS : Date.parse(placed_at) - CLOCKS_APART_MS);
    return { order_id, since };
  });
  return tx<KnownOrder[]>`
    with found as (
      select d.order_id, d.created_at, d.trading_day, d.token from jsonb_to_recordset(${rowsOf(tx, asked)}) as asked(order_id text, since text)
      cross join lateral (
        select * from order_details k
        where k.broker = ${who.broker} and k.order_id = asked.order_id and k.account = ${who.account} and k.trading_day >= asked.since offset 0
      ) d
      union
      select d.order_id, d.created_at, d.trading_day, d.token from ${tx.unsafe(DETAILED)}
      where o.status in ('PLACED', 'PARTIALLY_FILLED') and o.broker = ${who.broker} and d.account = ${who.account}
    )
    select o.order_id, found.trading_day as "tradingDay", o.created_at::text as made, round(extract(epoch from o.created_at) * 1000)::float8 as made_ms,
      o.symbol, o.exchange, o.side, o.product, o.quantity, o.price, found.token, o.status, o.filled_quantity, o.avg_price
    from found join tsm_orders o on o.broker = ${who.broker} and o.order_id = found.order_id and o.created_at = found.created_at
    order by o.order_id, found.trading_day desc ${lock ? tx`for update of o` : tx``}`;
}
