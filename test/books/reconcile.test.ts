import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCapital } from '../../server/books/capital.ts';
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
  await reconcilePositions(db, who, { ...nothing, positions: [] }, START - 60_000);
  expect(await openCapital(db, who, '100000', START - 50_000)).toBe(true);
});
afterEach(async () => {
  expect(await imbalance(sql)).toEqual([]);
  await lane.close();
  await database.drop();
});

const capital = async () => (await sql`select total_capital, available_capital, deployed_capital, realized_pnl from tsm_capital`)[0];

describe('differences nothing explains', () => {
  it('a row the broker does not hold is closed, without exit price and profit, and its money is free again', async () => {
    await filled(db, {});
    const done = await reconcilePositions(db, who, { ...nothing, positions: [] }, LATER);
    expect(done).toEqual([{ kind: 'closed', exchange: 'NSE', symbol: 'SBIN', style: 'INTRADAY', believed: 10, held: 0 }]);
    const [row] = await sql`select status, exit_reason, exit_price, realized_pnl from tsm_positions`;
    expect(row).toEqual({ status: 'CLOSED', exit_reason: 'NOT_HELD_AT_BROKER', exit_price: null, realized_pnl: null });
    expect(await sql`select quantity, exit_price, realized_pnl, exit_reason from trade_learning`).toEqual([
      { quantity: 10, exit_price: null, realized_pnl: null, exit_reason: 'NOT_HELD_AT_BROKER' },
    ]);
    expect(await capital()).toMatchObject({ total_capital: '100000.0000', available_capital: '100000.0000', deployed_capital: '0.0000' });
    expect(await events(sql, 'position.%')).toEqual([
      { kind: 'position.closed', symbol: 'SBIN', detail: { exchange: 'NSE', style: 'INTRADAY', believed: 10, held: 0 } },
    ]);
  });
  it('a position we do not know is adopted at the average the broker tells', async () => {
    await reconcilePositions(db, who, { ...nothing, positions: [positionRow({ net_quantity: -7, average_price: 801.2345 })] }, LATER);
    expect(await openPositions(sql)).toMatchObject([{ side: 'SELL', qty: 7, entry_price: '801.2345', account: 'AB1234' }]);
    expect(await capital()).toMatchObject({ total_capital: '100000.0000', deployed_capital: '5608.6415' });
    expect(await events(sql, 'position.%')).toMatchObject([{ kind: 'position.adopted', detail: { believed: 0, held: -7 } }]);
  });
  it('one without an average is adopted without a price, and closes without a profit', async () => {
    await reconcilePositions(db, who, { ...nothing, positions: [positionRow({ average_price: null })] }, LATER);
    expect(await openPositions(sql)).toMatchObject([{ qty: 10, entry_price: null }]);
    await filled(db, { transaction_type: 'SELL' }, LATER + 10_000);
    expect(await sql`select status, realized_pnl, exit_price from tsm_positions`).toEqual([
      { status: 'CLOSED', realized_pnl: null, exit_price: '800.0000' },
    ]);
    expect(await capital()).toMatchObject({ realized_pnl: '0.0000', deployed_capital: '0.0000' });
  });
  it('an average of zero is none: what it stands beside is adopted, or grows, without a price', async () => {
    await reconcilePositions(db, who, { ...nothing, positions: [positionRow({ average_price: 0 })] }, LATER);
    expect(await openPositions(sql)).toMatchObject([{ qty: 10, entry_price: null }]);
    await filled(db, { order_id: '1002', symbol: 'INFY', quantity: 10, filled_quantity: 10 });
    const grown = positionRow({ symbol: 'INFY', net_quantity: 12, average_price: 0 });
    await reconcilePositions(db, who, { ...nothing, positions: [positionRow({ average_price: 0 }), grown] }, LATER + 60_000);
    expect(await openPositions(sql)).toMatchObject([
      { symbol: 'INFY', qty: 12, entry_price: null },
      { symbol: 'SBIN', qty: 10, entry_price: null },
    ]);
  });
  it('a quantity is corrected at cost, and what is booked later goes on from there', async () => {
    await filled(db, {});
    await reconcilePositions(db, who, { ...nothing, positions: [positionRow({ net_quantity: 4 })] }, LATER);
    expect(await openPositions(sql)).toMatchObject([{ qty: 4, entry_price: '800.0000' }]);
    expect(await capital()).toMatchObject({ available_capital: '96800.0000', deployed_capital: '3200.0000' });
    // The trades of before come late: they are history, the corrected quantity stands.
    await settleTrades(db, who, [tradeRow({ price: 799 })], LATER + 1000);
    expect(await openPositions(sql)).toMatchObject([{ qty: 4, entry_price: '800.0000' }]);
    expect(await sql`select price, derived, frozen from trade_history`).toEqual([{ price: '799.0000', derived: false, frozen: true }]);
    await filled(db, { order_id: '1002', transaction_type: 'SELL', quantity: 4, filled_quantity: 4, average_price: 810 }, LATER + 20_000);
    expect(await sql`select status, realized_pnl from tsm_positions`).toEqual([{ status: 'CLOSED', realized_pnl: '40.0000' }]);
  });
  it('held the other way: closed, and adopted anew', async () => {
    await filled(db, {});
    const done = await reconcilePositions(db, who, { ...nothing, positions: [positionRow({ net_quantity: -3 })] }, LATER);
    expect(done.map((one) => one.kind)).toEqual(['closed', 'adopted']);
    expect(await openPositions(sql)).toMatchObject([{ side: 'SELL', qty: 3 }]);
  });
});

describe('differences that trades explain', () => {
  it("a close by the broker's own desk has exit price and profit from its trade", async () => {
    await filled(db, {});
    const trades = [
      tradeRow({
        trade_id: '7',
        order_id: 'RMS1',
        transaction_type: 'SELL',
        price: 812.5,
        traded_at: new Date(START + 20_000).toISOString(),
      }),
    ];
    const done = await reconcilePositions(db, who, { ...nothing, positions: [], trades }, LATER);
    expect(done).toMatchObject([{ kind: 'explained', believed: 10, held: 0 }]);
    expect(await sql`select status, exit_price, realized_pnl from tsm_positions`).toEqual([
      { status: 'CLOSED', exit_price: '812.5000', realized_pnl: '125.0000' },
    ]);
    expect(await capital()).toMatchObject({ total_capital: '100125.0000', available_capital: '100125.0000', realized_pnl: '125.0000' });
    const before = await fingerprint(sql);
    expect(await reconcilePositions(db, who, { ...nothing, positions: [], trades }, LATER + 60_000)).toEqual([]);
    expect(await fingerprint(sql)).toBe(before);
  });
  it('trades of places that agree are history, and explain nothing later', async () => {
    await filled(db, {});
    const old = tradeRow({ trade_id: '7', order_id: 'OLD', transaction_type: 'SELL' });
    await reconcilePositions(db, who, { ...nothing, positions: [positionRow()], trades: [old] }, LATER);
    expect(await sql`select position_id, frozen from trade_history where order_id = 'OLD'`).toEqual([{ position_id: null, frozen: true }]);
    const done = await reconcilePositions(db, who, { ...nothing, positions: [], trades: [old] }, LATER + 60_000);
    expect(done.map((one) => one.kind)).toEqual(['closed']);
  });
});

describe('what is left alone', () => {
  it('a row that a fill touched in the last 5 s, and one it closed', async () => {
    await filled(db, {}, LATER - 3000);
    expect(await reconcilePositions(db, who, { ...nothing, positions: [] }, LATER)).toEqual([]);
    await filled(db, { order_id: '1002', transaction_type: 'SELL' }, LATER);
    expect(await reconcilePositions(db, who, { ...nothing, positions: [positionRow()] }, LATER + 4000)).toEqual([]);
    expect(await reconcilePositions(db, who, { ...nothing, positions: [positionRow()] }, LATER + 6000)).toMatchObject([
      { kind: 'adopted' },
    ]);
  });
  it('a symbol with an order of ours whose fate is not known', async () => {
    await sql`insert into idempotency_records (key, state, owner, request_hash, broker, account, trading_day, tag, symbol, token, exchange, side, order_type, product,
      quantity, price, started_at) values ('k:x', 'AMBIGUOUS', 'me', '', 'zerodha', 'AB1234', '2026-11-20', 'tag', 'SBIN', '1', 'NSE', 'BUY', 'MARKET', 'INTRADAY', 10, 0, now())`;
    expect(await reconcilePositions(db, who, { ...nothing, positions: [positionRow()], trades: [tradeRow()] }, LATER)).toEqual([]);
    expect(await sql`select 1 from trade_history`).toHaveLength(0);
    const row = orderRow({ tag: null, filled_quantity: 10, average_price: 800, status: 'FILLED', state: 'FILLED' });
    expect(await syncOrders(db, who, [row], LATER)).toBe(0);
  });
  it("another account's rows", async () => {
    await filled(db, {}, START, { account: 'OTHER' });
    expect(await reconcilePositions(db, who, { ...nothing, positions: [] }, LATER)).toEqual([]);
    expect(await openPositions(sql)).toMatchObject([{ account: 'OTHER', qty: 10 }]);
    // This account holds the same: a place of a broker is one row, and what the other's cost is free again.
    await filled(db, { order_id: '1002' }, LATER);
    expect(await openPositions(sql)).toMatchObject([{ account: 'AB1234', qty: 10 }]);
    expect(await sql`select exit_reason from tsm_positions where status = 'CLOSED'`).toEqual([{ exit_reason: 'ACCOUNT_CHANGED' }]);
  });
  it('shares of earlier days, while the holdings hold them or cannot be read', async () => {
    await filled(db, { product_type: 'DELIVERY' });
    const holding = {
      symbol: 'SBIN',
      token: null,
      exchange: 'NSE',
      isin: null,
      sellable_quantity: 0,
      average_price: null,
      last_price: null,
      pnl: null,
    };
    const truth = { ...nothing, positions: [] };
    expect(await reconcilePositions(db, who, { ...truth, holdings: null }, LATER)).toEqual([]);
    expect(await reconcilePositions(db, who, { ...truth, holdings: [{ ...holding, quantity: 60 }] }, LATER)).toEqual([]);
    expect(await reconcilePositions(db, who, { ...truth, holdings: [{ ...holding, quantity: 6 }] }, LATER)).toMatchObject([
      { kind: 'corrected', believed: 10, held: 6 },
    ]);
    expect(await reconcilePositions(db, who, { ...truth, holdings: [] }, LATER + 60_000)).toMatchObject([{ kind: 'closed', believed: 6 }]);
  });
});

describe('the multiplier of money', () => {
  it("comes from the broker's positions, corrects what was booked without it, and is known from then on", async () => {
    const gold = { symbol: 'GOLDM', exchange: 'MCX', product_type: 'CARRYFORWARD' };
    await filled(db, { ...gold, average_price: 120_000, quantity: 2, filled_quantity: 2 });
    await filled(db, { ...gold, order_id: '1002', transaction_type: 'SELL', average_price: 120_100, quantity: 1, filled_quantity: 1 });
    const positions = [positionRow({ ...gold, net_quantity: 1, multiplier: 10 })];
    const done = await reconcilePositions(db, who, { ...nothing, positions }, LATER);
    expect(done).toMatchObject([{ kind: 'multiplier', believed: 1, held: 10 }]);
    expect(await openPositions(sql)).toMatchObject([{ qty: 1, multiplier: '10.0000', realized_pnl: '1000.0000' }]);
    expect(await capital()).toMatchObject({ deployed_capital: '1200000.0000', realized_pnl: '1000.0000' });
    const before = await fingerprint(sql);
    await reconcilePositions(db, who, { ...nothing, positions }, LATER + 60_000);
    expect(await fingerprint(sql)).toBe(before);
    await filled(
      db,
      { ...gold, order_id: '1003', product_type: 'INTRADAY', average_price: 120_000, quantity: 1, filled_quantity: 1 },
      LATER,
    );
    expect(await openPositions(sql)).toMatchObject([{ multiplier: '10.0000' }, { style: 'INTRADAY', multiplier: '10.0000' }]);
  });
});
