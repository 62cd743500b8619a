import type { Sql } from 'postgres';
import { systemClock } from '../clock.ts';
import { DatabaseError } from './error.ts';

/** How often a leader renews. */
export const BEAT_MS = 400;
/** A leader trusts its lease so long from the moment it began to renew it. */
const TRUSTED_MS = 1_500;
/** Nobody else takes a lease before it has stood still for so long. What is above TRUSTED_MS is for the way from the last look at it to the wire. */
export const OVER_MS = 2_000;
/** What a dead holder's connections may still have on its way is waited for. */
const ENDING_MS = 10_000;
const ENDING_PAUSE_MS = 20;

/** The row of gateway_lease. */
export interface Standing {
  epoch: number;
  beat: number;
  hold: 'lease' | 'connection' | 'none';
  holder: string;
  session: string;
}

interface Taken {
  epoch: number;
  since: number;
}

/** The lease as it stands; null where nobody ever held one, or the tables are older than it. */
export async function readLease(sql: Sql): Promise<Standing | null> {
  const [known] = await sql<{ there: boolean }[]>`select to_regclass('gateway_lease') is not null as there`;
  if (!known?.there) return null;
  const [row] = await sql<Standing[]>`select epoch::float8, beat::float8, hold, holder, session from gateway_lease`;
  return row ?? null;
}

/** This process's right to send for a database: an epoch of its own and, where it leads by time, the newest renewal. */
export class Lease {
  readonly #hold: 'lease' | 'connection';
  /** This gateway, for people. */
  readonly holder: string;
  /** The name of this gateway's connections. */
  readonly session: string;
  #epoch: number | null = null;
  /** When the epoch was raised, by the database's clock; epoch ms. */
  since = 0;
  #trusted = { mono: Number.NEGATIVE_INFINITY, now: Number.NEGATIVE_INFINITY };
  #lost = false;

  /** `byTime`: it ends without a renewal, so that a standby may follow one that stands still. `holder` names this gateway for people. */
  constructor({ byTime, holder, session }: { byTime: boolean; holder: string; session: string }) {
    this.#hold = byTime ? 'lease' : 'connection';
    this.holder = holder;
    this.session = session;
  }

  /** Null before it is taken. */
  get epoch(): number | null {
    return this.#epoch;
  }

  get byTime(): boolean {
    return this.#hold === 'lease';
  }

  /**
   * Why nothing may leave for a broker now; null when it may. By the monotonic clock, which goes on while this process stands still, and by the wall
   * clock, which also goes on while the machine does.
   */
  held = (): string | null => {
    if (this.#lost) return 'Another gateway leads this database; nothing was sent';
    if (!this.byTime) return null;
    const age = Math.max(systemClock.mono() - this.#trusted.mono, systemClock.now() - this.#trusted.now);
    return age < TRUSTED_MS ? null : 'The lease of the database is not renewed; nothing was sent';
  };

  /** Raises the epoch unless somebody else moved what stood before. True when this gateway leads; then nothing of the one before is under way any more. */
  async take(sql: Sql, before: Standing | null): Promise<boolean> {
    const began = this.#instant();
    const { holder, session } = { holder: this.holder, session: this.session };
    const [row] = before
      ? await sql<Taken[]>`
          update gateway_lease set epoch = epoch + 1, beat = 0, hold = ${this.#hold}, holder = ${holder}, session = ${session}, since = now()
          where epoch = ${before.epoch}::bigint and beat = ${before.beat}::bigint and hold = ${before.hold}
          returning epoch::float8, round(extract(epoch from since) * 1000)::float8 as since`
      : await sql<Taken[]>`
          insert into gateway_lease (epoch, hold, holder, session) values (1, ${this.#hold}, ${holder}, ${session})
          on conflict (id) do nothing returning epoch::float8, round(extract(epoch from since) * 1000)::float8 as since`;
    if (!row) return false;
    if (before && before.session !== session) await endSessions(sql, before.session);
    this.#epoch = row.epoch;
    this.since = row.since;
    this.#trusted = began;
    return true;
  }

  /** False when another gateway has led since. */
  async renew(sql: Sql): Promise<boolean> {
    if (this.#epoch === null) return true;
    const began = this.#instant();
    const [row] = this.byTime
      ? await sql`update gateway_lease set beat = beat + 1 where epoch = ${this.#epoch}::bigint returning epoch`
      : await sql`select epoch from gateway_lease where epoch = ${this.#epoch}::bigint`;
    if (row) this.#trusted = began;
    else this.lose();
    return row !== undefined;
  }

  /** From now on nothing leaves. */
  lose(): void {
    this.#lost = true;
  }

  /** Lets the next one lead at once. Nothing of this gateway may be under way any more. */
  async giveBack(sql: Sql): Promise<void> {
    this.lose();
    if (this.#epoch !== null) await sql`update gateway_lease set hold = 'none' where epoch = ${this.#epoch}::bigint`;
  }

  #instant(): { mono: number; now: number } {
    return { mono: systemClock.mono(), now: systemClock.now() };
  }
}

/** Ends every connection of that name, and resolves once the server has none of them any more. */
export async function endSessions(sql: Sql, name: string): Promise<void> {
  const began = systemClock.mono();
  for (;;) {
    const rows = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = ${name} and pid <> pg_backend_pid()`;
    if (rows.length === 0) return;
    if (systemClock.mono() - began > ENDING_MS) throw new DatabaseError('The connections of the gateway that led before do not end');
    await systemClock.sleep(ENDING_PAUSE_MS);
  }
}

/** Whether a lease may be taken, by what was seen of it: time counts from the first look that showed it as it is now. */
export class LeaseWatch {
  #seen: Standing | null = null;
  #since = Number.NEGATIVE_INFINITY;

  over(lease: Standing | null): boolean {
    const same = this.#seen !== null && lease !== null && this.#seen.epoch === lease.epoch && this.#seen.beat === lease.beat;
    if (!same) this.#since = systemClock.mono();
    this.#seen = lease;
    return lease?.hold !== 'lease' || systemClock.mono() - this.#since >= OVER_MS;
  }
}
