import type { TransactionSql } from 'postgres';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lockPositions } from '../../server/books/position-rows.ts';
import { syncOrders } from '../../server/books/sync-orders.ts';
import { tradingDay } from '../../server/clock.ts';
import { type Handle, handleOn, handleOnTransaction } from '../../server/db/handle.ts';
import { type Attempt, SupersededError } from '../../server/journal/attempt.ts';
import { PostgresJournal } from '../../server/journal/postgres-journal.ts';
import { attempt } from '../journal/parts.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Lane, openLane } from './database.ts';
import { filled, fingerprint, imbalance, openPositions, orderRow, START, who } from './parts.ts';

let database: TestDatabase;
let lane: Lane;
let other: Lane;
beforeEach(async () => {
  database = await createTestDatabase();
  [lane, other] = [await openLane(database.url), await openLane(database.url)];
});
afterEach(async () => {
  expect(await imbalance(lane.sql)).toEqual([]);
  await Promise.all([lane.close(), other.close()]);
  await database.drop();
});

const key = { exchange: 'NSE', symbol: 'SBIN', style: 'INTRADAY' };
const order = () => lane.sql`select order_id, status, filled_quantity, avg_price from tsm_orders order by order_id`;

/** Somebody whose writes of the position are committed only when `work` has read what stands, and waits to write. */
async function between(work: () => Promise<unknown>, write: (tx: TransactionSql) => Promise<unknown>): Promise<void> {
  let working: Promise<unknown> = Promise.resolve();
  await other.sql.begin(async (tx) => {
    await lockPositions(
      handleOnTransaction(tx, () => undefined),
      who.broker,
      [key],
    );
    await write(tx);
    working = work();
    working.catch(() => undefined);
    await waits();
  });
  await working;
}

async function waits(): Promise<void> {
  const waiting = () => other.sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await waiting()).length === 0) await new Promise((done) => setTimeout(done, 5));
}

it('a position that changes between the read and the write is read again', async () => {
  await filled(lane.db, { order_id: '1' });
  await between(
    () => filled(lane.db, { order_id: '2', transaction_type: 'SELL', quantity: 12, filled_quantity: 12, average_price: 810 }),
    (tx) => tx`
      with moved as (update tsm_positions set qty = 15, updated_at = now() where status = 'OPEN'),
      costed as (update position_details set open_cost = 12000)
      update tsm_capital set deployed_capital = deployed_capital + 4000, available_capital = available_capital - 4000`,
  );
  expect(await openPositions(lane.sql)).toMatchObject([{ side: 'BUY', qty: 3, entry_price: '800.0000', realized_pnl: '120.0000' }]);
});

it('a position that closes between the read and the write is not taken for open', async () => {
  await filled(lane.db, { order_id: '1' });
  await between(
    () => filled(lane.db, { order_id: '2', quantity: 5, filled_quantity: 5, average_price: 810 }),
    (tx) => tx`
      with closed as (update tsm_positions set status = 'CLOSED', closed_at = now() where status = 'OPEN')
      update tsm_capital set deployed_capital = 0, available_capital = available_capital + 8000`,
  );
  expect(await openPositions(lane.sql)).toMatchObject([{ side: 'BUY', qty: 5, entry_price: '810.0000' }]);
});

it('a position that opens between the read and the write is added to', async () => {
  await between(
    () => filled(lane.db, { order_id: '2', quantity: 5, filled_quantity: 5, average_price: 803 }),
    (tx) => tx`
      with opened as (
        insert into tsm_positions (symbol, broker, exchange, style, side, qty, entry_price, status, mode)
        values ('SBIN', ${who.broker}, 'NSE', 'INTRADAY', 'BUY', 10, 800, 'OPEN', 'practice') returning id
      ), detailed as (insert into position_details (position_id, account, open_cost) select id, ${who.account}, 8000 from opened)
      update tsm_capital set deployed_capital = coalesce(deployed_capital, 0) + 8000, available_capital = available_capital - 8000`,
  );
  expect(await openPositions(lane.sql)).toMatchObject([{ side: 'BUY', qty: 15, entry_price: '801.0000' }]);
});

it('a fill waits for whoever computes its position anew', async () => {
  await between(
    () => filled(lane.db, { order_id: '1' }),
    async () => undefined,
  );
  expect(await openPositions(lane.sql)).toMatchObject([{ qty: 10 }]);
});

it('an order that a reconciliation records between the read and the write is booked on from there', async () => {
  await between(
    () => filled(lane.db, { order_id: '7', average_price: 800 }),
    (tx) => tx`
      with recorded as (
        insert into tsm_orders (order_id, broker, symbol, exchange, side, quantity, filled_quantity, avg_price, status, mode)
        values ('7', ${who.broker}, 'SBIN', 'NSE', 'BUY', 10, 4, 790, 'PARTIALLY_FILLED', 'practice') returning created_at
      ), detailed as (
        insert into order_details (broker, order_id, account, trading_day, created_at, external)
        select ${who.broker}, '7', ${who.account}, ${tradingDay(START)}, created_at, true from recorded
      ),
      opened as (
        insert into tsm_positions (symbol, broker, exchange, style, side, qty, entry_price, status, mode)
        values ('SBIN', ${who.broker}, 'NSE', 'INTRADAY', 'BUY', 4, 790, 'OPEN', 'practice') returning id
      ), costed as (insert into position_details (position_id, account, open_cost) select id, ${who.account}, 3160 from opened)
      update tsm_capital set deployed_capital = coalesce(deployed_capital, 0) + 3160, available_capital = available_capital - 3160`,
  );
  expect(await order()).toEqual([{ order_id: '7', status: 'FILLED', filled_quantity: 10, avg_price: '800.0000' }]);
  expect(await lane.sql`select external from order_details`).toEqual([{ external: false }]);
  expect(await openPositions(lane.sql)).toMatchObject([{ qty: 10, entry_price: '800.0000' }]);
  expect(await lane.sql`select quantity from trade_history`).toEqual([{ quantity: 6 }]);
});

it('an order whose fill a reconciliation books between the read and the write is booked once', async () => {
  await filled(lane.db, { order_id: '1001', filled_quantity: 0, average_price: null, status: 'PLACED' });
  await between(
    () => filled(lane.db, { order_id: '1001', average_price: 800 }),
    (tx) => tx`update tsm_orders set status = 'FILLED', filled_quantity = 10, avg_price = 800`,
  );
  expect(await order()).toEqual([{ order_id: '1001', status: 'FILLED', filled_quantity: 10, avg_price: '800.0000' }]);
  expect(await openPositions(lane.sql)).toEqual([]);
  expect(await lane.sql`select quantity from trade_history`).toEqual([]);
});

it('an order that a reconciliation follows at the same time is booked once', async () => {
  await filled(lane.db, { order_id: '1001', filled_quantity: 0, average_price: null, status: 'PLACED' });
  const done = orderRow({ filled_quantity: 10, average_price: 800, status: 'FILLED', state: 'FILLED' });
  await Promise.all([filled(lane.db, { order_id: '1001' }), syncOrders(other.db, who, [done], START + 1000)]);
  expect(await openPositions(lane.sql)).toMatchObject([{ qty: 10, entry_price: '800.0000' }]);
  expect(await lane.sql`select quantity from trade_history`).toEqual([{ quantity: 10 }]);
});

it('fills that meet in one position all count, whatever their order', async () => {
  const sides = ['BUY', 'SELL', 'BUY', 'BUY', 'SELL', 'BUY', 'SELL', 'BUY'] as const;
  const deals = sides.map((transaction_type, index) => ({ order_id: String(index), transaction_type, quantity: 7 + index }));
  await Promise.all(
    deals.map((deal, index) =>
      filled((index % 2 ? lane : other).db, { ...deal, filled_quantity: deal.quantity, average_price: 800 + index }),
    ),
  );
  const net = deals.reduce((sum, deal) => sum + (deal.transaction_type === 'BUY' ? deal.quantity : -deal.quantity), 0);
  expect(await openPositions(lane.sql)).toMatchObject([{ side: 'BUY', qty: net }]);
  expect(await lane.sql`select count(*) from trade_history`).toEqual([{ count: deals.length }]);
});

/** An order of ours that the broker has accepted, and its fill. */
async function accepted(db: Handle): Promise<{ fill(): Promise<Attempt> }> {
  const journal = new PostgresJournal(db, 'practice');
  const sending = attempt({ key: 'k:mine' });
  await journal.begin(sending, { kind: 'order.sending' }, START);
  const orderId = '1001';
  const told = { orderId, status: 'PLACED' as const, filledQuantity: 0, averagePrice: null };
  const standing = await journal.move(sending, 'ACCEPTED', { orderId }, { kind: 'order.accepted' }, START, told);
  const truth = { orderId, status: 'FILLED' as const, filledQuantity: 10, averagePrice: 800 };
  return { fill: () => journal.move(standing, 'DONE', {}, { kind: 'order.done' }, START, truth) };
}

it('an order takes one statement for each of its three steps', async () => {
  let statements = 0;
  const counted = new Proxy(lane.sql, {
    apply: (target, self, given) => {
      statements += 1;
      return Reflect.apply(target, self, given);
    },
    get: (target, name) => {
      if (name === 'unsafe') statements += 1;
      return Reflect.get(target, name);
    },
  });
  const { fill } = await accepted(handleOn(counted));
  await fill();
  expect(statements).toBe(3);
  expect(await openPositions(lane.sql)).toMatchObject([{ side: 'BUY', qty: 10, entry_price: '800.0000' }]);
});

const meanwhile: [what: string, held: boolean, work: () => Promise<unknown>, open: object[], trades: number][] = [
  [
    'opened',
    false,
    () => filled(other.db, { order_id: '7', quantity: 5, filled_quantity: 5, average_price: 830 }),
    [{ qty: 15, entry_price: '810.0000' }],
    2,
  ],
  [
    'added to',
    true,
    () => filled(other.db, { order_id: '7', quantity: 5, filled_quantity: 5, average_price: 825 }),
    [{ qty: 25, entry_price: '805.0000' }],
    3,
  ],
  ['closed', true, () => filled(other.db, { order_id: '7', transaction_type: 'SELL' }), [{ qty: 10, entry_price: '800.0000' }], 3],
  [
    'given the fill itself by a reconciliation',
    true,
    () => syncOrders(other.db, who, [orderRow({ filled_quantity: 10, average_price: 800, status: 'FILLED', state: 'FILLED' })], START),
    [{ qty: 20, entry_price: '800.0000' }],
    2,
  ],
];
it.each(meanwhile)('a position that is %s after an order was accepted is read again for its fill', async (_, held, work, open, trades) => {
  if (held) await filled(lane.db, { order_id: '1' });
  const { fill } = await accepted(lane.db);
  await work();
  expect(await fill()).toMatchObject({ state: 'DONE' });
  expect(await openPositions(lane.sql)).toMatchObject(open);
  expect(await lane.sql`select id from trade_history`).toHaveLength(trades);
  expect(await lane.sql`select status, filled_quantity from tsm_orders where order_id = '1001'`).toEqual([
    { status: 'FILLED', filled_quantity: 10 },
  ]);
});

it('a step of an attempt that another process takes over at this moment books nothing', async () => {
  await filled(lane.db, { order_id: '1' });
  const journal = new PostgresJournal(lane.db, 'practice');
  const mine = attempt({ key: 'k:mine' });
  await journal.begin(mine, { kind: 'order.sending' }, START);
  const truth = { orderId: '2', status: 'FILLED' as const, filledQuantity: 10, averagePrice: 800 };
  const step = () => journal.move(mine, 'DONE', { orderId: '2' }, { kind: 'order.done' }, START, truth);
  const taken = between(step, (tx) => tx`update idempotency_records set owner = 'process-2', epoch = 2 where key = 'k:mine'`);
  await expect(taken).rejects.toThrow(SupersededError);
  expect(await order()).toMatchObject([{ order_id: '1' }]);
  expect(await openPositions(lane.sql)).toMatchObject([{ qty: 10 }]);
  const before = await fingerprint(lane.sql);
  await expect(step()).rejects.toThrow(SupersededError);
  expect(await fingerprint(lane.sql)).toBe(before);
});

it('a step the store refuses books nothing either', async () => {
  await filled(lane.db, { order_id: '1' });
  const journal = new PostgresJournal(lane.db, 'practice');
  const mine = attempt({ key: 'k:mine' });
  await journal.begin(mine, { kind: 'order.sending' }, START);
  const before = await fingerprint(lane.sql);
  const truth = { orderId: '2', status: 'FILLED' as const, filledQuantity: 10, averagePrice: 800 };
  // Another attempt of the day holds this order id.
  await expect(journal.move(mine, 'DONE', { orderId: '1' }, { kind: 'order.done' }, START, truth)).rejects.toThrow(/duplicate key/);
  expect(await fingerprint(lane.sql)).toBe(before);
});
