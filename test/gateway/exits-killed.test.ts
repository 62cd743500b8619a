import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { OrderRow, PositionRow } from '../../contract/rows.ts';
import { systemClock } from '../../server/clock.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type GatewayProcess, startProcess } from '../support/process.ts';
import { trialsOf } from '../support/proven.ts';

const symbols = ['SBIN', 'INFY', 'TCS', 'ITC', 'WIPRO', 'ONGC'];
const QUANTITY = 10;
/** Moments of an exit at which the process is killed, ms after the request; an exit of six takes some 300 to 900. */
const kills = Array.from({ length: trialsOf(1, 12) }, (_, index) => 180 + index * 60);

let database: TestDatabase;
let dataDir: string;
let running: GatewayProcess | null = null;
beforeEach(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'exits-killed-'));
});
afterEach(async () => {
  await running?.killTree();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<GatewayProcess> {
  running = await startProcess({ DATA_DIR: dataDir, DATABASE_URL: database.url, PRACTICE_LIMITS: 'off', OPS_PORT: '0' });
  return running;
}

async function call({ url, token }: GatewayProcess, method: string, path: string, body?: object): Promise<ReturnType<typeof JSON.parse>> {
  const headers = { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) };
  const response = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return await response.json();
}

it.each(kills)(
  'killed %i ms into an exit of all, the same request goes on and sends nothing twice',
  async (afterMs) => {
    let gateway = await start();
    for (const symbol of symbols) {
      const { instruments } = await call(gateway, 'GET', `/broker/instruments?q=${symbol}&exchange=NSE&kind=EQ`);
      const token = instruments?.find((one: { symbol: string }) => one.symbol === symbol)?.token ?? '';
      const order = {
        symbol,
        token,
        exchange: 'NSE',
        transaction_type: 'BUY',
        order_type: 'MARKET',
        product_type: 'INTRADAY',
        quantity: QUANTITY,
      };
      const bought = await call(gateway, 'POST', '/broker/orders/place', { ...order, idempotency_key: `in ${symbol}` });
      expect(bought.fill_status, JSON.stringify(bought)).toBe('FILLED');
      const price = Math.round(bought.avg_fill_price * 1.03);
      const target = { ...order, transaction_type: 'SELL', order_type: 'LIMIT', price, idempotency_key: `target ${symbol}` };
      expect((await call(gateway, 'POST', '/broker/orders/place', target)).fill_status).toBe('PENDING');
    }
    const exit = { all: true, idempotency_key: 'out' };
    const cut = call(gateway, 'POST', '/broker/exits', exit).catch(() => null);
    await systemClock.sleep(afterMs);
    await gateway.killTree();
    await cut;
    gateway = await start();
    let report = await call(gateway, 'POST', '/broker/exits', exit);
    for (let round = 0; round < 60 && !report.flat; round += 1) {
      await systemClock.sleep(1000);
      report = await call(gateway, 'POST', '/broker/exits', exit);
    }
    expect(report.flat, JSON.stringify(report)).toBe(true);
    expect(await call(gateway, 'POST', '/broker/exits', exit)).toEqual(report);
    const positions: PositionRow[] = (await call(gateway, 'GET', '/broker/positions')).normalized;
    expect(positions.filter(({ net_quantity }) => net_quantity !== 0)).toEqual([]);
    const orders: OrderRow[] = (await call(gateway, 'GET', '/broker/orders')).normalized;
    for (const symbol of symbols) {
      const sold = orders.filter((one) => one.symbol === symbol && one.transaction_type === 'SELL');
      expect(sold.map(({ status, filled_quantity }) => `${status} ${filled_quantity}`).sort()).toEqual([
        'CANCELLED 0',
        `FILLED ${QUANTITY}`,
      ]);
    }
  },
  // Killed between the record and the send, an order's absence takes two minutes to prove.
  300_000,
);
