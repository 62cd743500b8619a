import type { Sql } from 'postgres';

const DAY_MS = 86_400_000;

/** Keeps the kill switch in gateway_settings, each change with an event. */
export function killSwitchKeeper(sql: Sql) {
  return {
    async read(): Promise<boolean> {
      const [row] = await sql<{ value: string }[]>`select value from gateway_settings where name = 'kill_switch'`;
      return row?.value === 'on';
    },
    async write(on: boolean, by: string): Promise<void> {
      const value = on ? 'on' : 'off';
      await sql`
        with kept as (
          insert into gateway_settings (name, value) values ('kill_switch', ${value})
          on conflict (name) do update set value = excluded.value, updated_at = now() returning value
        )
        insert into tsm_events (kind, detail) select 'kill_switch', jsonb_build_object('on', value = 'on', 'by', ${by}::text) from kept`;
    },
  };
}

/** Times (epoch ms, ascending) of the place, modify and cancel calls of one account in the day before `now`: what the order budget has used. */
export async function recentSends(sql: Sql, broker: string, account: string, now: number): Promise<number[]> {
  const rows = await sql<{ at: number }[]>`
    select extract(epoch from at)::float8 * 1000 as at from tsm_events
    where kind in ('order.sending', 'modify.sending', 'cancel.sending') and broker = ${broker} and account = ${account}
      and at > to_timestamp(${(now - DAY_MS) / 1000}) order by at`;
  return rows.map((row) => row.at);
}
