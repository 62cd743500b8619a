import type { Sql } from 'postgres';

/** What a start finds in the records. Money is exact decimal text in rupees. */
export interface Loaded {
  positions: {
    id: number;
    broker: string;
    exchange: string;
    symbol: string;
    style: string;
    side: string;
    qty: number;
    entry_price: string | null;
  }[];
  orders: { order_id: string; broker: string; symbol: string; side: string; quantity: number; filled_quantity: number; status: string }[];
  capital: { total_capital: string | null; available_capital: string | null; deployed_capital: string | null; realized_pnl: string };
}

/** Reads the open positions, the open orders and the capital record with id 1, making the latter at the first start. */
export async function loadRecords(sql: Sql): Promise<Loaded> {
  await sql`insert into tsm_capital (id, deployed_capital) values (1, 0) on conflict (id) do nothing`;
  const [positions, orders, capital] = await Promise.all([
    sql<
      Loaded['positions']
    >`select id, broker, exchange, symbol, style, side, qty, entry_price from tsm_positions where status = 'OPEN' order by id`,
    sql<Loaded['orders']>`
      select order_id, broker, symbol, side, quantity, filled_quantity, status from tsm_orders
      where status in ('PLACED', 'PARTIALLY_FILLED') order by created_at, order_id`,
    sql<Loaded['capital'][]>`select total_capital, available_capital, deployed_capital, realized_pnl from tsm_capital where id = 1`,
  ]);
  const [record] = capital;
  if (!record) throw new Error('The capital record is missing');
  return { positions: [...positions], orders: [...orders], capital: record };
}
