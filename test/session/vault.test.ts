import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemRandom } from '../../server/clock.ts';
import { openVault } from '../../server/session/vault.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-vault-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

it('opens what it sealed, also after a restart, and shows nothing of it', async () => {
  const sealed = (await openVault(dir, systemRandom)).seal('{"token":"planted-secret"}', 'zerodha');
  expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('planted');
  expect((await openVault(dir, systemRandom)).open(sealed, 'zerodha')).toBe('{"token":"planted-secret"}');
  expect((await stat(join(dir, 'key'))).mode & 0o777).toBe(0o600);
});

it('opens nothing for another broker, nothing damaged, and nothing under another key', async () => {
  const vault = await openVault(dir, systemRandom);
  const sealed = vault.seal('text', 'zerodha');
  expect(vault.open(sealed, 'upstox')).toBeNull();
  const bytes = Buffer.from(sealed, 'base64');
  for (const index of [0, 14, bytes.length - 1]) {
    const damaged = Buffer.from(bytes);
    damaged[index] = (damaged[index] ?? 0) ^ 1;
    expect(vault.open(damaged.toString('base64'), 'zerodha')).toBeNull();
  }
  expect(vault.open('', 'zerodha')).toBeNull();
  await rm(join(dir, 'key'));
  expect((await openVault(dir, systemRandom)).open(sealed, 'zerodha')).toBeNull();
});

it('seals the same text differently each time, and refuses a key file that holds no key', async () => {
  const vault = await openVault(dir, systemRandom);
  expect(vault.seal('text', 'zerodha')).not.toBe(vault.seal('text', 'zerodha'));
  await writeFile(join(dir, 'key'), `${(await readFile(join(dir, 'key'), 'utf8')).slice(0, 20)}\n`);
  await expect(openVault(dir, systemRandom)).rejects.toThrow('does not hold a key');
});
