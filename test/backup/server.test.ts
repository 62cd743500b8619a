import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { backup, type Where } from '../../server/backup/backup.ts';
import { leftOut } from '../../server/backup/catalog.ts';
import { contentOf, verifyBackup, writeBackup } from '../../server/backup/file.ts';
import { restore } from '../../server/backup/restore.ts';
import { systemClock } from '../../server/clock.ts';
import { readAddress } from '../../server/db/address.ts';
import { openCopier } from '../../server/db/copier.ts';
import { silentLog } from '../../server/log.ts';
import { createTestDatabase } from '../support/database.ts';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';

let home: string;
let gateway: TestGateway;
let empty: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gateway-backup-server-'));
  gateway = await startGateway();
  empty = await emptyDatabase();
});
afterAll(async () => {
  await gateway?.stop();
  await empty?.drop();
  await rm(home, { recursive: true, force: true });
});

/** The tests' databases come with tables. */
async function emptyDatabase(): ReturnType<typeof createTestDatabase> {
  const database = await createTestDatabase();
  const db = await openCopier(readAddress(database.url));
  await db.run('drop schema public cascade; drop schema if exists drizzle cascade; create schema public');
  await db.close();
  return database;
}

const where = (databaseUrl: string): Where => ({
  mode: 'practice',
  dataDir: join(home, 'data'),
  databaseUrl,
  log: silentLog(),
  clock: systemClock,
  random: 'test',
});

/** Every row of every table, as text. */
async function rowsOf(url: string): Promise<Record<string, string[]>> {
  const db = await openCopier(readAddress(url));
  const rows: Record<string, string[]> = {};
  for (const { name } of await db.run<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  ))
    rows[name] = (await db.run<{ row: string }>(`select t::text as row from public.${name} t order by 1`)).map(({ row }) => row);
  await db.close();
  return rows;
}

// Once: those after it go on from what it leaves.
it('takes every row of a server and gives it to an empty database, beside a gateway', { retry: 0, timeout: 40_000 }, async () => {
  const odd = 'a\\tab \\N \\. ₹ "quoted" \u{1F600}';
  for (const key of ['one', 'one', odd]) await gateway.place({ ...sbin, idempotency_key: key, strategy: 'a\\nb' });
  await gateway.halt();
  const db = await openCopier(readAddress(gateway.databaseUrl));
  // More than any buffer on the way holds.
  await db.run(
    `insert into tsm_events (kind, detail) select 'many', jsonb_build_object('text', repeat(md5(n::text), 8)) from generate_series(1, 20000) n`,
  );
  await db.close();
  const before = await rowsOf(gateway.databaseUrl);
  const file = join(home, 'server.backup');
  await backup(file, where(gateway.databaseUrl));
  await expect(restore(file, where(gateway.databaseUrl))).rejects.toThrow('holds tables already');
  expect(await rowsOf(gateway.databaseUrl)).toEqual(before);

  const { totals } = await restore(file, where(empty.url));
  const after = await rowsOf(empty.url);
  const switched = /^\(kill_switch,"on 1 .* restore",/;
  expect(after.gateway_settings?.filter((row) => !switched.test(row))).toEqual(
    before.gateway_settings?.filter((row) => !row.startsWith('(kill_switch')),
  );
  expect(after.gateway_settings?.filter((row) => switched.test(row)).length).toBe(1);
  const told = (rows: string[] | undefined) => rows?.filter((row) => !/backup\.restored|"by": ?"restore"|""by"": ?""restore""/.test(row));
  for (const [name, rows] of Object.entries(before)) {
    if (name === 'gateway_settings' || name === 'gateway_lease') continue;
    expect(told(after[name]), name).toEqual(Object.hasOwn(leftOut, name) ? [] : rows);
  }
  expect(Object.keys(after).sort()).toEqual(Object.keys(before).sort());
  expect(totals.lines.tsm_orders).toBe(before.tsm_orders?.length);
  expect(before.tsm_orders?.length).toBeGreaterThan(0);
  expect(Object.keys(leftOut).filter((name) => !(name in before))).toEqual([]);
});

it('numbers new rows behind the old ones, and events far behind', async () => {
  const restored = await startGateway({
    from: { databaseUrl: empty.url, dataDir: join(home, 'data') },
    env: { GATEWAY_TOKEN: 'a-token-Of-32-characters-9f8e7d6c5b' },
  });
  try {
    expect((await restored.call('GET', '/broker/kill-switch')).body).toMatchObject({ on: true, by: 'restore' });
    expect((await restored.place({ ...sbin, idempotency_key: 'one' })).headers.get('Idempotency-Replayed')).toBe('true');
    const { body } = await restored.call('GET', '/broker/events?after=1000000&limit=10');
    expect(body.events.map(({ kind }: { kind: string }) => kind)).toContain('backup.restored');
  } finally {
    await restored.halt();
  }
});

it('refuses what is whole and does not fit, and leaves nothing of it', async () => {
  const file = join(home, 'server.backup');
  const { bytes } = await verifyBackup(file);
  let text = '';
  for await (const piece of contentOf(file, bytes)) text += piece.toString('latin1');
  const changed: [string, (whole: string) => string][] = [
    ['with other tables', (whole) => whole.replace(/"hash":"\w+"/, '"hash":"another"')],
    ['by a newer version', (whole) => whole.replace('"format":1', '"format":2')],
    ['other rows than it says', (whole) => whole.replace(/"tsm_orders":\d+/, '"tsm_orders":77')],
    ['in a form that is not known', (whole) => whole.replace('"table":"users","columns":["id"', '"table":"users","columns":["idea"')],
    ['in a form that is not known', (whole) => whole.replace('"table":"users"', '"table":"pg_authid"')],
    ['were not taken', (whole) => whole.replace('\nowner\t', '\n').replace(/(\d+)\towner\t/, 'x\towner\t')],
    ['ends before its end', (whole) => whole.slice(0, whole.lastIndexOf('{"lines"'))],
  ];
  const third = await emptyDatabase();
  for (const [n, [said, change]] of changed.entries()) {
    const other = join(home, `changed-${n}`);
    async function* once() {
      yield Buffer.from(change(text), 'latin1');
    }
    expect(change(text), said).not.toBe(text);
    await writeBackup(other, 'x', once());
    await expect(restore(other, { ...where(third.url), dataDir: join(home, 'third') }), said).rejects.toThrow(said);
    expect(Object.keys(await rowsOf(third.url)), said).toEqual([]);
  }
  await third.drop();
});
