import { describe, expect, it } from 'vitest';
import { Core } from './core.ts';
import { orderRow, restingRecord } from './parts.ts';

const row = orderRow({ order_id: '77', tag: null, transaction_type: 'SELL', order_type: 'LIMIT', price: 900 });
const ask = (core: Core, price: number) => core.orders.modify({ order_id: '77', variety: 'NORMAL', price });
const modify = (core: Core, price: number) => core.clock.settle(ask(core, price));

/** Notes for whom the order book is read. */
function ranks(core: Core): string[] {
  const asked: string[] = [];
  const { orderBook } = core.account;
  const next = orderBook.next.bind(orderBook);
  Object.assign(orderBook, {
    next: (rank: 'orders') => {
      asked.push(rank);
      return next(rank);
    },
  });
  return asked;
}

describe('the order book that a modify reads', () => {
  it('under the kill switch, and again where its outcome is unclear, is read with the rank of orders', async () => {
    const core = new Core();
    core.broker.book = [row];
    core.killSwitch.on = true;
    const asked = ranks(core);
    core.broker.change = async () => ({ fate: 'unknown', order_id: '' });
    expect(await modify(core, 910)).toMatchObject({ message: expect.stringContaining('it was read as OPEN') });
    expect(asked).toEqual(['orders', 'orders']);
  });
  it('counts what it shows of our other orders: ten were bought since, and this one sells them', async () => {
    const core = new Core();
    const orders = [restingRecord(), restingRecord({ orderId: '78', side: 'BUY' })];
    core.journal.openRecords = async () => ({ orders, positions: [] });
    await core.clock.settle(core.orders.recover());
    const bought = { state: 'FILLED', filled_quantity: 10, average_price: 100.5 } as const;
    core.broker.book = [row, orderRow({ order_id: '78', tag: null, ...bought })];
    core.killSwitch.on = true;
    expect(await modify(core, 890)).toMatchObject({ success: true });
  });
});

it('a modify that waits for its turn is not turned away by news of positions', async () => {
  const core = new Core();
  core.broker.book = [row];
  core.orders.wake('session');
  await core.clock.settle(core.account.orderBook.next('orders'));
  const rejected = Promise.withResolvers<void>();
  core.broker.place = async () => {
    await rejected.promise;
    return { fate: 'rejected', order_id: '', message: 'Margin' };
  };
  void core.ask();
  await core.clock.pass(10);
  const modified = ask(core, 890);
  await core.clock.pass(10);
  await core.clock.settle(core.account.positions.next('orders'));
  expect(core.broker.changes).toEqual([]);
  rejected.resolve();
  expect(await core.clock.settle(modified)).toMatchObject({ success: true });
  expect(core.broker.changes).toHaveLength(1);
});
