import { describe, expect, it } from 'vitest';
import { Core } from './core.ts';
import { orderRow } from './parts.ts';

const AMO = { variety: 'AMO', order_type: 'LIMIT', price: 100 } as const;

describe('an AMO order, sent on Friday for Monday', () => {
  /** A core whose AMO order was sent at 18:00 and whose fate nobody told. */
  async function lost() {
    const core = new Core({ start: '2026-11-20T18:00:00+05:30' });
    core.broker.place = async () => ({ fate: 'unknown', order_id: '', message: 'HTTP 502' });
    await core.place(AMO);
    const until = async (time: string) => core.clock.pass(Date.parse(time) - core.clock.now());
    return { core, until };
  }
  it('belongs to its session, and its absence counts in that alone', async () => {
    const { core, until } = await lost();
    expect(await core.record()).toMatchObject({ tradingDay: '2026-11-23', state: 'AMBIGUOUS' });
    await until('2026-11-22T12:00:00+05:30');
    expect(await core.record()).toMatchObject({ state: 'AMBIGUOUS' });
    await until('2026-11-23T09:14:30+05:30');
    expect(await core.record()).toMatchObject({ state: 'AMBIGUOUS' });
    await until('2026-11-23T09:20:00+05:30');
    expect(await core.record()).toMatchObject({ state: 'DONE', fillStatus: 'REJECTED' });
    expect(core.broker.sends).toHaveLength(1);
  });
  it('is found when it shows in its session', async () => {
    const { core, until } = await lost();
    const [send] = core.broker.sends;
    await until('2026-11-23T09:10:00+05:30');
    if (send) core.broker.book.push(core.broker.row(send.order, send.tag));
    await until('2026-11-23T09:12:00+05:30');
    expect(await core.record()).toMatchObject({ state: 'DONE', orderId: '1001', fillStatus: 'FILLED' });
  });
  it('is given up when its session is over and nobody could read', async () => {
    const { core, until } = await lost();
    core.readable = false;
    await until('2026-11-23T23:59:00+05:30');
    expect(await core.record()).toMatchObject({ state: 'AMBIGUOUS' });
    await until('2026-11-24T00:02:00+05:30');
    expect(await core.record()).toMatchObject({ state: 'UNRESOLVED' });
  });
  it('that the broker holds is PENDING, and rests', async () => {
    const core = new Core({ start: '2026-11-20T18:00:00+05:30' });
    core.broker.place = async (order, tag) => {
      core.broker.book = [core.broker.row(order, tag, { state: 'OPEN', status: 'PLACED', filled_quantity: 0, average_price: null })];
      return { fate: 'accepted', order_id: '1001' };
    };
    expect((await core.place(AMO)).body).toMatchObject({ success: true, fill_status: 'PENDING' });
    expect(await core.record()).toMatchObject({ state: 'DONE', fillStatus: 'PENDING', tradingDay: '2026-11-23' });
  });
});

describe('the trading day', () => {
  it('is taken when the order is sent, not when it was asked for', async () => {
    const core = new Core({ start: '2026-11-20T23:59:58+05:30' });
    const { readPositions } = core.broker;
    core.broker.readPositions = async () => {
      await core.clock.sleep(3000);
      return await readPositions();
    };
    await core.place();
    expect(await core.record()).toMatchObject({ tradingDay: '2026-11-21', startedAt: Date.parse('2026-11-21T00:00:01+05:30') });
  });
});

describe('an order given up', () => {
  it.each([
    ['a caller’s key', 'one', true],
    ['a fingerprint, whose day is over', null, false],
  ])('under %s is answered for later: %s', async (_, idempotency_key, answered) => {
    const core = new Core({ start: '2026-11-20T23:58:30+05:30' });
    core.broker.place = async () => ({ fate: 'unknown', order_id: '', message: 'HTTP 502' });
    await core.place({ idempotency_key });
    await core.clock.pass(600_000);
    const before = core.broker.sends.length;
    const { headers } = await core.place({ idempotency_key });
    expect(headers).toEqual(answered ? { 'Idempotency-Replayed': 'true' } : {});
    expect(core.broker.sends.length - before).toBe(answered ? 0 : 1);
  });
  it('blocks nobody any more', async () => {
    const core = new Core({ start: '2026-11-20T23:58:30+05:30' });
    core.broker.place = async () => ({ fate: 'unknown', order_id: '', message: 'HTTP 502' });
    await core.place();
    expect((await core.place({ idempotency_key: 'two' })).body).toMatchObject({ status: 'BLOCKED' });
    await core.clock.pass(600_000);
    core.broker.book = [orderRow({ tag: 'other' })];
    expect((await core.place({ idempotency_key: 'three' })).body).not.toHaveProperty('status');
  });
});
