import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settledRows } from '../../server/books/known-orders.ts';
import { handleOn } from '../../server/db/handle.ts';
import { PostgresJournal } from '../../server/journal/postgres-journal.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { adminOptions } from '../support/global-setup.ts';
import { attempt, event, START } from './parts.ts';

const RECORDS = 60_000;
/** A week of records, one every ten seconds. */
const SPACING_MS = 10_000;
const NOW = START + RECORDS * SPACING_MS;
/** The table alone has thousands of pages, the smallest of its whole indexes hundreds. */
const FEW_PAGES = 60;
const stored = attempt({ key: 'k:r500', tag: 'r500', startedAt: START + 500 * SPACING_MS });

/** What the gateway asks of its journal as often as an order comes, or every few seconds. */
const calls: Record<string, (journal: PostgresJournal) => Promise<unknown>> = {
  'a beginning that meets a stored answer': (journal) => journal.begin(stored, event, NOW),
  'a beginning, and its withdrawal': async (journal) => {
    const fresh = attempt({ key: 'k:fresh', tag: 'fresh', startedAt: NOW });
    expect(await journal.begin(fresh, event, NOW)).toBeNull();
    await journal.withdraw(fresh, event);
  },
  'a look at one key': (journal) => journal.find('k:r500', NOW),
  'a move': (journal) => journal.move({ ...stored, state: 'DONE' }, 'DONE', {}, event, stored.startedAt),
  'a take-over': (journal) => journal.takeOver({ ...stored, epoch: 7 }, 'process-2').catch(() => null),
  'what is open': (journal) => journal.open(),
  'what was given up lately': (journal) => journal.unresolved(NOW - 7 * 86_400_000),
  'what filled lately': async (journal) => expect(await journal.changedSince(NOW - 2 * SPACING_MS)).toHaveLength(3),
  'who owns some orders': async (journal) =>
    expect((await journal.owners('zerodha', 'AB1234', '2026-11-20', ['o7', 'o70', 'o700', 'none'])).size).toBe(3),
  'candidates of an attempt': (journal) => journal.candidates({ key: 'k:r500', tag: 'r500' }),
  'what a person settled under its tag': () =>
    settledRows(handleOn(sql), { broker: 'zerodha', account: 'AB1234', mode: 'practice' }, [], NOW),
  'the end of an answer': (journal) => journal.end([{ key: 'k:r600', tag: 'r600' }], NOW, event),
  'expiry with next to nothing to do': async (journal) => expect(await journal.expire(START + 7 * 86_400_000 + SPACING_MS)).toBeLessThan(3),
};

let test: TestDatabase;
let sql: postgres.Sql;
beforeAll(async () => {
  test = await createTestDatabase();
  // One connection, so that it can be told to count at once.
  sql = postgres(adminOptions(test.url));
  await fillJournal();
});
afterAll(async () => {
  await sql.end();
  await test.drop();
});

/** A journal long in use: every record answered and filled but for a few at its end. */
async function fillJournal(): Promise<void> {
  const journal = new PostgresJournal(handleOn(sql), 'practice');
  await journal.begin(attempt({ key: 'k:first' }), event, START);
  const at = sql`to_timestamp(${START / 1000}::float8 + n * ${SPACING_MS / 1000}::float8)`;
  await sql`
    insert into idempotency_records (key, state, owner, request_hash, broker, account, trading_day, tag, symbol, token, exchange, side, order_type, product,
      quantity, price, started_at, order_id, response, filled_quantity, expires_at, updated_at)
    select 'k:r' || n, case when n > ${RECORDS - 3}::int then 'ACCEPTED' else 'DONE' end, owner, request_hash, broker, account,
      to_char(${at}, 'YYYY-MM-DD'), 'r' || n, symbol, token, exchange, side, order_type, product, quantity, price, ${at}, 'o' || n,
      repeat('answer ', 40), 10, ${at} + interval '7 days', ${at}
    from idempotency_records, generate_series(1, ${RECORDS}::int) n where key = 'k:first' order by n`;
  await sql`delete from idempotency_records where key = 'k:first'`;
  await sql`vacuum analyze`;
}

/** Pages of tables and indexes that were touched so far. */
async function pagesTouched(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`;
  const [row] = await sql<{ pages: string }[]>`
    select sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read, 0) + coalesce(idx_blks_hit, 0)) as pages from pg_statio_user_tables`;
  return Number(row?.pages);
}

describe.each(['force_custom_plan', 'force_generic_plan'])('with many records and plan_cache_mode %s', (mode) => {
  beforeAll(async () => {
    await sql.unsafe(`set plan_cache_mode = ${mode}`);
  });
  it.each(Object.entries(calls))('%s touches few pages', async (_, call) => {
    const journal = new PostgresJournal(handleOn(sql), 'practice');
    // The first time costs a look at the catalogs' statistics.
    await call(journal);
    const before = await pagesTouched();
    await call(journal);
    expect((await pagesTouched()) - before).toBeLessThan(FEW_PAGES);
  });
});

it('a beginning that meets a stored answer writes nothing, so that its caller waits for no disk', async () => {
  const journal = new PostgresJournal(handleOn(sql), 'practice');
  expect(await journal.begin(stored, event, NOW)).toMatchObject({ key: stored.key, state: 'DONE' });
  const [row] = await sql`select xmax::text as locker from idempotency_records where key = ${stored.key}`;
  expect(row?.locker).toBe('0');
});
