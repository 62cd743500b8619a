import { describe, expect, it } from 'vitest';
import type { AttemptState } from '../../server/journal/attempt.ts';
import type { Core } from './core.ts';
import { lost } from './tracker-lost.ts';

const theirs = '{"success":false,"message":"theirs","fill_status":"UNKNOWN"}';
const told = { level: 50, key: 'k:one', msg: "An order's record was changed by another hand; it is followed no more" };

/** Another process takes the record of the order and ends it. */
async function taken(core: Core, to: AttemptState = 'DONE'): Promise<void> {
  const record = await core.record();
  if (!record) throw new Error('No record stands');
  const other = await core.journal.takeOver(record, 'process-2');
  await core.journal.move(other, to, { response: theirs }, { kind: 'theirs' }, core.clock.now());
}

describe('an order whose record another hand has changed', () => {
  it('is followed no more, and what that one gave up is shown to a person', async () => {
    const { core, show } = await lost();
    await taken(core, 'UNRESOLVED');
    show({ state: 'CANCELLED', filled_quantity: 0, average_price: null });
    await core.clock.pass(5000);
    expect(core.orders.unresolved()).toEqual([await core.record()]);
    expect(core.orders.unresolved()).toMatchObject([{ state: 'UNRESOLVED', owner: 'process-2', response: theirs }]);
    expect(core.logged).toEqual([expect.objectContaining(told)]);
    const { reads } = core.broker;
    await core.clock.pass(600_000);
    expect([core.orders.hasOpen(core.account), core.broker.reads]).toEqual([false, reads]);
  });
  it.each([
    ['cannot be read', () => Promise.reject(new Error('The store is away'))],
    ['is gone', async () => null],
  ])('is let go also where the record then %s', async (_, read) => {
    const { core, show } = await lost();
    await taken(core);
    // Its writer sees whose it is, and the next look-up does not.
    const find = core.journal.find.bind(core.journal);
    core.journal.find = async (...asked) => {
      core.journal.find = read;
      return await find(...asked);
    };
    show();
    await core.clock.pass(5000);
    expect(core.logged).toEqual([expect.objectContaining(told)]);
    expect([core.orders.hasOpen(core.account), core.orders.unresolved()]).toEqual([false, []]);
  });
  it('is let go while its account is signed out', async () => {
    const { core } = await lost('2026-11-20T23:50:00+05:30');
    await core.clock.settle(core.orders.stop());
    core.readable = false;
    core.open('process-3');
    await core.clock.settle(core.orders.recover());
    await taken(core);
    await core.clock.pass(1_200_000);
    expect([core.orders.hasOpen(core.account), core.orders.unresolved()]).toEqual([false, []]);
  });
  it('rests nowhere for its instrument, whatever was last read of it', async () => {
    const { core, show } = await lost();
    await taken(core);
    show({ state: 'OPEN', filled_quantity: 0, average_price: null });
    await core.clock.pass(10_000);
    expect(core.logged).toEqual([expect.objectContaining(told)]);
    const name = { exchange: 'NSE', symbol: 'SBIN', token: '779521' };
    const standing = core.orders.standing(core.account, { name, product: 'INTRADAY', side: 'BUY' });
    expect(standing).toMatchObject({ unknown: 0, working: 0 });
    expect(core.orders.resting(core.account)).toEqual([]);
  });
  it('answers a caller in its look-up as soon as that is known', async () => {
    const { core, show } = await lost();
    await core.clock.pass(100);
    await taken(core);
    show({ state: 'CANCELLED', filled_quantity: 0, average_price: null });
    const began = core.clock.mono();
    await core.place();
    expect(core.clock.mono() - began).toBeLessThan(100);
  });
  it('keeps no caller waiting for more than the next read, where that only found it', async () => {
    const { core, show } = await lost();
    await core.clock.pass(100);
    await taken(core);
    show({ state: 'TRANSIT', filled_quantity: 0, average_price: null });
    const began = core.clock.mono();
    await core.place();
    expect(core.clock.mono() - began).toBeLessThanOrEqual(2000);
  });
  it('leaves it to positions to tell what it fills', async () => {
    const { core, show } = await lost();
    await taken(core);
    show({ state: 'TRANSIT', filled_quantity: 0, average_price: null });
    await core.clock.pass(10_000);
    core.broker.book = [];
    show();
    await core.clock.settle(core.account.orderBook.next('orders'));
    expect(core.orders.held(core.account)).toEqual([]);
  });
  it('takes no word of a person, who is told why', async () => {
    const { core } = await lost();
    await taken(core);
    const word = core.orders.resolve('k:one', { kind: 'absent', by: 'me@here', reason: 'not in the console' });
    await expect(core.clock.settle(word)).rejects.toThrow(
      "Another order has been placed under k:one since, and took the place of this one's record; tsm_events still has its story",
    );
    await core.clock.pass(1000);
    expect(core.logged).toEqual([expect.objectContaining(told)]);
    expect(await core.record()).toMatchObject({ response: theirs });
  });
});
