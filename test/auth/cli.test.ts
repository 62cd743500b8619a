import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../server/db/open.ts';
import { silentLog } from '../../server/log.ts';
import { createTestDatabase } from '../support/database.ts';
import { fromCache } from '../support/process.ts';
import { userTable } from './user-table.ts';

const cli = fileURLToPath(new URL('../../server/auth/cli.ts', import.meta.url));

interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Runs `npm run user -- <args>` without npm, in an empty directory, with these settings. */
function user(settings: Record<string, string>, ...args: string[]): Promise<Ended> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-user-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH, ...settings };
    const child = execFile(process.execPath, [...fromCache, cli, ...args], { cwd: directory, env }, (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, out: out.trim(), err: err.trim() }),
    );
  });
}

test('add prints the token and nothing else; list and revoke tell what they did', async () => {
  const { users, test: database } = await userTable();
  const settings = { DATABASE_URL: database.url };
  const added = await user(settings, 'add', 'alice');
  expect(added).toEqual({ code: 0, err: '', out: expect.stringMatching(/^bgw_[A-Za-z0-9_-]{43}$/) });
  expect(await users.authenticate(added.out)).toBe('alice');
  const [again, listed] = await Promise.all([user(settings, 'add', 'alice'), user(settings, 'list')]);
  expect(again).toMatchObject({ code: 1, out: '', err: expect.stringContaining('exists already') });
  expect(listed.out).toMatch(/^alice {2}made \S+ {2}valid$/);
  expect(await user(settings, 'revoke', 'alice')).toMatchObject({ code: 0, out: 'The token of "alice" is revoked.' });
  expect(await user(settings, 'revoke', 'alice')).toMatchObject({ code: 1, err: expect.stringContaining('no user "alice"') });
});

test('works beside a running gateway, which sees it', async () => {
  const database = await createTestDatabase();
  const gateway = await openDatabase({ mode: 'practice', dataDir: '/', databaseUrl: database.url, log: silentLog() });
  onTestFinished(async () => {
    await gateway.close();
    await database.drop();
  });
  const added = await user({ DATABASE_URL: database.url }, 'add', 'alice');
  expect(added).toMatchObject({ code: 0 });
  expect(await gateway.db.$client`select name from users`).toEqual([{ name: 'alice' }]);
});

test('what cannot be understood or used is said, with its exit code', async () => {
  const nowhere = { DATABASE_URL: 'postgres://127.0.0.1:1/none' };
  const [nothing, unknown, option, owner, setting] = await Promise.all([
    user(nowhere),
    user(nowhere, 'constructor', 'x'),
    user(nowhere, 'list', '--all'),
    user({ DATABASE_URL: (await createTestDatabase()).url }, 'add', 'owner'),
    user({ GATEWAY_MODE: 'dry' }, 'list'),
  ]);
  for (const misused of [nothing, unknown, option])
    expect(misused).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/^Usage: /) });
  expect(owner).toMatchObject({ code: 1, err: expect.stringContaining('GATEWAY_TOKEN') });
  expect(setting).toMatchObject({ code: 1, err: expect.stringMatching(/^GATEWAY_MODE: /) });
});
