import type { Sql } from 'postgres';
import type { OrderRow } from '../brokers/broker.ts';
import { recordOrder } from './order-record.ts';
import type { Held } from './reconcile.ts';

interface OpenOrder {
  order_id: string;
  symbol: string;
  exchange: string;
  side: string;
  order_type: string;
  product: string;
  quantity: number;
  price: string | null;
  token: string | null;
  status: string;
  filled_quantity: number;
}

/** Brings our open order records (epoch ms `now`, UTC) up to the broker's order book. Returns how many changed; a second run changes none. */
export async function syncOpenOrders(sql: Sql, who: Held, book: readonly OrderRow[], now: number): Promise<number> {
  const open = await sql<OpenOrder[]>`
    select o.order_id, o.symbol, o.exchange, o.side, o.order_type, o.product, o.quantity, o.price, d.token, o.status, o.filled_quantity
    from tsm_orders o join order_details d on d.broker = o.broker and d.order_id = o.order_id
    where o.status in ('PLACED', 'PARTIALLY_FILLED') and o.broker = ${who.broker} and d.account = ${who.account}`;
  const byId = new Map(book.map((row) => [row.order_id, row]));
  let changed = 0;
  for (const order of open) {
    const row = byId.get(order.order_id);
    if (!row || row.status === 'UNKNOWN') continue;
    if (row.status === order.status && row.filled_quantity === order.filled_quantity) continue;
    await sql.begin((tx) =>
      recordOrder(
        tx,
        { ...who, ...order, orderType: order.order_type, external: false },
        { orderId: order.order_id, status: row.status, filledQuantity: row.filled_quantity, averagePrice: row.average_price, at: now },
      ),
    );
    changed += 1;
  }
  return changed;
}

/** Whether any order of this account is open in our records: nobody reads an order book for nothing. */
export async function hasOpenOrders(sql: Sql, who: Held): Promise<boolean> {
  const rows = await sql`
    select 1 from tsm_orders o join order_details d on d.broker = o.broker and d.order_id = o.order_id
    where o.status in ('PLACED', 'PARTIALLY_FILLED') and o.broker = ${who.broker} and d.account = ${who.account} limit 1`;
  return rows.length > 0;
}
