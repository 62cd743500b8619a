import { describe, expect, it } from 'vitest';
import { Core } from './core.ts';

const name = { exchange: 'NSE', symbol: 'SBIN', token: null };

describe('an order of ours whose send nobody answered', () => {
  it('and that an exit counted by its id, before that was known to be ours, counts once from then on', async () => {
    const core = new Core();
    core.broker.net = 10;
    core.broker.place = async () => ({ fate: 'unknown', order_id: '' });
    await core.place({ transaction_type: 'SELL', order_type: 'LIMIT', price: 900, quantity: 4 });
    const [send] = core.broker.sends;
    if (send) core.broker.book = [core.broker.row(send.order, send.tag, { state: 'OPEN', filled_quantity: 0, average_price: null })];
    await core.clock.settle(core.account.orderBook.next('orders'));
    core.orders.countElsewhere(core.account, { name, orderId: '1001', product: 'INTRADAY', side: 'SELL', quantity: 4, filled: 0 });
    await core.clock.pass(20_000);
    expect(await core.record()).toMatchObject({ state: 'DONE', fillStatus: 'PENDING', orderId: '1001' });
    expect(core.orders.standing(core.account, { name, product: 'INTRADAY', side: 'SELL' })).toMatchObject({ reducible: 6, working: 4 });
    expect(core.orders.resting(core.account)).toMatchObject([{ orderId: '1001', orderType: 'LIMIT', price: '900', quantity: 4 }]);
  });
});
