import { and, asc, desc, gt, lte, sql } from 'drizzle-orm';
import { events } from '../../drizzle/schema.ts';
import type { Db } from '../db/handle.ts';
import type { EventRow } from './event.ts';

/** Rows after the number `after`, up to the number `through`, in the order of their numbers, at most `most`. Rejects as the database does. */
export async function readEvents(db: Db, { after, through, most }: { after: number; through: number; most: number }): Promise<EventRow[]> {
  if (after >= through) return [];
  const { id, at, kind, broker, account, symbol, order_id, detail } = events;
  return await db
    .select({ id, at, kind, broker, account, symbol, order_id, detail })
    .from(events)
    .where(and(gt(id, after), lte(id, through)))
    .orderBy(asc(id))
    .limit(most);
}

/** The number of the newest event up to `through`; 0 where there is none. */
export async function lastEvent(db: Db, through: number): Promise<number> {
  const [row] = await db.select({ id: events.id }).from(events).where(lte(events.id, through)).orderBy(desc(events.id)).limit(1);
  return row?.id ?? 0;
}

/** The newest number that was given to an event; 0 before the first. Its event may not be committed, or never be. */
export async function newestNumber(db: Db): Promise<number> {
  const [row] = await db.execute<{ newest: number }>(
    sql`select case when is_called then last_value else 0 end as newest from tsm_events_id_seq`,
  );
  if (!row) throw new Error('The sequence of events could not be read');
  return Number(row.newest);
}

/**
 * The transactions that write events and are not over. A statement takes this lock before it takes a number, and keeps it to the end of its transaction;
 * what it wrote can be read by then.
 */
export async function writers(db: Db): Promise<Set<string>> {
  const rows = await db.execute<{ writer: string }>(sql`
    select virtualtransaction as writer from pg_locks
    where locktype = 'relation' and relation = 'tsm_events'::regclass and mode = 'RowExclusiveLock' and granted
      and database = (select oid from pg_database where datname = current_database())`);
  return new Set(rows.map(({ writer }) => writer));
}
