import { sql } from 'drizzle-orm';
import type { Db } from './handle.ts';

/** Heard by the gateway that holds the database. It carries nothing: what it is about stands in a table. */
export const KNOCK = 'broker_gateway';

/** Tells the running gateway that something was written for it, once the transaction this is part of is committed. */
export async function knock(db: Db): Promise<void> {
  await db.execute(sql`select pg_notify(${KNOCK}, '')`);
}
