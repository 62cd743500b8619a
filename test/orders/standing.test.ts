import { beforeEach, describe, expect, it } from 'vitest';
import type { PlaceOrderRequest } from '../../contract/orders.ts';
import { Core } from './core.ts';
import { orderRow } from './parts.ts';
import { forever } from './stalled.ts';

const name = { exchange: 'NSE', symbol: 'SBIN', token: null };
const long = { name, product: 'INTRADAY', side: 'SELL' };

let core: Core;
const standing = (change: Partial<typeof long> = {}) => core.orders.standing(core.account, { ...long, ...change });
const ask = (key: string, change: Partial<PlaceOrderRequest>) => core.ask({ idempotency_key: key, ...change });
async function reads(net: number): Promise<void> {
  core.broker.net = net;
  await core.clock.settle(core.account.positions.next('orders'));
}
/** An order of ours that rests. */
async function rests(key: string, quantity: number, change: Partial<PlaceOrderRequest> = {}): Promise<void> {
  const { place } = core.broker;
  core.broker.place = async (order, tag) => {
    const row = core.broker.row(order, tag, { state: 'OPEN', filled_quantity: 0, average_price: null, order_id: key });
    core.broker.book = [...core.broker.book, row];
    return { fate: 'accepted', order_id: key };
  };
  await core.place({ idempotency_key: key, transaction_type: 'SELL', order_type: 'LIMIT', price: 900, quantity, ...change });
  core.broker.place = place;
}

beforeEach(async () => {
  core = new Core();
  core.orders.wake('session');
  await reads(10);
});

describe('how much of a position can be reduced', () => {
  const all = { reducible: 10, whole: 10, room: 10, net: 10, unknown: 0, working: 0, unresolved: null, unreadable: false };
  it('is all of it where nothing of ours is open, on its own side alone', async () => {
    expect(standing()).toEqual(all);
    expect(standing({ side: 'BUY' })).toEqual({ ...all, reducible: 0, whole: 0, room: 0 });
    expect(standing({ product: 'DELIVERY' })).toMatchObject({ reducible: 0, net: 0 });
    await reads(-4);
    expect(standing({ side: 'BUY' })).toEqual({ ...all, reducible: 4, whole: 4, room: 4, net: -4 });
    expect(standing()).toMatchObject({ reducible: 0, room: 0, net: -4 });
  });
  it('is less what rests on that side, until that is cancelled', async () => {
    await rests('77', 3);
    expect(standing()).toEqual({ ...all, reducible: 7, working: 3 });
    await rests('78', 9);
    expect(standing()).toEqual({ ...all, reducible: 0, working: 12 });
  });
  it('is less what is not known, and nobody can say the net', async () => {
    core.broker.place = forever;
    void ask('one', { transaction_type: 'SELL', quantity: 4 });
    await core.clock.pass(100);
    const { unresolved, ...rest } = standing();
    expect(rest).toMatchObject({ reducible: 6, whole: 6, room: 10, net: null, unknown: 4, working: 0 });
    expect(unresolved).toContain('SELL 4');
    expect(standing({ product: 'DELIVERY' })).toMatchObject({ unknown: 0, unresolved: null });
  });
  it('says whether a row that may be its own cannot be read', async () => {
    const { readPositions } = core.broker;
    core.broker.readPositions = async () => {
      const read = await readPositions();
      return { ...read, unreadable: [{ row: {}, reason: 'net', exchange: 'NSE', symbol: 'SBIN', token: null }] };
    };
    await reads(10);
    expect(standing()).toMatchObject({ unreadable: true, room: 10 });
  });
  it('is less what an order placed elsewhere filled since positions were read', async () => {
    const row = orderRow({ order_id: '99', tag: null, transaction_type: 'SELL', state: 'OPEN', filled_quantity: 0 });
    core.broker.book = [row];
    await core.clock.settle(core.account.orderBook.next('orders'));
    core.broker.book = [{ ...row, filled_quantity: 4 }];
    await core.clock.settle(core.account.orderBook.next('orders'));
    expect(standing()).toMatchObject({ reducible: 6, whole: 6, room: 6, net: null });
  });
});

describe('what the live book holds', () => {
  it('is each open position, long or short, by the name our records have', async () => {
    expect(core.orders.held(core.account)).toEqual([{ name: { ...name, token: '779521' }, product: 'INTRADAY', net: 10 }]);
    await reads(-3);
    expect(core.orders.held(core.account)).toMatchObject([{ net: -3 }]);
    await reads(0);
    expect(core.orders.held(core.account)).toEqual([]);
  });
  it('is each order of ours at rest, as it stands', async () => {
    expect(core.orders.resting(core.account)).toEqual([]);
    await rests('77', 3);
    const order = { orderId: '77', product: 'INTRADAY', side: 'SELL', orderType: 'LIMIT', price: '900', quantity: 3, filled: 0 };
    expect(core.orders.resting(core.account)).toEqual([{ ...order, name: expect.objectContaining({ exchange: 'NSE', symbol: 'SBIN' }) }]);
    core.broker.book = core.broker.book.map((row) => ({ ...row, filled_quantity: 1 }));
    await core.clock.settle(core.account.orderBook.next('orders'));
    expect(core.orders.resting(core.account)).toMatchObject([{ orderId: '77', filled: 1 }]);
    core.broker.book = core.broker.book.map((row) => ({ ...row, filled_quantity: 3, state: 'FILLED' as const }));
    await core.clock.settle(core.account.orderBook.next('orders'));
    expect(core.orders.resting(core.account)).toEqual([]);
  });
  it('is no order whose fate is not known', async () => {
    core.broker.place = forever;
    void ask('one', { transaction_type: 'SELL' });
    await core.clock.pass(100);
    expect(core.orders.resting(core.account)).toEqual([]);
  });
  it('counts an order of another hand once it is told of it, and once alone', async () => {
    const elsewhere = { name, orderId: '55', product: 'INTRADAY', side: 'SELL', quantity: 6, filled: 1 };
    core.orders.countElsewhere(core.account, elsewhere);
    core.orders.countElsewhere(core.account, { ...elsewhere, quantity: 9 });
    expect(standing()).toMatchObject({ reducible: 5, working: 5 });
    const { orderId, product, side, quantity, filled } = elsewhere;
    expect(core.orders.resting(core.account)).toEqual([
      { name: expect.anything(), orderId, product, side, orderType: null, price: null, quantity, filled },
    ]);
    // Its fill is known before positions show it.
    core.broker.book = [orderRow({ order_id: '55', tag: null, transaction_type: 'SELL', quantity: 6, filled_quantity: 3, state: 'OPEN' })];
    await core.clock.settle(core.account.orderBook.next('orders'));
    expect(standing()).toMatchObject({ room: 8, working: 3 });
  });
  it('tells every spelling of one instrument by one key', () => {
    const keys = [name, { ...name, symbol: 'sbin' }, { ...name, symbol: 'INFY' }].map((one) =>
      core.orders.instrumentKey(core.account, one),
    );
    expect(keys[0]).toBe(keys[1]);
    expect(keys[0]).not.toBe(keys[2]);
  });
});
