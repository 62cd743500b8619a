import type { Sql } from 'postgres';
import type { Ask } from '../db/statement.ts';
import type { Attempt } from './attempt.ts';
import { type AttemptRow, attemptOf, EVERYTHING } from './rows.ts';

/** Attempts for which a condition holds, oldest first. The condition is a constant; its values are `$1`, `$2`, ... */
export async function attemptsWhere(ask: Ask, condition: string, values: readonly string[]): Promise<Attempt[]> {
  const text = `select ${EVERYTHING} from idempotency_records where ${condition} order by started_at, key collate "C"`;
  const rows = await ask<AttemptRow>(text, values);
  return rows.map(attemptOf);
}

/** Living records are those that no lifetime has ended. */
export const LIVING = (moment: string) =>
  `(state not in ('DONE', 'NOT_SENT', 'UNRESOLVED') or expires_at is null or expires_at > ${moment})`;

/** Keys of living records, null when there are more than `limit`. */
export async function livingKeys(ask: Ask, moment: string, limit: number): Promise<string[] | null> {
  const text = `select key from idempotency_records where ${LIVING('$1')} limit $2`;
  const rows = await ask<{ key: string }>(text, [moment, String(limit + 1)]);
  return rows.length > limit ? null : rows.map(({ key }) => key);
}

/** An order record outlives the attempt that made it; where both stand, the attempt's key comes last and counts. */
export async function owners(
  sql: Sql,
  broker: string,
  account: string,
  since: string,
  orderIds: readonly string[],
): Promise<Map<string, string>> {
  if (orderIds.length === 0) return new Map();
  const ids = [...orderIds];
  const rows = await sql<{ order_id: string; key: string }[]>`
    select order_id, '' as key, 1 as place, trading_day from order_details
    where broker = ${broker} and account = ${account} and trading_day >= ${since} and not external and order_id in ${sql(ids)}
    union all
    select order_id, key, 2, trading_day from idempotency_records
    where broker = ${broker} and account = ${account} and trading_day >= ${since} and order_id in ${sql(ids)} and order_id <> ''
    order by place, trading_day`;
  return new Map(rows.map((row) => [row.order_id, row.key]));
}

/** The newest note of an attempt counts: it names all of them. */
export async function candidates(sql: Sql, key: string, tag: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select jsonb_array_elements_text(detail -> 'candidates') as id from (
      select detail from tsm_events where key = ${key} and kind = 'order.candidates' and detail ->> 'tag' = ${tag} order by id desc limit 1
    ) newest`;
  return rows.map(({ id }) => id);
}
