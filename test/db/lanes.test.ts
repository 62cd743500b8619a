import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { lanesOf } from '../../server/db/lanes.ts';
import { type Database, openDatabase } from '../../server/db/open.ts';
import type { Ask } from '../../server/db/statement.ts';
import { transaction } from '../../server/db/transaction.ts';
import { silentLog } from '../../server/log.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from './support.ts';

let place: TestDatabase;
let database: Database;
let tool: Database;
let clients: postgres.Sql[];
let orders: Ask;
/** Set where a busy machine must not make a quick connection look slow. */
let frozenAt: number | null = null;

beforeAll(async () => {
  place = await createTestDatabase();
  const options = { mode: 'practice' as const, dataDir: '/nowhere', databaseUrl: place.url, log: silentLog() };
  database = await openDatabase(options);
  tool = await openDatabase({ ...options, beside: true });
  clients = [1, 2, 3].map(() => postgres({ ...database.connection, max: 1 }));
  orders = lanesOf(clients, { ...systemClock, mono: () => frozenAt ?? systemClock.mono() });
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.end({ timeout: 1 })));
  await Promise.all([database, tool].map((one) => one.close()));
  await place.drop();
});

/** The server's process that answered, after `seconds`. */
async function pidAfter(seconds: number): Promise<number> {
  const [row] = await orders<{ pid: number }>('select pg_backend_pid() as pid, pg_sleep($1::float8)::text', [String(seconds)]);
  return row?.pid ?? 0;
}

function atOnce(count: number, seconds: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => pidAfter(seconds)));
}

/** How many connections answer a crowd of statements. */
async function connectionsOf(count: number, seconds = 0): Promise<number> {
  return new Set(await atOnce(count, seconds)).size;
}

/** Whether a connection to our database waits so; others' tests use the same server. */
async function waits(event: string): Promise<boolean> {
  return (
    (await database.db.$client`select 1 from pg_stat_activity where datname = current_database() and wait_event = ${event}`).length > 0
  );
}

test('quick statements at once take one connection, slow ones are spread, and quick ones come together again', async () => {
  await pidAfter(0);
  frozenAt = systemClock.mono();
  expect(await connectionsOf(200)).toBe(1);
  frozenAt = null;
  for (let round = 0; round < 20; round += 1) await atOnce(4, 0.02);
  expect(await connectionsOf(9, 0.02)).toBe(3);
  frozenAt = systemClock.mono();
  for (let round = 0; round < 200; round += 1) await pidAfter(0);
  expect(await connectionsOf(200)).toBe(1);
  frozenAt = null;
});

test('nothing is put behind a statement that waits for a lock, as long as it waits', async () => {
  const [others, stuck] = await transaction(tool.db, async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(77)`);
    const waiting = orders<{ pid: number }>('select pg_backend_pid() as pid from pg_advisory_xact_lock($1::int)', ['77']);
    await until(() => waits('advisory'));
    await new Promise((resolve) => setTimeout(resolve, 100));
    return [await atOnce(20, 0), () => waiting] as const;
  });
  const [row] = await stuck();
  expect(others).not.toContain(row?.pid);
  // One lock does not make a slow connection.
  frozenAt = systemClock.mono();
  expect(await connectionsOf(200)).toBe(1);
  frozenAt = null;
});

test('a connection the server ends costs what was under way on it, and nothing after it', async () => {
  const cut = Promise.allSettled(Array.from({ length: 3 }, () => pidAfter(20)));
  await until(() => waits('PgSleep'));
  await tool.db
    .$client`select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`;
  expect((await cut).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  await until(() => pidAfter(0));
  expect((await atOnce(20, 0)).length).toBe(20);
  // Nothing counts as under way there any more: the first connection takes what comes, however long ago its last answer was.
  await new Promise((resolve) => setTimeout(resolve, 25));
  const [first] = await (clients[0] as postgres.Sql)`select pg_backend_pid() as pid`;
  expect(await pidAfter(0)).toBe(first?.pid);
});
