import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readAddress } from '../../server/db/address.ts';
import { createGate, type Gate } from '../../server/db/gate.ts';
import { handleOn } from '../../server/db/handle.ts';
import { migrateDatabase } from '../../server/db/migrate.ts';
import { types } from '../../server/db/open.ts';
import { PostgresJournal } from '../../server/journal/postgres-journal.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { migrateUpTo } from '../support/migrations.ts';
import { attempt, DAY_MS, event, FINAL, keysOf, NOW, OPEN, START } from './parts.ts';

const ANSWER = '{"success": true,"order_id":"1",  "message":"é\\u0000"}';

let place: TestDatabase;
let gate: Gate;
let sql: postgres.Sql;
beforeAll(async () => {
  place = await createTestDatabase({ empty: true });
  gate = createGate(readAddress(place.url));
  gate.open();
  sql = postgres({ ...gate.options, max: 2, types });
  await asOfTheVersionBefore();
});
afterAll(async () => {
  await sql.end();
  await place.drop();
});

/** A database that the migrations up to 0004 made, as the migrator leaves it, with a record in every state under both kinds of keys. */
async function asOfTheVersionBefore(): Promise<void> {
  await migrateUpTo(sql, '0004_pending_by_symbol');
  for (const state of ['CLAIMED', ...OPEN, ...FINAL]) for (const kind of ['k', 'f']) await insert(`${kind}:${state}`, state);
}

async function insert(key: string, state: string): Promise<void> {
  const ends = state === 'DONE' || state === 'NOT_SENT';
  const one = attempt();
  await sql`
    insert into idempotency_records (key, state, owner, epoch, request_hash, broker, account, trading_day, tag, symbol, token, exchange, side, order_type,
      product, quantity, price, started_at, clock_offset_ms, order_id, response, expires_at, updated_at)
    values (${key}, ${state}, ${one.owner}, 3, 'hash', ${one.broker}, ${one.account}, ${one.tradingDay}, ${`tag-${key}`}, ${one.symbol}, ${one.token},
      ${one.exchange}, ${one.side}, ${one.orderType}, ${one.product}, 10, 812.35, to_timestamp(${START / 1000}), -40, ${ends ? key : ''},
      ${state === 'CLAIMED' ? null : ANSWER}, ${ends ? sql`to_timestamp(${(NOW + DAY_MS) / 1000})` : null}, to_timestamp(${NOW / 1000}))`;
}

it('a database of the version before keeps every record and its bytes, but the claims, which were never sent', async () => {
  await migrateDatabase(gate.options, 'practice');
  // A second start finds nothing to do.
  await migrateDatabase(gate.options, 'practice');
  const journal = new PostgresJournal(handleOn(sql), 'practice');
  for (const kind of ['k', 'f']) {
    expect(await journal.find(`${kind}:CLAIMED`, NOW)).toBeNull();
    for (const state of [...OPEN, ...FINAL]) {
      const key = `${kind}:${state}`;
      const ends = state === 'DONE' || state === 'NOT_SENT';
      const known = {
        key,
        tag: `tag-${key}`,
        state,
        epoch: 3,
        price: '812.3500',
        netBefore: null,
        clockOffsetMs: -40,
        strategy: null,
        aiConfidence: null,
        updatedAt: NOW,
      };
      // An order that nobody could establish was answered for ever: now for a week, and without a caller's key not beyond its day.
      const expiresAt = state === 'UNRESOLVED' ? NOW + 7 * DAY_MS : ends ? NOW + DAY_MS : null;
      if (key === 'f:UNRESOLVED') {
        expect(await journal.find(key, NOW)).toBeNull();
        continue;
      }
      const answer = { response: ANSWER, orderId: ends ? key : '', expiresAt };
      expect(await journal.find(key, NOW)).toEqual(attempt({ ...known, ...answer }));
      expect(await journal.begin(attempt({ key, tag: 'new' }), event, NOW)).toEqual(await journal.find(key, NOW));
    }
  }
  expect(keysOf(await journal.open()).toSorted()).toEqual(['f', 'k'].flatMap((kind) => OPEN.map((state) => `${kind}:${state}`)).toSorted());
  const claimed = attempt({ key: 'k:CLAIMED', tag: 'new' });
  expect(await journal.begin(claimed, event, NOW)).toBeNull();
  await expect(sql`update idempotency_records set state = 'CLAIMED' where key = 'k:CLAIMED'`).rejects.toThrow('idempotency_records_state');
});
