import { describe, expect, it } from 'vitest';
import { Core } from './core.ts';
import { ended, lost } from './tracker-lost.ts';

const unseen = { state: 'TRANSIT', filled_quantity: 0, average_price: null } as const;
const name = { exchange: 'NSE', symbol: 'SBIN', token: '779521' };

describe('an order that is nowhere is called absent', () => {
  it('by a read that begins 120 s after its send, to the millisecond, and rests nowhere then', async () => {
    const { core } = await lost();
    await core.clock.pass(200_000);
    expect(await ended(core)).toEqual({ state: 'DONE', fillStatus: 'REJECTED', afterMs: 120_000 });
    expect(core.orders.resting(core.account)).toEqual([]);
    const standing = core.orders.standing(core.account, { name, product: 'INTRADAY', side: 'BUY' });
    expect(standing).toMatchObject({ unknown: 0, working: 0, unresolved: null });
  });
  it('from its session on where it waited for that, by the third read', async () => {
    const core = new Core({ start: '2026-11-20T18:00:00+05:30' });
    core.broker.place = async () => ({ fate: 'unknown', order_id: '', message: 'HTTP 502' });
    await core.place({ variety: 'AMO', order_type: 'LIMIT', price: 100 });
    await core.clock.pass(Date.parse('2026-11-23T09:20:00+05:30') - core.clock.now());
    expect(await core.record()).toMatchObject({ state: 'DONE', resolvedAt: Date.parse('2026-11-23T09:17:00+05:30') });
  });
  it('also before the session, where it was sent on its own day', async () => {
    const { core } = await lost('2026-11-20T08:30:00+05:30');
    await core.clock.pass(200_000);
    expect(await ended(core)).toMatchObject({ state: 'DONE', afterMs: 120_000 });
  });
  it('while the store is away: nothing fits, and nobody is asked whose it is', async () => {
    const { core } = await lost();
    core.away = (call) => call === 'owners';
    await core.clock.pass(200_000);
    expect(await ended(core)).toMatchObject({ state: 'DONE', afterMs: 120_000 });
  });
});

describe('an order is not called absent', () => {
  it('once it was seen, however long it was nowhere before', async () => {
    const { core, show } = await lost();
    core.broker.ordersByTag = async () => ({ success: false, message: 'HTTP 503' });
    await core.clock.pass(200_000);
    show(unseen);
    await core.clock.pass(60_000);
    core.broker.book = [];
    core.broker.ordersByTag = async () => ({ success: true, data: [], normalized: [] });
    await core.clock.pass(300_000);
    expect(await core.record()).toMatchObject({ state: 'AMBIGUOUS', orderId: '1001' });
  });
  it('when its account is signed out before its tag is looked up, and nothing failed', async () => {
    const { core } = await lost();
    core.broker.ordersByTag = async () => ({ success: false, message: 'HTTP 503' });
    await core.clock.pass(150_000);
    core.broker.ordersByTag = async () => ({ success: true, data: [], normalized: [] });
    core.readable = false;
    await core.clock.pass(200_000);
    expect(await ended(core)).toEqual({ state: 'AMBIGUOUS', fillStatus: 'UNKNOWN', afterMs: null });
    expect(core.logged).toEqual([]);
    core.readable = true;
    await core.clock.pass(60_000);
    expect(await ended(core)).toMatchObject({ state: 'DONE', fillStatus: 'REJECTED' });
  });
  it.each([
    ['fails', async () => ({ success: false as const, message: 'HTTP 503' })],
    ['throws', () => Promise.reject(new Error('reset'))],
  ])('when the look-up by its tag %s, which is no fault of ours to tell', async (_, ordersByTag) => {
    const { core } = await lost();
    core.broker.ordersByTag = ordersByTag;
    await core.clock.pass(300_000);
    expect(await ended(core)).toEqual({ state: 'AMBIGUOUS', fillStatus: 'UNKNOWN', afterMs: null });
    expect(core.logged).toEqual([]);
  });
});
