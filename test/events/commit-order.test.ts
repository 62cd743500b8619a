import postgres, { type Sql } from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { seededRandom, systemClock } from '../../server/clock.ts';
import { readAddress } from '../../server/db/address.ts';
import { createGate } from '../../server/db/gate.ts';
import { handleOn } from '../../server/db/handle.ts';
import { types } from '../../server/db/open.ts';
import { transaction } from '../../server/db/transaction.ts';
import { EventHub } from '../../server/events/hub.ts';
import { silentLog } from '../../server/log.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from './sse.ts';

let database: TestDatabase;
let sql: Sql;
let writer: Sql;
let hub: EventHub;
let told: number[];
let unfollow: () => void;

beforeAll(async () => {
  database = await createTestDatabase();
  const gate = createGate(readAddress(database.url));
  gate.open();
  sql = postgres({ ...gate.options, max: 3, types });
  writer = postgres({ ...gate.options, max: 12, types });
});
afterAll(async () => {
  await Promise.all([sql.end({ timeout: 1 }), writer.end({ timeout: 1 })]);
  await database.drop();
});
beforeEach(async () => {
  hub = new EventHub({ db: handleOn(sql), clock: systemClock, log: silentLog() });
  told = [];
  let cursor = (await hub.position()) ?? 0;
  let begun = false;
  unfollow = hub.follow(() => {
    begun = true;
    const found = hub.after(cursor, 1000);
    if (!Array.isArray(found)) throw new Error('the ring has all of a test');
    told.push(...found.map(({ id }) => id));
    cursor = told.at(-1) ?? cursor;
  });
  // What is written before the ring begins does not stand in it.
  await until('the ring', () => begun);
});
afterEach(async () => {
  unfollow();
  await hub.stop();
});

/** An event on a connection of its own; the transaction stays open until `commit`. */
async function held(kind: string, before = async (_tx: Sql) => undefined as unknown) {
  const opened = Promise.withResolvers<number>();
  const ending = Promise.withResolvers<'commit' | 'roll back'>();
  const done = writer
    .begin(async (tx) => {
      await before(tx as unknown as Sql);
      const [row] = await tx<{ id: number }[]>`insert into tsm_events (kind) values (${kind}) returning id`;
      opened.resolve(row?.id ?? 0);
      if ((await ending.promise) === 'roll back') throw new Error('rolled back');
    })
    .catch(() => undefined);
  const end = async (how: 'commit' | 'roll back') => {
    ending.resolve(how);
    await done;
  };
  return { id: await opened.promise, commit: () => end('commit'), rollBack: () => end('roll back') };
}

async function write(kind: string): Promise<number> {
  const [row] = await writer<{ id: number }[]>`insert into tsm_events (kind) values (${kind}) returning id`;
  return row?.id ?? 0;
}

/** Long enough for several looks. */
const someLooks = () => systemClock.sleep(700);

describe('an event is told once all with smaller numbers are settled', () => {
  test('a transaction that holds a smaller number and commits late is waited for, not skipped', async () => {
    const late = await held('order.late');
    const early = await write('order.early');
    expect(early).toBeGreaterThan(late.id);
    await someLooks();
    expect(told).toEqual([]);
    expect((await hub.page(late.id - 1, 10)).map(({ id }) => id)).toEqual([]);
    await late.commit();
    await until('both', () => told.length === 2);
    expect(told).toEqual([late.id, early]);
    expect((await hub.page(late.id - 1, 10)).map(({ kind }) => kind)).toEqual(['order.late', 'order.early']);
  });

  test('one that is rolled back holds up no longer than it lives', async () => {
    const late = await held('order.late');
    const early = await write('order.early');
    await late.rollBack();
    await until('the one that stays', () => told.length === 1);
    expect(told).toEqual([early]);
  });

  test('an older transaction that draws its number later does not make a smaller one be skipped', async () => {
    const begun = Promise.withResolvers<void>();
    const mayWrite = Promise.withResolvers<void>();
    // It has its transaction number before the other one, and its event's number after.
    const older = writer.begin(async (tx) => {
      await tx`select pg_current_xact_id()`;
      begun.resolve();
      await mayWrite.promise;
      return await tx<{ id: number }[]>`insert into tsm_events (kind) values ('order.older') returning id`;
    });
    await begun.promise;
    const younger = await held('order.younger');
    mayWrite.resolve();
    const [row] = await older;
    expect(row?.id).toBeGreaterThan(younger.id);
    await someLooks();
    expect(told).toEqual([]);
    await younger.commit();
    await until('both', () => told.length === 2);
    expect(told).toEqual([younger.id, row?.id]);
  });

  test('a number that is drawn before its transaction has one is waited for, too', async () => {
    // A trigger runs between the draw of the number and the write of the row.
    await writer`create function wait_there() returns trigger language plpgsql as $$ begin
      if new.kind = 'order.stopped' then perform pg_advisory_xact_lock_shared(4711); end if; return new; end $$`;
    await writer`create trigger wait_there before insert on tsm_events for each row execute function wait_there()`;
    const gate = await writer.reserve();
    try {
      await gate`select pg_advisory_lock(4711)`;
      const stopped = write('order.stopped');
      await until('the wait', async () => {
        const [row] = await writer<
          { waits: number }[]
        >`select count(*)::int as waits from pg_locks where locktype = 'advisory' and not granted`;
        return (row?.waits ?? 0) > 0;
      });
      const early = await write('order.early');
      await someLooks();
      expect(told).toEqual([]);
      await gate`select pg_advisory_unlock(4711)`;
      await until('both', () => told.length === 2);
      expect(told).toEqual([await stopped, early]);
      expect(early).toBeGreaterThan(told[0] ?? early);
    } finally {
      gate.release();
      await writer`drop trigger wait_there on tsm_events`;
    }
  });

  test('a transaction that only reads holds nothing up', async () => {
    const reads = await writer.reserve();
    await reads`begin`;
    await reads`select count(*) from tsm_events`;
    const id = await write('order.early');
    await until('the event', () => told.length === 1);
    expect(told).toEqual([id]);
    await reads`rollback`;
    reads.release();
  });

  test('many writers in any order: every number once, in order, none missing', { timeout: 60_000 }, async () => {
    const seed = Date.now() % 1_000_000;
    const random = seededRandom(seed);
    const pause = () => systemClock.sleep(random.next() < 0.1 ? 40 : random.next() * 4);
    const lanes = Array.from({ length: 10 }, async () => {
      for (let index = 0; index < 30; index += 1) {
        const work = writer.begin(async (tx) => {
          if (random.next() < 0.3) await tx`select pg_current_xact_id()`;
          await pause();
          for (let count = random.next() * 3; count > 0; count -= 1) {
            await tx`insert into tsm_events (kind) values ('order.any')`;
            await pause();
          }
          if (random.next() < 0.1) throw new Error('rolled back');
        });
        await work.catch(() => undefined);
      }
    });
    const from = told.length;
    const [first] = await writer<{ id: number }[]>`select coalesce(max(id), 0) as id from tsm_events`;
    await Promise.all(lanes);
    const rows = await writer<{ id: number }[]>`select id from tsm_events where id > ${first?.id ?? 0} order by id`;
    const last = rows.at(-1)?.id ?? 0;
    await until(`the last one, seed ${seed}`, () => told.at(-1) === last);
    const all = await writer<{ id: number }[]>`select id from tsm_events where id >= ${told[from] ?? 0} order by id`;
    expect({ seed, told: told.slice(from) }).toEqual({ seed, told: all.map(({ id }) => id) });
    expect(all.length).toBeGreaterThan(100);
  });
});

test('what is committed in this process is told without waiting for the look of every 250 ms', async () => {
  const db = handleOn(sql);
  const quick = new EventHub({
    db,
    clock: { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms >= 250 ? 60_000 : ms, signal) },
    log: silentLog(),
  });
  let calls = 0;
  const unfollowQuick = quick.follow(() => {
    calls += 1;
  });
  await until('the first look', () => calls > 0);
  const before = calls;
  await transaction(db, (tx) => tx.execute("insert into tsm_events (kind) values ('order.own')"));
  await until('the word', () => calls > before);
  unfollowQuick();
  await quick.stop();
});
