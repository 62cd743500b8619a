import { describe, expect, it } from 'vitest';
import type { HoldingRow, Listing } from '../../server/brokers/broker.ts';
import { tradedByNumber } from '../../server/brokers/instrument.ts';
import { Core } from './core.ts';
import { restingRecord } from './parts.ts';
import { forever } from './stalled.ts';

const name = { exchange: 'NSE', symbol: 'SBIN', token: null };

async function reads(core: Core, net: number): Promise<void> {
  core.broker.net = net;
  await core.clock.settle(core.account.positions.next('orders'));
}

/** An account that is signed in, with this net read. */
async function signedIn(net: number): Promise<Core> {
  const core = new Core();
  core.orders.wake('session');
  await reads(core, net);
  return core;
}

/** Orders of ours of ten rest on a side, and positions showed six of them before the order book did: six more may be missing, or not. */
async function inDoubt(net: number, side: 'BUY' | 'SELL'): Promise<Core> {
  const core = await signedIn(net);
  core.guardOff = true;
  core.open('process-1');
  core.orders.wake('session');
  await reads(core, net);
  const { place } = core.broker;
  core.broker.place = async (order, tag) => {
    core.broker.book = [core.broker.row(order, tag, { state: 'OPEN', filled_quantity: 0, average_price: null })];
    return { fate: 'accepted', order_id: '1001' };
  };
  await core.place({ transaction_type: side, order_type: 'LIMIT', price: 800 });
  core.broker.place = place;
  await core.clock.pass(10_000);
  await reads(core, net + (side === 'BUY' ? 6 : -6));
  core.broker.book = core.broker.book.map((row) => ({ ...row, filled_quantity: 6, average_price: 800 }));
  await core.clock.settle(core.account.orderBook.next('orders'));
  return core;
}

describe('how much of a position can be reduced', () => {
  const all = { reducible: 6, whole: 6, room: 6, net: null, unknown: 0, working: 0, unresolved: null, unreadable: false };
  it.each([
    ['BUY', 'SELL'],
    ['SELL', 'BUY'],
  ] as const)('is its worse end while a %s may or may not be in it, and nobody can say the net', async (held, side) => {
    const core = await inDoubt(0, held);
    expect(core.orders.standing(core.account, { name, product: 'INTRADAY', side })).toEqual(all);
    expect(core.orders.standing(core.account, { name, product: 'INTRADAY', side: held })).toEqual({
      ...all,
      reducible: 0,
      whole: 0,
      room: 0,
      working: 4,
    });
  });
  it('is nothing where an order whose fate is not known may take more than all of it', async () => {
    const core = await signedIn(10);
    core.broker.place = forever;
    void core.ask({ transaction_type: 'SELL', quantity: 15 });
    await core.clock.pass(100);
    expect(core.orders.standing(core.account, { name, product: 'INTRADAY', side: 'SELL' })).toEqual({
      ...{ ...all, reducible: 0, whole: 0, room: 10, unknown: 15 },
      unresolved: expect.stringMatching(/^the order with tag [a-z0-9]{16} \(SELL 15\)$/),
    });
  });
  it('is what is held for delivery as well, unless the position alone is meant', async () => {
    const core = await signedIn(0);
    const held: HoldingRow = {
      ...{ ...name, token: '779521', isin: null, quantity: 30, sellable_quantity: 30, average_price: null, last_price: null, pnl: null },
    };
    Object.assign(core.broker, { holdings: async (): Promise<Listing<HoldingRow>> => ({ success: true, data: [], normalized: [held] }) });
    await core.clock.settle(core.account.holdings.next('orders'));
    const sale = { name, product: 'DELIVERY', side: 'SELL' };
    const whole = { ...all, reducible: 30, whole: 30, room: 30, net: 0 };
    expect(core.orders.standing(core.account, sale)).toEqual(whole);
    expect(core.orders.standing(core.account, { ...sale, positionAlone: false })).toEqual(whole);
    expect(core.orders.standing(core.account, { ...sale, positionAlone: true })).toEqual({ ...whole, reducible: 0, whole: 0, room: 0 });
  });
});

describe('what the live book holds', () => {
  it.each([
    [0, 'BUY', [6]],
    [0, 'SELL', [-6]],
    [-8, 'BUY', []],
    [8, 'SELL', []],
  ] as const)('is what is sure of it: %i, then six or twelve by a %s, is %o', async (net, side, held) => {
    const core = await inDoubt(net, side);
    expect(core.orders.held(core.account).map((position) => position.net)).toEqual(held);
  });
  it('is no position where an order of ours is open in an instrument that is flat', async () => {
    const core = await signedIn(0);
    core.broker.place = forever;
    void core.ask();
    await core.clock.pass(100);
    expect(core.orders.held(core.account)).toEqual([]);
  });
  it('has the symbol that our records hold it under', async () => {
    const core = new Core();
    Object.assign(core.broker.traits, { tradedBy: tradedByNumber });
    core.orders.wake('session');
    await reads(core, 0);
    core.orders.standing(core.account, { name: { ...name, token: '779521' }, product: 'INTRADAY', side: 'SELL' });
    await core.place({ symbol: 'SBIN-EQ' });
    expect(core.orders.held(core.account)).toEqual([
      { name: { ...name, symbol: 'SBIN-EQ', token: '779521' }, product: 'INTRADAY', net: 10 },
    ]);
  });
  it('is no order at rest that the broker took, before a read shows what became of it', async () => {
    const core = await signedIn(0);
    core.broker.place = async () => ({ fate: 'accepted', order_id: '1001' });
    void core.ask({ order_type: 'LIMIT', price: 800 });
    await core.clock.pass(2000);
    expect(await core.record()).toMatchObject({ state: 'ACCEPTED', orderId: '1001' });
    expect(core.orders.resting(core.account)).toEqual([]);
  });
  it('is no order at rest whose id no record has: nobody could cancel it', async () => {
    const core = new Core();
    core.journal.openRecords = async () => ({ orders: [restingRecord({ orderId: '' }), restingRecord({ orderId: '78' })], positions: [] });
    await core.clock.settle(core.orders.recover());
    expect(core.orders.resting(core.account).map(({ orderId }) => orderId)).toEqual(['78']);
    expect(core.orders.standing(core.account, { name, product: 'INTRADAY', side: 'SELL' })).toMatchObject({ working: 20 });
  });
});
