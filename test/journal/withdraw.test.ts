import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { seededRandom, systemClock } from '../../server/clock.ts';
import { readAddress } from '../../server/db/address.ts';
import { createGate, type Gate } from '../../server/db/gate.ts';
import { handleOn } from '../../server/db/handle.ts';
import { lanesOf } from '../../server/db/lanes.ts';
import { types } from '../../server/db/open.ts';
import { type Ask, asking } from '../../server/db/statement.ts';
import { Unanswered } from '../../server/db/unanswered.ts';
import type { Attempt } from '../../server/journal/attempt.ts';
import { PostgresJournal } from '../../server/journal/postgres-journal.ts';
import { WithdrawnError } from '../../server/journal/withdraw.ts';
import { until } from '../db/support.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { hidingProxy } from './hiding-proxy.ts';
import { attempt, empty, event, NOW } from './parts.ts';

const withdrawn = { kind: 'order.withdrawn' };
/** A process of the server can be stopped on this machine alone. */
const elsewhere = process.env.DATABASE_URL !== undefined;

let place: TestDatabase;
let gate: Gate;
let clients: postgres.Sql[];
let sql: postgres.Sql;
/** On connections that nothing here cuts. */
let tool: postgres.Sql;
let orders: Ask;
let journal: PostgresJournal;
let stopped: number[] = [];

beforeAll(async () => {
  place = await createTestDatabase();
  const apart = createGate(readAddress(place.url));
  apart.open();
  tool = postgres({ ...apart.options, max: 3, types });
});
afterAll(async () => {
  await tool.end({ timeout: 1 });
  await place.drop();
});
beforeEach(async () => {
  gate = createGate(readAddress(place.url));
  gate.open();
  clients = [1, 2, 3].map(() => postgres({ ...gate.options, max: 1, types }));
  sql = postgres({ ...gate.options, max: 2, types });
  orders = lanesOf(clients, systemClock);
  journal = new PostgresJournal(handleOn(sql), 'practice', orders);
  await empty({ db: handleOn(tool) });
});
afterEach(async () => {
  for (const pid of stopped) process.kill(pid, 'SIGCONT');
  stopped = [];
  await Promise.all([sql, ...clients].map((client) => client.end({ timeout: 1 })));
  gate.shut();
});

async function stop(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  stopped.push(pid);
}
function go(): void {
  for (const pid of stopped) process.kill(pid, 'SIGCONT');
  stopped = [];
}
async function sessionOf(ask: Ask): Promise<number> {
  const [row] = await ask<{ pid: number }>('select pg_backend_pid() as pid', []);
  return row?.pid ?? 0;
}
async function isThere(pid: number): Promise<boolean> {
  return (await tool`select 1 from pg_stat_activity where pid = ${pid}`).length > 0;
}
/** The process of an insert that waits for somebody's lock. */
async function waiting(): Promise<number> {
  const find = () =>
    tool<{ pid: number }[]>`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await until(async () => (await find()).length > 0, 5000);
  return (await find())[0]?.pid ?? 0;
}
/** Holds a key's place in the table until let go, as a transaction that has not ended. */
async function hold(key: string): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  const over = tool.begin(async (tx) => {
    await tx`insert into idempotency_records (key, state, owner, request_hash, broker, account, trading_day, tag, symbol, exchange, side, order_type, product,
      quantity, price, started_at) values (${key}, 'DONE', '', '', '', '', '', 'held', '', '', '', '', '', 1, 0, now())`;
    held.resolve();
    await free.promise;
    throw new Error('rolled back');
  });
  await Promise.race([held.promise, over]);
  return async () => {
    free.resolve();
    await over.catch(() => undefined);
  };
}
function settled(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'stands',
    (error: unknown) => error,
  );
}
/** Nothing of the attempt stands, and nothing was written of it but, at most, what was taken back. */
async function expectGone(one: Attempt): Promise<void> {
  expect(await journal.find(one.key, NOW)).toBeNull();
  const kinds = (await tool<{ kind: string }[]>`select kind from tsm_events where key = ${one.key} order by id`).map(({ kind }) => kind);
  expect([[], [event.kind, withdrawn.kind]]).toContainEqual(kinds);
  // Its key is free.
  const again = { ...one, tag: 'again' };
  expect(await journal.begin(again, event, NOW)).toBeNull();
  await journal.withdraw(again, event);
}

it('an insert that waits for a lock is ended before its record is deleted', async () => {
  const one = attempt();
  const free = await hold(one.key);
  const begun = settled(journal.begin(one, event, NOW));
  const pid = await waiting();
  await journal.withdraw(one, withdrawn);
  expect(await isThere(pid)).toBe(false);
  await free();
  expect(await begun).toBeInstanceOf(Error);
  await expectGone(one);
});

it('an insert whose connection was cut may still be committed: its session is ended, when the database is there again', async () => {
  const one = attempt();
  const free = await hold(one.key);
  const begun = settled(journal.begin(one, event, NOW));
  const pid = await waiting();
  gate.shut();
  expect(await begun).toBeInstanceOf(Error);
  await expect(journal.withdraw(one, withdrawn)).rejects.toThrow();
  expect(await isThere(pid)).toBe(true);
  gate.open();
  // The connection serves others by then, under another number.
  await until(() => orders('select 1', []), 5000);
  await until(() => journal.withdraw(one, withdrawn).then(() => true), 5000);
  expect(await isThere(pid)).toBe(false);
  await free();
  await expectGone(one);
});

it.skipIf(elsewhere)('an insert that a process standing still has not read is not taken for gone until that process is', async () => {
  const one = attempt();
  const pid = await sessionOf(orders);
  await stop(pid);
  const begun = settled(journal.begin(one, event, NOW));
  await pause(50);
  await expect(journal.withdraw(one, withdrawn)).rejects.toThrow('does not end');
  // Others are not held up.
  const other = attempt({ key: 'k:other', tag: 'other' });
  expect(await journal.begin(other, event, NOW)).toBeNull();
  go();
  await journal.withdraw(one, withdrawn);
  expect(await isThere(pid)).toBe(false);
  expect(await begun).toBeInstanceOf(Error);
  await expectGone(one);
  expect(await journal.find(other.key, NOW)).toEqual(other);
});

it.skipIf(elsewhere)('an insert whose process stood still over its commit is deleted', async () => {
  const one = attempt();
  const free = await hold(one.key);
  const begun = settled(journal.begin(one, event, NOW));
  await stop(await waiting());
  await free();
  const first = settled(journal.withdraw(one, withdrawn));
  expect(await first).toBeInstanceOf(Error);
  go();
  await journal.withdraw(one, withdrawn);
  expect(await begun).toBeInstanceOf(Error);
  await expectGone(one);
});

it.skipIf(elsewhere)('an insert that was never written is never written, and nothing is ended for it', async () => {
  const only = asking(clients[0] as postgres.Sql, new Unanswered());
  const narrow = new PostgresJournal(handleOn(sql), 'practice', only);
  const pid = await sessionOf(only);
  await stop(pid);
  const [first, second] = [attempt(), attempt({ key: 'k:two', tag: 'two' })];
  const [begun, queued] = [settled(narrow.begin(first, event, NOW)), settled(narrow.begin(second, event, NOW))];
  await pause(20);
  await narrow.withdraw(second, withdrawn);
  go();
  expect(await begun).toBe('stands');
  expect(await queued).toBeInstanceOf(WithdrawnError);
  expect(await sessionOf(only)).toBe(pid);
  await expectGone(second);
  await narrow.withdraw(first, withdrawn);
  await expectGone(first);
});

it('without a connection nothing was written, and nothing needs to be asked', async () => {
  gate.shut();
  const one = attempt();
  await expect(journal.begin(one, event, NOW)).rejects.toThrow();
  await journal.withdraw(one, withdrawn);
  gate.open();
  await until(() => journal.find(one.key, NOW).then(() => true), 5000);
  await expectGone(one);
});

it('an insert the server refused was rolled back: its session lives on', async () => {
  const pid = await sessionOf(orders);
  const one = attempt({ quantity: 1e30 });
  await expect(journal.begin(one, event, NOW)).rejects.toThrow(postgres.PostgresError);
  await journal.withdraw(one, withdrawn);
  expect(await sessionOf(orders)).toBe(pid);
});

it('behind a pooler with numbers of its own nothing is taken for gone', async () => {
  const proxy = await hidingProxy(readAddress(place.url));
  const { path, ...address } = readAddress(place.url);
  const hidden = createGate({ ...address, host: '127.0.0.1', port: proxy.port });
  hidden.open();
  const client = postgres({ ...hidden.options, max: 2, types });
  const apart = new PostgresJournal(handleOn(client), 'practice');
  try {
    const one = attempt();
    const free = await hold(one.key);
    const begun = settled(apart.begin(one, event, NOW));
    const pid = await waiting();
    await expect(apart.withdraw(one, withdrawn)).rejects.toThrow('pooler');
    expect(await isThere(pid)).toBe(true);
    await free();
    expect(await begun).toBeInstanceOf(WithdrawnError);
    await apart.withdraw(one, withdrawn);
    await expectGone(one);
  } finally {
    await client.end({ timeout: 1 });
    hidden.shut();
    await proxy.close();
  }
});

it('whenever it comes, a withdrawal leaves nothing, and no attempt stands once it was asked for', async () => {
  const seed = Math.floor(Math.random() * 1_000_000);
  const random = seededRandom(seed);
  for (let round = 0; round < 40; round += 1) {
    const one = attempt({ key: `k:r${round}`, tag: `r${round}` });
    let asked = false;
    const begun = journal.begin(one, event, NOW).then(
      () => expect(asked, `seed ${seed}, round ${round}`).toBe(false),
      () => undefined,
    );
    const microtasks = Math.floor(random.next() * 8);
    for (let turn = 0; turn < microtasks; turn += 1) await null;
    if (random.next() < 0.8) await pause(random.next() * 3);
    asked = true;
    await until(() => journal.withdraw(one, withdrawn).then(() => true), 10_000);
    await begun;
    // The first question on a connection that was ended is answered with that end.
    let found: unknown;
    await until(async () => {
      found = await journal.find(one.key, NOW);
      return true;
    }, 10_000);
    expect(found, `seed ${seed}, round ${round}`).toBeNull();
  }
  expect(await tool`select key from idempotency_records`, `seed ${seed}`).toHaveLength(0);
});
