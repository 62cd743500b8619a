import type { Sql } from 'postgres';

const DAY_MS = 86_400_000;

/** Times (epoch ms, ascending) of the place, modify and cancel calls of one account in the day before `now`: what the order budget has used. */
export async function recentSends(sql: Sql, broker: string, account: string, now: number): Promise<number[]> {
  const rows = await sql<{ at: number }[]>`
    select extract(epoch from at)::float8 * 1000 as at from tsm_events
    where kind in ('order.sending', 'modify.sending', 'cancel.sending') and broker = ${broker} and account = ${account}
      and at > to_timestamp(${(now - DAY_MS) / 1000}) order by at`;
  return rows.map((row) => row.at);
}
