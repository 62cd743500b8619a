import type { Sql } from 'postgres';

export interface Price {
  exchange: string;
  symbol: string;
  /** Last traded price, rupees. */
  ltp: number | string;
}

/**
 * Writes last traded prices into the open positions of one broker account, in one statement. Returns how many rows changed.
 * A row whose price is unchanged is not written, and one that a fill holds at this moment is left for the next tick: prices wait for nothing.
 * Says nothing about fills: a row counts as freshly touched by position_details.touched_at, which this leaves alone.
 */
export async function writePrices(sql: Sql, broker: string, account: string, prices: readonly Price[]): Promise<number> {
  if (prices.length === 0) return 0;
  const written = await sql`
    with given as (
      select distinct on (exchange, symbol) exchange, symbol, round(ltp, 4) as ltp
      from jsonb_to_recordset(${sql.json([...prices].reverse().map((price) => ({ ...price })))}) as t(exchange text, symbol text, ltp numeric)
    ), moved as (
      select p.id, given.ltp
      from given
      join tsm_positions p on p.broker = ${broker} and p.exchange = given.exchange and p.symbol = given.symbol and p.status = 'OPEN'
      join position_details d on d.position_id = p.id and d.account = ${account}
      where p.ltp is distinct from given.ltp
      for no key update of p skip locked
    )
    update tsm_positions p set ltp = moved.ltp, updated_at = now() from moved where p.id = moved.id`;
  return written.count;
}
