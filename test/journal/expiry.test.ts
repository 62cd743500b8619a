import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readAddress } from '../../server/db/address.ts';
import { createGate } from '../../server/db/gate.ts';
import { handleOn } from '../../server/db/handle.ts';
import { migrateDatabase } from '../../server/db/migrate.ts';
import { types } from '../../server/db/open.ts';
import { PostgresJournal } from '../../server/journal/postgres-journal.ts';
import { until } from '../db/support.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { attempt, event, inState, NOW } from './parts.ts';

let place: TestDatabase;
let sql: postgres.Sql;
beforeAll(async () => {
  place = await createTestDatabase();
  const gate = createGate(readAddress(place.url));
  gate.open();
  await migrateDatabase(gate.options, 'practice');
  sql = postgres({ ...gate.options, max: 4, types });
});
afterAll(async () => {
  await sql.end({ timeout: 1 });
  await place.drop();
});

it('an order that takes the place of an expired record while expiry waits for its row is not deleted with it', async () => {
  const journal = new PostgresJournal(handleOn(sql), 'practice');
  await inState(journal, 'NOT_SENT', { expiresAt: NOW });
  const written = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const begun = sql.begin(async (tx) => {
    // As the same order begins again: its record is replaced, and that is not committed yet.
    await tx`update idempotency_records set state = 'SENDING', tag = 'again', expires_at = null, response = null where key = 'k:one'`;
    written.resolve();
    await go.promise;
  });
  await written.promise;
  const expired = journal.expire(NOW + 1);
  await until(
    async () => (await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%delete from%'`).length > 0,
    5000,
  );
  go.resolve();
  await begun;
  expect(await expired).toBe(0);
  expect(await journal.find('k:one', NOW + 1)).toMatchObject({ state: 'SENDING', tag: 'again' });
  expect(await journal.begin(attempt({ tag: 'third' }), event, NOW + 1)).toMatchObject({ tag: 'again' });
});
