import { describe, expect, it } from 'vitest';
import { Core } from './core.ts';
import { stalled } from './stalled.ts';

const later = { status: 200, headers: { 'Retry-After': '1' } };

describe('a record that another process wrote since this one began', () => {
  async function found(): Promise<Core> {
    const core = new Core();
    await core.leave('DONE', { response: '{"success":true,"order_id":"77","fill_status":"FILLED"}' });
    expect((await core.place()).body).toMatchObject({ order_id: '77' });
    return core;
  }
  it('is known by heart once it was met: no positions are read for it any more', async () => {
    const core = await found();
    core.broker.readPositions = () => Promise.reject(new Error('Positions are read'));
    const began = core.clock.mono();
    expect((await core.place()).body).toMatchObject({ order_id: '77' });
    expect(core.clock.mono()).toBe(began);
  });
  it('is not forgotten while it cannot be read: nobody is told that nothing was placed', async () => {
    const core = await found();
    core.away = (call) => call === 'find';
    expect((await core.place()).body).toMatchObject({ fill_status: 'UNKNOWN', message: expect.stringContaining('may have been placed') });
  });
});

it('an open record whose answer has come and gone when we take it up says to ask again, and sends nothing', async () => {
  const core = new Core();
  const left = await core.leave('AMBIGUOUS');
  const takeOver = core.journal.takeOver.bind(core.journal);
  core.journal.takeOver = async (...args) => {
    const now = core.clock.now();
    await core.journal.move(left, 'DONE', { response: '{}', expiresAt: now }, { kind: 'order.done' }, now);
    return await takeOver(...args);
  };
  expect(await core.place()).toEqual({ ...later, body: { success: false, message: 'The order with this key has just ended' } });
  expect(core.broker.sends).toEqual([]);
});

it('a question for a key whose record another process left open looks the order up, and places nothing', async () => {
  const core = new Core();
  core.readable = false;
  await core.leave('AMBIGUOUS');
  const began = core.clock.mono();
  expect(await core.place({ quantity: 99 }, true)).toEqual({
    status: 200,
    headers: { 'Idempotency-Replayed': 'true' },
    body: { success: false, order_id: '', message: 'The order with this key is still being looked up', fill_status: 'UNKNOWN' },
  });
  expect([core.clock.mono() - began, core.broker.sends]).toEqual([8000, []]);
});

it('a look-up that fails while its order waits for its turn is told when the wait is over, and ends nothing before', async () => {
  const core = await stalled(0);
  core.away = (call) => call === 'find';
  const unheard: unknown[] = [];
  const hear = (error: unknown) => void unheard.push(error);
  process.on('unhandledRejection', hear);
  expect(await core.place({ transaction_type: 'SELL' })).toEqual({
    ...later,
    body: { success: false, message: 'Order store unavailable' },
  });
  process.off('unhandledRejection', hear);
  expect(unheard).toEqual([]);
});
