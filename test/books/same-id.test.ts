import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reconcilePositions } from '../../server/books/reconcile.ts';
import { syncOrders } from '../../server/books/sync-orders.ts';
import { settleTrades } from '../../server/books/trades.ts';
import { tradingDay } from '../../server/clock.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Lane, openLane } from './database.ts';
import { events, filled, fingerprint, imbalance, nothing, openPositions, orderRow, positionRow, START, tradeRow, who } from './parts.ts';

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
});
afterEach(async () => {
  expect(await imbalance(sql)).toEqual([]);
  await lane.close();
  await database.drop();
});

const DAY_MS = 86_400_000;
const NEXT = START + DAY_MS;
const TODAY = tradingDay(START);
const TOMORROW = tradingDay(NEXT);
const iso = (at: number) => new Date(at).toISOString();
const placedOn = (at: number) => ({ placed_at: iso(at) });
const done = { filled_quantity: 10, average_price: 800, status: 'FILLED', state: 'FILLED' } as const;
const resting = { filled_quantity: 0, average_price: null, status: 'PLACED' } as const;
const newer = { filled_quantity: 10, average_price: 805, status: 'FILLED', state: 'FILLED', ...placedOn(NEXT) } as const;

const records = () => sql`
  select d.trading_day as day, o.status, o.filled_quantity as filled, o.avg_price as average, d.external
  from tsm_orders o join order_details d using (broker, order_id, created_at) where o.order_id = '1001' order by 1`;
const trades = () => sql`select trading_day as day, trade_id, quantity, derived from trade_history order by id`;
const ours = { external: false };
const theirs = { external: true };

describe('an order id that comes again the next day', () => {
  it('is an order of its own: both fill', async () => {
    await filled(db, {});
    await filled(db, { average_price: 805 }, NEXT);
    expect(await records()).toEqual([
      { day: TODAY, status: 'FILLED', filled: 10, average: '800.0000', ...ours },
      { day: TOMORROW, status: 'FILLED', filled: 10, average: '805.0000', ...ours },
    ]);
    expect(await openPositions(sql)).toMatchObject([{ qty: 20, entry_price: '802.5000' }]);
    expect(await trades()).toMatchObject([
      { day: TODAY, trade_id: '1001:10' },
      { day: TOMORROW, trade_id: '1001:10' },
    ]);
  });
  it('is filled and cancelled by the book of its day alone', async () => {
    await filled(db, { ...resting, filled_quantity: 4, average_price: 799, status: 'PARTIALLY_FILLED' });
    await filled(db, resting, NEXT);
    const cancelled = { filled_quantity: 3, average_price: 805, status: 'CANCELLED', state: 'CANCELLED' } as const;
    await syncOrders(db, who, [orderRow({ ...cancelled, ...placedOn(NEXT) })], NEXT + 1000);
    expect(await records()).toMatchObject([
      { day: TODAY, status: 'UNKNOWN', filled: 4 },
      { day: TOMORROW, status: 'CANCELLED', filled: 3 },
    ]);
    expect(await openPositions(sql)).toMatchObject([{ qty: 7 }]);
    const before = await fingerprint(sql);
    expect(await syncOrders(db, who, [orderRow({ ...cancelled, ...placedOn(NEXT) })], NEXT + 2000)).toBe(0);
    expect(await fingerprint(sql)).toBe(before);
  });
  it('placed elsewhere is recorded beside ours, which was open until then', async () => {
    await filled(db, resting);
    await syncOrders(db, who, [orderRow(newer)], NEXT + 1000);
    expect(await records()).toMatchObject([
      { day: TODAY, status: 'UNKNOWN', filled: 0, ...ours },
      { day: TOMORROW, status: 'FILLED', filled: 10, ...theirs },
    ]);
    expect(await openPositions(sql)).toMatchObject([{ qty: 10, entry_price: '805.0000' }]);
    expect(await events(sql, 'order.external')).toHaveLength(1);
  });
  it('is ours although one placed elsewhere had it the day before', async () => {
    await syncOrders(db, who, [orderRow(done)], START);
    await filled(db, { average_price: 805 }, NEXT);
    expect(await records()).toMatchObject([
      { day: TODAY, ...theirs },
      { day: TOMORROW, ...ours },
    ]);
    expect(await openPositions(sql)).toMatchObject([{ qty: 20 }]);
  });
  it('is not met by what the book still shows of yesterday, nor booked twice for it', async () => {
    await filled(db, {});
    const before = await fingerprint(sql);
    expect(await syncOrders(db, who, [orderRow(done)], NEXT - 9 * 3_600_000)).toBe(0);
    expect(await fingerprint(sql)).toBe(before);
    await filled(db, resting, NEXT);
    expect(await syncOrders(db, who, [orderRow(done)], NEXT + 1000)).toBe(0);
    await syncOrders(db, who, [orderRow(done), orderRow(newer)], NEXT + 2000);
    expect(await records()).toMatchObject([{ average: '800.0000' }, { filled: 10, average: '805.0000' }]);
  });
  it('goes by the newest record where rows have no time: nothing is booked twice', async () => {
    await filled(db, {});
    const timeless = orderRow({ ...done, placed_at: null });
    expect(await syncOrders(db, who, [timeless], NEXT)).toBe(0);
    await filled(db, resting, NEXT);
    expect(await syncOrders(db, who, [timeless], NEXT + 1000)).toBe(1);
    expect(await records()).toMatchObject([{ filled: 10 }, { filled: 10 }]);
  });
});

describe('the trades of an order id that comes again', () => {
  const first = [tradeRow({ quantity: 10, price: 800.5 })];
  const second = [tradeRow({ quantity: 10, price: 805.5, traded_at: iso(NEXT + 1000) })];

  it('under the same trade ids take the place of the fill of their own day', async () => {
    await filled(db, {});
    expect(await settleTrades(db, who, first, START + 1000)).toBe(1);
    await filled(db, { average_price: 805 }, NEXT);
    expect(await settleTrades(db, who, first, NEXT + 1000)).toBe(0);
    expect(await settleTrades(db, who, second, NEXT + 2000)).toBe(1);
    expect(await trades()).toEqual([
      { day: TODAY, trade_id: '1', quantity: 10, derived: false },
      { day: TOMORROW, trade_id: '1', quantity: 10, derived: false },
    ]);
    expect(await openPositions(sql)).toMatchObject([{ qty: 20, entry_price: '803.0000' }]);
    expect(await settleTrades(db, who, [...first, ...second], NEXT + 3000)).toBe(0);
  });
  it('that nobody recorded again make a difference in positions, and are booked as nobody’s', async () => {
    await filled(db, {});
    await settleTrades(db, who, first, START + 1000);
    expect(await settleTrades(db, who, second, NEXT + 2000)).toBe(0);
    const truth = { ...nothing, positions: [positionRow({ net_quantity: 20 })], trades: second };
    expect(await reconcilePositions(db, who, truth, NEXT + 60_000)).toMatchObject([{ kind: 'explained', believed: 10, held: 20 }]);
    expect(await trades()).toMatchObject([{ day: TODAY }, { day: TOMORROW, trade_id: '1' }]);
    expect(await records()).toMatchObject([{ day: TODAY, filled: 10 }]);
    expect(await reconcilePositions(db, who, truth, NEXT + 120_000)).toEqual([]);
  });
  it('of yesterday without a time are still those of yesterday’s order', async () => {
    await filled(db, {});
    expect(await settleTrades(db, who, [tradeRow({ quantity: 10, price: 800.5, traded_at: null })], NEXT)).toBe(1);
    expect(await trades()).toMatchObject([{ day: TODAY, derived: false }]);
  });
});

describe('an order that waits for a later session', () => {
  // Sent on Friday evening for Monday.
  const evening = START + 10 * 3_600_000;
  const monday = Date.parse('2026-11-23T09:15:00+05:30');
  const MONDAY = '2026-11-23';
  const amo = { key: 'k:amo', tradingDay: MONDAY };

  it('is one order in the book of the evening and in that of its session', async () => {
    await filled(db, resting, evening, {}, amo);
    const waiting = orderRow({ variety: 'AMO', ...placedOn(evening + 400) });
    expect(await syncOrders(db, who, [waiting], evening + 5000)).toBe(0);
    // Not in the books of the days between, and not lost for it.
    expect(await syncOrders(db, who, [], evening + DAY_MS)).toBe(0);
    await syncOrders(db, who, [{ ...waiting, ...done }], monday + 60_000);
    expect(await syncOrders(db, who, [{ ...waiting, ...done, ...placedOn(monday) }], monday + 61_000)).toBe(0);
    await settleTrades(db, who, [tradeRow({ traded_at: iso(monday) })], monday + 62_000);
    expect(await records()).toMatchObject([{ day: MONDAY, status: 'FILLED', filled: 10 }]);
    expect(await trades()).toEqual([{ day: MONDAY, trade_id: '1', quantity: 10, derived: false }]);
  });
  it('stands beside an order of the day under the same id', async () => {
    await filled(db, {});
    await filled(db, resting, evening, {}, amo);
    const day = orderRow(done);
    const waiting = orderRow(placedOn(evening + 400));
    expect(await syncOrders(db, who, [waiting, day], evening + 5000)).toBe(0);
    expect(await settleTrades(db, who, [tradeRow()], evening + 6000)).toBe(1);
    expect(await records()).toMatchObject([
      { day: TODAY, filled: 10 },
      { day: MONDAY, filled: 0, status: 'PLACED' },
    ]);
  });
  it('placed elsewhere keeps the day it was placed on, and its fills of the session are its own', async () => {
    const waiting = orderRow({ variety: 'AMO', tag: null, ...placedOn(evening) });
    await syncOrders(db, who, [waiting], evening + 5000);
    await syncOrders(db, who, [{ ...waiting, ...done }], monday + 1000);
    await settleTrades(db, who, [tradeRow({ traded_at: iso(monday) })], monday + 2000);
    expect(await records()).toMatchObject([{ day: TODAY, status: 'FILLED', ...theirs }]);
    expect(await trades()).toMatchObject([{ day: TODAY, derived: false }]);
    expect(await openPositions(sql)).toMatchObject([{ qty: 10 }]);
    const truth = { ...nothing, positions: [positionRow()], trades: [tradeRow({ traded_at: iso(monday) })] };
    expect(await reconcilePositions(db, who, truth, monday + 60_000)).toEqual([]);
    expect(await trades()).toHaveLength(1);
  });
});
