import { expect, onTestFinished, test } from 'vitest';
import { knock } from '../../server/db/knock.ts';
import { openDatabase } from '../../server/db/open.ts';
import { silentLog } from '../../server/log.ts';
import { createTestDatabase } from '../support/database.ts';

test('a knock beside the gateway is heard by it, also after its lock was lost and taken again', async () => {
  const place = await createTestDatabase();
  const options = { mode: 'practice' as const, dataDir: '/nowhere', databaseUrl: place.url, log: silentLog() };
  const database = await openDatabase(options);
  const tool = await openDatabase({ ...options, beside: true });
  onTestFinished(async () => {
    await Promise.all([database, tool].map((one) => one.close()));
    await place.drop();
  });

  const first = database.knocked.signal;
  await knock(tool.db);
  await expect.poll(() => first.aborted, { timeout: 10_000 }).toBe(true);

  // Whoever knocks while nobody listens is heard once the lock is taken again.
  const lost = database.knocked.signal;
  await tool.db.$client`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name like 'broker-gateway %'`;
  await expect.poll(() => lost.aborted, { timeout: 10_000 }).toBe(true);
  const again = database.knocked.signal;
  await knock(tool.db);
  await expect.poll(() => again.aborted, { timeout: 10_000 }).toBe(true);
});
