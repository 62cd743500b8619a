import type { Sql } from 'postgres';

/** An open position as money is computed of it; decimals are exact text, rupees. */
export interface HeldPosition {
  exchange: string;
  symbol: string;
  style: string;
  side: string;
  qty: number;
  entry_price: string | null;
  multiplier: string;
}

/** The open positions of one broker account. */
export async function heldPositions(sql: Sql, broker: string, account: string): Promise<HeldPosition[]> {
  return await sql<HeldPosition[]>`
    select p.exchange, p.symbol, p.style, p.side, p.qty, p.entry_price, d.multiplier::text as multiplier
    from tsm_positions p join position_details d on d.position_id = p.id
    where p.status = 'OPEN' and p.broker = ${broker} and d.account = ${account} order by p.id`;
}
