import type { Sql } from 'postgres';
import { DETAILED } from './order-record.ts';

export interface Watched {
  exchange: string;
  symbol: string;
  /** The broker's instrument token; null where neither order nor position told one. */
  token: string | null;
}

/** What a feed is to follow: the instruments of the open positions and open orders of one broker account, each once, in order of name. */
export async function watchedInstruments(sql: Sql, broker: string, account: string): Promise<Watched[]> {
  const rows = await sql<Watched[]>`
    select exchange, symbol, max(token) as token from (
      select p.exchange, p.symbol, d.token
      from tsm_positions p join position_details d on d.position_id = p.id
      where p.status = 'OPEN' and p.broker = ${broker} and d.account = ${account}
      union all
      select o.exchange, o.symbol, d.token
      from ${sql.unsafe(DETAILED)}
      where o.status in ('PLACED', 'PARTIALLY_FILLED') and o.broker = ${broker} and d.account = ${account}
    ) held group by exchange, symbol order by exchange, symbol`;
  return rows.map(({ exchange, symbol, token }) => ({ exchange, symbol, token }));
}
