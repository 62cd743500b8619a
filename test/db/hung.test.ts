import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../server/db/open.ts';
import { silentLog } from '../../server/log.ts';
import { forget, makeDirectory, postmasterOf, processesWith, until } from './support.ts';

/** A stopped database, copied for each test: quicker than a new one. */
let prepared = '';
const open = (dataDir: string) => openDatabase({ mode: 'practice', dataDir, log: silentLog() });

beforeAll(async () => {
  prepared = makeDirectory();
  await (await open(prepared)).close();
});

afterAll(() => forget(prepared));

/** The server's processes by what they are: `client backend`, `checkpointer`, ... */
async function pids(database: Database, where: string): Promise<number[]> {
  const rows = await database.db.$client.unsafe<{ pid: number }[]>(
    `select pid from pg_stat_activity where ${where} and pid <> pg_backend_pid()`,
  );
  return rows.map(({ pid }) => pid);
}

const lockHolder = "pid in (select pid from pg_locks where locktype = 'advisory')";
/** A connection of the orders, in the middle of a statement. */
const underWay = "query like 'select pg_sleep%' and state = 'active'";

const cases: { name: string; frozen(database: Database, dataDir: string): Promise<number[]>; meanwhile?: boolean }[] = [
  { name: 'the connection that holds the lock', frozen: (database) => pids(database, lockHolder) },
  { name: 'a connection in the middle of a statement', frozen: (database) => pids(database, underWay), meanwhile: true },
  {
    name: 'the server and all its connections',
    frozen: async (database, dataDir) => [postmasterOf(dataDir), ...(await pids(database, 'true'))],
  },
];

test.concurrent.each(cases)(
  'a PostgreSQL of our own is ended and started again when this stands still for 20 s: $name',
  async ({ frozen, meanwhile }) => {
    const dataDir = makeDirectory();
    execFileSync('cp', ['-a', `${prepared}/.`, dataDir]);
    const database = await open(dataDir);
    try {
      await database.db.$client`insert into users (name, token_hash) values ('before', 'x')`;
      const sleeping = meanwhile
        ? database.orders('select pg_sleep(1)::text', []).then(
            () => 'answered',
            () => 'failed',
          )
        : null;
      await until(async () => !meanwhile || (await pids(database, underWay)).length > 0);
      const [server, stopped] = [postmasterOf(dataDir), await frozen(database, dataDir)];
      expect(stopped.length).toBeGreaterThan(0);
      const began = performance.now();
      for (const pid of stopped) process.kill(pid, 'SIGSTOP');
      await until(() => postmasterOf(dataDir) !== server, 40_000);
      expect(performance.now() - began).toBeGreaterThan(15_000);
      if (sleeping) expect(await sleeping).toBe('failed');
      // Not one of the old server's is left, to write when it wakes.
      for (const pid of stopped) expect(processesWith('postgres')).not.toContain(pid);
      await until(async () => (await database.db.$client`select name from users`.catch(() => [])).length === 1);
      await until(async () => (await database.orders('select 1 as one', []).catch(() => [])).length === 1);
    } finally {
      await database.close();
      await until(() => processesWith(dataDir).length === 0);
      forget(dataDir);
    }
  },
  90_000,
);
