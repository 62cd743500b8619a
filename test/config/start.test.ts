import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokers } from '../../server/brokers/index.ts';
import { ConfigError, readConfig } from '../../server/config/config.ts';
import { loadCommandEnvironment } from '../../server/config/environment.ts';
import { checkSettings } from '../../server/session/brokers.ts';
import { fromCache, main } from '../support/process.ts';

const home = mkdtempSync(join(tmpdir(), 'gateway-settings-'));
const folder = (name: string) => join(home, name);
const blocker = createServer();
let taken = 0;

beforeAll(async () => {
  await once(blocker.listen(0, '127.0.0.1'), 'listening');
  const address = blocker.address();
  taken = typeof address === 'object' && address ? address.port : 0;
  writeFileSync(folder('a-file'), '');
  for (const [name, file, text] of [
    ['bad-key', 'key', 'short'],
    ['bad-token', 'token/x', ''],
  ] as const) {
    mkdirSync(join(folder(name), file, '..'), { recursive: true });
    writeFileSync(join(folder(name), file), text);
  }
});
afterAll(() => {
  blocker.close();
  rmSync(home, { recursive: true, force: true });
});

interface Ended {
  code: number | null;
  errors: string;
}

/** Runs the gateway, or a command of ours, with these settings alone, to its end. */
async function run(env: Record<string, string>, program: readonly string[] = [main]): Promise<Ended> {
  const child = spawn(process.execPath, [...fromCache, ...program], {
    env: {
      PATH: process.env.PATH ?? '',
      PORT: '0',
      HOST: '127.0.0.1',
      OPS_PORT: '0',
      DATA_DIR: folder('unused'),
      LOG_LEVEL: 'silent',
      ...env,
    },
    cwd: home,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const [code] = await once(child, 'exit');
  return { code, errors };
}

/** Most values are refused before anything is opened: that is tried without a process for each. */
function refusedByReader(env: Record<string, string>): Ended | null {
  try {
    checkSettings({ config: readConfig({ PORT: '0', OPS_PORT: '0', ...env }), definitions: brokers });
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return { code: 1, errors: `Cannot start: ${(error as ConfigError).message}\n` };
  }
}

const live = { GATEWAY_MODE: 'live' };
/** Wrong settings, and the one line that each gets. */
const wrong: readonly [name: string, env: Record<string, string>, line: RegExp][] = [
  ['a mistyped name', { GATEWAY_MOD: 'live' }, /^GATEWAY_MOD: .* did you mean GATEWAY_MODE\?$/],
  ['two letters exchanged', { BROKRES: 'dhan' }, /^BROKRES: .*BROKERS\?$/],
  ['a credential without its bar', { ZERODHA_APIKEY: 'x' }, /^ZERODHA_APIKEY: .*ZERODHA_API_KEY\?$/],
  ['a broker mistyped', { ZERODA_API_KEY: 'x' }, /^ZERODA_API_KEY: .*ZERODHA_API_KEY\?$/],
  ["another broker's credential", { DHAN_API_KEY: 'x' }, /^DHAN_API_KEY: is not a setting/],
  ['a beginning of ours', { GATEWAY_PORT: '5001' }, /^GATEWAY_PORT: .*mean PORT\?$/],
  ['an alert mistyped', { ALERT_WEBHOOK: 'https://x' }, /^ALERT_WEBHOOK: .*ALERT_WEBHOOK_/],
  ['small letters', { gateway_mode: 'live' }, /^gateway_mode: .*GATEWAY_MODE\?$/],
  ['an unknown mode', { GATEWAY_MODE: 'real' }, /^GATEWAY_MODE: must be practice or live, and is "real"$/],
  ['a port in words', { PORT: 'http' }, /^PORT: must be a port from 0 to 65535.*"http"$/],
  ['a port too high', { PORT: '65536' }, /^PORT: must be a port/],
  ['a port below zero', { PORT: '-1' }, /^PORT: must be a port/],
  ['a port with a fraction', { PORT: '50.5' }, /^PORT: must be a port/],
  ['an unknown host', { HOST: 'no.such.host.invalid' }, /^HOST: no\.such\.host\.invalid is not a known name or address$/],
  ['the host of another machine', { HOST: '192.0.2.77' }, /^HOST: 192\.0\.2\.77 is not an address of this machine$/],
  ['an unknown broker', { BROKERS: 'zerodha,nosuch' }, /^BROKERS: "nosuch" is not one of aliceblue, /],
  ['a short token', { GATEWAY_TOKEN: 'short' }, /^GATEWAY_TOKEN: .*32/],
  ['a token with a space', { GATEWAY_TOKEN: `${'ab12'.repeat(8)} cd` }, /^GATEWAY_TOKEN: /],
  ['a token of one letter', { GATEWAY_TOKEN: 'a'.repeat(40) }, /^GATEWAY_TOKEN: .*openssl rand/],
  ['a token everybody knows', { GATEWAY_TOKEN: 'changeme-changeme-changeme-changeme' }, /^GATEWAY_TOKEN: .*openssl rand/],
  ['a directory that is a file', { DATA_DIR: folder('a-file') }, /^DATA_DIR: .*a-file .*a file is in its place$/],
  ['a directory below a file', { DATA_DIR: folder('a-file/data') }, /^DATA_DIR: .*a-file\/data .*a file is in its place$/],
  ['a directory that cannot be', { DATA_DIR: '/proc/gateway' }, /^DATA_DIR: \/proc\/gateway cannot be used: /],
  ['a damaged key', { DATA_DIR: folder('bad-key') }, /^DATA_DIR: .*bad-key\/key does not hold a key/],
  ['a token file that is a directory', { DATA_DIR: folder('bad-token') }, /^DATA_DIR: .*bad-token cannot be used: a directory/],
  ['a database that is no address', { DATABASE_URL: 'localhost' }, /^DATABASE_URL: must be an address such as postgres:/],
  [
    'a database nobody serves',
    { DATABASE_URL: 'postgres://u:pw@127.0.0.1:1/d' },
    /^DATABASE_URL: the database d at 127\.0\.0\.1:1 cannot be used: nothing listens there$/,
  ],
  ['a database of an unknown host', { DATABASE_URL: 'postgres://u:pw@no.such.host.invalid/d' }, /^DATABASE_URL: .* its host /],
  [
    'a socket that is not there',
    { DATABASE_URL: 'postgres:///d?host=/nowhere' },
    /^DATABASE_URL: the database d of DATABASE_URL cannot be used: nothing listens there$/,
  ],
  ['an unknown TLS word', { DATABASE_URL: 'postgres://h/d?sslmode=maybe' }, /^DATABASE_URL: sslmode "maybe"/],
  ['a switch in words', { KILL_SWITCH: 'yes' }, /^KILL_SWITCH: must be on or off, and is "yes"$/],
  ['a guard in words', { POSITION_GUARD: 'none' }, /^POSITION_GUARD: must be on or off/],
  ['no limits in live mode', { ...live, PRACTICE_LIMITS: 'off' }, /^PRACTICE_LIMITS: may be off in practice mode only$/],
  ['a seed in words', { PRACTICE_SEED: 'one' }, /^PRACTICE_SEED: must be a whole number/],
  ['an unknown level', { LOG_LEVEL: 'loud' }, /^LOG_LEVEL: must be one of trace, /],
  [
    'a real broker in practice mode',
    { ZERODHA_API_URL: 'https://example.com' },
    /^ZERODHA_API_URL: practice mode talks to this machine only/,
  ],
  [
    'a plain address far away',
    { ...live, ZERODHA_API_URL: 'http://example.com' },
    /^ZERODHA_API_URL: plain http:\/\/ is allowed towards loopback only$/,
  ],
  ['an address of no kind', { ...live, ZERODHA_FEED_URL: 'ftp://x' }, /^ZERODHA_FEED_URL: must be an http, https, ws or wss address$/],
  [
    'a local address of another machine',
    { KOTAK_LOCAL_ADDRESS: '203.0.113.9' },
    /^KOTAK_LOCAL_ADDRESS: 203\.0\.113\.9 is not an address of this machine/,
  ],
  ['a local address that is none', { KOTAK_LOCAL_ADDRESS: 'eth0' }, /^KOTAK_LOCAL_ADDRESS: "eth0" is not an IPv4 address/],
  ['a percentage out of bounds', { ZERODHA_MARKET_PROTECTION: '101' }, /^ZERODHA_MARKET_PROTECTION: must be .* to 100, percent/],
  ['a webhook without its secret', { ALERT_WEBHOOK_URL: 'https://x.example' }, /^ALERT_WEBHOOK_SECRET: is needed with ALERT_WEBHOOK_URL$/],
  ['a calendar that is not there', { CALENDAR_FILE: folder('none.json') }, /^CALENDAR_FILE: /],
  ['a certificate without its key', { TLS_CERT: 'x.pem' }, /^TLS_KEY: is needed with TLS_CERT$/],
  [
    'a certificate that is not there',
    { TLS_CERT: folder('no.pem'), TLS_KEY: folder('no.pem') },
    /^TLS_CERT: .*no\.pem cannot be read: it is not there$/,
  ],
  ['one port for two', { PORT: '5090', OPS_PORT: '5090' }, /^OPS_PORT: must be another one than PORT$/],
];

describe('a wrong setting stops the start with one line that names it', () => {
  it.each(wrong)(
    '%s',
    async (_name, env, line) => {
      const { code, errors } = refusedByReader(env) ?? (await run(env));
      expect(errors).toMatch(/^Cannot start: [^\n]*\n$/);
      expect(errors.slice('Cannot start: '.length, -1)).toMatch(line);
      expect(errors).not.toContain('pw');
      expect(code).toBe(1);
    },
    90_000,
  );

  it('a port in use, before anything is made', async () => {
    const { code, errors } = await run({ PORT: String(taken), DATA_DIR: folder('not-made') });
    expect(errors).toBe(`Cannot start: PORT: ${taken} is already in use on 127.0.0.1; stop what uses it or set PORT to another one\n`);
    expect(code).toBe(1);
    expect(existsSync(folder('not-made'))).toBe(false);
  });

  it('each of several, a line each', async () => {
    const { errors } = await run({ GATEWAY_MODE: 'real', PORT: 'x' });
    expect(errors.trim().split('\n')).toHaveLength(2);
  });
});

describe('a command beside the gateway', () => {
  const cli = (path: string) => new URL(`../../server/${path}`, import.meta.url).pathname;

  it.each([
    ['user', [cli('auth/cli.ts'), 'list'], {}],
    ['orders', [cli('settle/cli.ts'), 'list'], {}],
    ['login', [cli('session/login-cli.ts'), 'zerodha'], live],
    ['certify', [cli('certify/cli.ts'), 'zerodha'], live],
  ])('%s makes no second database', async (_name, program, env) => {
    const { code, errors } = await run({ DATA_DIR: folder('nobody'), ...env }, program);
    expect(errors).toMatch(/^No gateway [^\n]*[Ss]tart (it|the gateway) first[^\n]*Nothing was (made|changed)\n$/);
    expect(code).toBe(1);
    expect(existsSync(folder('nobody')) ? readdirSync(folder('nobody')) : []).toEqual([]);
  });

  it('takes the settings of the service where nobody names another gateway', () => {
    const file = folder('service.env');
    const there = folder('there');
    mkdirSync(there, { recursive: true });
    writeFileSync(file, 'GATEWAY_MODE=live\nDATA_DIR=/var/lib/x\n', { mode: 0o600 });
    const before = process.env.DATABASE_URL;
    delete process.env.DATABASE_URL;
    try {
      expect(loadCommandEnvironment(file, there)).toMatchObject({ GATEWAY_MODE: 'live', DATA_DIR: '/var/lib/x' });
      writeFileSync(join(there, '.env'), 'DATA_DIR=./mine\n');
      const own = loadCommandEnvironment(file, there);
      expect([own.DATA_DIR, own.GATEWAY_MODE]).toEqual(['./mine', undefined]);
      expect(loadCommandEnvironment(folder('none'), home).DATA_DIR).toBeUndefined();
      if (process.getuid?.() !== 0) {
        rmSync(join(there, '.env'));
        chmodSync(file, 0);
        expect(() => loadCommandEnvironment(file, there)).toThrow(/may not read it/);
      }
    } finally {
      if (before !== undefined) process.env.DATABASE_URL = before;
    }
  });
});

it('the brokers know every credential they read', () => {
  for (const { id, settings } of Object.values(brokers)) expect(settings.length, id).toBeGreaterThan(0);
});
