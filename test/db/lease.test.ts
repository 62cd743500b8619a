import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, DatabaseError, openDatabase } from '../../server/db/open.ts';
import { silentLog } from '../../server/log.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from './support.ts';

let place: TestDatabase;
const opened: Database[] = [];

beforeEach(async () => {
  place = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await place.drop();
});

interface Heard {
  leaders: (string | null)[];
  lost: string[];
}

/** A gateway of a pair; resolves when it leads. */
async function pairMember(name: string, heard: Heard = { leaders: [], lost: [] }): Promise<Database> {
  const onWaiting = (leader: string | null) => void heard.leaders.push(leader);
  const onLost = (reason: string) => void heard.lost.push(reason);
  const base = { mode: 'practice', dataDir: '/nowhere', databaseUrl: place.url, log: silentLog() } as const;
  const database = await openDatabase({ ...base, name, onWaiting, onLost });
  opened.push(database);
  return database;
}

const leaseOf = async ({ db }: Database) =>
  (await db.$client<{ epoch: number; hold: string; holder: string }[]>`select epoch::int, hold, holder from gateway_lease`)[0];

it('the second one hears who leads, and follows at once when the first one gives back', async () => {
  const first = await pairMember('one');
  expect(await leaseOf(first)).toEqual({ epoch: 1, hold: 'lease', holder: 'one' });
  const heard: Heard = { leaders: [], lost: [] };
  const second = pairMember('two', heard);
  await until(() => heard.leaders.includes('one'));
  const began = performance.now();
  await first.close();
  expect(first.lease.held()).not.toBeNull();
  const now = await second;
  expect(performance.now() - began).toBeLessThan(1900);
  expect(await leaseOf(now)).toEqual({ epoch: 2, hold: 'lease', holder: 'two' });
  expect(now.lease.held()).toBeNull();
});

it('a leader whose lock is gone keeps its lead, as long as it comes back before its lease is over', async () => {
  const first = await pairMember('one');
  const heard: Heard = { leaders: [], lost: [] };
  void pairMember('two', heard).catch(() => undefined);
  await until(() => heard.leaders.includes('one'));
  await first.db.$client`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and database =
    (select oid from pg_database where datname = current_database())`.catch(() => undefined);
  await until(async () => (await leaseOf(first))?.epoch === 1);
  await until(() => first.lease.held() === null);
  expect(opened).toHaveLength(1);
  await first.close();
  await until(() => opened.length === 2);
});

it('whom another one followed may send nothing any more, begins no order, and is told', async () => {
  const heard: Heard = { leaders: [], lost: [] };
  const first = await pairMember('one', heard);
  await first.db.$client`update gateway_lease set epoch = epoch + 1, holder = 'two'`;
  await until(() => heard.lost.length > 0);
  expect(first.lease.held()).toContain('Another gateway leads');
});

it('without STANDBY a second one is refused, a lease is waited out, and one without time is not followed', async () => {
  const alone = { mode: 'practice', dataDir: '/nowhere', databaseUrl: place.url, log: silentLog() } as const;
  const first = await openDatabase(alone);
  opened.push(first);
  expect(await leaseOf(first)).toMatchObject({ epoch: 1, hold: 'connection' });
  await expect(openDatabase(alone)).rejects.toThrow(DatabaseError);
  const heard: Heard = { leaders: [], lost: [] };
  const second = pairMember('two', heard);
  await until(() => heard.leaders.length > 0);
  expect(first.lease.held()).toBeNull();
  await first.close();
  expect(await leaseOf(await second)).toMatchObject({ epoch: 2, holder: 'two' });
});
