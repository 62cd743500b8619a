import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { brokerIds } from '../contract/words.ts';
import { systemClock } from '../server/clock.ts';
import { ConfigError, readConfig } from '../server/config/config.ts';
import { descendants } from '../server/db/embedded/descendants.ts';
import { practiceCredentials } from '../server/exchange/emulators.ts';
import { startExchange } from '../server/exchange/host.ts';
import { silentLog } from '../server/log.ts';
import { createTestDatabase } from './support/database.ts';
import { sbin, startGateway } from './support/gateway.ts';
import { startProcess } from './support/process.ts';

const run = promisify(execFile);
const dataDir = mkdtempSync(join(tmpdir(), 'gateway-process-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

function alive(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
}

describe('npm start as a person sees it', () => {
  it('tells mode, broker, address, docs and token file, and its curl line works when pasted', async () => {
    const gateway = await startProcess({ DATA_DIR: dataDir });
    const screen = gateway.screen();
    const tokenFile = join(dataDir, 'token');
    expect(screen).toContain('practice mode');
    expect(screen).toMatch(/Broker\s+zerodha/);
    expect(screen).toContain(`Address      ${gateway.url}`);
    expect(screen).toContain(`${gateway.url}/console`);
    expect(screen).toContain(`${gateway.url}/docs`);
    expect(screen).toContain(tokenFile);
    expect(screen).not.toContain(gateway.token);
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
    const line = screen.split('\n').find((one) => one.trim().startsWith('curl'));
    const { stdout } = await run('sh', ['-c', line ?? 'false']);
    expect(JSON.parse(stdout)).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10 });

    if (process.platform === 'linux') expect(readFileSync(`/proc/${gateway.child.pid}/environ`, 'utf8')).toContain('MALLOC_ARENA_MAX=2');
    const below = descendants(gateway.child.pid ?? 0);
    expect(below.length).toBeGreaterThan(0);
    const tookMs = await gateway.end('SIGINT');
    expect(tookMs).toBeLessThan(2000);
    expect(gateway.child.exitCode).toBe(0);
    await expect.poll(() => below.filter(alive), { timeout: 2000 }).toEqual([]);
  }, 60_000);

  it('starts again with everything still there', async () => {
    const gateway = await startProcess({ DATA_DIR: dataDir });
    const headers = { Authorization: `Bearer ${gateway.token}`, 'Content-Type': 'application/json' };
    const blocked = await fetch(`${gateway.url}/broker/orders/place`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...sbin, idempotency_key: 'after the restart' }),
    });
    expect(await blocked.json()).toMatchObject({ status: 'BLOCKED' });
    const second = await startProcess({ DATA_DIR: dataDir }).catch((error: Error) => error.message);
    expect(second).toMatch(/Cannot start: .*another gateway/is);
    await gateway.end('SIGTERM');
    expect(gateway.child.exitCode).toBe(0);
  }, 60_000);

  it('tells a guard that is off, and SIGUSR2 turns the kill switch on and off', async () => {
    const gateway = await startProcess({ DATA_DIR: dataDir, POSITION_GUARD: 'off' });
    expect(gateway.screen()).toMatch(/^Guard\s+OFF/m);
    expect(await (await fetch(gateway.url)).json()).toMatchObject({ position_guard: 'off' });
    const headers = { Authorization: `Bearer ${gateway.token}` };
    const state = async () => (await fetch(`${gateway.url}/broker/kill-switch`, { headers })).json();
    expect(await state()).toEqual({ success: true, on: false, since: null, by: null });
    for (const on of [true, false, true]) {
      gateway.child.kill('SIGUSR2');
      await expect.poll(state, { timeout: 15_000 }).toMatchObject({ on, by: 'signal' });
    }
    const kept = await state();
    await gateway.end('SIGTERM');
    const next = await startProcess({ DATA_DIR: dataDir, KILL_SWITCH: 'off' });
    expect(next.screen()).toMatch(/^Kill switch\s+ON/m);
    expect(next.screen()).not.toMatch(/^Guard/m);
    expect(await (await fetch(`${next.url}/broker/kill-switch`, { headers })).json()).toEqual(kept);
    await next.end('SIGTERM');
  }, 60_000);

  it('says a port in use in one line that names the setting', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await expect.poll(() => blocker.listening).toBe(true);
    const address = blocker.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const message = await startProcess({ DATA_DIR: dataDir, PORT: String(port) }).catch((error: Error) => error.message);
    blocker.close();
    expect(message).toMatch(new RegExp(`^the gateway ended with 1: Cannot start: PORT: ${port} is already in use[^\\n]*\\n$`));
  }, 60_000);

  it('a bad setting stops the start and names itself', async () => {
    const started = startProcess({ DATA_DIR: dataDir, ZERODHA_MARKET_PROTECTION: '101' });
    await expect(started).rejects.toThrow(/Cannot start: ZERODHA_MARKET_PROTECTION: must be .* from 0\.01 to 100, percent/);
  });
  it.each([
    ['GATEWAY_MODE', 'real', /GATEWAY_MODE/],
    ['GATEWAY_TOKEN', 'short', /GATEWAY_TOKEN.*32/],
    ['BROKERS', 'zerodha,nosuch', /BROKERS.*nosuch/],
    ['ZERODHA_API_URL', 'http://example.com', /ZERODHA_API_URL/],
    ['PORT', 'http', /PORT/],
    ['KILL_SWITCH', 'yes', /KILL_SWITCH/],
    ['POSITION_GUARD', 'none', /POSITION_GUARD/],
  ])('so does a bad %s', (name, value, message) => {
    expect(() => readConfig({ DATA_DIR: dataDir, BROKERS: 'zerodha', [name]: value })).toThrow(ConfigError);
    expect(() => readConfig({ DATA_DIR: dataDir, BROKERS: 'zerodha', [name]: value })).toThrow(message);
  });
});

describe('live mode', () => {
  it('behaves as practice mode does, against a stand-in at ZERODHA_API_URL', async () => {
    const venue = await startExchange({ ports: 'free', seed: 7, limits: false, clock: systemClock, log: silentLog() });
    const credentials = Object.entries(practiceCredentials('zerodha')).map(([name, value]) => [`ZERODHA_${name}`, value]);
    const env = {
      GATEWAY_MODE: 'live',
      PRACTICE_LIMITS: 'on',
      BROKERS: 'zerodha',
      ZERODHA_API_URL: venue.urls.zerodha?.api ?? '',
      ...Object.fromEntries(credentials),
    };
    const gateway = await startGateway({ env });
    expect((await gateway.call('GET', '/')).body).toMatchObject({ mode: 'live', broker: 'zerodha' });
    const first = await gateway.place({ ...sbin, idempotency_key: 'live-1' });
    expect(first.body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10 });
    expect((await gateway.place({ ...sbin, idempotency_key: 'live-1' })).text).toBe(first.text);
    expect((await gateway.place({ ...sbin, idempotency_key: 'live-2' })).body.status).toBe('BLOCKED');
    expect((await gateway.call('POST', '/broker/test/zerodha')).body.status).toBe('PASSED');
    expect(venue.exchange.ledger().orders).toHaveLength(1);
    await gateway.halt();
    const practice = await startGateway({ from: gateway }).catch((error: Error) => error.message);
    expect(practice).toMatch(/live/);
    await gateway.stop();
    await venue.close();
  });

  it('has no default broker, and a broker without credentials says which settings it needs', async () => {
    const database = await createTestDatabase();
    const directory = mkdtempSync(join(tmpdir(), 'gateway-live-'));
    const gateway = await startGateway({
      env: { GATEWAY_MODE: 'live', PRACTICE_LIMITS: 'on' },
      from: { databaseUrl: database.url, dataDir: directory },
    });
    expect((await gateway.call('GET', '/')).body.broker).toBeNull();
    const { body } = await gateway.call('POST', '/broker/connect?broker=zerodha');
    expect(body).toMatchObject({ success: false, message: expect.stringContaining('ZERODHA_API_KEY') });
    const placed = await gateway.place({ ...sbin, idempotency_key: 'nobody' });
    expect(placed.body).toEqual({ success: false, message: 'Broker Not Connected', fill_status: 'REJECTED' });
    expect((await gateway.place({ ...sbin, idempotency_key: 'nobody' })).text).toBe(placed.text);
    const report = await gateway.call('POST', '/broker/test/zerodha');
    expect(report.body).toMatchObject({ status: 'FAILED', passed: 0, failed: 1, total: 1, hint: expect.stringContaining('credentials') });
    expect(report.body.tests.connect.error).toContain('ZERODHA_API_KEY');
    for (const id of brokerIds) expect(typeof (await gateway.call('POST', `/broker/connect?broker=${id}`)).body.message).toBe('string');
    await gateway.halt();
    await database.drop();
    rmSync(directory, { recursive: true, force: true });
    expect(readdirSync(tmpdir())).not.toContain(directory);
  });
});
