import { and, desc, eq, gte, inArray, not, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import { events, idempotencyRecords, orderDetails } from '../../drizzle/schema.ts';
import type { Db } from '../db/handle.ts';
import type { Ask } from '../db/statement.ts';
import type { Attempt } from './attempt.ts';
import type { AnswerName } from './journal.ts';
import { type AttemptRow, attemptOf, EVERYTHING } from './rows.ts';

/** Attempts for which a condition holds, oldest first; prepared, as the look-up of a key is in every order's path. The condition is a constant; its values are `$1`, `$2`, ... */
export async function attemptsWhere(ask: Ask, condition: string, values: readonly string[]): Promise<Attempt[]> {
  const text = `select ${EVERYTHING} from idempotency_records where ${condition} order by started_at, key collate "C"`;
  const rows = await ask<AttemptRow>(text, values);
  return rows.map(attemptOf);
}

/** Living records are those that no lifetime has ended. */
export const LIVING = (moment: string) =>
  `(state not in ('DONE', 'NOT_SENT', 'UNRESOLVED') or expires_at is null or expires_at > ${moment})`;

/** Keys of living records, null when there are more than `limit`; by the same words. */
export async function livingKeys(ask: Ask, moment: string, limit: number): Promise<string[] | null> {
  const text = `select key from idempotency_records where ${LIVING('$1')} limit $2`;
  const rows = await ask<{ key: string }>(text, [moment, String(limit + 1)]);
  return rows.length > limit ? null : rows.map(({ key }) => key);
}

/** An order record outlives the attempt that made it; where both stand, the attempt's key comes last and counts. */
export async function owners(
  db: Db,
  who: { broker: string; account: string },
  since: string,
  orderIds: readonly string[],
): Promise<Map<string, string>> {
  if (orderIds.length === 0) return new Map();
  const named = (table: typeof orderDetails | typeof idempotencyRecords) =>
    and(
      eq(table.broker, who.broker),
      eq(table.account, who.account),
      gte(table.trading_day, since),
      inArray(table.order_id, [...orderIds]),
    );
  const recorded = db
    .select({
      order_id: orderDetails.order_id,
      key: sql<string>`''`.as('key'),
      rank: sql`1`.as('rank'),
      trading_day: orderDetails.trading_day,
    })
    .from(orderDetails)
    .where(and(named(orderDetails), not(orderDetails.external)));
  const { order_id, key, trading_day } = idempotencyRecords;
  const attempted = db
    .select({ order_id, key: sql<string>`${key}`.as('key'), rank: sql`2`.as('rank'), trading_day })
    .from(idempotencyRecords)
    .where(and(named(idempotencyRecords), sql`${order_id} <> ''`));
  const rows = await unionAll(recorded, attempted).orderBy(sql`rank, trading_day`);
  return new Map(rows.map((row) => [row.order_id, row.key]));
}

/** The newest note of an attempt counts: it names all of them. */
export async function candidates(db: Db, { key, tag }: AnswerName): Promise<string[]> {
  const newest = db
    .select({ detail: events.detail })
    .from(events)
    .where(and(eq(events.key, key), eq(events.kind, 'order.candidates'), sql`${events.detail} ->> 'tag' = ${tag}`))
    .orderBy(desc(events.id))
    .limit(1)
    .as('newest');
  const rows = await db.select({ id: sql<string>`jsonb_array_elements_text(${newest.detail} -> 'candidates')` }).from(newest);
  return rows.map(({ id }) => id);
}
