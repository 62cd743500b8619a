import { describe, expect, it } from 'vitest';
import type { AttemptState } from '../../server/journal/attempt.ts';
import { Core } from './core.ts';
import { orderRow } from './parts.ts';

/** A core whose store holds an attempt that process-0 left in some state, with an answer or without. */
async function left(state: AttemptState, response: string | null = null, start?: string): Promise<Core> {
  const core = new Core(start ? { start } : {});
  await core.leave(state, { response, orderId: state === 'ACCEPTED' ? '1001' : '' });
  return core;
}

const kinds = (core: Core) => core.trail().map((event) => event.kind);
const unknown = JSON.stringify({ success: false, fill_status: 'UNKNOWN', message: 'told before' });

describe('what a dead process left', () => {
  it('sending is ambiguous from then on, and looked up, never sent', async () => {
    const core = await left('SENDING');
    expect(await core.clock.settle(core.orders.recover())).toBe(1);
    expect(core.trail().at(-1)).toEqual({ kind: 'order.ambiguous', detail: { message: 'left in the middle of its send' } });
    expect(await core.record()).toMatchObject({ state: 'AMBIGUOUS', owner: 'process-1', epoch: 2 });
    core.broker.book = [orderRow({ state: 'FILLED', filled_quantity: 10, average_price: 100.5 })];
    await core.clock.pass(500);
    expect(kinds(core).slice(-2)).toEqual(['order.found', 'order.done']);
    expect(await core.record()).toMatchObject({ state: 'DONE', orderId: '1001', resolvedAt: null });
    expect(core.broker.sends).toEqual([]);
  });
  it('accepted is followed by its order id, as an order the broker took', async () => {
    const core = await left('ACCEPTED');
    await core.clock.settle(core.orders.recover());
    expect(core.orders.unresolved()).toMatchObject([{ key: 'k:one', state: 'ACCEPTED' }]);
    core.broker.book = [orderRow({ state: 'REJECTED', tag: null, status_message: 'Margin' })];
    await core.clock.pass(500);
    expect(kinds(core)).toEqual(['left', 'order.done']);
    expect(JSON.parse((await core.record())?.response ?? '')).toMatchObject({ success: true, fill_status: 'REJECTED', message: 'Margin' });
    await core.clock.pass(1);
    expect(core.orders.unresolved()).toEqual([]);
  });
  it('unknown and told so is searched on, without a second answer that says UNKNOWN', async () => {
    const core = await left('AMBIGUOUS', unknown);
    await core.clock.settle(core.orders.recover());
    await core.clock.pass(60_000);
    expect(kinds(core)).not.toContain('order.unknown');
    expect(await core.record()).toMatchObject({ response: unknown });
    core.broker.book = [orderRow({ state: 'FILLED', filled_quantity: 10, average_price: 100.5 })];
    await core.clock.pass(5000);
    expect(kinds(core).at(-1)).toBe('order.resolved');
    expect((await core.record())?.resolvedAt).not.toBeNull();
  });
  it('unknown and told nothing is answered UNKNOWN within 8 s, and replaced later', async () => {
    const core = await left('AMBIGUOUS');
    await core.clock.settle(core.orders.recover());
    await core.clock.pass(8100);
    expect(kinds(core).at(-1)).toBe('order.unknown');
    expect(JSON.parse((await core.record())?.response ?? '')).toMatchObject({ success: false, order_id: '', fill_status: 'UNKNOWN' });
  });
  it.each([
    ['told', unknown],
    ['told nothing', null],
  ])('yesterday, %s, stays UNKNOWN for a person to see, at once', async (_, response) => {
    const core = await left('AMBIGUOUS', response, '2026-11-21T09:00:00+05:30');
    await core.clock.settle(core.orders.recover());
    await core.clock.pass(1100);
    expect(kinds(core).slice(1)).toEqual(['order.unresolved']);
    const record = await core.record();
    expect(record?.state).toBe('UNRESOLVED');
    expect(JSON.parse(record?.response ?? '')).toMatchObject({ success: false, fill_status: 'UNKNOWN' });
    if (response) expect(record?.response).toBe(response);
    expect(core.broker.reads).toBe(0);
  });
  it.each([
    [7, 1],
    [8, 0],
  ])('and was given up %i days ago is shown to a person still: %i', async (days, shown) => {
    const core = new Core();
    const at = core.clock.now() - days * 86_400_000 + 1;
    await core.leave('UNRESOLVED', { startedAt: at, response: unknown });
    expect(await core.clock.settle(core.orders.recover())).toBe(0);
    expect(core.orders.unresolved()).toHaveLength(shown);
    expect((await core.record())?.state).toBe('UNRESOLVED');
  });
  it('joins a retry of its caller, who gets the truth as soon as it is there', async () => {
    const core = await left('SENDING');
    core.broker.book = [];
    await core.clock.settle(core.orders.recover());
    await core.clock.pass(3000);
    const asked = core.ask();
    const began = core.clock.mono();
    core.broker.book = [orderRow({ state: 'FILLED', filled_quantity: 10, average_price: 100.5 })];
    expect((await core.clock.settle(asked)).body).toMatchObject({ success: true, order_id: '1001' });
    expect(core.clock.mono() - began).toBeLessThan(500);
    expect(core.broker.sends).toEqual([]);
  });
  it('is taken up once, whoever asks for it at the same moment', async () => {
    const core = await left('SENDING');
    const takeOver = core.journal.takeOver.bind(core.journal);
    core.journal.takeOver = async (attempt, owner) => {
      await core.clock.sleep(100);
      return attempt.owner === owner ? attempt : await takeOver(attempt, owner).catch(async () => (await core.record()) ?? attempt);
    };
    const first = core.ask();
    await core.clock.pass(50);
    const second = core.ask();
    await core.clock.settle(Promise.all([first, second]));
    expect(kinds(core)).toEqual(['left', 'order.ambiguous', 'order.unknown']);
    expect(core.broker.sends).toEqual([]);
  });
});
