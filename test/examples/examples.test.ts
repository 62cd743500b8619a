import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { brokerIds } from '../../contract/words.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { everything } from '../support/proven.ts';

/** The examples as processes of their own, against the real gateway in practice mode. Prices there walk by themselves. */
const examples = fileURLToPath(new URL('../../examples/', import.meta.url));
const sdkHere = fileURLToPath(new URL('sdk-here.mjs', import.meta.url));
const brokers: readonly string[] = everything ? brokerIds : ['zerodha', 'dhan', 'upstox'];
const running = new Map<string, TestGateway>();

const gatewayOf = (broker: string) => {
  const gateway = running.get(broker);
  if (!gateway) throw new Error(`no gateway for ${broker}`);
  return gateway;
};

/** What it prints. Rejects with its errors when it does not end well. */
async function run(gateway: TestGateway, command: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const child = spawn(command, args, { env: { ...process.env, GATEWAY_URL: gateway.url, GATEWAY_TOKEN: gateway.token, ...env } });
  let [out, err] = ['', ''];
  child.stdout.on('data', (part) => {
    out += part;
  });
  child.stderr.on('data', (part) => {
    err += part;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`${args.at(0)} ended with ${code}: ${out}${err}`);
  return out;
}
const node = (gateway: TestGateway, file: string, args: readonly string[], env?: Record<string, string>) =>
  run(gateway, process.execPath, ['--import', sdkHere, `${examples}${file}`, ...args], env);

/** What is open in the end, by the one name. */
async function open({ call }: TestGateway): Promise<string[]> {
  const { body } = await call('GET', '/broker/positions');
  return body.normalized.flatMap((row: { instrument: string; net_quantity: number }) => (row.net_quantity === 0 ? [] : [row.instrument]));
}

beforeAll(async () => {
  for (const broker of brokers) {
    const gateway = await startGateway({ env: { BROKERS: broker }, instruments: true });
    running.set(broker, gateway);
    await vi.waitUntil(async () => (await gateway.call('GET', '/broker/instruments?limit=1')).body.success, { timeout: 30_000 });
  }
}, 120_000);
afterAll(async () => {
  for (const gateway of running.values()) await gateway.stop();
});

describe.each(brokers)('at %s', (broker) => {
  it('first-orders.ts buys and sells a share, an option and a future', { timeout: 60_000 }, async () => {
    const gateway = gatewayOf(broker);
    const lines = (await node(gateway, 'first-orders.ts', [])).trim().split('\n');
    expect(lines.map((line) => line.replace(/ at [\d.]+$/, '').replace(/\d\d[A-Z]{3}\d\d/, 'DAY'))).toEqual([
      'BUY 1 NSE:ITC',
      'SELL 1 NSE:ITC',
      ...['BUY', 'SELL'].map((side) => expect.stringMatching(new RegExp(`^${side} 65 NFO:NIFTYDAY2\\d{4}CE$`))),
      'BUY 65 NFO:NIFTYDAYFUT',
      'SELL 65 NFO:NIFTYDAYFUT',
    ]);
    expect(await open(gateway)).toEqual([]);
  });

  it('pair.ts opens both legs and closes both', { timeout: 60_000 }, async () => {
    const gateway = gatewayOf(broker);
    const env = { ROUNDS: '1', WINDOW: '5', ENTRY: '0.8', EXIT: '0.7' };
    const lines = (await node(gateway, 'pair.ts', ['NSE:HDFCBANK', 'NSE:ICICIBANK'], env)).trim().split('\n');
    expect(lines.toSorted().map((line) => line.split(' ')[0])).toEqual(['BUY', 'BUY', 'SELL', 'SELL']);
    expect(await open(gateway)).toEqual([]);
  });
});

it('moving-average.ts trades one round on ticks and fills of the stream', { timeout: 60_000 }, async () => {
  const gateway = gatewayOf('zerodha');
  const out = await node(gateway, 'moving-average.ts', ['NSE:INFY', '5'], { ROUNDS: '1', FAST: '2', SLOW: '4' });
  expect(out).toMatch(/^BUY 5 NSE:INFY at [\d.]+\nSELL 5 NSE:INFY at [\d.]+\n$/);
  expect(await open(gateway)).toEqual([]);
});

const python = spawnSync('python3', ['--version']).status === 0;
it.skipIf(!python)('moving_average.py does the same with plain HTTP', { timeout: 60_000 }, async () => {
  const gateway = gatewayOf('zerodha');
  const out = await run(gateway, 'python3', [`${examples}moving_average.py`, 'NSE:TCS', '5'], { ROUNDS: '1', FAST: '2', SLOW: '4' });
  expect(out).toMatch(/^BUY 5 NSE:TCS at [\d.]+ FILLED\nSELL 5 NSE:TCS at [\d.]+ FILLED\n$/);
  expect(await open(gateway)).toEqual([]);
});
