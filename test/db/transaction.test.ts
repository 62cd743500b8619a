import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { events } from '../../drizzle/schema.ts';
import { readAddress } from '../../server/db/address.ts';
import { createGate, type Gate } from '../../server/db/gate.ts';
import { type Db, type Handle, handleOn } from '../../server/db/handle.ts';
import { transaction } from '../../server/db/transaction.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let made: TestDatabase;
let gate: Gate;
let tool: postgres.Sql;

beforeAll(async () => {
  made = await createTestDatabase();
  gate = createGate(readAddress(made.url));
  gate.open();
  const apart = createGate(readAddress(made.url));
  apart.open();
  tool = postgres({ ...apart.options, max: 1 });
});
afterAll(async () => {
  await tool.end({ timeout: 1 });
  await made.drop();
});

/** A client with one connection, so that every query meets the one that was lost. */
const client = () => handleOn(postgres({ ...gate.options, max: 1 }));
const kinds = async () =>
  (await tool<{ kind: string }[]>`select kind from tsm_events where kind like 'tx-%' order by id`).map(({ kind }) => kind);
const write = (db: Db, kind: string) => db.insert(events).values({ kind });
const sleep = sql`select pg_sleep(30)`;

async function sleeps(): Promise<void> {
  const asleep = () => tool`select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
  while ((await asleep()).length === 0) await pause(10);
}

/** Ends the server's side of whoever sleeps. */
async function killSleeper(): Promise<void> {
  await sleeps();
  await tool`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
}

async function works({ $client }: Handle): Promise<void> {
  for (let tries = 1; tries < 50; tries += 1) {
    const answered = await $client`select 1 as one`.then(
      (rows) => rows[0]?.one === 1,
      () => false,
    );
    if (answered) return;
    await pause(50);
  }
  throw new Error('the client never came back');
}

test('commits what it wrote, and takes it all back when the work or a statement fails', async () => {
  const db = client();
  expect(await transaction(db, async (tx) => (await write(tx, 'tx-kept')).count)).toBe(1);
  const own = new Error('mine');
  const failed = transaction(db, async (tx) => {
    await write(tx, 'tx-own-error');
    throw own;
  });
  await expect(failed).rejects.toBe(own);
  const refused = transaction(db, async (tx) => {
    await write(tx, 'tx-statement');
    await tx.execute(sql`select 1 / 0`);
  });
  await expect(refused).rejects.toThrow('division by zero');
  await works(db);
  expect(await kinds()).toEqual(['tx-kept']);
  await db.$client.end();
});

test.each(['terminated', 'cut'])('a connection %s in the middle: the work fails, the process and the client live on', async (how) => {
  const db = client();
  await works(db);
  for (let round = 0; round < 3; round += 1) {
    const running = transaction(db, async (tx) => {
      await write(tx, 'tx-lost');
      await tx.execute(sleep);
    });
    // Waits for the connection, and must not meet what the lost one leaves.
    const next = transaction(db, async (tx) => write(tx, 'tx-next')).catch(() => undefined);
    running.catch(() => undefined);
    if (how === 'terminated') await killSleeper();
    else {
      await sleeps();
      gate.shut();
      await pause(50);
      gate.open();
      // The server has not noticed, and would go on for the next test.
      await killSleeper();
    }
    await expect(running).rejects.toThrow();
    await next;
    await works(db);
  }
  expect(await kinds()).not.toContain('tx-lost');
  await db.$client.end({ timeout: 1 });
});

test('statements that come after the loss are refused, not run in what the connection does next', async () => {
  const db = client();
  await works(db);
  const written = Promise.withResolvers<unknown>();
  const late = transaction(db, async (tx) => {
    await write(tx, 'tx-before');
    await tx.execute(sleep).catch(() => undefined);
    // The connection serves somebody else by now.
    await works(db);
    await Promise.resolve()
      .then(() => write(tx, 'tx-after'))
      .then(written.resolve, written.reject);
  });
  late.catch(() => undefined);
  written.promise.catch(() => undefined);
  await killSleeper();
  await expect(late).rejects.toThrow();
  await expect(written.promise).rejects.toThrow('lost within a transaction');
  expect(await kinds()).not.toContain('tx-before');
  expect(await kinds()).not.toContain('tx-after');
  await db.$client.end({ timeout: 1 });
});
