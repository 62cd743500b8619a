import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ensureFirstUser } from '../../server/auth/first-user.ts';
import type { Users } from '../../server/auth/users.ts';
import { systemRandom } from '../../server/clock.ts';
import { userTable } from './user-table.ts';

const SETTING = 'a-token-from-the-setting-of-32-or-more';

/** A data directory that does not exist yet. */
function dataDirectory(): { dataDir: string; file: string; content: () => string } {
  const parent = mkdtempSync(join(tmpdir(), 'gateway-token-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const dataDir = join(parent, 'data');
  const file = join(dataDir, 'token');
  return { dataDir, file, content: () => readFileSync(file, 'utf8').trim() };
}

function start(users: Users, dataDir: string, gatewayToken?: string): Promise<{ tokenFile: string | null }> {
  return ensureFirstUser({ users, random: systemRandom, dataDir, gatewayToken });
}

function modeOf(file: string): string {
  return (statSync(file).mode & 0o777).toString(8);
}

test('the first start makes the owner and keeps the token in a file for its reader alone; later starts reuse it', async () => {
  const { users } = await userTable();
  const { dataDir, file, content } = dataDirectory();
  expect(await start(users, dataDir)).toEqual({ tokenFile: file });
  const token = content();
  expect(token).toMatch(/^bgw_[A-Za-z0-9_-]{43}$/);
  expect(await users.authenticate(token)).toBe('owner');
  expect([modeOf(dataDir), modeOf(file), readdirSync(dataDir)]).toEqual(['700', '600', ['token']]);
  chmodSync(file, 0o644);
  expect(await start(users, dataDir)).toEqual({ tokenFile: file });
  expect([content(), modeOf(file)]).toEqual([token, '600']);
  expect(await users.list()).toHaveLength(1);
});

test('a start waits for a user table that does not answer at once, and not for ever', async () => {
  const { users } = await userTable();
  const { dataDir, file, content } = dataDirectory();
  await start(users, dataDir);
  const token = content();
  const silentFor = (reads: number): Users => ({
    ...users,
    async authenticate(asked) {
      reads -= 1;
      if (reads >= 0) throw new Error('The user table did not answer within 1000 ms');
      return await users.authenticate(asked);
    },
  });
  expect(await start(silentFor(3), dataDir)).toEqual({ tokenFile: file });
  expect(content()).toBe(token);
  await expect(start(silentFor(Number.POSITIVE_INFINITY), dataDir)).rejects.toThrow('did not answer');
});

test('a deleted, empty or broken file gives way to a new token', async () => {
  const { users } = await userTable();
  const { dataDir, file, content } = dataDirectory();
  await start(users, dataDir);
  for (const spoil of [() => rmSync(file), () => writeFileSync(file, ''), () => writeFileSync(file, 'short\n')]) {
    const before = content();
    spoil();
    await start(users, dataDir);
    expect(content()).not.toBe(before);
    expect(await users.authenticate(content())).toBe('owner');
    expect(await users.authenticate(before)).toBeNull();
  }
});

test('what a crash left beside the file does not matter', async () => {
  const { users } = await userTable();
  const { dataDir, file, content } = dataDirectory();
  await start(users, dataDir);
  rmSync(file);
  writeFileSync(`${file}.new`, 'half', { mode: 0o644 });
  await start(users, dataDir);
  expect(await users.authenticate(content())).toBe('owner');
  expect([modeOf(file), readdirSync(dataDir)]).toEqual(['600', ['token']]);
});

test('a new database takes over the token of the file', async () => {
  const { users: old } = await userTable();
  const { users: fresh } = await userTable();
  const { dataDir, content } = dataDirectory();
  await start(old, dataDir);
  const token = content();
  await start(fresh, dataDir);
  expect(content()).toBe(token);
  expect(await fresh.authenticate(token)).toBe('owner');
});

test('a revoked token never comes back', async () => {
  const { users } = await userTable();
  const { dataDir, content } = dataDirectory();
  await start(users, dataDir);
  const token = content();
  await users.revoke('owner');
  await start(users, dataDir);
  expect(await users.authenticate(token)).toBeNull();
  expect(await users.authenticate(content())).toBe('owner');
});

test('GATEWAY_TOKEN is the owner token, and another one replaces it', async () => {
  const { users } = await userTable();
  const { dataDir, file } = dataDirectory();
  expect(await start(users, dataDir, SETTING)).toEqual({ tokenFile: null });
  expect(await start(users, dataDir, SETTING)).toEqual({ tokenFile: null });
  expect(await users.authenticate(SETTING)).toBe('owner');
  await start(users, dataDir, `${SETTING}-changed`);
  expect(await users.authenticate(SETTING)).toBeNull();
  expect(await users.authenticate(`${SETTING}-changed`)).toBe('owner');
  expect(existsSync(file)).toBe(false);
});

test('with GATEWAY_TOKEN taken away the owner gets a token in the file, and the setting no longer opens', async () => {
  const { users } = await userTable();
  const { dataDir, content } = dataDirectory();
  await start(users, dataDir);
  const kept = content();
  await start(users, dataDir, SETTING);
  expect(await users.authenticate(kept)).toBeNull();
  await start(users, dataDir);
  expect(await users.authenticate(SETTING)).toBeNull();
  expect(await users.authenticate(kept)).toBeNull();
  expect(await users.authenticate(content())).toBe('owner');
});

test("GATEWAY_TOKEN cannot be another user's token", async () => {
  const { users } = await userTable();
  await users.assign('alice', SETTING);
  await expect(start(users, dataDirectory().dataDir, SETTING)).rejects.toThrow('belongs to user "alice"');
});
