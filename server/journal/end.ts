import { and, inArray, lte, ne, or, sql } from 'drizzle-orm';
import { idempotencyRecords } from '../../drizzle/schema.ts';
import type { Db } from '../db/handle.ts';
import { type Ask, givenAs, run } from '../db/statement.ts';
import type { AttemptEvent } from './attempt.ts';
import type { AnswerName } from './journal.ts';
import { eventValues, FINAL, iso } from './rows.ts';

const EXPIRE_BATCH = 1000;
/** What nobody could establish stays so long after its key is free: a person may still settle it. */
export const UNRESOLVED_KEPT_MS = 7 * 86_400_000;

/** Prepared. Locked in the order of their keys, so that two callers with the same answers cannot wait for each other. */
const END = `
  with ${givenAs({ answers: 'jsonb', moment: 'timestamptz', kind: 'text', detail: 'text' })}, named as (
    select r.key from idempotency_records r
    join (select distinct a.key, a.tag from given, jsonb_to_recordset(given.answers) as a(key text, tag text)) a on r.key = a.key and r.tag = a.tag
    where r.state in ('DONE', 'NOT_SENT') and (r.expires_at is null or r.expires_at > (select moment from given))
    order by r.key for update of r
  ), ended as (
    update idempotency_records r set expires_at = given.moment from given, named where r.key = named.key
    returning r.key, r.broker, r.account, r.symbol, r.order_id
  )
  insert into tsm_events (kind, broker, account, symbol, order_id, key, detail)
  select given.kind, ended.broker, ended.account, ended.symbol, nullif(ended.order_id, ''), ended.key, given.detail::jsonb from ended, given`;

/** Ends stored answers at `now`, each with the event. */
export async function end(ask: Ask, answers: readonly AnswerName[], now: number, event: AttemptEvent): Promise<void> {
  if (answers.length === 0) return;
  const names = answers.map(({ key, tag }) => ({ key, tag }));
  await run(ask, END, { answers: names, moment: iso(now), ...eventValues(event) });
}

/**
 * Deletes one batch of expired records; returns how many. The conditions stand at the row itself too: while the delete waits for a row, an order may take
 * the place of the expired record under its key, and what was read before would delete that.
 */
export async function expire(db: Db, now: number): Promise<number> {
  const { key, state, expires_at } = idempotencyRecords;
  const forgotten = or(ne(state, 'UNRESOLVED'), lte(expires_at, iso(now - UNRESOLVED_KEPT_MS)));
  const over = and(sql.raw(FINAL), lte(expires_at, iso(now)), forgotten);
  const batch = db.select({ key }).from(idempotencyRecords).where(over).orderBy(expires_at).limit(EXPIRE_BATCH);
  const gone = await db
    .delete(idempotencyRecords)
    .where(and(over, inArray(key, batch)))
    .returning({ key });
  return gone.length;
}
