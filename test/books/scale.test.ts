import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OrderRow, PositionRow } from '../../contract/rows.ts';
import { reconcileAccount } from '../../server/books/pass.ts';
import type { Broker } from '../../server/brokers/broker.ts';
import { silentLog } from '../../server/log.ts';
import { manualClock } from '../exchange/manual-clock.ts';
import { accountOf } from '../support/account.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { standInBroker } from '../support/stand-in-broker.ts';
import { type Lane, openLane } from './database.ts';
import { fingerprint, imbalance, orderRow, positionRow, tradeRow } from './parts.ts';

const ORDERS = 1000;
const POSITIONS = 200;
let database: TestDatabase;
let lane: Lane;
beforeAll(async () => {
  database = await createTestDatabase();
  lane = await openLane(database.url);
});
afterAll(async () => {
  await lane.close();
  await database.drop();
});

const clock = manualClock();

function brokerOf(orders: () => OrderRow[], positions: () => PositionRow[]): Broker {
  const listing = <Row>(normalized: Row[]) => Promise.resolve({ success: true as const, data: [], normalized });
  const fills = () => orders().filter((row) => row.filled_quantity > 0);
  const trades = () =>
    fills().map(({ order_id, symbol, filled_quantity, average_price, transaction_type }) =>
      tradeRow({ trade_id: order_id, order_id, symbol, transaction_type, quantity: filled_quantity, price: average_price ?? 0 }),
    );
  return standInBroker({
    orders: () => listing(orders()),
    positions: () => listing(positions()),
    tradebook: () => listing(trades()),
  });
}

it('1,000 open orders and 200 positions that diverged are reconciled in 5 s; the second run writes nothing', async () => {
  const { sql, db } = lane;
  let orders = Array.from({ length: ORDERS }, (_, index) => orderRow({ order_id: `${index}`, symbol: `O${index % 500}` }));
  let positions = Array.from({ length: POSITIONS }, (_, index) => positionRow({ symbol: `P${index}` }));
  const broker = brokerOf(
    () => orders,
    () => positions,
  );
  const account = accountOf(broker, clock);
  const parts = { db, clock, log: silentLog(), mode: 'practice' };
  await reconcileAccount(parts, account);
  expect(await sql`select 1 from tsm_orders where status = 'PLACED'`).toHaveLength(ORDERS);
  expect(await sql`select 1 from tsm_positions where status = 'OPEN'`).toHaveLength(POSITIONS);
  clock.pass(600_000);
  // Every order moved on: filled, partly filled, cancelled. Of the positions a third went, a third changed, and as many came.
  orders = orders.map((row, index) => {
    if (index % 3 === 0) return { ...row, status: 'CANCELLED', state: 'CANCELLED' };
    const filled = index % 3 === 1 ? 10 : 4;
    const state =
      filled === 10 ? ({ status: 'FILLED', state: 'FILLED' } as const) : ({ status: 'PARTIALLY_FILLED', state: 'OPEN' } as const);
    return { ...row, ...state, filled_quantity: filled, average_price: 800 + (index % 7) };
  });
  const filled = Map.groupBy(
    orders.filter((row) => row.filled_quantity > 0),
    (row) => row.symbol,
  );
  const bought = [...filled].map(([symbol, rows]) =>
    positionRow({ symbol, net_quantity: rows.reduce((sum, row) => sum + row.filled_quantity, 0) }),
  );
  const changed = positions.flatMap((row, index) => (index % 3 === 0 ? [] : [{ ...row, net_quantity: index % 3 === 1 ? 10 : -25 }]));
  const come = Array.from({ length: 70 }, (_, index) => positionRow({ symbol: `N${index}`, net_quantity: 5 }));
  positions = [...bought, ...changed, ...come];
  const began = performance.now();
  const corrections = await reconcileAccount(parts, account);
  const tookMs = performance.now() - began;
  console.log(`reconciled ${ORDERS} orders and ${POSITIONS} positions in ${tookMs.toFixed(0)} ms, ${corrections.length} corrections`);
  expect(tookMs).toBeLessThan(5000);
  expect(await sql`select 1 from tsm_orders where status = 'PLACED'`).toHaveLength(0);
  const held = await sql<{ symbol: string; net: number }[]>`
    select symbol, case side when 'BUY' then qty else -qty end as net from tsm_positions where status = 'OPEN' order by symbol`;
  const should = positions.map((row) => ({ symbol: row.symbol, net: row.net_quantity })).sort((a, b) => (a.symbol < b.symbol ? -1 : 1));
  expect(held.map((row) => ({ ...row }))).toEqual(should);
  expect(await sql`select 1 from trade_history where derived`).toHaveLength(0);
  expect(await imbalance(sql)).toEqual([]);
  clock.pass(60_000);
  const before = await fingerprint(sql);
  const again = performance.now();
  expect(await reconcileAccount(parts, account)).toEqual([]);
  console.log(`the second run took ${(performance.now() - again).toFixed(0)} ms`);
  expect(await fingerprint(sql)).toBe(before);
}, 60_000);
