import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokerIds } from '../../contract/words.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type GatewayProcess, startProcess } from '../support/process.ts';

/** A copy of the repository to which a broker that does not exist is added, and the gateway of that copy as a process of its own. */
const repository = fileURLToPath(new URL('../..', import.meta.url));
const made = join(repository, 'test/eleventh/made');
const copy = mkdtempSync(join(tmpdir(), 'gateway-eleventh-'));
const folders = ['contract', 'server', 'drizzle', 'docs/guides'];
/** Where its types are used; the compiler takes what it needs of the rest. */
const typed = ['contract', 'server/brokers', 'server/exchange'];
/** The one line, in the one file it goes into. */
const list = 'contract/words.ts';
const line = "  'eleventh',\n";
let database: TestDatabase;
let gateway: GatewayProcess;

beforeAll(async () => {
  for (const folder of folders) cpSync(join(repository, folder), join(copy, folder), { recursive: true });
  for (const file of ['package.json', 'tsconfig.json']) cpSync(join(repository, file), join(copy, file));
  symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'));
  cpSync(made, copy, { recursive: true });
  const words = readFileSync(join(copy, list), 'utf8');
  writeFileSync(join(copy, list), words.replace(/(?<= {2}'zerodha',\n)/, line));
  database = await createTestDatabase();
  const env = { DATA_DIR: join(copy, 'data'), DATABASE_URL: database.url, BROKERS: 'eleventh' };
  gateway = await startProcess(env, [join(copy, 'server/main.js')]);
}, 120_000);
afterAll(async () => {
  await gateway?.end('SIGTERM');
  await database?.drop();
  rmSync(copy, { recursive: true, force: true });
});

async function call(method: string, path: string, body?: unknown): Promise<ReturnType<typeof JSON.parse>> {
  const response = await fetch(`${gateway.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${gateway.token}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return await response.json();
}

const share = {
  symbol: 'SBIN',
  token: '#3045',
  exchange: 'NSE',
  transaction_type: 'BUY',
  order_type: 'MARKET',
  product_type: 'INTRADAY',
  quantity: 10,
};
const place = (change: Record<string, unknown>) => call('POST', '/broker/orders/place', { ...share, ...change });

function filesOf(root: string): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replace(/^\//, '')),
  );
}
const textOf = (root: string, path: string) => readFileSync(join(root, path), 'utf8');

describe('what a new broker touches', () => {
  it('is its own folder, its emulator and one line', () => {
    const before = filesOf(repository);
    const after = filesOf(copy);
    expect(after.filter((path) => !before.includes(path)).toSorted()).toEqual([
      'server/brokers/eleventh/adapter.ts',
      'server/brokers/eleventh/wire.ts',
      'server/exchange/eleventh/emulator.ts',
    ]);
    expect(before.filter((path) => !after.includes(path))).toEqual([]);
    expect(before.filter((path) => textOf(repository, path) !== textOf(copy, path))).toEqual([list]);
    expect(textOf(copy, list).replace(line, '')).toBe(textOf(repository, list));
  });
  it('fits every type of contract, brokers and exchange', () => {
    const options = JSON.parse(textOf(copy, 'tsconfig.json'));
    writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify({ ...options, include: typed }));
    const compiler = join(repository, 'node_modules/typescript-7/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [compiler, '-p', '.', '--noEmit'], { cwd: copy, encoding: 'utf8' });
    // The repository's own errors, if it has any now, are another test's business.
    expect(stdout.split('\n').filter((text) => /^server\/(brokers|exchange)\/|^contract\//.test(text))).toEqual([]);
  }, 120_000);
});

describe('the gateway with it', () => {
  it('supports eleven, connects to it and passes its test, six of six', async () => {
    expect(await call('GET', '/broker/supported')).toEqual({ success: true, brokers: [...brokerIds, 'eleventh'], count: 11 });
    expect(await call('GET', '/')).toMatchObject({ broker: 'eleventh', status: 'ready' });
    expect(await call('POST', '/broker/connect?broker=eleventh')).toMatchObject({ success: true, broker: 'eleventh' });
    expect(await call('POST', '/broker/test/eleventh')).toMatchObject({ status: 'PASSED', passed: 6, failed: 0, total: 6 });
  });
  it('still has the ten', async () => {
    expect(await call('POST', '/broker/test/kotak')).toMatchObject({ status: 'PASSED', passed: 6 });
  });
  it('fills MARKET and LIMIT, rests, modifies, finds and cancels', async () => {
    const market = await place({ idempotency_key: 'market' });
    expect(market).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10 });
    const price = market.avg_fill_price;
    expect(price).toBeGreaterThan(0);
    expect(await place({ idempotency_key: 'second' })).toMatchObject({ status: 'BLOCKED' });
    const sold = await place({ transaction_type: 'SELL', order_type: 'LIMIT', price: Math.round(price * 0.97) });
    expect(sold).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10 });
    expect(sold.avg_fill_price).toBeGreaterThan(0);

    const low = Math.round(price * 0.95);
    const resting = await place({ order_type: 'LIMIT', price: low });
    expect(resting).toMatchObject({ success: true, fill_status: 'PENDING', filled_quantity: 0 });
    const { order_id } = resting;
    const found = () => call('GET', `/broker/orders/${order_id}`);
    expect(await call('POST', '/broker/orders/modify', { order_id, price: low + 1, quantity: 12 })).toMatchObject({ success: true });
    await expect.poll(found).toMatchObject({ success: true, data: { order_id, count: 12, price: String(low + 1), state: 'resting' } });
    expect(await call('POST', '/broker/orders/cancel', { order_id })).toMatchObject({ success: true });
    await expect.poll(found).toMatchObject({ data: { state: 'withdrawn' } });

    const { normalized } = await call('GET', '/broker/tradebook');
    expect(normalized.map((trade: { order_id: string }) => trade.order_id)).toEqual([market.order_id, sold.order_id]);
    const orders = await call('GET', '/broker/orders');
    expect(orders.normalized.find((row: { order_id: string }) => row.order_id === order_id)).toMatchObject({
      status: 'CANCELLED',
      price: low + 1,
    });
  }, 60_000);
  it('says a bad order in its own field names', async () => {
    const refused = await place({ symbol: 'INFY', product_type: 'MTF' });
    expect(refused).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('product_type') });
  });
});
