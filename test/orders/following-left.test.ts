import { expect, it } from 'vitest';
import { Core } from './core.ts';

const buys = { name: { exchange: 'NSE', symbol: 'SBIN', token: '779521' }, product: 'INTRADAY', side: 'BUY' };
const sells = { ...buys, side: 'SELL' };

async function restart(core: Core): Promise<void> {
  await core.clock.settle(core.orders.stop());
  core.open('process-2');
  await core.clock.settle(core.orders.recover());
}

it('a position and an order at rest are known after a restart before anything is read', async () => {
  const core = new Core();
  await core.place();
  core.broker.net = 10;
  core.broker.place = async (order, tag) => {
    core.broker.book = [core.broker.row(order, tag, { order_id: '77', state: 'OPEN', filled_quantity: 0, average_price: null })];
    return { fate: 'accepted', order_id: '77' };
  };
  await core.place({ idempotency_key: 'out', transaction_type: 'SELL', order_type: 'LIMIT', price: 900, quantity: 3 });
  await restart(core);
  expect(core.orders.held(core.account)).toMatchObject([{ name: { symbol: 'SBIN' }, product: 'INTRADAY', net: 10 }]);
  expect(core.orders.resting(core.account)).toMatchObject([{ orderId: '77', side: 'SELL', quantity: 3, filled: 0 }]);
});

it('an order of unknown fate counts once its account signs in, however long after the start', async () => {
  const core = new Core();
  await core.leave('AMBIGUOUS', { response: '{"success":false}' });
  core.readable = false;
  await core.clock.settle(core.orders.recover());
  await core.clock.pass(30_000);
  core.readable = true;
  expect(core.orders.standing(core.account, buys)).toMatchObject({ unknown: 10, net: null });
});

it.each([
  ['2 s before it', -2000, 0, 6],
  ['just within the 5 s that positions lag', -4999, 0, 6],
  ['as long ago as positions lag', -5000, 0, 10],
  ['4 s before it, with a read 2 s after it', -4000, 2000, 10],
  ['by a clock that was set back since', 3_600_000, 0, 6],
  ['by such a clock, with a read when positions lag no more', 3_600_000, 5000, 10],
])('what was sold %s may be missing in the first read of positions', async (_, soldAt, readAfter, room) => {
  const core = new Core();
  const sold = { side: 'SELL', orderId: '1001', filledQuantity: 4, fillStatus: 'PARTIALLY_FILLED' } as const;
  await core.leave('DONE', { ...sold, response: '{}', updatedAt: core.clock.now() + soldAt });
  await core.clock.settle(core.orders.recover());
  core.orders.wake('session');
  await core.clock.pass(readAfter);
  core.broker.net = 10;
  await core.clock.settle(core.account.positions.next('orders'));
  expect(core.orders.standing(core.account, sells)).toMatchObject({ room });
});
