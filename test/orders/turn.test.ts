import { describe, expect, it } from 'vitest';
import type { OpenOrderRecord } from '../../server/journal/journal.ts';
import { Core } from './core.ts';
import { orderRow, restingRecord } from './parts.ts';
import { forever, stalled } from './stalled.ts';

describe('an order that only reduces', () => {
  it('leaves while a send stalls and an entry waits behind it', async () => {
    const core = await stalled(10);
    void core.ask({ idempotency_key: 'waits', transaction_type: 'SELL', product_type: 'CARRYFORWARD', quantity: 3 });
    await core.clock.pass(100);
    const began = core.clock.mono();
    expect((await core.place({ transaction_type: 'SELL' })).body.success).toBe(true);
    expect(core.clock.mono()).toBe(began);
    expect(core.broker.sends.map(({ order }) => order.quantity)).toEqual(['1', '10']);
    expect(core.limiter.asked).toEqual(['entry', 'exit']);
  });
  it('leaves beside another one: two partial exits at once both go', async () => {
    const core = await stalled(10);
    const exits = ['a', 'b'].map((idempotency_key) => core.ask({ idempotency_key, transaction_type: 'SELL', quantity: 5 }));
    await core.clock.settle(Promise.all(exits));
    expect(core.broker.sends.map(({ order }) => order.quantity)).toEqual(['1', '5', '5']);
  });
  it('and does not fit beside another one waits as an entry, and is blocked while that one is not known', async () => {
    const core = new Core();
    core.broker.net = 10;
    core.orders.wake('session');
    await core.clock.settle(core.account.positions.next('orders'));
    core.broker.place = forever;
    void core.ask({ idempotency_key: 'a', transaction_type: 'SELL', quantity: 6 });
    const second = await core.place({ idempotency_key: 'b', transaction_type: 'SELL', quantity: 6 });
    expect(second.body).toMatchObject({ success: false, status: 'BLOCKED', message: expect.stringContaining('is not resolved yet') });
    expect(core.broker.sends).toHaveLength(1);
  });
  it('decides after 2 s by what is known when positions hang', async () => {
    const core = await stalled(10);
    core.broker.readPositions = forever;
    const began = core.clock.mono();
    void core.ask({ transaction_type: 'SELL' });
    await core.clock.pass(1999);
    expect(core.broker.sends).toHaveLength(1);
    await core.clock.pass(1);
    expect(core.broker.sends).toHaveLength(2);
    expect(core.clock.mono() - began).toBe(2000);
  });
  it('by the newest positions no more goes back and waits as an entry', async () => {
    const core = await stalled(10);
    core.broker.net = -3;
    const asked = core.ask({ transaction_type: 'SELL' });
    const other = { success: false, message: 'Another order in SBIN is still being placed' };
    expect((await core.clock.settle(asked)).body).toEqual(other);
    expect(core.broker.sends).toHaveLength(1);
  });
  it('once the order beside it has ended, and waits as an entry until then, leaves the queue', async () => {
    const core = await stalled(10);
    const rejected = Promise.withResolvers<void>();
    const { place } = core.broker;
    core.broker.place = async () => {
      core.broker.place = place;
      await rejected.promise;
      return { fate: 'rejected', order_id: '', message: 'Margin' };
    };
    void core.ask({ idempotency_key: 'a', transaction_type: 'SELL', quantity: 6 });
    await core.clock.pass(10);
    void core.ask({ idempotency_key: 'b', transaction_type: 'SELL', quantity: 6 });
    await core.clock.pass(1000);
    expect(core.broker.sends).toHaveLength(2);
    rejected.resolve();
    await core.clock.pass(10);
    expect(core.broker.sends).toHaveLength(3);
  });
});

describe('an entry', () => {
  it('that waits leaves the queue once positions say that it only reduces', async () => {
    const core = await stalled(0);
    void core.ask({ transaction_type: 'SELL' });
    await core.clock.pass(3000);
    expect(core.broker.sends).toHaveLength(1);
    core.broker.net = 10;
    await core.clock.settle(core.account.positions.next('books'));
    await core.clock.pass(100);
    expect(core.broker.sends).toHaveLength(2);
  });
  it('waits 8 s for positions that hang, and is blocked for 5 s then', async () => {
    const core = new Core();
    core.broker.readPositions = forever;
    const began = core.clock.mono();
    const message = expect.stringContaining('could not be read and none is recorded here');
    expect((await core.place()).body).toMatchObject({ status: 'BLOCKED', message });
    expect(core.clock.mono() - began).toBe(8000);
    const record = await core.record();
    expect((record?.expiresAt ?? 0) - (record?.updatedAt ?? 0)).toBe(5000);
  });
  it('is judged on positions that were read after its turn began', async () => {
    const core = new Core();
    const { readPositions } = core.broker;
    core.broker.readPositions = async () => {
      const answer = await readPositions();
      await core.clock.sleep(1000);
      return answer;
    };
    void core.account.positions.next('orders');
    await core.clock.pass(500);
    core.broker.net = 5;
    expect((await core.place()).body).toMatchObject({ status: 'BLOCKED' });
  });
  it('is blocked where a row of its own instrument cannot be read, and no other one is', async () => {
    const core = new Core();
    const row = { row: {}, reason: 'net must be a number', exchange: 'NSE', symbol: 'SBIN', token: null };
    core.broker.readPositions = async () => ({ success: true, data: [], normalized: [], unreadable: [row] });
    expect((await core.place()).body).toMatchObject({ status: 'BLOCKED', message: expect.stringContaining('could not be read') });
    expect((await core.place({ idempotency_key: 'two', symbol: 'INFY' })).body.success).toBe(true);
    expect(core.broker.sends).toHaveLength(1);
  });
});

it('ten entries in one symbol at once are one order and nine blocks', async () => {
  const core = new Core();
  const asks = Array.from({ length: 10 }, (_, index) => core.ask({ idempotency_key: `${index}` }));
  const replies = await core.clock.settle(Promise.all(asks));
  expect(core.broker.sends).toHaveLength(1);
  expect(replies.filter(({ body }) => body.success)).toHaveLength(1);
  expect(replies.filter(({ body }) => 'status' in body && body.status === 'BLOCKED')).toHaveLength(9);
});

describe('reduce_only', () => {
  async function beside(order: Partial<OpenOrderRecord>): Promise<Core> {
    const core = new Core();
    core.broker.net = 10;
    core.journal.openRecords = async () => ({ orders: [restingRecord(order)], positions: [] });
    await core.clock.settle(core.orders.recover());
    core.broker.book = [orderRow({ order_id: '77', tag: null, transaction_type: 'SELL' })];
    return core;
  }
  const ask = { transaction_type: 'SELL', reduce_only: true } as const;
  it('counts what rests, says so, and stores nothing', async () => {
    const core = await beside({});
    const { body, headers } = await core.place(ask);
    expect(body).toMatchObject({ success: false, status: 'BLOCKED', message: expect.stringContaining('with 10 more in SELL orders') });
    expect(headers).toEqual({ 'Retry-After': '1' });
    expect([core.broker.sends, await core.record()]).toEqual([[], null]);
    expect((await core.place({ transaction_type: 'SELL' })).body.success).toBe(true);
  });
  it('counts an order of ours that was just placed and rests', async () => {
    const core = new Core();
    core.broker.net = 10;
    core.broker.place = async (order, tag) => {
      core.broker.book = [core.broker.row(order, tag, { state: 'OPEN', filled_quantity: 0, average_price: null })];
      return { fate: 'accepted', order_id: '1001' };
    };
    const rests = await core.place({ idempotency_key: 'rests', transaction_type: 'SELL', order_type: 'LIMIT', price: 900, quantity: 7 });
    expect(rests.body).toMatchObject({ fill_status: 'PENDING' });
    expect((await core.place(ask)).body).toMatchObject({ message: expect.stringContaining('with 7 more in SELL orders') });
    expect((await core.place({ ...ask, quantity: 3 })).body).not.toHaveProperty('status');
  });
  it('does not count what has ended since: its order book is read before it is refused', async () => {
    const core = await beside({});
    core.broker.book = [orderRow({ order_id: '77', tag: null, transaction_type: 'SELL', state: 'CANCELLED' })];
    expect((await core.place(ask)).body.success).toBe(true);
  });
  it('does not count what rested yesterday and has left the order book', async () => {
    const core = await beside({ tradingDay: '2026-11-19' });
    core.broker.book = [];
    expect((await core.place(ask)).body.success).toBe(true);
  });
  it('reads no order book where nothing stands in its way', async () => {
    const core = await beside({ quantity: 4 });
    expect((await core.place({ ...ask, quantity: 6 })).body.success).toBe(true);
    expect(core.broker.reads).toBe(1);
  });
});
