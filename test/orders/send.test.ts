import { describe, expect, it } from 'vitest';
import type { Sent } from '../../server/brokers/broker.ts';
import type { Attempt } from '../../server/journal/attempt.ts';
import { Core } from './core.ts';

async function heldBy(core: Core): Promise<Attempt> {
  const record = await core.record();
  if (!record) throw new Error('No record stands');
  return record;
}

describe('an order on its way', () => {
  it('is sent once, as the spec’s members and the tag that was written down with it', async () => {
    const core = new Core();
    await core.place({ order_type: 'SL', price: 1e2, trigger_price: 99.5, variety: 'STOPLOSS', product_type: 'DELIVERY' });
    const { tag } = await heldBy(core);
    const order = {
      symbol: 'SBIN',
      token: '779521',
      exchange: 'NSE',
      transactiontype: 'BUY',
      ordertype: 'SL',
      producttype: 'DELIVERY',
      quantity: '10',
      price: '100',
      triggerprice: '99.5',
      variety: 'STOPLOSS',
      duration: 'DAY',
      tradingsymbol: 'SBIN',
    };
    expect(core.broker.sends).toStrictEqual([{ order, tag }]);
  });
  it('leaves a trail, each step of it before the next begins', async () => {
    const core = new Core();
    const place = core.broker.place;
    core.broker.place = async (order, tag) => {
      expect(core.trail().at(-1)).toMatchObject({ kind: 'order.sending', detail: { tag, side: 'BUY', quantity: 10, exchange: 'NSE' } });
      expect(await heldBy(core)).toMatchObject({ state: 'SENDING', tag, netBefore: 0 });
      return await place(order, tag);
    };
    await core.place();
    expect(core.trail().map((event) => event.kind)).toEqual(['order.sending', 'order.accepted', 'order.done']);
    expect(core.trail().slice(1)).toMatchObject([
      { kind: 'order.accepted', detail: { message: 'taken', order_id: '1001' } },
      { kind: 'order.done', detail: { fill_status: 'FILLED', filled: 10 } },
    ]);
    expect(core.truths).toEqual([
      { orderId: '1001', status: 'PLACED', filledQuantity: 0, averagePrice: null },
      { orderId: '1001', status: 'FILLED', filledQuantity: 10, averagePrice: 100.5 },
    ]);
  });
  it('keeps what the guard saw, what the broker said, and how far the clocks are apart', async () => {
    const core = new Core();
    core.broker.net = -5;
    core.broker.place = async () => ({ fate: 'accepted', order_id: '1001', message: 'ok', data: { a: [1] }, clockOffsetMs: 249.6 });
    void core.ask();
    await core.clock.pass(200);
    const record = await heldBy(core);
    expect(record).toMatchObject({ state: 'ACCEPTED', orderId: '1001', netBefore: -5, clockOffsetMs: 250 });
    expect(JSON.parse(record.brokerAnswer ?? '')).toEqual({ message: 'ok', data: { a: [1] } });
    core.broker.place = async () => ({ fate: 'unknown', order_id: '' });
    await core.place({ idempotency_key: 'two', symbol: 'INFY' });
    expect(await core.record('two')).toMatchObject({ clockOffsetMs: null });
  });
});

describe('the fate of a send', () => {
  const fates: [Sent, string, string, object, string | null][] = [
    [
      { fate: 'rejected', order_id: '', message: 'Margin', data: { code: 9 } },
      'DONE',
      'order.rejected',
      { message: 'Margin', data: { code: 9 } },
      'Margin',
    ],
    [{ fate: 'rejected', order_id: 'x9' }, 'DONE', 'order.rejected', { message: 'The broker rejected the order' }, null],
    [{ fate: 'not_sent', order_id: '', message: 'Refused' }, 'NOT_SENT', 'order.not_sent', { message: 'Refused' }, 'Refused'],
  ];
  it.each(fates)('%o is written as %s with %s, and answered', async (sent, state, kind, words, message) => {
    const core = new Core();
    core.broker.place = async () => sent;
    const { body, headers } = await core.place();
    expect(body).toStrictEqual({ success: false, order_id: '', fill_status: 'REJECTED', ...words });
    expect(headers).toEqual({});
    expect(core.trail().at(-1)).toMatchObject({ kind, detail: { message, order_id: sent.order_id } });
    expect(await heldBy(core)).toMatchObject({ state, orderId: '', response: JSON.stringify(body) });
    expect(core.truths).toEqual([]);
    expect(core.broker.reads).toBe(0);
  });
  it.each([
    ['said', async (): Promise<Sent> => ({ fate: 'unknown', order_id: 'x9', message: 'HTTP 502' }), 'HTTP 502', 'x9'],
    ['not even said', () => Promise.reject(new Error('bug')), 'The outcome of the order is not known', ''],
  ])('unknown, %s: nothing is concluded, the order is looked for and not sent again', async (_, place, message, order_id) => {
    const core = new Core();
    core.broker.place = place;
    const { body } = await core.place();
    expect(body).toEqual({ success: false, order_id: '', message, fill_status: 'UNKNOWN', filled_quantity: 0, avg_fill_price: 0 });
    expect(core.trail().slice(1)).toMatchObject([
      { kind: 'order.ambiguous', detail: { message, order_id } },
      { kind: 'order.unknown', detail: { fill_status: 'UNKNOWN', filled: 0 } },
    ]);
    expect(await heldBy(core)).toMatchObject({ state: 'AMBIGUOUS', orderId: '', expiresAt: null });
    expect(core.broker.sends).toHaveLength(1);
    if (message.startsWith('The'))
      expect(core.logged).toMatchObject([{ key: 'k:one', error: 'Error: bug', msg: expect.stringContaining('adapter') }]);
  });
  it('is told truly when another process has the attempt: sent, and not stored', async () => {
    const core = new Core();
    core.broker.place = async () => {
      await core.journal.takeOver(await heldBy(core), 'process-2');
      return { fate: 'accepted', order_id: '1001' };
    };
    const reply = await core.place();
    expect(reply).toMatchObject({
      headers: { 'Idempotency-Stored': 'false' },
      body: { success: true, order_id: '1001', fill_status: 'UNKNOWN' },
    });
    expect(await heldBy(core)).toMatchObject({ state: 'SENDING', owner: 'process-2' });
    await core.clock.pass(100);
    expect(core.logged).toMatchObject([{ key: 'k:one', msg: expect.stringContaining('another hand') }]);
  });
  it('is known to be a rejection at once: the store is not waited for before the instrument is free', async () => {
    const core = new Core();
    core.broker.place = async () => {
      core.away = (call) => call === 'move';
      return { fate: 'rejected', order_id: '', message: 'Margin' };
    };
    void core.ask();
    await core.clock.pass(100);
    core.broker.place = async () => ({ fate: 'not_sent', order_id: '', message: 'Refused' });
    const began = core.clock.mono();
    void core.ask({ idempotency_key: 'two' });
    await core.clock.pass(100);
    expect([core.broker.sends.length, core.clock.mono() - began]).toEqual([2, 100]);
  });
  it('is answered within the patience of 10 s when the store is away, and stored once it is back', async () => {
    const core = new Core();
    core.broker.place = async () => {
      core.away = () => true;
      return { fate: 'rejected', order_id: '', message: 'Margin' };
    };
    const began = core.clock.mono();
    const reply = await core.place();
    expect(reply).toMatchObject({ headers: { 'Idempotency-Stored': 'false' }, body: { success: false, message: 'Margin' } });
    expect(core.clock.mono() - began).toBeLessThanOrEqual(10_000);
    core.away = () => false;
    await core.clock.pass(1000);
    expect(await heldBy(core)).toMatchObject({ state: 'DONE', response: JSON.stringify(reply.body) });
    expect(core.logged.at(-1)).toMatchObject({ key: 'k:one', msg: expect.stringContaining('kept in memory') });
    expect(core.logged[0]).toMatchObject({
      key: 'k:one',
      to: 'DONE',
      error: expect.stringContaining('away'),
      msg: expect.stringContaining('trying again'),
    });
  });
});
