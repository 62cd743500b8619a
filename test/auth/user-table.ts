import { drizzle } from 'drizzle-orm/postgres-js';
import postgres, { type Sql } from 'postgres';
import { onTestFinished } from 'vitest';
import { createUsers, type Users } from '../../server/auth/users.ts';
import { type Clock, systemClock, systemRandom } from '../../server/clock.ts';
import { openDatabase } from '../../server/db/open.ts';
import { silentLog } from '../../server/log.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

export interface UserTable {
  /** The users as one gateway knows them. */
  users: Users;
  /** The same table through a process of its own: its list of tokens is not that of `users`. */
  elsewhere: () => Users;
  sql: Sql;
  /** Statements that any of these users sent so far. */
  statements: () => number;
  test: TestDatabase;
}

/** An empty user table in a database of its own. */
export async function userTable(clock: Clock = systemClock): Promise<UserTable> {
  const test = await createTestDatabase();
  const database = await openDatabase({ mode: 'practice', dataDir: '/', databaseUrl: test.url, log: silentLog(), beside: true });
  const client = postgres({ ...database.connection, max: 4 });
  let statements = 0;
  const logQuery = () => {
    statements += 1;
  };
  onTestFinished(async () => {
    await client.end();
    await database.close();
    await test.drop();
  });
  const elsewhere = () => createUsers({ db: drizzle(client, { logger: { logQuery } }), random: systemRandom, clock });
  return { users: elsewhere(), elsewhere, sql: database.db.$client, statements: () => statements, test };
}

/** Real waits, but a monotonic time that stands until it is moved. */
export function standingClock(): Clock & { pass(ms: number): void } {
  let mono = 1_000_000;
  return {
    ...systemClock,
    mono: () => mono,
    pass: (ms) => {
      mono += ms;
    },
  };
}
