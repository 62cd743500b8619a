import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { events } from '../../drizzle/schema.ts';
import type { Db } from '../db/handle.ts';
import { instant } from '../db/rows.ts';

const DAY_MS = 86_400_000;

/** Times (epoch ms, ascending) of the place, modify and cancel calls of one account in the day before `now`: what the order budget has used. */
export async function recentSends(db: Db, broker: string, account: string, now: number): Promise<number[]> {
  const { at, kind } = events;
  // Words and not parameters, for the index.
  const sends = sql`${kind} in ('order.sending', 'modify.sending', 'cancel.sending')`;
  const rows = await db
    .select({ ms: sql<number>`extract(epoch from ${at})::float8 * 1000` })
    .from(events)
    .where(and(sends, eq(events.broker, broker), eq(events.account, account), gt(at, instant(now - DAY_MS))))
    .orderBy(asc(at));
  return rows.map((row) => row.ms);
}
