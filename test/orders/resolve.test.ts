import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../server/orders/outcome.ts';
import { Core } from './core.ts';
import { orderRow } from './parts.ts';

const absent: Outcome = { kind: 'absent', by: 'me@here', reason: 'not in the console' };
const filled: Outcome = { kind: 'filled', quantity: 10, price: 99.5, orderId: '77', by: 'me@here', reason: 'contract note' };
const told = (core: Core, outcome: Outcome, key = 'k:one') =>
  core.clock.settle(core.orders.resolve(key, outcome)).then(
    (attempt) => attempt,
    (error: Error) => error.message,
  );

/** A core with an order whose fate nobody told, and candidates that keep it from being called absent. */
async function lost(start = '2026-11-20T10:00:00+05:30'): Promise<Core> {
  const core = new Core({ start });
  core.broker.place = async () => ({ fate: 'unknown', order_id: '', message: 'HTTP 502' });
  core.broker.book = [orderRow({ tag: null, order_id: '7' })];
  await core.place();
  return core;
}

describe('a person’s word', () => {
  it('that it never arrived ends the search, is written as theirs, and replayed', async () => {
    const core = await lost();
    expect(await told(core, absent)).toMatchObject({ state: 'DONE', fillStatus: 'REJECTED' });
    expect(core.trail().at(-1)).toEqual({ kind: 'order.settled', detail: { ...absent, was: 'AMBIGUOUS', tag: expect.any(String) } });
    expect(core.orders.unresolved()).toEqual([]);
    const { body, headers } = await core.place();
    expect(body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('a person looked it up') });
    expect(headers).toHaveProperty('Order-Resolved-At');
    const { reads } = core.broker;
    await core.clock.pass(300_000);
    expect([core.broker.reads, core.trail().at(-1)?.kind]).toEqual([reads, 'order.settled']);
    expect((await core.place({ idempotency_key: 'two' })).body).not.toHaveProperty('status');
  });
  it.each([
    [10, 'FILLED', 'FILLED'],
    [4, 'PARTIALLY_FILLED', 'CANCELLED'],
  ] as const)('that %i of 10 filled is booked with its price, as %s', async (quantity, fill_status, status) => {
    const core = await lost();
    expect(await told(core, { ...filled, quantity })).toMatchObject({ state: 'DONE', orderId: '77', filledQuantity: quantity });
    expect(core.truths.at(-1)).toEqual({ orderId: '77', status, filledQuantity: quantity, averagePrice: 99.5 });
    expect((await core.place()).body).toMatchObject({
      success: true,
      order_id: '77',
      fill_status,
      filled_quantity: quantity,
      avg_fill_price: 99.5,
    });
  });
  it('settles an order that was given up, at once and after a restart', async () => {
    for (const restart of [false, true]) {
      const core = await lost('2026-11-20T23:58:30+05:30');
      await core.clock.pass(600_000);
      expect(await core.record()).toMatchObject({ state: 'UNRESOLVED' });
      if (restart) {
        await core.clock.settle(core.orders.stop());
        core.open('process-2');
        await core.clock.settle(core.orders.recover());
      }
      expect(core.orders.unresolved()).toMatchObject([{ key: 'k:one' }]);
      expect(await told(core, filled)).toMatchObject({ state: 'DONE', fillStatus: 'FILLED' });
      expect(await core.record()).toMatchObject({ state: 'DONE', orderId: '77' });
      expect(core.orders.unresolved()).toEqual([]);
      expect((await core.place()).body).toMatchObject({ success: true, order_id: '77' });
    }
  });
  it('is refused for an order that is settled, not known, or still being placed', async () => {
    const core = new Core();
    expect(await told(core, absent)).toBe('No order is known under k:one');
    core.broker.place = async () => ({ fate: 'accepted', order_id: '1001' });
    const asked = core.ask();
    await core.clock.pass(500);
    expect(await told(core, absent)).toContain('is still being placed');
    core.broker.book = [orderRow({ state: 'FILLED', filled_quantity: 10, average_price: 100 })];
    const { body } = await core.clock.settle(asked);
    expect(body).toMatchObject({ fill_status: 'FILLED' });
    expect(await told(core, absent)).toContain('is settled already');
    expect((await core.place()).body).toEqual(body);
  });
  it('is kept while the store is away, and the person is told so', async () => {
    const core = await lost();
    core.away = (name) => name === 'move';
    expect(await told(core, absent)).toContain('The order store is away');
    core.away = () => false;
    await core.clock.pass(2000);
    expect(await core.record()).toMatchObject({ state: 'DONE', fillStatus: 'REJECTED' });
  });
  it('is not taken while it is still being written that the order was given up', async () => {
    const core = await lost('2026-11-20T23:58:30+05:30');
    core.away = (name) => name === 'move';
    await core.clock.pass(600_000);
    expect(await told(core, filled)).toContain('is still being written');
    core.away = () => false;
    await core.clock.pass(2000);
    expect(await told(core, filled)).toMatchObject({ state: 'DONE', orderId: '77' });
  });
  it('is not taken twice', async () => {
    const core = await lost();
    await told(core, filled);
    expect(await told(core, absent)).toContain('is settled already');
    expect(await core.record()).toMatchObject({ fillStatus: 'FILLED' });
  });
});

it('a person’s word that it filled counts in its instrument at once', async () => {
  const core = await lost();
  core.broker.book = [];
  await told(core, filled);
  // The broker's positions may be behind; an exit of what was bought leaves.
  core.broker.readPositions = () => new Promise(() => undefined);
  core.broker.place = async () => ({ fate: 'not_sent', order_id: '', message: 'Refused' });
  const began = core.clock.mono();
  expect((await core.place({ idempotency_key: 'out', transaction_type: 'SELL' })).body).toMatchObject({ message: 'Refused' });
  expect(core.clock.mono() - began).toBeLessThan(3000);
});
