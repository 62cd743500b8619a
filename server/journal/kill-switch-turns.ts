import type { Sql } from 'postgres';

/** Where the switch stands. */
export interface Remembered {
  on: boolean;
  /** Epoch ms. */
  since: number | null;
  by: string | null;
  /** Counts the turns from 1; 0: never turned, or by a version that did not count. */
  number: number;
}

export interface Turn extends Remembered {
  since: number;
  by: string;
}

export interface TurnKeeper {
  read(): Promise<Remembered>;
  /** Keeps a turn unless a later one is kept already. */
  write(turn: Turn): Promise<void>;
}

/** `on 7 2026-11-20T04:12:33.000Z first`: where it stands, the number of the turn, since when, by whom. */
const turnText = /^(on|off) (\d{1,15}) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (.+)$/s;

/** Keeps the kill switch in gateway_settings, each turn with an event. */
export function killSwitchKeeper(sql: Sql): TurnKeeper {
  return {
    async read() {
      const [row] = await sql<{ value: string; updated_at: string }[]>`
        select value, updated_at from gateway_settings where name = 'kill_switch'`;
      if (!row) return { on: false, since: null, by: null, number: 0 };
      const [, word, number, since, by = null] = turnText.exec(row.value) ?? [];
      if (since !== undefined) return { on: word === 'on', since: Date.parse(since), by, number: Number(number) };
      // The version before kept on or off alone. What nobody can read counts as on: entries wait for a person, exits pass.
      return { on: row.value !== 'off', since: Date.parse(row.updated_at), by: null, number: 0 };
    },
    /** The number decides: a statement that a lost connection left behind may still be carried out after a later one. */
    async write({ on, since, by, number }) {
      const value = `${on ? 'on' : 'off'} ${number} ${new Date(since).toISOString()} ${by}`;
      await sql`
        with kept as (
          insert into gateway_settings as settings (name, value) values ('kill_switch', ${value})
          on conflict (name) do update set value = excluded.value, updated_at = now()
          where coalesce(substring(settings.value from '^(?:on|off) (\\d{1,15}) ')::bigint, 0) < ${number}::bigint returning value
        )
        insert into tsm_events (kind, detail) select 'kill_switch', jsonb_build_object('on', ${on}::boolean, 'by', ${by}::text) from kept`;
    },
  };
}
