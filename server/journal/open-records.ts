import type { Sql } from 'postgres';
import { DETAILED } from '../books/order-record.ts';
import type { OpenRecords } from './journal.ts';

interface RecordRow {
  order_id: string | null;
  broker: string;
  account: string;
  exchange: string;
  symbol: string;
  token: string | null;
  product: string | null;
  side: string;
  quantity: number | string;
  order_type: string | null;
  filled_quantity: number | string;
  price: string | null;
  external: boolean;
  trading_day: string | null;
}

/** Open orders and positions of our records, of all brokers and accounts, as they stood at one moment; orders of the newest day first. */
export async function openRecords(sql: Sql): Promise<OpenRecords> {
  const rows = await sql<RecordRow[]>`
    select o.order_id, o.broker, d.account, o.exchange, o.symbol, d.token, o.product, o.side, o.quantity, o.order_type, o.filled_quantity, o.price, d.external,
      d.trading_day
    from ${sql.unsafe(DETAILED)}
    where o.status in ('PLACED', 'PARTIALLY_FILLED')
    union all
    select null, p.broker, d.account, p.exchange, p.symbol, d.token, p.style, p.side, p.qty, null, 0, null, false, null
    from tsm_positions p join position_details d on d.position_id = p.id where p.status = 'OPEN'
    order by trading_day desc`;
  const records: OpenRecords = { orders: [], positions: [] };
  for (const {
    order_id: orderId,
    order_type: orderType,
    filled_quantity,
    quantity,
    product,
    side,
    price,
    external,
    trading_day: tradingDay,
    ...place
  } of rows) {
    const open = Number(quantity);
    if (orderId !== null && tradingDay !== null)
      records.orders.push({
        ...place,
        product,
        side,
        orderId,
        orderType,
        quantity: open,
        filledQuantity: Number(filled_quantity),
        price,
        external,
        tradingDay,
      });
    else if (product !== null) records.positions.push({ ...place, product, net: side === 'BUY' ? open : -open });
  }
  return records;
}
