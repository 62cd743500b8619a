import { describe, expect, it } from 'vitest';
import type { ModifyOrderRequest } from '../../contract/orders.ts';
import { tradedByNumber } from '../../server/brokers/instrument.ts';
import type { Directory } from '../../server/instruments/instruments.ts';
import { Core } from './core.ts';
import { fileOf, sbin } from './directory.ts';
import { orderRow } from './parts.ts';
import { forever } from './stalled.ts';

describe('a modify of an entry whose numbers do not fit its instrument', () => {
  async function resting(net: number, side: 'BUY' | 'SELL' = 'BUY', price = 800): Promise<Core> {
    const core = new Core();
    core.directory = fileOf([sbin]);
    core.broker.net = net;
    const other = orderRow({ order_id: '999', symbol: 'INFY', order_type: 'LIMIT', price: 1, tag: null });
    core.broker.book = [other, orderRow({ order_type: 'LIMIT', price, tag: null, transaction_type: side })];
    core.orders.wake('session');
    await core.clock.settle(Promise.all([core.account.orderBook.next('orders'), core.account.positions.next('orders')]));
    return core;
  }
  const modify = (core: Core, change: Partial<ModifyOrderRequest>) =>
    core.clock.settle(core.orders.modify({ order_id: '1001', variety: 'NORMAL', ...change }));
  it.each([
    [{ quantity: 7 }, 'quantity: 7 is no multiple of the lot of 5 of NSE:SBIN; 5 and 10 are right'],
    [{ quantity: 1005 }, 'quantity: 1005 is above the freeze quantity of 1000 of NSE:SBIN; one order may have 1000'],
    [{ price: 799.99 }, 'price: 799.99 is off the tick of 0.05 of NSE:SBIN; 799.95 and 800 are on it'],
    [{ trigger_price: 799.01 }, 'trigger_price: 799.01 is off the tick of 0.05 of NSE:SBIN; 799 and 799.05 are on it'],
  ])('%o is refused, in words that say what would', async (change, message) => {
    const core = await resting(0);
    expect(await modify(core, change)).toEqual({ success: false, message });
    expect([core.broker.changes, core.limiter.asked, core.journal.events]).toEqual([[], [], []]);
  });
  it('goes where it fits, or names no number', async () => {
    const core = await resting(0);
    expect(await modify(core, { quantity: 15, price: 799.95, trigger_price: 0 })).toMatchObject({ success: true });
    expect(await modify(core, { order_type: 'LIMIT' })).toMatchObject({ success: true });
  });
  it('is not asked of an exit, which goes as it is', async () => {
    const core = await resting(10, 'SELL');
    expect(await modify(core, { quantity: 7, price: 799.99 })).toMatchObject({ success: true });
    expect((core.directory as Directory & { asked: number }).asked).toBe(0);
  });
  it('nor of an order that no book shows, or whose instrument no file names', async () => {
    const unseen = await resting(0);
    expect(await unseen.clock.settle(unseen.orders.modify({ order_id: '5', variety: 'NORMAL', quantity: 7 }))).toMatchObject({
      success: true,
    });
    const unnamed = await resting(0);
    unnamed.directory = fileOf([]);
    expect(await modify(unnamed, { quantity: 7 })).toMatchObject({ success: true });
  });
});

describe('an order whose numbers do not fit its instrument', () => {
  it('is refused with nothing stored, so that it may be mended under the same key', async () => {
    const core = new Core();
    core.directory = fileOf([sbin]);
    const message = 'quantity: 7 is no multiple of the lot of 5 of NSE:SBIN; 5 and 10 are right';
    expect(await core.place({ quantity: 7 })).toEqual({
      ...{ status: 200, headers: {} },
      body: { success: false, message, fill_status: 'REJECTED' },
    });
    expect([core.broker.sends, await core.record()]).toEqual([[], null]);
    expect(core.trail()).toMatchObject([{ kind: 'order.refused', detail: { message } }]);
    expect((await core.place({ quantity: 10 })).body).toMatchObject({ success: true, fill_status: 'FILLED' });
  });
  it('leaves where it only reduces: its broker may know better', async () => {
    const core = new Core();
    core.directory = fileOf([sbin]);
    core.broker.net = 7;
    expect((await core.place({ transaction_type: 'SELL', quantity: 7 })).body).toMatchObject({ success: true });
  });
  it('gives way to the record under its key', async () => {
    const core = new Core();
    core.directory = fileOf([sbin]);
    await core.leave('DONE', { response: '{"success":true,"order_id":"77","fill_status":"FILLED"}' });
    expect((await core.place({ quantity: 7 })).body).toMatchObject({ order_id: '77' });
  });
  it('and is sent in the words of the file', async () => {
    const core = new Core();
    core.directory = fileOf([{ ...sbin, brokerSymbol: 'SBIN-EQ' }]);
    await core.place({ token: '' });
    expect(core.broker.sends).toMatchObject([{ order: { symbol: 'SBIN-EQ', tradingsymbol: 'SBIN-EQ', token: '779521' } }]);
  });
  it('two instruments of one name are told, and nothing is sent', async () => {
    const core = new Core();
    core.directory = fileOf([sbin, { ...sbin, token: '1' }]);
    expect((await core.place({ token: '' })).body).toMatchObject({ message: expect.stringContaining('names 2 instruments of NSE') });
    expect([core.broker.sends, await core.record()]).toEqual([[], null]);
  });
});

describe('an order whose file', () => {
  it.each<[string, Partial<Directory>]>([
    [
      'fails',
      { named: () => Promise.reject(new Error('The store is away')), rowsOf: () => Promise.reject(new Error('The store is away')) },
    ],
    ['hangs', { named: forever, rowsOf: forever }],
  ])('%s goes as it came, and so does a change of it', async (_, change) => {
    const core = new Core();
    core.directory = { ...fileOf([sbin]), ...change };
    const began = core.clock.mono();
    expect((await core.place({ quantity: 7, symbol: 'sbin', token: '1' })).body).toMatchObject({ success: true });
    expect(core.broker.sends).toMatchObject([{ order: { symbol: 'sbin', token: '1', quantity: '7' } }]);
    core.broker.book = [orderRow({ order_type: 'LIMIT', price: 800, tag: null })];
    await core.clock.settle(core.account.orderBook.next('orders'));
    expect(await core.clock.settle(core.orders.modify({ order_id: '1001', variety: 'NORMAL', quantity: 7 }))).toMatchObject({
      success: true,
    });
    expect(core.clock.mono() - began).toBe(change.named === forever ? 1000 : 0);
  });
  it('does not name its instrument goes as it came', async () => {
    const core = new Core();
    core.directory = fileOf([sbin]);
    expect((await core.place({ symbol: 'INFY', quantity: 7 })).body).toMatchObject({ success: true });
    expect(core.broker.sends).toMatchObject([{ order: { symbol: 'INFY', token: '779521', quantity: '7' } }]);
  });
  it('does not know the token that its broker goes by leaves that as it is', async () => {
    const core = new Core();
    Object.assign(core.broker.traits, { tradedBy: tradedByNumber });
    core.directory = fileOf([sbin]);
    await core.place({ token: '9999' });
    await core.place({ idempotency_key: 'two', token: '0779521', transaction_type: 'SELL' });
    expect(core.broker.sends.map(({ order }) => order.token)).toEqual(['9999', '779521']);
  });
});
