import type { Sql } from 'postgres';
import { systemClock } from '../clock.ts';
import { DatabaseError } from './error.ts';

/** The server ends a session in its own time, when it next looks. */
const patienceMs = 2_000;
const pauseMs = 20;

/**
 * Ends a session of ours, by the number of its process, and resolves once the server has it no more: nothing of it can be committed then.
 * Rejects when it is still there after two seconds (its process stands still, or waits for a disk).
 */
export async function endSession(sql: Sql, session: number): Promise<void> {
  const began = systemClock.mono();
  for (;;) {
    // Counted, because a sub-select whose values nobody looks at is not carried out.
    const rows = await sql<{ own: number; ended: number }[]>`
      select pg_backend_pid() as own, (
        select count(pg_terminate_backend(pid))::int from pg_stat_activity
        where pid = ${session}::int and datname = current_database() and usename = session_user
      ) as ended`;
    // Between us and the server something answers with numbers of its own.
    if (rows[0]?.own !== rows.state.pid) throw new DatabaseError('A connection pooler hides the sessions of the database');
    if (rows[0].ended === 0) return;
    if (systemClock.mono() - began > patienceMs) throw new DatabaseError('A session of the database does not end');
    await systemClock.sleep(pauseMs);
  }
}
