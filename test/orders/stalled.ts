import { expect } from 'vitest';
import { Core } from './core.ts';

/** A call that never answers. */
export const forever = () => new Promise<never>(() => undefined);

/** A core that knows its net quantity from a read, and whose next send stalls in an order of another product. */
export async function stalled(net: number): Promise<Core> {
  const core = new Core();
  core.broker.net = net;
  core.orders.wake('session');
  await core.clock.settle(core.account.positions.next('orders'));
  const place = core.broker.place;
  core.broker.place = () => {
    core.broker.place = place;
    return forever();
  };
  void core.ask({ idempotency_key: 'stalls', transaction_type: 'SELL', product_type: 'CARRYFORWARD', quantity: 1 });
  await core.clock.pass(100);
  expect(core.broker.sends).toHaveLength(1);
  return core;
}
