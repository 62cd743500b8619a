import { describe, expect, it } from 'vitest';
import type { Listing, OrderRow } from '../../server/brokers/broker.ts';
import type { Outcome } from '../../server/orders/outcome.ts';
import { Core } from './core.ts';
import { orderRow } from './parts.ts';

const by = { by: 'me@here', reason: 'seen' };
const filled = (change: object = {}): Outcome => ({ kind: 'filled', quantity: 10, price: 100.25, orderId: null, ...by, ...change });
const absent: Outcome = { kind: 'absent', ...by };

/** An order whose send was cut and whose order book cannot be read: UNKNOWN. */
async function lost(change: object = {}): Promise<Core> {
  const core = new Core();
  core.broker.place = async () => ({ fate: 'unknown', order_id: '', message: 'cut', data: null });
  core.broker.readBook = async (): Promise<Listing<OrderRow>> => ({ success: false, message: 'no book' });
  const { body } = await core.place(change);
  expect(body).toMatchObject({ success: false, fill_status: 'UNKNOWN' });
  return core;
}

const settle = (core: Core, outcome: Outcome, key = 'k:one') => core.clock.settle(core.orders.resolve(key, outcome));

/** Its day goes by. */
async function overnight(core: Core): Promise<void> {
  core.clock.step(86_400_000);
  await core.clock.pass(61_000);
  expect(core.orders.unresolved()).toMatchObject([{ state: 'UNRESOLVED' }]);
}

describe("a person's word", () => {
  it('is the truth for a caller in its look-up, at once', async () => {
    const core = await lost();
    const began = core.clock.mono();
    const waiting = core.ask();
    await core.clock.pass(1000);
    await settle(core, filled({ orderId: '77' }));
    const { body } = await core.clock.settle(waiting);
    expect([body, core.clock.mono() - began]).toMatchObject([
      { success: true, order_id: '77', fill_status: 'FILLED', avg_fill_price: 100.25 },
      1000,
    ]);
    expect(core.orders.unresolved()).toEqual([]);
    expect(core.broker.sends).toHaveLength(1);
  });

  it('of a fill lets an exit pass while positions cannot be read', async () => {
    const core = await lost();
    await settle(core, filled({ quantity: 4 }));
    core.broker.readPositions = async () => ({ success: false, message: 'no positions' });
    const exit = { idempotency_key: 'out', transaction_type: 'SELL', reduce_only: true } as const;
    expect((await core.place({ ...exit, quantity: 5 })).body).toMatchObject({ status: 'BLOCKED' });
    await core.place({ ...exit, idempotency_key: 'out 4', quantity: 4 });
    expect(core.broker.sends).toHaveLength(2);
  });

  it('of absence frees the instrument', async () => {
    const core = await lost();
    expect((await core.place({ idempotency_key: 'two' })).body).toMatchObject({ status: 'BLOCKED' });
    expect(await settle(core, absent)).toMatchObject({ state: 'DONE', fillStatus: 'REJECTED', filledQuantity: 0 });
    await core.place({ idempotency_key: 'three' });
    expect(core.broker.sends).toHaveLength(2);
    expect(core.truths).toEqual([]);
    expect(core.trail().at(-1)).toMatchObject({ kind: 'order.settled', detail: { kind: 'absent', ...by, was: 'AMBIGUOUS' } });
  });

  it.each([
    [filled({ quantity: 11 }), 'from 1 to 10'],
    [filled({ quantity: 0 }), 'from 1 to 10'],
    [filled({ quantity: 1.5 }), 'from 1 to 10'],
    [filled({ price: 0 }), 'above 0'],
    [filled({ price: Number.NaN }), 'above 0'],
  ])('that cannot be true is refused: %o', async (outcome, words) => {
    const core = await lost();
    await expect(settle(core, outcome)).rejects.toThrow(words);
    expect(core.orders.unresolved()).toHaveLength(1);
  });

  it('never takes a fill back, and never another order id than the one that is known', async () => {
    const core = new Core();
    core.broker.place = async (order, tag) => {
      core.broker.book.push(core.broker.row(order, tag, { state: 'UNKNOWN', status: 'UNKNOWN', filled_quantity: 4 }));
      return { fate: 'accepted', order_id: '1001', message: 'taken', data: null };
    };
    let reads = 0;
    core.broker.readBook = async () => {
      reads += 1;
      return reads > 1 ? { success: false, message: 'no book' } : { success: true, data: [], normalized: core.broker.book };
    };
    expect((await core.place()).body).toMatchObject({ fill_status: 'UNKNOWN', order_id: '1001' });
    await expect(settle(core, absent)).rejects.toThrow('4 of this order were seen filled');
    await expect(settle(core, filled({ quantity: 3 }))).rejects.toThrow('4 of this order were seen filled');
    await expect(settle(core, filled({ orderId: '1002' }))).rejects.toThrow('1001');
    expect(await settle(core, filled())).toMatchObject({ orderId: '1001', fillStatus: 'FILLED' });
  });

  it('names no order of another key, and the only candidate where it names none', async () => {
    const core = new Core();
    await core.place({ idempotency_key: 'other', transaction_type: 'SELL' });
    core.broker.place = async () => ({ fate: 'unknown', order_id: '', message: 'cut', data: null });
    await core.place();
    await expect(settle(core, filled({ orderId: '1001' }))).rejects.toThrow('under k:other');
    core.broker.book.push(orderRow({ order_id: '2002', tag: null, state: 'FILLED', filled_quantity: 10, average_price: 100 }));
    await core.clock.pass(10_000);
    const [open] = core.orders.unresolved();
    expect(open && (await core.orders.candidates(open))).toEqual(['2002']);
    expect(await settle(core, filled())).toMatchObject({ orderId: '2002' });
  });

  it('is refused while the order is being placed, once it is settled, and for a key nobody knows', async () => {
    const core = await lost();
    const placing = core.ask({ idempotency_key: 'two', transaction_type: 'SELL' });
    await core.clock.pass(100);
    await expect(settle(core, absent, 'k:two')).rejects.toThrow('still being placed');
    await core.clock.settle(placing);
    await settle(core, absent);
    await expect(settle(core, filled())).rejects.toThrow('settled already');
    await expect(settle(core, filled(), 'k:none')).rejects.toThrow('No order is known');
    expect(core.broker.sends).toHaveLength(2);
  });

  it('of an order of an earlier day is history for the books, and a second word meets the first', async () => {
    const core = await lost();
    await overnight(core);
    core.away = (name) => name === 'move';
    await expect(settle(core, filled())).rejects.toThrow('kept and written when it is back');
    await expect(settle(core, absent)).rejects.toThrow('settled already');
    core.away = () => false;
    await core.clock.pass(2000);
    expect(await core.record()).toMatchObject({ state: 'DONE', filledQuantity: 10, fillStatus: 'FILLED' });
    expect(core.truths).toMatchObject([{ status: 'FILLED', filledQuantity: 10, past: true }]);
    expect(core.orders.unresolved()).toEqual([]);
  });

  it('is asked for also while the store is away in which the order was to be given up', async () => {
    const core = await lost();
    core.away = (name) => name === 'move';
    await overnight(core);
    await expect(settle(core, absent)).rejects.toThrow('ask again in a moment');
    core.away = () => false;
    await core.clock.pass(2000);
    expect(core.orders.unresolved()).toMatchObject([{ state: 'UNRESOLVED' }]);
    expect(await settle(core, absent)).toMatchObject({ state: 'DONE' });
  });

  it('of a fingerprint of an earlier day answers no new order, and never settles the one that took its key', async () => {
    const core = await lost({ idempotency_key: null });
    const [{ key } = { key: '' }] = core.orders.unresolved();
    await overnight(core);
    const again = await lost({ idempotency_key: null });
    await overnight(again);
    await settle(again, filled(), key);
    expect((await again.place({ idempotency_key: null })).headers).not.toHaveProperty('Idempotency-Replayed');
    expect(again.broker.sends).toHaveLength(2);

    // The same order on the next day, of unknown fate too.
    await core.place({ idempotency_key: null });
    expect(core.orders.unresolved().map(({ state }) => state)).toEqual(['UNRESOLVED', 'AMBIGUOUS']);
    await expect(settle(core, filled(), key)).rejects.toThrow('Another order has been placed under');
    expect(core.orders.unresolved()).toHaveLength(2);
  });
});
