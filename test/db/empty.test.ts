import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { readAddress } from '../../server/db/address.ts';
import { createGate } from '../../server/db/gate.ts';
import { openDatabase } from '../../server/db/open.ts';
import { silentLog } from '../../server/log.ts';
import { createTestDatabase } from '../support/database.ts';
import { fromCache } from '../support/process.ts';

/** Every command that works on a gateway's database, with the least it takes. */
const commands: readonly (readonly string[])[] = [
  ['auth/cli.ts', 'add', 'alice'],
  ['auth/cli.ts', 'list'],
  ['session/login-cli.ts', 'zerodha'],
  ['settle/cli.ts', 'list'],
  ['certify/cli.ts', 'zerodha'],
  ['backup/backup-cli.ts', 'copy.backup'],
];
const credentials = { ZERODHA_API_KEY: 'key', ZERODHA_API_SECRET: 'secret' };

/** Runs a command as `npm run` does, in an empty directory. */
function run([file = '', ...args]: readonly string[], databaseUrl: string): Promise<{ code: number | null; err: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-empty-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const program = fileURLToPath(new URL(`../../server/${file}`, import.meta.url));
  const env = { PATH: process.env.PATH, GATEWAY_MODE: 'live', DATABASE_URL: databaseUrl, DATA_DIR: directory, ...credentials };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [...fromCache, program, ...args], { cwd: directory, env, timeout: 60_000 }, (_, _out, err) =>
      resolve({ code: child.exitCode, err: err.trim() }),
    );
  });
}

it('an empty database stays empty whatever command meets it: only the gateway makes its tables', async () => {
  const database = await createTestDatabase({ empty: true });
  const gate = createGate(readAddress(database.url));
  gate.open();
  const sql = postgres({ ...gate.options, max: 1 });
  onTestFinished(async () => {
    await sql.end();
    await database.drop();
  });
  const tables = () => sql`select tablename from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`;
  const ended = await Promise.all(commands.map((command) => run(command, database.url)));
  expect(ended.map(({ code, err }) => `${code}: ${err}`)).toEqual(
    commands.map(() => expect.stringMatching(/^1: .*(holds no tables|No gateway runs on this database|has no tables|no database)/)),
  );
  expect(await tables()).toEqual([]);
  const gateway = await openDatabase({ mode: 'live', dataDir: '/', databaseUrl: database.url, log: silentLog() });
  await gateway.close();
  expect(await run(['auth/cli.ts', 'add', 'alice'], database.url)).toEqual({ code: 0, err: '' });
}, 90_000);
