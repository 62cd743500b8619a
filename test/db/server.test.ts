import { readdirSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { sql } from 'drizzle-orm';
import { afterEach, expect, test } from 'vitest';
import { events } from '../../drizzle/schema.ts';
import { readAddress } from '../../server/db/address.ts';
import { createGate } from '../../server/db/gate.ts';
import { migrateDatabase } from '../../server/db/migrate.ts';
import { type Database, type OpenOptions, openDatabase, sqlConnections } from '../../server/db/open.ts';
import { silentLog } from '../../server/log.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { processesWith, startChild, until } from './support.ts';

const migrations = readdirSync(new URL('../../drizzle/migrations/', import.meta.url)).filter((name) => name.endsWith('.sql'));

const opened: Database[] = [];
const made: TestDatabase[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await Promise.all(made.splice(0).map((database) => database.drop()));
});

async function make(options: { empty?: boolean } = {}): Promise<string> {
  const database = await createTestDatabase(options);
  made.push(database);
  return database.url;
}

async function open(databaseUrl: string, options: Partial<OpenOptions> = {}): Promise<Database> {
  const database = await openDatabase({ mode: 'practice', dataDir: '/nowhere', databaseUrl, log: silentLog(), ...options });
  opened.push(database);
  return database;
}

async function lockHolder(database: Database): Promise<number> {
  const [row] = await database.db.$client<{ pid: number }[]>`select pid from pg_locks where locktype = 'advisory' and database =
    (select oid from pg_database where datname = current_database())`;
  return row?.pid ?? 0;
}

test('money and times stay text, big integers are numbers while exact', async () => {
  const { db, where } = await open(await make());
  expect(where).toBe('server');
  const values = {
    money: sql`12.5000::numeric(18,4)`,
    safe: sql`9007199254740991::int8`,
    unsafe: sql`9007199254740993::int8`,
    at: sql`'2026-04-01 09:15:00.123456+05:30'::timestamptz`,
  };
  expect(await db.select(values).from(sql`generate_series(1, 1)`)).toEqual([
    {
      money: '12.5000',
      safe: 9007199254740991,
      unsafe: '9007199254740993',
      at: '2026-04-01 03:45:00.123456+00',
    },
  ]);
  await db.insert(events).values({ kind: 'test', detail: { a: 1 } });
  expect(await db.select().from(events)).toMatchObject([{ kind: 'test', detail: { a: 1 } }]);
});

test('durability is the server default', async () => {
  const { db } = await open(await make());
  const rows = await db.$client`select name, source from pg_settings where name in ('synchronous_commit', 'fsync') and source = 'client'`;
  expect(rows).toEqual([]);
});

test('a second gateway is refused in one sentence, and may start when the first has closed', async () => {
  const url = await make();
  const first = await open(url);
  await expect(open(url)).rejects.toThrow(/^Another gateway is running on the database .*; stop it first/);
  await first.close();
  await open(url);
});

test('a command line tool works beside a running gateway', async () => {
  const url = await make();
  await open(url);
  const tool = await open(url, { beside: true });
  expect(await tool.db.$client`select 1 as one`).toEqual([{ one: 1 }]);
});

test('practice and live never share a database', async () => {
  const url = await make({ empty: true });
  await (await open(url, { mode: 'live' })).close();
  await expect(open(url, { mode: 'practice' })).rejects.toThrow('This database belongs to live mode and GATEWAY_MODE is practice');
  await open(url, { mode: 'live' });
});

test('four simultaneous starts on an empty database migrate it once; one stays', async () => {
  const url = await make({ empty: true });
  const children = await Promise.all([1, 2, 3, 4].map(() => startChild('/nowhere', { url })));
  expect(children.map(({ told }) => told.split(' ')[0]).sort()).toEqual(['open', 'refused', 'refused', 'refused']);
  for (const { told } of children) if (told.startsWith('refused')) expect(told).toMatch(/Another gateway is running/);
  await Promise.all(children.map((child) => child.kill('SIGKILL')));
  const { db } = await open(url);
  expect(await db.$client`select count(*) from drizzle.__drizzle_migrations`).toEqual([{ count: migrations.length }]);
});

test('eight simultaneous migrations all succeed', async () => {
  const gate = createGate(readAddress(await make({ empty: true })));
  gate.open();
  await Promise.all(Array.from({ length: 8 }, () => migrateDatabase(gate.options, 'practice')));
});

test('a lock connection that is cut is taken again; nothing passes in between', async () => {
  const url = await make();
  const lost: string[] = [];
  const database = await open(url, { onLost: (reason) => lost.push(reason) });
  const tool = await open(url, { beside: true });
  const holder = await lockHolder(tool);
  await tool.db.$client`select pg_terminate_backend(${holder})`;
  await until(async () => ![0, holder].includes(await lockHolder(tool)));
  await until(() => database.db.$client`select 1`);
  expect(lost).toEqual([]);
});

test('connections that the server ends cost their moment and nothing after it', async () => {
  const url = await make();
  const database = await open(url);
  const cut = Promise.allSettled(Array.from({ length: sqlConnections }, () => database.db.$client`select pg_sleep(20)`));
  const tool = await open(url, { beside: true });
  const holder = await lockHolder(tool);
  await until(
    async () =>
      (await tool.db.$client`select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`).length ===
      sqlConnections,
    5_000,
  );
  await tool.db.$client`select pg_terminate_backend(pid) from (select pid from pg_stat_activity where datname = current_database()
    and pid <> pg_backend_pid() order by pid = ${holder}) one`;
  await until(async () => ![0, holder].includes(await lockHolder(tool)));
  expect((await cut).map(({ status }) => status)).not.toContain('fulfilled');
  await new Promise((resolve) => setTimeout(resolve, 200));
  await Promise.all(Array.from({ length: 64 }, () => database.db.$client`select 1`));
});

test('when another gateway takes the lock first, the old one is told and writes no more', async () => {
  const url = await make();
  const lost: string[] = [];
  const database = await open(url, { onLost: (reason) => lost.push(reason) });
  const tool = await open(url, { beside: true });
  const [lock] = await tool.db.$client<
    { classid: number; objid: number }[]
  >`select classid::int8, objid::int8 from pg_locks where pid = ${await lockHolder(tool)}
    and locktype = 'advisory'`;
  // Other tests' gateways hold theirs on the same server.
  const ours = tool.db.$client`locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`;
  const thief = await tool.db.$client.reserve();
  // Waiting in the queue, it gets the lock the moment the connection dies.
  const taken = thief`select pg_advisory_lock(${lock?.classid ?? 0}::int, ${lock?.objid ?? 0}::int)`.execute();
  await until(async () => (await tool.db.$client`select 1 from pg_locks where ${ours} and not granted`).length === 1);
  await tool.db.$client`select pg_terminate_backend(pid) from pg_locks where ${ours} and granted`;
  await taken;
  await until(() => lost.length === 1);
  await expect(database.db.$client`select 1`).rejects.toThrow('The database is not available');
  thief.release();
});

test('a server behind a dead line: callers fail within seconds, and the lock comes back to us', async () => {
  const line = await startLine(await make());
  const lost: string[] = [];
  const database = await open(line.url, { onLost: (reason) => lost.push(reason) });
  await database.db.$client`select 1`;
  line.freeze(true);
  const began = performance.now();
  await expect(database.db.$client`select 1`).rejects.toThrow();
  expect(performance.now() - began).toBeLessThan(9_000);
  line.freeze(false);
  await until(() => database.db.$client`select 1`);
  expect(lost).toEqual([]);
  await opened.pop()?.close();
  await line.close();
});

test('a former connection of ours that takes its time to end is waited for, not taken for another gateway', async () => {
  const line = await startLine(await make());
  const lost: string[] = [];
  const database = await open(line.url, { onLost: (reason) => lost.push(reason) });
  const ghost = await lockHolder(database);
  line.freeze(true);
  await expect(database.db.$client`select 1`).rejects.toThrow();
  // The server cannot end a connection whose process stands still.
  if (processesWith('postgres').includes(ghost)) process.kill(ghost, 'SIGSTOP');
  line.freeze(false);
  await new Promise((resolve) => setTimeout(resolve, 300));
  if (processesWith('postgres').includes(ghost)) process.kill(ghost, 'SIGCONT');
  await until(() => database.db.$client`select 1`);
  expect(lost).toEqual([]);
  expect(await lockHolder(database)).not.toBe(ghost);
  await opened.pop()?.close();
  await line.close();
});

/** A TCP line to a database that can swallow everything without closing. */
async function startLine(url: string): Promise<{ url: string; freeze(on: boolean): void; close(): Promise<void> }> {
  const { path, host, port } = readAddress(url);
  let frozen = false;
  const sockets: Socket[] = [];
  const server: Server = createServer((near) => {
    const far = path ? connect(path) : connect(port, host);
    sockets.push(near, far);
    near.on('error', () => undefined).on('data', (data) => frozen || far.write(data));
    far.on('error', () => undefined).on('data', (data) => frozen || near.write(data));
    // A cut line brings no news of the other side's end either.
    near.on('close', () => frozen || far.destroy());
    far.on('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const line = new URL(url);
  line.searchParams.delete('host');
  line.host = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  return {
    url: line.href,
    freeze: (on) => {
      frozen = on;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('an unreachable server is refused with the reason and without the password', async () => {
  const refusal = await open('postgres://me:secret-word@127.0.0.1:1/shop').catch((error: unknown) => String(error));
  expect(refusal).toMatch(/DATABASE_URL: the database shop at 127\.0\.0\.1:1 cannot be used: nothing listens there/);
  expect(refusal).not.toContain('secret-word');
});

test.each([
  [
    'postgres://u:p%40ss@db.example:6543/shop',
    { host: 'db.example', port: 6543, user: 'u', password: 'p@ss', database: 'shop', ssl: 'prefer' },
  ],
  ['postgresql://u@db/shop?sslmode=require', { port: 5432, ssl: { rejectUnauthorized: false }, session: {} }],
  ['postgres://u@db/shop?sslmode=verify-full&channel_binding=require', { ssl: {}, session: {} }],
  ['postgres://u@db/shop?sslmode=disable', { ssl: false }],
  ['postgres:///shop?host=/run/pg&user=u', { path: '/run/pg/.s.PGSQL.5432', database: 'shop', user: 'u', ssl: false }],
  ['postgres://u@%2Frun%2Fpg:5433/shop', { path: '/run/pg/.s.PGSQL.5433', database: 'shop' }],
  ['postgres://u@[::1]:5433/shop', { host: '::1', port: 5433 }],
  ['postgres://u:p%2Bq+r@db/a%2Fb%20c', { password: 'p+q+r', database: 'a/b c' }],
  [
    'postgres://u:p%2Fq@db/shop?options=-c search_path=a&dbname=other',
    { password: 'p/q', database: 'other', session: { options: '-c search_path=a' } },
  ],
  ['postgres://u@db?sslmode=allow&sslrootcert=system&sslnegotiation=direct', { host: 'db', database: 'u', ssl: 'prefer', session: {} }],
  ['postgres://u@a:1,b/shop', { host: 'a', port: 1, database: 'shop', others: [{ host: 'b', port: 5432, user: 'u', database: 'shop' }] }],
  ['postgres:///shop?host=/a,/b&port=1,2', { path: '/a/.s.PGSQL.1', others: [{ path: '/b/.s.PGSQL.2', database: 'shop' }] }],
  ['postgres://', { host: 'localhost', port: 5432, database: 'postgres', ssl: 'prefer' }],
  [
    'postgres://u@db/shop?options=-c%20search_path%3Da&application_name=x',
    { session: { options: '-c search_path=a', application_name: 'x' } },
  ],
])('%s is read as psql reads it', (url, expected) => {
  expect(readAddress(url)).toMatchObject(expected);
});

test.each([
  ['postgres://u@a/shop?sslmode=maybe', 'sslmode "maybe"'],
  ['postgres://u@a/shop?sslrootcert=/no/such', '/no/such, cannot be read'],
])('%s is refused', (url, reason) => {
  expect(() => readAddress(url)).toThrow(reason);
});
