import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backup, type Where } from '../../server/backup/backup.ts';
import { restore } from '../../server/backup/restore.ts';
import { systemClock } from '../../server/clock.ts';
import { silentLog } from '../../server/log.ts';
import { type GatewayProcess, startProcess } from '../support/process.ts';
import { run } from './command.ts';

interface Placed {
  key: string;
  order: Record<string, unknown>;
  text: string;
  sentAt: number;
  answeredAt: number;
}

let home: string;
let gateway: GatewayProcess;
let answered = 0;
const dataDir = () => join(home, 'data');
const file = () => join(home, 'one.backup');
const settings = { POSITION_GUARD: 'off', PRACTICE_LIMITS: 'off' };

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gateway-backup-'));
  gateway = await startProcess({ DATA_DIR: dataDir(), ...settings });
});
afterAll(async () => {
  await gateway?.killTree();
  await rm(home, { recursive: true, force: true });
});

async function place({ url, token }: GatewayProcess, order: Record<string, unknown>) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  return await fetch(`${url}/broker/orders/place`, { method: 'POST', headers, body: JSON.stringify(order) });
}

/** Places orders one after the other until told to stop. */
async function placeUntil(stop: () => boolean, prefix: string, instrument: { symbol: string; token: string }): Promise<Placed[]> {
  const placed: Placed[] = [];
  for (let n = 0; !stop(); n += 1) {
    const order = {
      ...instrument,
      ...{ exchange: 'NSE', order_type: 'MARKET', product_type: 'INTRADAY', quantity: 1 },
      transaction_type: n % 2 === 0 ? 'BUY' : 'SELL',
      idempotency_key: `${prefix}${n}`,
      strategy: `a\\tab \\N and ₹ ${n}`,
    };
    const sentAt = Date.now();
    const answer = await place(gateway, order);
    placed.push({ key: order.idempotency_key, order, text: await answer.text(), sentAt, answeredAt: Date.now() });
    answered += 1;
  }
  return placed;
}

/** By the prefix of their keys; one caller each, so that none waits for another's fate. */
const instruments = { a: { symbol: 'SBIN', token: '779521' }, b: { symbol: 'INFY', token: '408065' } };
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

describe('a backup while orders flow', () => {
  const placed: Placed[] = [];
  let began = 0;

  it('is written beside the orders', async () => {
    let over = false;
    const callers = Object.entries(instruments).map(([prefix, instrument]) => placeUntil(() => over, prefix, instrument));
    await expect.poll(() => answered, { timeout: 60_000 }).toBeGreaterThan(20);
    began = Date.now();
    const ended = await run('backup', [file()], { DATA_DIR: dataDir() });
    const done = Date.now();
    over = true;
    placed.push(...(await Promise.all(callers)).flat());
    expect(ended.err).toBe('');
    expect(ended.out).toContain('written and read back');
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    const took = ({ sentAt, answeredAt }: Placed) => answeredAt - sentAt;
    const beside = placed.filter(({ sentAt, answeredAt }) => answeredAt > began && sentAt < done).map(took);
    const without = placed.filter(({ answeredAt, sentAt }) => answeredAt <= began || sentAt >= done).map(took);
    console.log(
      `${placed.length} orders; p50 ${median(without)} ms without, ${median(beside)} ms beside the backup, slowest ${Math.max(...beside)} ms`,
    );
    // The last of them may have been answered in the millisecond the backup began in.
    expect(placed.filter(({ answeredAt }) => answeredAt < began).length).toBeGreaterThan(15);
  });

  it('is restored elsewhere by one command, with the kill switch on', async () => {
    const elsewhere = join(home, 'elsewhere');
    const ended = await run('restore', [file()], { DATA_DIR: elsewhere });
    expect(ended.err).toBe('');
    expect(ended.out).toContain('The KILL SWITCH IS ON');
    const again = await run('restore', [file()], { DATA_DIR: elsewhere });
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('holds a database of practice mode already')]);

    const restored = await startProcess({ DATA_DIR: elsewhere, ...settings });
    try {
      expect(restored.screen()).toContain('Kill switch  ON');
      const before = placed.filter(({ answeredAt, text }) => answeredAt < began && JSON.parse(text).success === true);
      expect(before.length).toBeGreaterThan(15);
      for (const { key, order, text } of before) {
        const answer = await place(restored, order);
        expect([key, answer.headers.get('Idempotency-Replayed'), await answer.text()]).toEqual([key, 'true', text]);
      }
      const refused = await place(restored, { ...before[0]?.order, idempotency_key: 'new', symbol: 'INFY', token: '408065' });
      expect(JSON.parse(await refused.text()).message).toContain('kill switch');
      const headers = { Authorization: `Bearer ${restored.token}` };
      const events = await (await fetch(`${restored.url}/broker/events?after=1000000&limit=500`, { headers })).text();
      expect(events).toContain('backup.restored');
    } finally {
      await restored.killTree();
    }
  });

  it('may be made of a gateway that stands still, and changes nothing there', async () => {
    const stopped = join(home, 'elsewhere');
    const second = join(home, 'second.backup');
    expect((await run('backup', [second], { DATA_DIR: stopped })).code).toBe(0);
    expect((await run('restore', ['--check', second], {})).out).toContain('as it was written');
  });
});

describe('a backup that cannot be made or taken', () => {
  const names = () => readdirSync(home).filter((name) => name.startsWith('.') || /two|full|cut/.test(name));

  it('is refused in one line', async () => {
    const where = { mode: 'practice', dataDir: dataDir(), log: silentLog(), clock: systemClock, random: 'test' } as const;
    const [live, nothing] = [{ ...where, mode: 'live' } as const, { ...where, dataDir: join(home, 'nothing') }];
    const made = (name: string, from: Where) => expect(backup(join(home, name), from).catch((error) => error.message)).resolves;
    const taken = (from: string, into: Where) => expect(restore(from, into).catch((error) => error.message)).resolves;
    await made('one.backup', where).toContain('one.backup is there already: a backup never replaces a file');
    await made('no/two', where).toContain('no/two cannot be written: there is no such file or directory');
    await made('two', live).toContain('There is no database of live mode in');
    await made('two', nothing).toContain('There is no database of practice mode in');
    await taken(file(), where).toContain('holds a database of practice mode already');
    await taken(file(), { ...live, dataDir: join(home, 'live') }).toContain('one of practice mode and GATEWAY_MODE is live');
    await taken(join(dataDir(), 'token'), nothing).toContain('is no backup of this gateway');
    expect(names()).toEqual([]);
    expect(existsSync(join(home, 'nothing'))).toBe(false);
    expect((await run('backup', [], {})).code).toBe(2);
  });

  it('leaves no half file under its name when it is killed', async () => {
    const cut = join(home, 'cut');
    await mkdir(cut);
    for (const killAfterMs of [150, 250, 350]) await run('backup', [join(cut, 'file')], { DATA_DIR: dataDir() }, { killAfterMs });
    const left = join(cut, 'file');
    if (existsSync(left)) expect((await run('restore', ['--check', left], {})).code).toBe(0);
    await rm(cut, { recursive: true });
  });

  const small = (line: string) => ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', line, 'sh'];
  const canMount = spawnSync('unshare', small('mount -t tmpfs -o size=16k none /mnt').slice(1)).status === 0;
  if (!canMount) console.log('no file system can be mounted here: that a full disk leaves no half file is not checked');

  it.skipIf(!canMount)('leaves nothing on a full disk, and says so', async () => {
    const full = join(home, 'full');
    await mkdir(full);
    const line = `mount -t tmpfs -o size=4k none ${full} && { "$@"; code=$?; ls -A ${full}; exit $code; }`;
    const { code, out, err } = await run('backup', [join(full, 'file')], { DATA_DIR: dataDir() }, { before: small(line) });
    expect([code, out, err]).toEqual([1, '', expect.stringContaining('the disk is full')]);
    await rm(full, { recursive: true });
  });
});
