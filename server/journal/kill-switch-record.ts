import { eq, sql } from 'drizzle-orm';
import { events, settings } from '../../drizzle/schema.ts';
import type { Handle } from '../db/handle.ts';
import { insertFrom } from '../db/rows.ts';

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
const turnWords = /^(on|off) (\d{1,15}) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (.+)/s;

/** A turn as it is kept. */
export function turnText({ on, number, since, by }: Turn): string {
  return `${on ? 'on' : 'off'} ${number} ${new Date(since).toISOString()} ${by}`;
}

const SWITCH = 'kill_switch';

/** Keeps the kill switch in gateway_settings, each turn with an event. */
export function killSwitchKeeper(db: Handle): TurnKeeper {
  return {
    async read() {
      const { name, value, updated_at } = settings;
      const [row] = await db.select({ value, updated_at }).from(settings).where(eq(name, SWITCH));
      if (!row) return { on: false, since: null, by: null, number: 0 };
      const [, word, number, since, by = null] = turnWords.exec(row.value) ?? [];
      if (since !== undefined) return { on: word === 'on', since: Date.parse(since), by, number: Number(number) };
      // The version before kept on or off alone. What nobody can read counts as on: entries wait for a person, exits pass.
      return { on: row.value !== 'off', since: Date.parse(row.updated_at), by: null, number: 0 };
    },
    /** The number decides: a statement that a lost connection left behind may still be carried out after a later one. */
    async write({ on, since, by, number }) {
      const value = turnText({ on, number, since, by });
      const standing = sql`coalesce(substring(${settings.value} from '^(?:on|off) (\\d{1,15}) ')::bigint, 0)`;
      const kept = db
        .insert(settings)
        .values({ name: SWITCH, value })
        .onConflictDoUpdate({
          target: settings.name,
          set: { value, updated_at: sql`now()` },
          setWhere: sql`${standing} < ${number}::bigint`,
        })
        .returning({ value: settings.value });
      const detail = sql`jsonb_build_object('on', ${on}::boolean, 'by', ${by}::text)`;
      await db.execute(sql`with kept as ${kept} ${insertFrom(events, { kind: 'kill_switch', detail }, sql`kept`)}`);
      db.commits.tell();
    },
  };
}
