import { describe, expect, it } from 'vitest';
import type { FillStatus } from '../../contract/words.ts';
import type { AttemptState } from '../../server/journal/attempt.ts';
import { Core } from './core.ts';

const unreadable = async () => ({ success: false as const, message: 'HTTP 503' });
const trouble = 'so the order was not sent. Try again in a few seconds.';

describe('a block', () => {
  it.each([
    [5, 'BUY', 'SBIN: an open LONG position of 5 exists on NSE. One position per symbol: place a SELL order to reduce or close it first.'],
    [
      -7,
      'SELL',
      'SBIN: an open SHORT position of 7 exists on NSE. One position per symbol: place a BUY order to reduce or close it first.',
    ],
  ])('at a net of %i for a %s says what is held and what would pass', async (net, transaction_type, message) => {
    const core = new Core();
    core.broker.net = net;
    expect((await core.place({ transaction_type })).body).toEqual({ success: false, status: 'BLOCKED', message, fill_status: 'REJECTED' });
    expect([core.broker.sends, core.limiter.asked]).toEqual([[], []]);
  });
  it.each([
    [5, 'SELL', 'entry'],
    [-7, 'BUY', 'entry'],
    [0, 'BUY', 'entry'],
    [0, 'SELL', 'entry'],
  ])('does not meet an order on the other side, at any quantity: net %i, %s as an %s', async (net, transaction_type, priority) => {
    const core = new Core();
    core.broker.net = net;
    expect((await core.place({ transaction_type, quantity: 100 })).body.success).toBe(true);
    expect(core.limiter.asked).toEqual([priority]);
  });
});

/** A core whose store holds an open attempt of ours. */
async function beside(state: AttemptState, fillStatus: FillStatus | null, side: string, orderId: string): Promise<Core> {
  const core = new Core();
  const response = state === 'DONE' || state === 'UNRESOLVED' ? '{"success":true}' : null;
  await core.leave(state, { key: 'k:open', tag: 'opentag', side, quantity: 7, fillStatus, orderId, response });
  await core.clock.settle(core.orders.recover());
  return core;
}

describe('an order that is not resolved', () => {
  it.each([
    ['SENDING', null, true],
    ['AMBIGUOUS', null, true],
    ['AMBIGUOUS', 'UNKNOWN', true],
    ['AMBIGUOUS', 'PENDING', true],
    ['ACCEPTED', null, true],
    ['ACCEPTED', 'UNKNOWN', true],
    ['DONE', 'FILLED', false],
    ['UNRESOLVED', 'UNKNOWN', false],
  ] as const)('in %s, read as %s, blocks its side: %s', async (state, fillStatus, blocks) => {
    const core = await beside(state, fillStatus, 'BUY', '');
    expect((await core.place()).body.success).toBe(!blocks);
    expect((await core.place({ idempotency_key: 'two', transaction_type: 'SELL' })).body.success).toBe(true);
  });
  it.each([
    [
      'BUY',
      '',
      'SBIN: the order with tag opentag (BUY 7) is not resolved yet and counts as an open LONG position. Wait for it, or place a SELL order.',
    ],
    ['SELL', '77', 'SBIN: order 77 (SELL 7) is not resolved yet and counts as an open SHORT position. Wait for it, or place a BUY order.'],
  ])('names itself: %s with order id "%s"', async (side, orderId, message) => {
    const core = await beside('ACCEPTED', null, side, orderId);
    expect((await core.place({ transaction_type: side })).body).toMatchObject({ status: 'BLOCKED', message });
    // The reason may be gone in a moment.
    expect(await core.record()).toBeNull();
    expect(core.trail()).toMatchObject([{ kind: 'order.refused', detail: { message } }]);
  });
  it('blocks only what could open or grow: up to the opposite net, its own quantity counted, an order passes', async () => {
    const core = await beside('AMBIGUOUS', 'UNKNOWN', 'BUY', '');
    core.broker.net = -20;
    expect((await core.place({ quantity: 14 })).body).toMatchObject({ status: 'BLOCKED', message: expect.stringContaining('opentag') });
    expect((await core.place({ quantity: 13 })).body.success).toBe(true);
  });
});

describe('positions that cannot be read', () => {
  it.each([
    ['fail', unreadable],
    ['throw', () => Promise.reject(new Error('reset'))],
  ])('are asked for twice when they %s, and never taken for flat', async (_, readPositions) => {
    const core = new Core();
    let asked = 0;
    core.broker.readPositions = async () => {
      asked += 1;
      return await readPositions();
    };
    const message = `SBIN: the broker's positions could not be read and none is recorded here, ${trouble}`;
    expect((await core.place()).body).toMatchObject({ status: 'BLOCKED', message });
    expect([asked, core.broker.sends.length]).toEqual([2, 0]);
  });
  it('stop nobody when the second read succeeds', async () => {
    const core = new Core();
    const read = core.broker.readPositions;
    core.broker.readPositions = async () => {
      core.broker.readPositions = read;
      return await unreadable();
    };
    expect((await core.place()).body.success).toBe(true);
  });
  it('leave our records to judge: they block, and let out no more than they hold', async () => {
    const core = new Core();
    await core.place();
    core.broker.readPositions = unreadable;
    const ask = async (key: string, transaction_type: string, quantity: number) =>
      (await core.place({ idempotency_key: key, transaction_type, quantity })).body;
    const none = expect.stringContaining('could not be read and none is recorded here');
    expect(await ask('in', 'BUY', 1)).toMatchObject({ status: 'BLOCKED', message: none });
    const record = await core.record('in');
    expect((record?.expiresAt ?? 0) - (record?.updatedAt ?? 0)).toBe(5000);
    const message = `SBIN: the broker's positions could not be read and only 10 recorded here, ${trouble}`;
    expect(await ask('flip', 'SELL', 11)).toMatchObject({ status: 'BLOCKED', message });
    expect(await ask('out', 'SELL', 10)).toMatchObject({ success: true });
  });
});

describe('after a restart', () => {
  /** A core with fills of an earlier process, each seen so long ago; the broker shows none of them yet. */
  async function filled(...ages: number[]): Promise<Core> {
    const core = new Core();
    await core.clock.pass(60_000);
    for (const [index, ageMs] of ages.entries()) {
      const one = { key: `k:f${index}`, tag: `f${index}`, orderId: `${index}`, filledQuantity: 10, response: '{"success":true}' };
      await core.leave('DONE', { ...one, updatedAt: core.clock.now() - ageMs });
    }
    const net = 10 * ages.length;
    const position = { broker: 'zerodha', account: 'AB1234', exchange: 'NSE', symbol: 'SBIN', token: null, product: 'INTRADAY', net };
    core.journal.openRecords = async () => ({ orders: [], positions: net === 0 ? [] : [position] });
    await core.clock.settle(core.orders.recover());
    return core;
  }
  it.each([
    [[4999], false],
    [[5000], true],
    [[4000, 4999], false],
    // A broker that lags by 5 s shows the older one, which was closed elsewhere; the younger one may be missing.
    [[4000, 9000], false],
    [[9000], true],
    [[], true],
  ])('a second entry on positions that lag is let through with fills of %j ms ago: %s', async (ages, passes) => {
    const core = await filled(...ages);
    expect((await core.place()).body.success).toBe(passes);
  });
});
