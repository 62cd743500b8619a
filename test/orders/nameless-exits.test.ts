import { describe, expect, it } from 'vitest';
import type { OrderRow } from '../../server/brokers/broker.ts';
import { Core } from './core.ts';

/** Ten are held and were read; an exit of `quantity` left, its answer was lost, and the broker's order book shows its fill without its tag. */
async function exitWithoutName(quantity: number, ...others: Partial<OrderRow>[]) {
  const core = new Core();
  core.broker.net = 10;
  core.orders.wake('session');
  await core.clock.settle(core.account.positions.next('orders'));
  await core.clock.settle(core.account.orderBook.next('orders'));
  core.broker.place = async (order) => {
    core.broker.book = [
      core.broker.row(order, null, { order_id: '71' }),
      ...others.map((change) => core.broker.row(order, null, { order_id: '72', ...change })),
    ];
    core.broker.net -= quantity;
    return { fate: 'unknown', order_id: '', message: 'HTTP 502' };
  };
  await core.place({ idempotency_key: 'lost', transaction_type: 'SELL', quantity });
  return core;
}

const exit = { idempotency_key: 'next', transaction_type: 'SELL', reduce_only: true } as const;

describe('an exit whose id nobody knows, at a broker that shows no tags', () => {
  it.each([
    ['reduce_only', false],
    ['with the kill switch on', true],
  ])('counts once: what is left of the position may go (%s)', async (_, killed) => {
    const core = await exitWithoutName(6);
    core.killSwitch.on = killed;
    await core.place({ ...exit, quantity: 4, reduce_only: !killed });
    expect(core.broker.sends.map(({ order }) => order.quantity)).toEqual(['6', '4']);
  });
  it('does not hide what another hand sold: no more than is left for sure', async () => {
    const core = await exitWithoutName(6, { quantity: 3, filled_quantity: 3 });
    expect((await core.place({ ...exit, quantity: 2 })).body).toMatchObject({ success: false, status: 'BLOCKED' });
    await core.place({ ...exit, idempotency_key: 'less', quantity: 1 });
    expect(core.broker.sends.map(({ order }) => order.quantity)).toEqual(['6', '1']);
  });
  it('is one row of two that look like it: the other one counts', async () => {
    const core = await exitWithoutName(3, {});
    expect((await core.place({ ...exit, quantity: 5 })).body).toMatchObject({ success: false, status: 'BLOCKED' });
    await core.place({ ...exit, idempotency_key: 'less', quantity: 4 });
    expect(core.broker.sends.map(({ order }) => order.quantity)).toEqual(['3', '4']);
  });
});
