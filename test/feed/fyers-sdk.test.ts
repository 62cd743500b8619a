import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { practiceCredentials } from '../../server/exchange/emulators.ts';
import { type PracticeExchange, startExchange } from '../../server/exchange/host.ts';
import { silentLog } from '../../server/log.ts';

/** The official SDK judges FYERS' sockets: it runs in a process of its own, nothing changed but its base addresses. */
interface Heard {
  event: string;
  value: unknown;
}
let venue: PracticeExchange;
let child: ChildProcessWithoutNullStreams;
let directory: string;
const heard: Heard[] = [];

beforeAll(async () => {
  venue = await startExchange({ ports: 'free', seed: 1, limits: false, clock: systemClock, log: silentLog(), transitMs: [0, 0] });
  directory = await mkdtemp(join(tmpdir(), 'fyers-sdk-'));
  venue.exchange.setPrice('NSE', 'SBIN', '820.5');
  venue.exchange.setPrice('NFO', 'NIFTY26DECFUT', '26115.1');
  venue.exchange.setPrice('CDS', 'USDINR26DECFUT', '89.2025');
  const { APP_ID, ACCESS_TOKEN } = practiceCredentials('fyers');
  const script = new URL('fyers-sdk-child.ts', import.meta.url).pathname;
  child = spawn(process.execPath, [script, venue.urls.fyers?.api ?? '', `${APP_ID}:${ACCESS_TOKEN}`, directory]);
  createInterface(child.stdout).on('line', (line) => {
    if (line.startsWith('@')) heard.push(JSON.parse(line.slice(1)));
  });
}, 30_000);

afterAll(async () => {
  child.kill();
  await venue.close();
  await rm(directory, { recursive: true, force: true });
});

/** Waits until the SDK has told `value` with an event. */
async function told(event: string, value: object): Promise<void> {
  const wanted = () => expect(heard.filter((each) => each.event === event).map((each) => each.value)).toContainEqual(value);
  await expect.poll(() => attempt(wanted), { timeout: 20_000, interval: 50 }).toBe('told');
}

function attempt(check: () => void): string {
  try {
    check();
    return 'told';
  } catch (error) {
    return String(error);
  }
}

const price = (symbol: string, facts: object) => expect.objectContaining({ symbol, type: 'sf', ...facts });

test('signs in and subscribes', { timeout: 60_000 }, async () => {
  for (const type of ['cn', 'sub', 'cp', 'cr']) await told('price', { type, s: 'ok', message: 'successful', code: 200 });
  await told('general', { code: 1605, message: 'Successfully subscribed', s: 'ok' });
});

test('decodes snapshots, full and lite updates to the paisa', { timeout: 60_000 }, async () => {
  const sbin = { ltp: 820.5, bid_price: 820.45, ask_price: 820.55, open_price: 820.5, prev_close_price: 820.5, bid_size: 100 };
  await told('price', price('NSE:SBIN-EQ', sbin));
  await told('price', price('NSE:NIFTY26DECFUT', { ltp: 26115.1, last_traded_qty: 65 }));
  await told('price', price('NSE:USDINR26DECFUT', { ltp: 89.2025 }));
  venue.exchange.setPrice('NSE', 'SBIN', '820.55');
  await told('price', price('NSE:SBIN-EQ', { ltp: 820.55, bid_price: 820.5, tot_buy_qty: 1500 }));
  child.stdin.write('lite\n');
  await told('price', { type: 'lit', s: 'ok', message: 'successful', code: 200 });
  venue.exchange.setPrice('NSE', 'SBIN', '820.6');
  await told('price', price('NSE:SBIN-EQ', { ltp: 820.6 }));
});

test('decodes orders and trades', { timeout: 60_000 }, async () => {
  const order = {
    exchange: 'NSE',
    symbol: 'SBIN',
    side: 'BUY',
    orderType: 'LIMIT',
    price: '821',
    product: 'INTRADAY',
    quantity: 2,
  } as const;
  const placed = venue.exchange.placeByHand('fyers', order);
  const id = placed.ok ? placed.order.orderId : '';
  const facts = { id, symbol: 'NSE:SBIN-EQ', qty: 2, side: 1, type: 1, limitPrice: 821, productType: 'INTRADAY' };
  await told('order', { s: 'ok', orders: expect.objectContaining({ ...facts, status: 4, filledQty: 0 }) });
  await told('order', { s: 'ok', orders: expect.objectContaining({ ...facts, status: 2, filledQty: 2, tradedPrice: 820.65 }) });
  await told('trade', { s: 'ok', trades: expect.objectContaining({ orderNumber: id, tradedQty: 2, tradePrice: 820.65 }) });
  venue.exchange.placeByHand('fyers', { ...order, quantity: 900_000 });
  await told('order', { s: 'ok', orders: expect.objectContaining({ status: 5, message: expect.stringMatching(/^RED:Margin Shortfall/) }) });
});

test('an instrument that is dropped is told of no more', { timeout: 60_000 }, async () => {
  child.stdin.write('drop\n');
  await told('price', { type: 'unsub', s: 'ok', message: 'successful', code: 200 });
  heard.splice(0);
  venue.exchange.setPrice('NSE', 'SBIN', '830');
  venue.exchange.setPrice('NFO', 'NIFTY26DECFUT', '26200');
  await told('price', price('NSE:NIFTY26DECFUT', { ltp: 26200 }));
  expect(heard.map((each) => each.value)).not.toContainEqual(price('NSE:SBIN-EQ', {}));
  expect(heard.filter((each) => /error/i.test(each.event))).toEqual([]);
});
