import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { types } from '../../server/db/open.ts';
import { practiceCredentials } from '../../server/exchange/emulators.ts';
import { type PracticeExchange, startExchange } from '../../server/exchange/host.ts';
import { silentLog } from '../../server/log.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { sbin } from '../support/gateway.ts';
import { adminOptions } from '../support/global-setup.ts';
import { type GatewayProcess, startProcess } from '../support/process.ts';
import { orders } from './command.ts';

/** A gateway process in live mode, a PostgreSQL, and an exchange in this process whose ledger and faults are at hand. */
let venue: PracticeExchange;
let database: TestDatabase;
let gateway: GatewayProcess;
let sql: postgres.Sql;
let env: Record<string, string>;
const token = 'a-token-of-this-test-with-more-than-32-characters';

beforeAll(async () => {
  [venue, database] = await Promise.all([
    startExchange({ ports: 'free', seed: 11, limits: false, clock: systemClock, log: silentLog() }),
    createTestDatabase(),
  ]);
  sql = postgres({ ...adminOptions(database.url), types });
  env = {
    GATEWAY_MODE: 'live',
    BROKERS: 'zerodha',
    GATEWAY_TOKEN: token,
    DATABASE_URL: database.url,
    DATA_DIR: tmpdir(),
    ZERODHA_API_URL: venue.urls.zerodha?.api ?? '',
    ...Object.fromEntries(Object.entries(practiceCredentials('zerodha')).map(([name, value]) => [`ZERODHA_${name}`, value])),
  };
  gateway = await startProcess(env);
});
afterAll(async () => {
  await gateway.killTree();
  await sql.end({ timeout: 1 });
  await venue.close();
  await database.drop();
});

const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
const command = (...args: string[]) => orders({ GATEWAY_MODE: 'live', DATABASE_URL: database.url, DATA_DIR: tmpdir() }, ...args);

async function call(path: string, body?: object) {
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
  const response = await fetch(`${gateway.url}${path}`, init);
  return { headers: response.headers, body: await response.json() };
}

const place = (symbol: string, change: object = {}) =>
  call('/broker/orders/place', { ...sbin, symbol, idempotency_key: `of ${symbol}`, ...change });

/** An order that reached the exchange and whose answer was lost, while the order book cannot be read. */
async function placeUnseen(symbol: string): Promise<void> {
  venue.faults.plant({ kind: 'status5xxBefore', operation: 'orders', times: 'always' });
  venue.faults.plant({ kind: 'resetAfterAccept', operation: 'place' });
  const { body } = await place(symbol);
  expect(body).toMatchObject({ success: false, fill_status: 'UNKNOWN' });
}

/** What the exchange holds of a symbol that the gateway sent. */
const atVenue = (symbol: string) => venue.exchange.ledger().orders.filter((order) => order.symbol === symbol && order.tag !== null);

async function booked(symbol: string) {
  const [orderRows, positions, trades, events] = await Promise.all([
    sql`select order_id, status, filled_quantity, avg_price::float8 as price from tsm_orders where symbol = ${symbol}`,
    sql`select side, qty, status, entry_price::float8 as entry from tsm_positions where symbol = ${symbol}`,
    sql`select order_id, quantity, price::float8 as price from trade_history where symbol = ${symbol}`,
    sql`select detail from tsm_events where kind = 'order.settled' and key = ${`k:of ${symbol}`}`,
  ]);
  return { orders: [...orderRows], positions: [...positions], trades: [...trades], settled: events.map((row) => row.detail) };
}

const capital = async () => (await sql`select deployed_capital::float8 as deployed, realized_pnl::float8 as pnl from tsm_capital`)[0];

/** A whole reconciliation that read the order book after now: a hand's order in a symbol of its own shows it. */
async function reconciled(marker: string): Promise<void> {
  venue.faults.clear();
  const order = { exchange: 'NSE', symbol: marker, side: 'BUY', orderType: 'MARKET', product: 'INTRADAY', quantity: 1 } as const;
  venue.exchange.placeByHand('zerodha', order);
  await call('/broker/connect?broker=zerodha', {});
  const booked = () => sql`select 1 as one from tsm_positions where symbol = ${marker}`;
  await expect.poll(booked, { timeout: 60_000, interval: 200 }).toHaveLength(1);
}

describe('an order whose fate nobody can establish', () => {
  it('is settled with its id: caller, records, instrument and events have the truth at once, and a reconciliation changes nothing', async () => {
    await placeUnseen('SBIN');
    const [order] = atVenue('SBIN');
    const listed = await command('list');
    expect(listed).toMatchObject({ code: 0, err: '' });
    for (const part of ['k:of SBIN', 'BUY 10 SBIN on NSE', 'AMBIGUOUS since', order?.tag, '"fill_status":"UNKNOWN"', 'What to do'])
      expect(listed.out).toContain(part);
    expect((await place('SBIN', { idempotency_key: 'another' })).body).toMatchObject({ status: 'BLOCKED' });

    // A caller that asks again is in the look-up, which waits 8 s, when the person speaks.
    const asked = performance.now();
    const waiting = place('SBIN').then((answer) => ({ ...answer, tookMs: performance.now() - asked }));
    const said = ['--filled', '10', '--at', '807.55', '--order', order?.orderId ?? '', '--reason', 'seen in Kite'];
    const settling = command('resolve', 'of SBIN', ...said).then((ended) => ({ ...ended, tookMs: performance.now() - asked }));
    const [answer, settled] = await Promise.all([waiting, settling]);
    expect(settled).toMatchObject({ code: 0, err: '', out: expect.stringContaining(`FILLED, 10 at 807.55; order id ${order?.orderId}`) });
    const truth = { success: true, order_id: order?.orderId, fill_status: 'FILLED', filled_quantity: 10, avg_fill_price: 807.55 };
    // One that came before the end of its wait was answered by the person's word.
    if (settled.tookMs < 8000) expect(answer.body).toMatchObject(truth);
    const replay = await place('SBIN');
    expect(replay.body).toMatchObject(truth);
    expect(replay.headers.get('Order-Resolved-At')).toMatch(/^2\d{3}-/);

    const books = {
      orders: [{ order_id: order?.orderId, status: 'FILLED', filled_quantity: 10, price: 807.55 }],
      positions: [{ side: 'BUY', qty: 10, status: 'OPEN', entry: 807.55 }],
    };
    const now = await booked('SBIN');
    expect(now).toMatchObject({ ...books, trades: [{ order_id: order?.orderId, quantity: 10, price: 807.55 }] });
    expect(now.settled).toEqual([
      {
        kind: 'filled',
        quantity: 10,
        price: 807.55,
        orderId: order?.orderId,
        reason: 'seen in Kite',
        by: expect.stringMatching(/.@./),
        was: 'AMBIGUOUS',
        tag: order?.tag,
      },
    ]);
    expect(await capital()).toEqual({ deployed: 8075.5, pnl: 0 });

    const again = await command('resolve', 'k:of SBIN', '--absent');
    expect(again).toMatchObject({ code: 1, out: '', err: expect.stringContaining('settled already') });
    // The whole position may leave.
    const exit = await place('SBIN', { idempotency_key: 'out', transaction_type: 'SELL', reduce_only: true });
    expect(exit.body).not.toMatchObject({ status: 'BLOCKED' });
    await reconciled('ITC');
    const later = await booked('SBIN');
    expect(later.orders).toHaveLength(2);
    expect(later.orders).toContainEqual(books.orders[0]);
    expect(later.positions).toMatchObject([{ qty: 0, status: 'CLOSED' }]);
    expect(later.trades.map(({ quantity }) => quantity)).toEqual([10, 10]);
    expect(atVenue('SBIN')).toHaveLength(2);
  }, 120_000);

  it('is settled without an id under its tag, which the order book that can be read again does not double', async () => {
    await placeUnseen('INFY');
    const [order] = atVenue('INFY');
    const settled = await command('resolve', 'k:of INFY', '--filled', '10', '--at', '1500');
    expect(settled).toMatchObject({ code: 0, out: expect.stringContaining(`its tag ${order?.tag} stands for its order id`) });
    const before = [await booked('INFY'), await capital()];
    expect(before[0]).toMatchObject({
      orders: [{ order_id: order?.tag, status: 'FILLED' }],
      positions: [{ qty: 10, status: 'OPEN' }],
      trades: [{ order_id: order?.tag, quantity: 10, price: 1500 }],
    });
    await reconciled('WIPRO');
    expect(await booked('INFY')).toEqual(before[0]);
    const events = await sql`select kind from tsm_events where symbol = 'INFY' and (kind like 'position.%' or kind = 'order.external')`;
    expect(events).toEqual([]);
  }, 120_000);

  it('with a candidate is that one, after a kill in between too, and one that is absent leaves no records', async () => {
    const lost = { idempotency_key: 'of TCS' };
    venue.faults.plant({ kind: 'lostRequest', operation: 'place' });
    const placing = place('TCS', lost);
    await expect.poll(() => venue.exchange.ledger().requests.some(({ fault }) => fault === 'lostRequest'), { timeout: 10_000 }).toBe(true);
    const hand = { exchange: 'NSE', symbol: 'TCS', side: 'BUY', orderType: 'MARKET', product: 'INTRADAY', quantity: 10 } as const;
    const placed = venue.exchange.placeByHand('zerodha', hand);
    const id = placed.ok ? placed.order.orderId : '';
    expect((await placing).body).toMatchObject({ fill_status: 'UNKNOWN' });
    await expect.poll(async () => (await command('list')).out, { timeout: 30_000 }).toContain(`may be ${id}`);
    await gateway.killTree();
    expect(await command('resolve', 'of TCS', '--absent')).toMatchObject({ code: 1, err: expect.stringContaining('No gateway runs') });
    gateway = await startProcess(env);
    expect((await command('list')).out).toContain(`may be ${id}`);

    const tooMany = await command('resolve', 'of TCS', '--filled', '11', '--at', '3500');
    expect(tooMany).toMatchObject({ code: 1, err: expect.stringContaining('from 1 to 10') });
    const [sbins] = atVenue('SBIN');
    const taken = await command('resolve', 'of TCS', '--filled', '10', '--at', '3500', '--order', sbins?.orderId ?? '');
    expect(taken).toMatchObject({ code: 1, err: expect.stringContaining('another order of this gateway, under k:of SBIN') });
    const settled = await command('resolve', 'of TCS', '--filled', '10', '--at', '3500.05');
    expect(settled).toMatchObject({ code: 0, out: expect.stringContaining(`order id ${id}`) });
    await reconciled('HDFCBANK');
    const {
      orders: [row],
      positions,
      trades,
    } = await booked('TCS');
    expect([row, positions.length, trades.reduce((sum, { quantity }) => sum + quantity, 0)]).toMatchObject([
      { order_id: id, filled_quantity: 10 },
      1,
      10,
    ]);
    expect(positions).toMatchObject([{ qty: 10, status: 'OPEN' }]);

    venue.faults.plant({ kind: 'lostRequest', operation: 'place' });
    venue.faults.plant({ kind: 'status5xxBefore', operation: 'orders', times: 'always' });
    expect((await place('RELIANCE')).body).toMatchObject({ fill_status: 'UNKNOWN' });
    expect(await command('resolve', 'of RELIANCE', '--absent')).toMatchObject({
      code: 0,
      out: expect.stringContaining('nothing of it was filled'),
    });
    expect((await place('RELIANCE')).body).toMatchObject({ success: false, fill_status: 'REJECTED' });
    expect(await booked('RELIANCE')).toMatchObject({ orders: [], positions: [], trades: [], settled: [{ kind: 'absent' }] });
    // The instrument is free at once; its book cannot be read, so that the new order's fill is not known.
    expect((await place('RELIANCE', { idempotency_key: 'next' })).body).not.toMatchObject({ status: 'BLOCKED' });
    expect(atVenue('RELIANCE')).toHaveLength(1);
  }, 120_000);
});

it('works beside a gateway with its embedded database', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'gateway-orders-'));
  const own = await startProcess({ DATA_DIR: dataDir });
  expect(await orders({ DATA_DIR: dataDir }, 'list')).toMatchObject({ code: 0, out: 'There is no order whose fate is not known.' });
  expect(await orders({ DATA_DIR: dataDir }, 'resolve', 'k:x', '--absent')).toMatchObject({ code: 1, err: 'No order is known under k:x' });
  await own.end('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
}, 60_000);
