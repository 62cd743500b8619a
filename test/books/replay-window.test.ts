import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reconcilePositions } from '../../server/books/reconcile.ts';
import { syncOrders } from '../../server/books/sync-orders.ts';
import { settleTrades } from '../../server/books/trades.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { trialsOf } from '../support/proven.ts';
import { type Lane, openLane } from './database.ts';
import { expectedPositions, judgePositions } from './judge.ts';
import { filled, imbalance, nothing, openPositions, orderRow, positionRow, START, tradeRow, who } from './parts.ts';

let database: TestDatabase;
let lane: Lane;
let sql: Lane['sql'];
let db: Lane['db'];
beforeAll(async () => {
  database = await createTestDatabase();
  lane = await openLane(database.url);
  sql = lane.sql;
  db = lane.db;
});
afterAll(async () => {
  await lane.close();
  await database.drop();
});

/** An order of one symbol with its trades; each number is a time between the trade before it and this one, in steps of `stepMs`. */
const order = fc.record({
  /** Against what is held then: round trips, and now and then a flip. */
  against: fc.constantFrom(true, true, true, false),
  trades: fc.array(fc.record({ quantity: fc.integer({ min: 1, max: 2 }), price: fc.integer({ min: 90, max: 110 }) }), {
    minLength: 1,
    maxLength: 3,
  }),
  /** Where in the exchange's day each of its trades falls, beside the trades of its neighbours. */
  spread: fc.integer({ min: 0, max: 3 }),
  /** So many orders later its trades are asked for; the books have its cumulative fill until then. */
  late: fc.constantFrom(0, 0, 0, 1, 2, 5, 30),
  /** Placed elsewhere: booked by a reconciliation. */
  byHand: fc.constantFrom(true, false, false),
  /** So many orders later the gateway hears of its fill. */
  heard: fc.constantFrom(0, 0, 0, 0, 1, 2),
  /** Our clock beside the exchange's when it does, in steps. */
  skew: fc.constantFrom(0, 0, 1, 3, -1, -3),
});
const history = fc.record({ orders: fc.array(order, { minLength: 10, maxLength: 45, size: 'max' }), stepMs: fc.constantFrom(1, 1000) });
type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

interface Fill {
  index: number;
  place: number;
  side: 'BUY' | 'SELL';
  quantity: number;
  price: number;
}

/** The trades of all orders in the exchange's order: an order's later ones fall among those of the orders after it. */
function inMarketOrder({ orders, stepMs }: History) {
  let net = 0;
  const fills = orders.flatMap(({ trades, against, spread }, index) => {
    const side = net > 0 === against ? 'SELL' : 'BUY';
    net += trades.reduce((sum, trade) => sum + trade.quantity, 0) * (side === 'BUY' ? 1 : -1);
    return trades.map((trade, part): Fill => ({ index, place: index + part * spread + index / 1000 + part / 100, side, ...trade }));
  });
  return fills
    .sort((a, b) => a.place - b.place)
    .map((fill, index) => ({ ...fill, id: `${5000 + index}`, at: START + Math.floor(fill.place) * stepMs }));
}

let played = 0;

/** Plays the history into the books of an account of its own; returns the account and what its position rows should be. */
async function play(plan: History) {
  played += 1;
  const account = `RANDOM${played}`;
  const mine = { ...who, account, broker: `broker${played}` };
  const market = inMarketOrder(plan);
  const nameOf = (index: number) => `${played}-${index}`;
  const rowsOf = (asked: (index: number) => boolean) =>
    market
      .filter((fill) => asked(fill.index))
      .map(({ id, index, side, quantity, price, at }) =>
        tradeRow({
          trade_id: id,
          order_id: nameOf(index),
          transaction_type: side,
          quantity,
          price,
          traded_at: new Date(at).toISOString(),
        }),
      );
  const last = plan.orders.length + 40;
  for (let now = 0; now < last; now += 1) {
    for (const [index, { trades, byHand, heard, skew }] of plan.orders.entries()) {
      if (index + heard !== now) continue;
      const quantity = trades.reduce((sum, trade) => sum + trade.quantity, 0);
      const average = trades.reduce((sum, trade) => sum + trade.quantity * trade.price, 0) / quantity;
      const own = market.filter((fill) => fill.index === index);
      const at = Math.max(...own.map((fill) => fill.at)) + skew * plan.stepMs;
      const row = {
        order_id: nameOf(index),
        transaction_type: own[0]?.side ?? 'BUY',
        quantity,
        filled_quantity: quantity,
        average_price: average,
      };
      if (byHand) await syncOrders(db, mine, [orderRow({ ...row, status: 'FILLED', state: 'FILLED' })], at);
      else await filled(db, row, at, mine);
    }
    const toldAt = (index: number) => index + Math.max(plan.orders[index]?.heard ?? 0, plan.orders[index]?.late ?? 0);
    const told = (index: number) => toldAt(index) <= now;
    if (plan.orders.some((_, index) => toldAt(index) === now)) await settleTrades(db, mine, rowsOf(told), START + last * plan.stepMs);
  }
  const names = { exchange: 'NSE', symbol: 'SBIN', product: 'INTRADAY' } as const;
  const trades = market.map(({ id, index, side, quantity, price }) => ({
    ...names,
    tradeId: id,
    orderId: nameOf(index),
    side,
    quantity,
    price: `${price}`,
  }));
  return { account, expected: expectedPositions(trades) };
}

/** So many round trips of one order each way, ten at 100 and 101, closed and with their trades. */
async function roundTrips(mine: typeof who, count: number) {
  const trades = Array.from({ length: count * 2 }, (_, index) => {
    const order_id = `${mine.account}-${index}`;
    const [transaction_type, price] = index % 2 === 0 ? (['BUY', 100] as const) : (['SELL', 101] as const);
    const traded_at = new Date(START + index * 1000).toISOString();
    return tradeRow({ trade_id: `${index}`, order_id, transaction_type, price, traded_at });
  });
  for (const { order_id, transaction_type, price: average_price, traded_at } of trades)
    await filled(db, { order_id, transaction_type, average_price }, Date.parse(traded_at ?? ''), mine);
  await settleTrades(db, mine, trades, START + 60_000);
  return trades;
}

const rowsOf = (mine: typeof who) =>
  sql<{ id: number; realized_pnl: string; written: string }[]>`
    select p.id, p.realized_pnl, p.xmin::text as written from tsm_positions p where p.broker = ${mine.broker} order by p.id`;

describe('a day of round trips in one symbol', () => {
  it('comes out as the exchange traded it, whenever which fills and trades are told', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(history, async (plan) => {
        const { account, expected } = await play(plan);
        expect(await judgePositions(sql, account, expected)).toEqual([]);
        expect(await sql`select 1 from trade_history where account = ${account} and derived`).toHaveLength(0);
      }),
      { numRuns: trialsOf(10, 30), endOnFailure: true },
    );
    expect(await imbalance(sql)).toEqual([]);
  });
  it('is computed from where a change reaches; rows before are neither written nor waited for', async () => {
    const mine = { ...who, account: 'LATE', broker: 'late' };
    const trades = await roundTrips(mine, 10);
    const before = await rowsOf(mine);
    expect(before.map((row) => row.realized_pnl)).toEqual(Array.from({ length: 10 }, () => '10.0000'));
    await filled(db, { order_id: 'LATE-20', average_price: 102 }, START + 30_000, mine);
    await filled(db, { order_id: 'LATE-21', average_price: 103, transaction_type: 'SELL' }, START + 31_000, mine);
    const at = (ms: number) => new Date(START + ms).toISOString();
    const late = [
      // These two were traded before the last round trip's second order.
      tradeRow({ trade_id: '20', order_id: 'LATE-20', price: 102, traded_at: at(18_500) }),
      tradeRow({ trade_id: '21', order_id: 'LATE-21', price: 103, transaction_type: 'SELL', traded_at: at(18_600) }),
    ];
    await sql.begin(async (other) => {
      await other`select 1 from tsm_positions where id in ${sql(before.slice(0, 9).map((row) => row.id))} for update`;
      expect(await settleTrades(db, mine, [...trades, ...late], START + 70_000)).toBe(2);
    });
    const after = await rowsOf(mine);
    expect(after.slice(0, 9)).toEqual(before.slice(0, 9));
    // Bought at 100 and 102, sold at 103 and 101.
    expect(after.slice(9).map((row) => row.realized_pnl)).toEqual(['20.0000']);
  });
  it('takes what no trade confirmed yet in order of time too, however it was heard', async () => {
    const mine = { ...who, account: 'UNSURE', broker: 'unsure' };
    const trades = await roundTrips(mine, 1);
    const sale = { order_id: 'UNSURE-3', average_price: 102, transaction_type: 'SELL' } as const;
    await filled(db, sale, START + 3000, mine);
    await filled(db, { order_id: 'UNSURE-2', average_price: 100 }, START + 500, mine);
    expect(await rowsOf(mine)).toHaveLength(2);
    const last = tradeRow({ ...sale, trade_id: '3', price: 102, traded_at: new Date(START + 3000).toISOString() });
    await settleTrades(db, mine, [...trades, last], START + 70_000);
    expect((await rowsOf(mine)).map((row) => row.realized_pnl)).toEqual(['30.0000']);
  });
  it('goes on from an open row that began before another was closed', async () => {
    const mine = { ...who, account: 'OVERLAP', broker: 'overlap' };
    await roundTrips(mine, 1);
    await filled(db, { order_id: 'OVERLAP-2', average_price: 102 }, START + 500, mine);
    const byHand = { order_id: 'OVERLAP-3', average_price: 110, filled_quantity: 10, status: 'FILLED', state: 'FILLED' } as const;
    await syncOrders(db, mine, [orderRow(byHand)], START + 3000);
    expect(await rowsOf(mine)).toHaveLength(1);
    // Twenty at 101, half of them sold at 101, ten more at 110.
    expect(await openPositions(sql)).toContainEqual(
      expect.objectContaining({ account: 'OVERLAP', qty: 20, entry_price: '105.5000', realized_pnl: '0.0000' }),
    );
  });
  it('takes what comes into the midst of what no trade confirmed yet', async () => {
    const mine = { ...who, account: 'MIDST', broker: 'midst' };
    await filled(db, { order_id: 'MIDST-3', average_price: 102, transaction_type: 'SELL' }, START + 3000, mine);
    await filled(db, { order_id: 'MIDST-1', average_price: 100 }, START + 500, mine);
    await filled(db, { order_id: 'MIDST-2', average_price: 104 }, START + 2000, mine);
    const midst = tradeRow({ order_id: 'MIDST-2', price: 104, traded_at: new Date(START + 2000).toISOString() });
    await settleTrades(db, mine, [midst], START + 70_000);
    // Twenty at 102 on average, ten of them sold at 102.
    expect(await openPositions(sql)).toContainEqual(
      expect.objectContaining({ account: 'MIDST', qty: 10, entry_price: '102.0000', realized_pnl: '0.0000' }),
    );
    expect(await rowsOf(mine)).toHaveLength(1);
  });
  it('is computed anew as a whole when its multiplier proves to be another', async () => {
    const mine = { ...who, account: 'LOTS', broker: 'lots' };
    await roundTrips(mine, 3);
    const positions = [positionRow({ net_quantity: 0, multiplier: 25 })];
    await reconcilePositions(db, mine, { ...nothing, positions }, START + 70_000);
    expect((await rowsOf(mine)).map((row) => row.realized_pnl)).toEqual(['250.0000', '250.0000', '250.0000']);
    expect(await imbalance(sql)).toEqual([]);
  });
});
