import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { createExchange } from '../../server/exchange/exchange.ts';
import type { NewOrder } from '../../server/exchange/types.ts';
import { silentLog } from '../../server/log.ts';
import { fromCache } from '../support/process.ts';
import { manualClock } from './manual-clock.ts';

let dataDir: string;
let ledgerFile: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'exchange-'));
  ledgerFile = join(dataDir, 'practice-ledger.jsonl');
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const order: NewOrder = { exchange: 'NSE', symbol: 'SBIN', side: 'BUY', orderType: 'MARKET', product: 'INTRADAY', quantity: 10, tag: 'a1' };

function reopen(clock = manualClock()) {
  return createExchange({ clock, log: silentLog(), seed: 1, ledgerFile, transitMs: [0, 0] });
}

test('kill -9 loses no order that was answered', async () => {
  for (let round = 0; round < 2; round++) {
    const before = createExchange({ clock: systemClock, log: silentLog(), seed: 1, ledgerFile });
    const known = new Set(before.ledger().orders.map((entry) => entry.orderId));
    before.close();
    const answered = await runAndKill(40 + 57 * round);
    const exchange = createExchange({ clock: systemClock, log: silentLog(), seed: 1, ledgerFile });
    const { orders, trades, placingRequests } = exchange.ledger();
    const ids = orders.map((entry) => entry.orderId);
    expect(answered.length).toBeGreaterThan(20);
    expect(answered.filter((id) => !ids.includes(id))).toEqual([]);
    expect(answered.filter((id) => known.has(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => /^\d{15,19}$/.test(id))).toBe(true);
    // One more may have been taken and not yet answered.
    expect(ids.length - known.size - answered.length).toBeLessThanOrEqual(1);
    expect(placingRequests.zerodha).toBeGreaterThanOrEqual(ids.length);
    expect(new Set(trades.map((trade) => trade.tradeId)).size).toBe(trades.length);
    exchange.close();
  }
}, 30_000);

async function runAndKill(orders: number): Promise<string[]> {
  const child = spawn(process.execPath, [...fromCache, new URL('ledger-child.ts', import.meta.url).pathname, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => {
      said += String(chunk);
      if (said.split('\n').length > orders) child.kill('SIGKILL');
    });
    child.once('close', () => resolve());
  });
  return said.split('\n').slice(0, -1);
}

test('order ids ascend across a restart, also when the clock went back', () => {
  const ids = ['2026-11-20T10:00:00+05:30', '2026-11-20T09:00:00+05:30'].flatMap((start) => {
    const exchange = reopen(manualClock(start));
    for (let count = 0; count < 3; count++) exchange.account('zerodha').place(order);
    const known = exchange.ledger().orders.map((entry) => BigInt(entry.orderId));
    exchange.close();
    return known;
  });
  const [all, ascending] = [ids.slice(3), [...new Set(ids)].toSorted((a, b) => (a < b ? -1 : 1))];
  expect(all).toEqual(ascending);
});

test('a torn last line is cut off and the next record stands on its own line', () => {
  const first = reopen();
  first.account('zerodha').place(order);
  first.close();
  const whole = readFileSync(ledgerFile, 'utf8');
  for (const torn of ['{"kind":"order","order":{"sym', '{', whole.split('\n')[0] ?? '']) {
    appendFileSync(ledgerFile, torn);
    const again = reopen();
    expect(again.ledger().orders).toMatchObject([{ tag: 'a1', status: 'FILLED', filled: 10 }]);
    again.close();
    expect(readFileSync(ledgerFile, 'utf8')).toBe(whole);
  }
});

test('a bad line in the middle stops the start and names its place', () => {
  const first = reopen();
  first.account('zerodha').place(order);
  first.close();
  const [head, ...rest] = readFileSync(ledgerFile, 'utf8').split('\n');
  writeFileSync(ledgerFile, [head, 'not a record', ...rest].join('\n'));
  expect(() => reopen()).toThrow(/practice-ledger\.jsonl:2/);
});

test('what was under way goes on: transit, planned parts, resting orders, positions, tokens, requests', () => {
  const clock = manualClock();
  const first = createExchange({ clock, log: silentLog(), seed: 1, ledgerFile, transitMs: [50, 50] });
  first.setPrice('NSE', 'SBIN', '800');
  const plan = [
    { quantity: 4, afterMs: 0 },
    { quantity: 'rest' as const, afterMs: 1_000 },
  ];
  first.account('zerodha', { plan }).place(order);
  clock.pass(60);
  first.account('zerodha').place({ ...order, orderType: 'LIMIT', price: '750' });
  first.advance();
  first.received('zerodha', 'a1', null);
  first.keepToken('zerodha', 'tok', 5);
  first.close();

  const again = reopen(clock);
  again.setPrice('NSE', 'SBIN', '800');
  expect(again.ledger()).toMatchObject({ orders: [{ filled: 4 }, { status: 'RECEIVED' }], placingRequests: { zerodha: 1 } });
  expect(again.tokenValidUntil('zerodha', 'tok')).toBe(5);
  clock.pass(1_000);
  expect(
    again
      .account('zerodha')
      .orders()
      .map((entry) => entry.state),
  ).toEqual(['FILLED', 'OPEN']);
  expect(again.account('zerodha').positions()).toMatchObject([{ net: 10 }]);
  again.setPrice('NSE', 'SBIN', '749');
  expect(again.account('zerodha').positions()).toMatchObject([{ net: 20 }]);
});
