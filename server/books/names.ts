import type { Sql } from 'postgres';
import type { Account } from '../orders/account.ts';
import type { Held } from './scope.ts';

interface Named {
  exchange: string;
  symbol: string;
  token: string | null;
}

/** Gives a broker's rows the symbol under which our records hold the same instrument. */
export type Renaming = <Row extends Named>(rows: readonly Row[]) => Row[];

/**
 * Where a broker trades by token, an order may carry any symbol (SBIN for what its rows call SBIN-EQ), and our records say what the caller said:
 * rows of the same exchange and token then go by our symbol. Of several, the one of the oldest open position counts.
 */
export async function ourNames(sql: Sql, who: Held, account: Account): Promise<Renaming> {
  if (!account.broker.traits.tradesByToken) return (rows) => [...rows];
  const known = await sql<{ exchange: string; token: string; symbol: string }[]>`
    select distinct on (exchange, token) exchange, token, symbol from (
      select p.exchange, d.token, p.symbol, 1 as place, p.id from tsm_positions p join position_details d on d.position_id = p.id
      where p.status = 'OPEN' and p.broker = ${who.broker} and d.account = ${who.account}
      union all
      select o.exchange, d.token, o.symbol, 2, 0 from tsm_orders o join order_details d on d.broker = o.broker and d.order_id = o.order_id
      where o.status in ('PLACED', 'PARTIALLY_FILLED') and o.broker = ${who.broker} and d.account = ${who.account} and not d.external
    ) held where token is not null order by exchange, token, place, id`;
  const names = new Map(known.map((one) => [`${one.exchange}|${one.token}`, one.symbol]));
  return (rows) => rows.map((row) => ({ ...row, symbol: names.get(`${row.exchange}|${row.token}`) ?? row.symbol }));
}
