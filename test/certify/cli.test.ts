import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parseCommand } from '../../server/certify/command-line.ts';
import { reportFile } from '../../server/certify/report.ts';
import { systemClock } from '../../server/clock.ts';
import { type Started, startPractice } from '../exchange/started.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { adminOptions } from '../support/global-setup.ts';
import { fromCache } from '../support/process.ts';

const cli = fileURLToPath(new URL('../../server/certify/cli.ts', import.meta.url));
const hasTerminal = spawnSync('script', ['--version']).status === 0;

let host: Started;
let database: TestDatabase;
let dataDir: string;
beforeAll(async () => {
  host = await startPractice();
});
afterAll(() => host.close());

async function fresh(): Promise<void> {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'certify-cli-'));
}
afterEach(async () => {
  host.faults.clear();
  await database?.drop();
  if (dataDir) await rm(dataDir, { recursive: true, force: true });
});

interface Ended {
  code: number | null;
  said: string;
}

/** What is typed once a text has appeared. */
type Typed = readonly (readonly [seen: string, keys: string])[];

/** `npm run certify` without npm; on a terminal of its own where something is typed. */
async function certifyCli(args: string, env: Record<string, string> = {}, typed?: Typed): Promise<Ended> {
  const settings = { PATH: process.env.PATH ?? '', DATABASE_URL: '', DATA_DIR: dataDir, ...env };
  const command = [process.execPath, ...fromCache, cli, args].join(' ');
  const child = typed
    ? spawn('script', ['-qec', command, '/dev/null'], { env: settings, cwd: tmpdir() })
    : spawn('sh', ['-c', command], { env: settings, cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const left = [...(typed ?? [])];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      said += chunk;
      if (left[0] && said.includes(left[0][0])) child.stdin?.write(left.shift()?.[1]);
    });
  }
  return await new Promise((resolve) => child.once('close', (code) => resolve({ code, said })));
}

const live = () => ({
  GATEWAY_MODE: 'live',
  DATABASE_URL: database.url,
  ZERODHA_API_URL: host.api,
  ZERODHA_FEED_URL: host.urls.zerodha?.feed ?? '',
  ZERODHA_API_KEY: 'practicekey',
  ZERODHA_ACCESS_TOKEN: 'practiceaccesstoken',
});
const order = '--order NSE:SBIN:779521 --price 740';
const whenAsked = (keys: string): Typed => [['Type zerodha', keys]];
const sent = () => host.exchange.ledger().requests.length;

describe('npm run certify', { timeout: 90_000 }, () => {
  test('passes in practice mode, with an exchange of its own and a report only its user reads', async () => {
    await fresh();
    const { code, said } = await certifyCli('dhan');
    expect(said).toMatch(/ok {8}order book: .*\n/);
    expect(said).toMatch(/\d+ ok, 0 failed, \d+ not told\. Nothing failed\./);
    expect(code).toBe(0);
    const file = reportFile(dataDir, 'dhan', systemClock.now());
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ broker: 'dhan', mode: 'practice', verdict: 'nothing failed' });
  });

  test('uses the login that is kept, and keeps the one it makes', async () => {
    await fresh();
    expect(await certifyCli('zerodha', live())).toMatchObject({
      code: expect.any(Number),
      said: expect.stringContaining('ok        sign-in'),
    });
    const again = await certifyCli('zerodha', { ...live(), ZERODHA_ACCESS_TOKEN: '' });
    expect(again.said).toContain('ok        sign-in');
    const { said, code } = await certifyCli('zerodha', {
      ...live(),
      DATABASE_URL: (await createTestDatabase()).url,
      ZERODHA_ACCESS_TOKEN: '',
    });
    expect(said).toContain('failed    sign-in');
    expect(code).toBe(1);
  });

  test('does not know every word', async () => {
    await fresh();
    expect(await certifyCli('')).toMatchObject({ code: 2, said: expect.stringContaining('Usage: npm run certify') });
    expect(await certifyCli('zerodha --yes')).toMatchObject({ code: 2 });
    expect(await certifyCli('zeroda')).toMatchObject({ code: 1, said: 'Unknown broker: zeroda\n' });
  });

  test('sends no order without a terminal, and none with the kill switch on', async () => {
    await fresh();
    const before = sent();
    expect(await certifyCli(`zerodha ${order}`, live())).toMatchObject({
      code: 1,
      said: expect.stringMatching(/no terminal is here. Nothing was sent/),
    });
    const killed = await certifyCli(`zerodha ${order}`, { ...live(), KILL_SWITCH: 'on' });
    expect(killed).toMatchObject({ code: 1, said: expect.stringMatching(/kill switch is on.*Nothing was sent/) });
    expect(sent()).toBe(before);
  });
});

describe.runIf(hasTerminal)('on a terminal', { timeout: 90_000 }, () => {
  test('sends the order once the name is typed', async () => {
    await fresh();
    const { code, said } = await certifyCli(`zerodha ${order}`, live(), whenAsked('zerodha\n'));
    expect(said).toMatch(/LIMIT BUY 1 x NSE SBIN at ₹740\.[\s\S]*it costs ₹740.05 at most/);
    expect(said).toContain('end of the order: CANCELLED, and nothing was bought');
    expect(said).not.toContain('LOOK AT YOUR BROKER');
    expect(code).toBe(/\bfailed {4}/.test(said) ? 1 : 0);
  });
  test.each(['yes\n', '\u0003'])('sends nothing for %j', async (answer) => {
    await fresh();
    const before = sent();
    const { said } = await certifyCli(`zerodha ${order}`, live(), whenAsked(answer));
    expect(said).toMatch(/nothing was sent/);
    expect(sent()).toBe(before);
  });
  test('sends nothing while the gateway remembers the kill switch on', async () => {
    await fresh();
    await certifyCli('zerodha', live());
    const sql = postgres(adminOptions(database.url));
    await sql`insert into gateway_settings (name, value) values ('kill_switch', 'on 1 2026-11-20T04:12:33.000Z first')`;
    await sql.end();
    const before = sent();
    const { code, said } = await certifyCli(`zerodha ${order}`, live(), whenAsked('zerodha\n'));
    expect(said).toMatch(/kill switch is on/);
    expect(code).toBe(1);
    expect(sent()).toBe(before);
  });
  test('cancels an open order when it is ended with Ctrl-C', async () => {
    await fresh();
    const typed: Typed = [...whenAsked('zerodha\n'), ['placing: it was accepted', '\u0003']];
    host.faults.plant({ kind: 'delay', operation: 'modify', delayMs: 1500, times: 'always' });
    const { said } = await certifyCli(`zerodha ${order}`, live(), typed);
    expect(said).toContain('an order that is open is cancelled first');
    expect(said).toContain('end of the order: CANCELLED, and nothing was bought');
    expect(host.exchange.ledger().orders.filter(({ status }) => status === 'OPEN')).toEqual([]);
  });
  test('tells what may still be open', async () => {
    await fresh();
    host.faults.plant({ kind: 'lostRequest', operation: 'cancel' });
    const { code, said } = await certifyCli(`zerodha ${order}`, live(), whenAsked('zerodha\n'));
    const left = host.exchange.ledger().orders.at(-1);
    expect(said).toContain(`LOOK AT YOUR BROKER NOW: order ${left?.orderId}, tag ${left?.tag}, may still be open.`);
    expect(code).toBe(1);
  });
});

describe('the command line', () => {
  const instrument = (exchange: string, symbol: string, token = '') => ({ exchange, symbol, token });
  test.each([
    ['NSE:SBIN:779521', instrument('NSE', 'SBIN', '779521')],
    ['NSE:SBIN', instrument('NSE', 'SBIN')],
    ['NSE:SBIN-EQ:3045', instrument('NSE', 'SBIN-EQ', '3045')],
    ['NSE:NSE:SBIN-EQ', instrument('NSE', 'NSE:SBIN-EQ')],
    ['NFO:NSE:NIFTY26DECFUT:101126', instrument('NFO', 'NSE:NIFTY26DECFUT', '101126')],
    ['NSE:BSE:19585', instrument('NSE', 'BSE', '19585')],
    ['NSE:SBIN:NSE_EQ|INE062A01020', instrument('NSE', 'SBIN', 'NSE_EQ|INE062A01020')],
  ])('%s', (text, expected) => {
    expect(parseCommand(['dhan', '--watch', text])).toEqual({ broker: 'dhan', watch: expected, order: null });
  });
  test.each(
    [
      ['dhan', 'fyers'],
      ['dhan', '--watch', 'SBIN'],
      ['dhan', '--order', ':SBIN'],
      ['dhan', '--price', '5'],
      ['--order', 'NSE:SBIN'],
      ['dhan', '--order', 'NSE:SBIN', '--quantity', '0'],
      ['dhan', '--order', 'NSE:SBIN', '--quantity', '1.5'],
    ].map((args) => [args]),
  )('%j is not understood', (args) => expect(parseCommand(args)).toBeNull());
  test('an order with all that can be said of it', () => {
    expect(parseCommand(['dhan', '--order', 'NFO:X:1', '--quantity', '65', '--price', '10.5', '--tick', '0.1'])?.order).toEqual({
      ...instrument('NFO', 'X', '1'),
      quantity: 65,
      price: '10.5',
      tick: '0.1',
    });
  });
});
