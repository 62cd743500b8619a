import { describe, expect, it } from 'vitest';
import type { Sent } from '../../server/brokers/broker.ts';
import { Core } from './core.ts';
import { orderRow, restingRecord } from './parts.ts';
import { stalled } from './stalled.ts';

const unclear: Sent = { fate: 'unknown', order_id: '' };
const rejected: Sent = { fate: 'rejected', order_id: '', message: 'Order is not open' };
const notSent: Sent = { fate: 'not_sent', order_id: '', message: 'Connection refused' };

describe('a modify to a larger quantity', () => {
  it.each([
    ['it is unclear', async () => unclear, 15],
    ['the adapter fails', () => Promise.reject(new Error('socket hang up')), 15],
    ['it is refused', async () => rejected, 10],
    ['it did not leave', async () => notSent, 10],
  ])('counts at that quantity from then on, unless nothing came of it: %s', async (_, change, counts) => {
    const core = new Core();
    core.broker.net = 20;
    core.journal.openRecords = async () => ({ orders: [restingRecord()], positions: [] });
    await core.clock.settle(core.orders.recover());
    core.broker.book = [orderRow({ order_id: '77', tag: null, transaction_type: 'SELL', order_type: 'LIMIT', price: 900 })];
    core.orders.wake('session');
    await core.clock.settle(Promise.all([core.account.orderBook.next('orders'), core.account.positions.next('orders')]));
    core.broker.change = change;
    core.broker.readBook = async () => ({ success: false, message: 'HTTP 503' });
    await core.clock.settle(core.orders.modify({ order_id: '77', variety: 'NORMAL', quantity: 15 }));
    const sell = (quantity: number) => core.place({ transaction_type: 'SELL', reduce_only: true, quantity });
    expect((await sell(21 - counts)).body).toMatchObject({ message: expect.stringContaining(`with ${counts} more`) });
    expect((await sell(20 - counts)).body.success).toBe(true);
  });
  it('that is refused lets those go at once who waited because of it', async () => {
    const core = await stalled(10);
    // An exit of six that was taken, and of whose fill nothing is known.
    core.broker.place = async () => ({ fate: 'accepted', order_id: '1002' });
    void core.ask({ idempotency_key: 'six', transaction_type: 'SELL', quantity: 6 });
    await core.clock.pass(100);
    const answered = Promise.withResolvers<Sent>();
    core.broker.change = () => answered.promise;
    void core.orders.modify({ order_id: '1002', variety: 'NORMAL', quantity: 10 });
    await core.clock.pass(100);
    void core.ask({ idempotency_key: 'four', transaction_type: 'SELL', quantity: 4 });
    await core.clock.pass(1000);
    expect(core.broker.sends.map(({ order }) => order.quantity)).toEqual(['1', '6']);
    answered.resolve(rejected);
    await core.clock.pass(0);
    expect(core.broker.sends.map(({ order }) => order.quantity)).toEqual(['1', '6', '4']);
  });
});
