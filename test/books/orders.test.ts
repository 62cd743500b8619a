import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { watchedInstruments } from '../../server/books/open-positions.ts';
import { reconcilePositions } from '../../server/books/reconcile.ts';
import { syncOrders } from '../../server/books/sync-orders.ts';
import { settleTrades } from '../../server/books/trades.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Lane, openLane } from './database.ts';
import {
  events,
  filled,
  fingerprint,
  imbalance,
  LATER,
  nothing,
  openPositions,
  orderRow,
  positionRow,
  START,
  tradeRow,
  who,
} from './parts.ts';

let database: TestDatabase;
let lane: Lane;
let sql: Lane['sql'];
let db: Lane['db'];
beforeEach(async () => {
  database = await createTestDatabase();
  lane = await openLane(database.url);
  sql = lane.sql;
  db = lane.db;
});
afterEach(async () => {
  expect(await imbalance(sql)).toEqual([]);
  await lane.close();
  await database.drop();
});

const order = async () => (await sql`select status, filled_quantity, avg_price, quantity from tsm_orders where order_id = '1001'`)[0];
const placed = (at = START) => filled(db, { filled_quantity: 0, average_price: null, status: 'PLACED' }, at);
const done = { filled_quantity: 10, average_price: 800, status: 'FILLED', state: 'FILLED' } as const;

describe('an order of ours', () => {
  it('is followed through partial fills to its final state', async () => {
    await placed();
    await syncOrders(db, who, [orderRow({ filled_quantity: 4, average_price: 799.5, status: 'PARTIALLY_FILLED' })], START + 1000);
    expect(await order()).toMatchObject({ status: 'PARTIALLY_FILLED', filled_quantity: 4, avg_price: '799.5000' });
    expect(await openPositions(sql)).toMatchObject([{ qty: 4, entry_price: '799.5000' }]);
    const last = orderRow({ filled_quantity: 6, average_price: 799.6, status: 'CANCELLED', state: 'CANCELLED' });
    expect(await syncOrders(db, who, [last], START + 2000)).toBe(1);
    expect(await order()).toMatchObject({ status: 'CANCELLED', filled_quantity: 6 });
    expect(await openPositions(sql)).toMatchObject([{ qty: 6, entry_price: '799.6000' }]);
    const before = await fingerprint(sql);
    expect(await syncOrders(db, who, [last], START + 3000)).toBe(0);
    expect(await fingerprint(sql)).toBe(before);
  });
  it('that is over has the reason the broker tells, the first it tells, also when it comes later', async () => {
    const reason = async () => (await sql`select status, reason from tsm_orders where order_id = '1001'`)[0];
    await placed();
    const rejected = { status: 'REJECTED', state: 'REJECTED' } as const;
    await syncOrders(db, who, [orderRow({ status_message: 'being validated' })], START + 1000);
    expect(await reason()).toEqual({ status: 'PLACED', reason: null });
    expect(await syncOrders(db, who, [orderRow(rejected)], START + 2000)).toBe(1);
    expect(await reason()).toEqual({ status: 'REJECTED', reason: null });
    const row = orderRow({ ...rejected, status_message: ' 16387:\0 Security not allowed \ud800' });
    expect(await syncOrders(db, who, [row], START + 3000)).toBe(1);
    expect(await reason()).toEqual({ status: 'REJECTED', reason: '16387: Security not allowed \ufffd' });
    expect(await syncOrders(db, who, [{ ...row, status_message: 'other words' }], START + 4000)).toBe(0);
  });
  it('that the exchange cancels has its words, and so has one placed elsewhere', async () => {
    await filled(db, { filled_quantity: 4, status: 'PARTIALLY_FILLED' });
    const cancelled = { status: 'CANCELLED', state: 'CANCELLED', status_message: 'Cancelled by the exchange' } as const;
    const theirs = orderRow({ order_id: '7', ...cancelled, status_message: 'a'.repeat(5000) });
    await syncOrders(db, who, [orderRow({ ...cancelled, filled_quantity: 4, average_price: 800 }), theirs], START + 1000);
    expect(await sql`select order_id, length(reason), left(reason, 9) as words from tsm_orders order by order_id`).toEqual([
      { order_id: '1001', length: 25, words: 'Cancelled' },
      { order_id: '7', length: 1000, words: 'aaaaaaaaa' },
    ]);
  });
  it('keeps the strategy with the position, whichever order proves to have opened it', async () => {
    const at = (order_id: string, ms: number, strategy: string | null, filled_quantity = 0) =>
      filled(
        db,
        { order_id, filled_quantity, status: filled_quantity ? 'FILLED' : 'PLACED', average_price: filled_quantity ? 800 : null },
        START + ms,
        {},
        { strategy, aiConfidence: strategy && '0.5' },
      );
    const opener = async () => (await sql`select entry_order_id, strategy, ai_confidence from tsm_positions where status = 'OPEN'`)[0];
    await at('1', 0, 'first');
    await at('2', 1, 'second');
    await syncOrders(db, who, [orderRow({ ...done, order_id: '2' })], START + 1000);
    expect(await opener()).toEqual({ entry_order_id: '2', strategy: 'second', ai_confidence: '0.5000' });
    await syncOrders(
      db,
      who,
      [1, 2].map((id) => orderRow({ ...done, order_id: String(id) })),
      START + 2000,
    );
    const traded = (order_id: string, ms: number) =>
      tradeRow({ trade_id: order_id, order_id, traded_at: new Date(START + ms).toISOString() });
    await settleTrades(db, who, [traded('1', 10), traded('2', 20)], START + 3000);
    expect(await opener()).toEqual({ entry_order_id: '1', strategy: 'first', ai_confidence: '0.5000' });
  });
  it('whose instrument only the broker names opens a position with the token its rows tell', async () => {
    await filled(db, { filled_quantity: 0, average_price: null, status: 'PLACED', token: null });
    await filled(db, { order_id: '1002', symbol: 'INFY', filled_quantity: 0, average_price: null, status: 'PLACED', token: null });
    expect(await watchedInstruments(db, who)).toMatchObject([{ token: null }, { token: null }]);
    await syncOrders(db, who, [orderRow({ ...done, token: '779521' })], START + 1000);
    await filled(db, { order_id: '1002', symbol: 'INFY', token: '408065' }, START + 1000);
    // What the next step does not know takes nothing away.
    await filled(db, { order_id: '1002', symbol: 'INFY', token: null }, START + 2000);
    expect(await watchedInstruments(db, who)).toEqual([
      { exchange: 'NSE', symbol: 'INFY', token: '408065' },
      { exchange: 'NSE', symbol: 'SBIN', token: '779521' },
    ]);
    expect(await sql`select token from order_details where order_id = '1002'`).toEqual([{ token: '408065' }]);
  });
  it('whose average comes late is booked when it comes, and stays open until then', async () => {
    await placed();
    await filled(db, { ...done, average_price: null });
    await syncOrders(db, who, [orderRow({ ...done, average_price: null })], START + 1000);
    expect(await order()).toMatchObject({ status: 'PLACED', filled_quantity: 0 });
    expect(await openPositions(sql)).toHaveLength(0);
    await syncOrders(db, who, [orderRow(done)], START + 9000);
    expect(await order()).toMatchObject({ status: 'FILLED', filled_quantity: 10 });
    expect(await openPositions(sql)).toMatchObject([{ qty: 10, entry_price: '800.0000' }]);
  });
  it('whose average never comes is booked from its trades', async () => {
    await placed();
    const row = orderRow({ ...done, average_price: null });
    await syncOrders(db, who, [row], START + 1000);
    await settleTrades(
      db,
      who,
      [tradeRow({ quantity: 4, price: 800 }), tradeRow({ trade_id: '2', quantity: 6, price: 801 })],
      START + 2000,
    );
    expect(await openPositions(sql)).toMatchObject([{ qty: 10, entry_price: '800.6000' }]);
    await syncOrders(db, who, [row], START + 3000);
    expect(await order()).toMatchObject({ status: 'FILLED', filled_quantity: 10, avg_price: '800.6000' });
    expect(await sql`select derived from trade_history`).toEqual([{ derived: false }, { derived: false }]);
  });
  it('follows a modified quantity, and a state that was unknown', async () => {
    await placed();
    await sql`update tsm_orders set status = 'UNKNOWN'`;
    await syncOrders(db, who, [orderRow({ quantity: 25 })], START + 1000);
    expect(await order()).toMatchObject({ status: 'PLACED' });
    await syncOrders(db, who, [orderRow({ quantity: 25 })], START + 2000);
    expect(await order()).toMatchObject({ status: 'PLACED', quantity: 25 });
  });
  it('that left the book with its day ends UNKNOWN; one of today that is not in the book stays open', async () => {
    await placed(START - 86_400_000);
    await filled(db, { order_id: '1002', filled_quantity: 0, average_price: null, status: 'PLACED' });
    expect(await syncOrders(db, who, [], START + 1000)).toBe(1);
    expect(await sql`select order_id, status from tsm_orders order by order_id`).toEqual([
      { order_id: '1001', status: 'UNKNOWN' },
      { order_id: '1002', status: 'PLACED' },
    ]);
  });
});

describe('an order placed elsewhere', () => {
  it('is recorded as external, and its fills are booked', async () => {
    await reconcilePositions(db, who, { ...nothing, positions: [] }, START - 60_000);
    await syncOrders(db, who, [orderRow({ ...done, tag: null })], START);
    expect(await sql`select external, account from order_details`).toEqual([{ external: true, account: 'AB1234' }]);
    expect(await openPositions(sql)).toMatchObject([{ qty: 10 }]);
    expect(await events(sql, 'order.external')).toMatchObject([{ symbol: 'SBIN', detail: { filled: 10, side: 'BUY' } }]);
  });
  it('is no longer external once it proves ours, and is not booked twice', async () => {
    await syncOrders(db, who, [orderRow(done)], START);
    await filled(db, done, START + 5000);
    expect(await sql`select external from order_details`).toEqual([{ external: false }]);
    expect(await openPositions(sql)).toMatchObject([{ qty: 10 }]);
    expect(await sql`select 1 from trade_history`).toHaveLength(1);
  });
  it('that filled before our books began is in the positions adopted then, and is not booked again', async () => {
    await syncOrders(db, who, [orderRow(done)], START, { first: true });
    await reconcilePositions(db, who, { ...nothing, positions: [positionRow()] }, START);
    await settleTrades(db, who, [tradeRow()], START + 1000);
    expect(await openPositions(sql)).toMatchObject([{ qty: 10 }]);
    expect(await sql`select position_id, frozen from trade_history`).toEqual([{ position_id: null, frozen: true }]);
    const before = await fingerprint(sql);
    await settleTrades(db, who, [tradeRow()], START + 2000);
    expect(await fingerprint(sql)).toBe(before);
  });
});

describe("the exchange's own trades", () => {
  it('take the place of the cumulative fill, with their prices and times', async () => {
    await filled(db, { average_price: 800.33 });
    await filled(db, { order_id: '1002', transaction_type: 'SELL', average_price: 802 }, START + 9000);
    expect(await sql`select realized_pnl from tsm_positions`).toEqual([{ realized_pnl: '16.7000' }]);
    const trades = [tradeRow({ quantity: 3, price: 800.1 }), tradeRow({ trade_id: '2', quantity: 7, price: 800.45 })];
    expect(await settleTrades(db, who, trades.slice(0, 1), LATER)).toBe(0);
    expect(await settleTrades(db, who, trades, LATER)).toBe(1);
    expect(await sql`select realized_pnl from tsm_positions`).toEqual([{ realized_pnl: '16.5500' }]);
    expect(await sql`select realized_pnl from trade_learning`).toEqual([{ realized_pnl: '16.5500' }]);
    expect(await sql`select trade_id, derived from trade_history order by id`).toEqual([
      { trade_id: '1002:10', derived: true },
      { trade_id: '1', derived: false },
      { trade_id: '2', derived: false },
    ]);
  });
  it('put fills in their order: a row that was booked as one may prove to be two', async () => {
    await filled(db, {});
    await filled(db, { order_id: '1002', transaction_type: 'SELL', average_price: 802 }, START + 9000);
    const at = (ms: number) => new Date(START + ms).toISOString();
    const sell = { order_id: '1002', transaction_type: 'SELL' };
    await settleTrades(
      db,
      who,
      [
        tradeRow({ quantity: 5, price: 799, traded_at: at(0) }),
        tradeRow({ trade_id: '3', quantity: 5, price: 801, traded_at: at(4000) }),
        tradeRow({ ...sell, trade_id: '2', quantity: 5, price: 801, traded_at: at(2000) }),
        tradeRow({ ...sell, trade_id: '4', quantity: 5, price: 803, traded_at: at(6000) }),
      ],
      LATER,
    );
    expect(await sql`select status, entry_price, exit_price, realized_pnl from tsm_positions order by id`).toEqual([
      { status: 'CLOSED', entry_price: '799.0000', exit_price: '801.0000', realized_pnl: '10.0000' },
      { status: 'CLOSED', entry_price: '801.0000', exit_price: '803.0000', realized_pnl: '10.0000' },
    ]);
    expect(await sql`select 1 from trade_learning`).toHaveLength(2);
  });
});

describe('a flip', () => {
  it('closes the row and opens one the other way, with one trade row', async () => {
    await filled(db, {});
    await filled(db, { order_id: '1002', transaction_type: 'SELL', quantity: 25, filled_quantity: 25, average_price: 810 }, START + 9000);
    expect(await sql`select side, qty, status, realized_pnl, entry_price from tsm_positions order by id`).toEqual([
      { side: 'BUY', qty: 0, status: 'CLOSED', realized_pnl: '100.0000', entry_price: '800.0000' },
      { side: 'SELL', qty: 15, status: 'OPEN', realized_pnl: null, entry_price: '810.0000' },
    ]);
    expect(await sql`select quantity from trade_history order by id`).toEqual([{ quantity: 10 }, { quantity: 25 }]);
  });
});
