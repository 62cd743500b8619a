import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { transaction } from '../../server/db/transaction.ts';
import { createTestDatabase } from '../support/database.ts';
import { adminOptions } from '../support/global-setup.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let sql: postgres.Sql;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = postgres({ ...adminOptions(database.url), max: 2, onnotice: () => undefined });
  await sql`create table ledger (name text primary key)`;
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

const names = async () => (await sql`select name from ledger order by name`).map(({ name }) => name);

test('a commit sent with the last statements stands with all of them', async () => {
  const result = await transaction(sql, async (tx, commitWith) => {
    await tx`insert into ledger values ('a')`;
    await commitWith(Promise.all([tx`insert into ledger values ('b')`, tx`insert into ledger values ('c')`]));
    return 7;
  });
  expect(result).toBe(7);
  expect(await names()).toEqual(['a', 'b', 'c']);
});

test('behind a statement that fails it is a rollback, and the error is the statement’s', async () => {
  const failing = transaction(sql, async (tx, commitWith) => {
    await tx`insert into ledger values ('d')`;
    await commitWith(
      Promise.all([tx`insert into ledger values ('e')`, tx`insert into ledger values ('a')`, tx`insert into ledger values ('f')`]),
    );
  });
  await expect(failing).rejects.toThrow(/duplicate key/);
  expect(await names()).toEqual(['a', 'b', 'c']);
});

test('statements of an async function are on their way before it', async () => {
  await transaction(sql, async (tx, commitWith) => {
    const write = async () => {
      await Promise.all([tx`insert into ledger values ('g')`, (async () => tx`insert into ledger values ('h')`)()]);
    };
    await commitWith(write());
  });
  expect(await names()).toEqual(['a', 'b', 'c', 'g', 'h']);
});

test('the connection is free again, also after a failure', async () => {
  for (let round = 0; round < 5; round += 1) {
    await transaction(sql, (tx, commitWith) => commitWith(tx`insert into ledger values ('a')`)).catch(() => undefined);
  }
  expect(await names()).toHaveLength(5);
});
