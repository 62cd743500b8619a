import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../server/orders/outcome.ts';
import { Core } from './core.ts';
import { orderRow } from './parts.ts';
import { lost } from './tracker-lost.ts';

const by = { by: 'me@here', reason: 'seen in the console' };
const absent: Outcome = { kind: 'absent', ...by };
const filled = (change: object = {}): Outcome => ({ kind: 'filled', quantity: 10, price: 99.5, orderId: null, ...by, ...change });
const unknown = JSON.stringify({ success: false, fill_status: 'UNKNOWN', message: 'told before' });
const replaced = "Another order has been placed under k:one since, and took the place of this one's record; tsm_events still has its story";

/** What a person is told: the attempt as it then stands, or why not. */
const told = (core: Core, outcome: Outcome) =>
  core.clock.settle(
    core.orders.resolve('k:one', outcome).catch((error: unknown) => {
      return String(error);
    }),
  );

/** A core whose order was given up. */
async function givenUp(): Promise<Core> {
  const { core } = await lost('2026-11-20T23:58:30+05:30');
  await core.clock.pass(600_000);
  expect(core.orders.unresolved()).toMatchObject([{ state: 'UNRESOLVED' }]);
  return core;
}

async function restart(core: Core): Promise<void> {
  await core.clock.settle(core.orders.stop());
  core.open('process-2');
  await core.clock.settle(core.orders.recover());
}

describe('the word of a person without an order id', () => {
  it('names none of two that may be it, but its own tag', async () => {
    const { core, tag } = await lost();
    core.broker.book = [orderRow({ tag: null, order_id: '7' }), orderRow({ tag: null, order_id: '8' })];
    await core.clock.pass(2000);
    expect(await told(core, filled())).toMatchObject({ orderId: tag, state: 'DONE' });
  });
  it('names the order that is known', async () => {
    const { core, show } = await lost();
    show({ state: 'TRANSIT', filled_quantity: 0, average_price: null });
    await core.clock.pass(2000);
    expect(await told(core, filled())).toMatchObject({ orderId: '1001', state: 'DONE' });
  });
});

describe('the word of a person about an open order', () => {
  it('is held against what was found while it was looked at', async () => {
    const { core, show } = await lost();
    const owners = core.journal.owners.bind(core.journal);
    core.journal.owners = async (...asked) => {
      await core.clock.sleep(3000);
      return await owners(...asked);
    };
    show({ state: 'TRANSIT', filled_quantity: 0, average_price: null });
    expect(await told(core, filled({ orderId: '77' }))).toBe('Error: The broker took this order as 1001: leave --order out');
    expect(core.orders.unresolved()).toMatchObject([{ orderId: '1001', state: 'AMBIGUOUS' }]);
  });
  it('is taken before anybody follows what a dead process left', async () => {
    const core = new Core();
    await core.leave('AMBIGUOUS', { response: unknown });
    expect(await told(core, absent)).toMatchObject({ state: 'DONE', fillStatus: 'REJECTED', owner: 'process-1', epoch: 2 });
    expect(core.trail().map(({ kind }) => kind)).toEqual(['left', 'order.settled']);
  });
  it('is not taken where that ended meanwhile', async () => {
    const core = new Core();
    await core.leave('AMBIGUOUS', { response: unknown });
    const takeOver = core.journal.takeOver.bind(core.journal);
    core.journal.takeOver = async (attempt, owner) => {
      await core.journal.move(attempt, 'DONE', {}, { kind: 'theirs' }, core.clock.now());
      return await takeOver(attempt, owner);
    };
    expect(await told(core, absent)).toBe('Error: The order under k:one has just been settled; list the orders again');
    expect(core.trail().map(({ kind }) => kind)).toEqual(['left', 'theirs']);
  });
  it('counts while its account is signed out, and once that is there', async () => {
    const core = new Core();
    await core.leave('AMBIGUOUS', { response: unknown });
    core.readable = false;
    await core.clock.settle(core.orders.recover());
    expect(await told(core, filled({ quantity: 4 }))).toMatchObject({ state: 'DONE', filledQuantity: 4, orderId: expect.any(String) });
    expect(core.orders.unresolved()).toEqual([]);
  });
  it('of a fill that was known ends no answer that was stored since', async () => {
    const { core, show } = await lost();
    show({ state: 'UNKNOWN', status: 'UNKNOWN', filled_quantity: 4 });
    core.broker.net = 4;
    await core.clock.pass(20_000);
    const blocked = { idempotency_key: 'two', product_type: 'CARRYFORWARD' } as const;
    expect((await core.place(blocked)).body).toMatchObject({ status: 'BLOCKED' });
    expect(await told(core, filled({ quantity: 4 }))).toMatchObject({ state: 'DONE', filledQuantity: 4 });
    await core.clock.pass(1000);
    expect((await core.place(blocked)).headers).toMatchObject({ 'Idempotency-Replayed': 'true' });
    expect(core.trail('two').map(({ kind }) => kind)).not.toContain('order.answer_ended');
  });
});

describe('the word of a person about an order given up', () => {
  it('is written by the process that gave it up', async () => {
    const core = await givenUp();
    expect(await told(core, filled())).toMatchObject({ state: 'DONE', owner: 'process-1', epoch: 1 });
    await core.clock.pass(100);
    expect([core.orders.hasOpen(core.account), core.orders.unresolved()]).toEqual([false, []]);
  });
  it('is written by the process that is told, and moves no position', async () => {
    const core = await givenUp();
    await restart(core);
    core.orders.wake('session');
    expect(await told(core, filled())).toMatchObject({ state: 'DONE', owner: 'process-2', epoch: 2 });
    expect(core.orders.held(core.account)).toEqual([]);
  });
  it('is taken from one of two who speak at the same moment', async () => {
    const core = await givenUp();
    const [first, second] = await core.clock.settle(
      Promise.allSettled([core.orders.resolve('k:one', absent), core.orders.resolve('k:one', absent)]),
    );
    expect(first.status).toBe('fulfilled');
    expect(second).toEqual({ status: 'rejected', reason: new Error('The order under k:one is being settled by another word already') });
    expect(core.trail().filter(({ kind }) => kind === 'order.settled')).toHaveLength(1);
  });
  it('is not taken where another process has the record', async () => {
    const core = await givenUp();
    await restart(core);
    const record = await core.record();
    if (record) await core.journal.takeOver(record, 'process-3');
    expect(await told(core, filled())).toBe(`Error: ${replaced}`);
    expect(core.orders.unresolved()).toMatchObject([{ state: 'UNRESOLVED' }]);
  });
  it('is not taken while the store is away, and that is said as it is', async () => {
    const core = await givenUp();
    await restart(core);
    core.away = (call) => call === 'takeOver';
    expect(await told(core, filled())).toBe('Error: The store is away for takeOver');
    core.away = () => false;
    expect(await told(core, filled())).toMatchObject({ state: 'DONE' });
  });
});
