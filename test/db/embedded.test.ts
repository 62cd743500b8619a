import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { users } from '../../drizzle/schema.ts';
import { type Database, openDatabase } from '../../server/db/open.ts';
import { silentLog } from '../../server/log.ts';
import { forget, isRoot, makeDirectory, postmasterOf, processesWith, startChild, until } from './support.ts';

let dataDir = '';
const opened: Database[] = [];

/** A stopped database, copied for each test: quicker than a new one. */
let prepared = '';

beforeAll(async () => {
  prepared = makeDirectory();
  await (await openDatabase({ mode: 'practice', dataDir: prepared, log: silentLog() })).close();
});

afterAll(() => forget(prepared));

beforeEach(({ task }) => {
  dataDir = makeDirectory();
  if (!task.name.includes('first')) execFileSync('cp', ['-a', `${prepared}/.`, dataDir]);
});

afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
  await until(() => processesWith(dataDir).length === 0);
  forget(dataDir);
});

async function open(mode: 'practice' | 'live' = 'practice'): Promise<Database> {
  const database = await openDatabase({ mode, dataDir, log: silentLog() });
  opened.push(database);
  return database;
}

async function addUser(database: Database, name: string): Promise<void> {
  await database.db.$client`insert into users (name, token_hash) values (${name}, ${name})`;
}

async function userNames(database: Database): Promise<unknown[]> {
  return (await database.db.$client`select name from users order by name`).map((row) => row.name);
}

test('a gateway killed with -9 takes PostgreSQL with it, and the next one finds what was committed', async () => {
  const child = await startChild(dataDir);
  expect(child.told).toBe('open embedded');
  await child.kill('SIGKILL');
  await until(() => processesWith(dataDir).length === 0);
  const database = await open();
  await addUser(database, 'after');
  expect(await userNames(database)).toEqual(['after']);
});

test('a start right after a kill waits for the old PostgreSQL instead of failing', async () => {
  for (let round = 0; round < 2; round++) {
    const child = await startChild(dataDir);
    expect(child.told).toBe('open embedded');
    child.process.kill('SIGKILL');
  }
});

test('an orphan whose watchdog died too is stopped, and its data is kept', async () => {
  const child = await startChild(dataDir);
  const beside = await openDatabase({ mode: 'practice', dataDir, log: silentLog(), beside: true });
  await addUser(beside, 'kept');
  await beside.close();
  const orphan = postmasterOf(dataDir);
  for (const pid of processesWith(dataDir)) if (pid !== orphan && pid !== child.process.pid) process.kill(pid, 'SIGKILL');
  await child.kill('SIGKILL');
  // A child that PostgreSQL has just forked bears its parent's command line for a moment.
  await until(() => processesWith(dataDir).length === 1);
  expect(processesWith(dataDir)).toEqual([orphan]);
  const database = await open();
  expect(postmasterOf(dataDir)).not.toBe(orphan);
  expect(await userNames(database)).toEqual(['kept']);
});

test('a postmaster.pid that names a living stranger does not block the start', async () => {
  const { uid, gid } = statSync(join(dataDir, 'postgres-practice'));
  const stranger = spawn('sleep', ['60'], isRoot ? { uid, gid } : {});
  writeFileSync(
    join(dataDir, 'postgres-practice/postmaster.pid'),
    `${stranger.pid}\n${dataDir}/postgres-practice\n1\n5432\n/tmp\n\n0 0\nready\n`,
  );
  expect((await open()).where).toBe('embedded');
  stranger.kill();
});

test('a first initdb killed half-way leaves nothing that is taken for a database', async () => {
  const child = startChild(dataDir);
  await until(
    () => readdirSync(dataDir).some((name) => name.includes('.new-')) && processesWith(`${dataDir}/postgres-practice.new-`).length > 0,
    20_000,
  );
  const [gateway] = processesWith('child.ts').filter((pid) => processesWith(dataDir).includes(pid));
  for (const pid of processesWith(dataDir)) if (pid !== gateway) process.kill(pid, 'SIGKILL');
  if (gateway !== undefined) process.kill(gateway, 'SIGKILL');
  await child;
  await until(() => processesWith(dataDir).length === 0);
  const left = join(dataDir, 'postgres-practice.new-999999999-abandoned');
  mkdirSync(left);
  await open();
  expect(readdirSync(dataDir)).toEqual(['postgres-practice']);
});

test('a second gateway on the same directory is refused in one sentence', async () => {
  await open();
  await expect(open()).rejects.toThrow(/^Another gateway is running on .*; stop it first/);
  const child = await startChild(dataDir);
  expect(child.told).toMatch(/^refused Another gateway is running/);
});

test('two first starts at once: one gateway, the other refused', async () => {
  const children = await Promise.all([startChild(dataDir), startChild(dataDir)]);
  expect(children.map(({ told }) => told.split(' ')[0]).sort()).toEqual(['open', 'refused']);
  for (const child of children) if (child.told.startsWith('open')) await child.kill('SIGINT');
  expect((await open()).where).toBe('embedded');
});

test('practice and live have clusters of their own', async () => {
  const practice = await open('practice');
  const live = await open('live');
  await addUser(practice, 'trainee');
  expect(await userNames(live)).toEqual([]);
  expect(readdirSync(dataDir).sort()).toEqual(['postgres-live', 'postgres-practice']);
});

test('Ctrl-C stops all of it well under two seconds, and PostgreSQL is in a group of its own', async () => {
  const child = await startChild(dataDir);
  const shell = processesWith(dataDir).filter((pid) => pid !== child.process.pid);
  expect(shell.length).toBeGreaterThan(1);
  const tookMs = await child.kill('SIGINT');
  expect(tookMs).toBeLessThan(1_000);
  await until(() => processesWith(dataDir).length === 0);
});

test('PostgreSQL killed under the gateway is started again, and clients reconnect', async () => {
  const database = await open();
  await addUser(database, 'before');
  for (let round = 0; round < 2; round++) {
    const before = postmasterOf(dataDir);
    process.kill(before, 'SIGKILL');
    await until(async () => postmasterOf(dataDir) !== before && (await userNames(database)).length === 1);
  }
  await until(async () => (await database.db.select().from(users))[0]?.name === 'before');
});

test('a PostgreSQL that answers no more fails its callers instead of holding them, and is used again when it answers', async () => {
  const database = await open();
  await database.db.$client`select 1`;
  const pids = (await database.db.$client<{ pid: number }[]>`select pid from pg_stat_activity where backend_type = 'client backend'`).map(
    (row) => row.pid,
  );
  const stopped = [postmasterOf(dataDir), ...pids];
  for (const pid of stopped) process.kill(pid, 'SIGSTOP');
  const began = performance.now();
  await expect(database.db.$client`select 1`).rejects.toThrow();
  expect(performance.now() - began).toBeLessThan(9_000);
  await expect(database.db.$client`select 1`).rejects.toThrow('The database is not available');
  for (const pid of stopped) process.kill(pid, 'SIGCONT');
  await until(() => database.db.$client`select 1`);
});

test('a directory of another major version is refused by name', async () => {
  writeFileSync(join(dataDir, 'postgres-practice', 'PG_VERSION'), '9\n');
  await expect(open()).rejects.toThrow(/was made by PostgreSQL 9 and only .*18.* is here/);
});

test('a path too long for a socket works', async () => {
  const outer = dataDir;
  dataDir = join(outer, 'x'.repeat(100), "it's, odd");
  mkdirSync(dataDir, { recursive: true });
  const database = await open();
  await addUser(database, 'long');
  await database.close();
  expect(await userNames(await open())).toEqual(['long']);
  for (const one of opened.splice(0)) await one.close();
  rmSync(outer, { recursive: true, force: true });
});
