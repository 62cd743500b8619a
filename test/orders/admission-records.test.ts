import { describe, expect, it } from 'vitest';
import { tradedByNumber } from '../../server/brokers/instrument.ts';
import type { Attempt } from '../../server/journal/attempt.ts';
import { requestHash } from '../../server/orders/key.ts';
import { Core } from './core.ts';
import { fileOf, sbin } from './directory.ts';
import { attempt, request, START } from './parts.ts';

const told = {
  ...{ side: 'BUY', quantity: 10, exchange: 'NSE', order_type: 'MARKET', product_type: 'INTRADAY', price: 0, trigger_price: 0 },
};
const about = { broker: 'zerodha', account: 'AB1234', symbol: 'SBIN', key: 'k:one' };
const response = '{"success":true,"order_id":"77","fill_status":"FILLED"}';

/** Ten to be bought rest, six of them are in the positions already, and only then the order book shows those six: six are held, or twelve. */
async function inDoubt(side: 'BUY' | 'SELL', guardOff = false): Promise<Core> {
  const core = new Core();
  core.guardOff = guardOff;
  core.open('process-1');
  core.orders.wake('session');
  await core.clock.settle(core.account.positions.next('orders'));
  const { place } = core.broker;
  core.broker.place = async (order, tag) => {
    core.broker.book = [core.broker.row(order, tag, { order_id: '7', state: 'OPEN', filled_quantity: 0, average_price: null })];
    return { fate: 'accepted', order_id: '7' };
  };
  await core.place({ idempotency_key: 'rests', transaction_type: side, order_type: 'LIMIT', price: 800, quantity: 10 });
  core.broker.place = place;
  await core.clock.pass(10_000);
  core.broker.net = side === 'BUY' ? 6 : -6;
  await core.clock.settle(core.account.positions.next('orders'));
  core.broker.book = core.broker.book.map((row) => ({ ...row, filled_quantity: 6, average_price: 800 }));
  await core.clock.settle(core.account.orderBook.next('orders'));
  return core;
}

describe('the net that an order is recorded with', () => {
  it.each([
    ['BUY', 'SELL', 6],
    ['SELL', 'BUY', -6],
  ] as const)('is the worse end of what may be held: after a %s, for a %s that leaves', async (held, transaction_type, netBefore) => {
    const core = await inDoubt(held);
    expect((await core.place({ transaction_type, quantity: 3 })).body).toMatchObject({ success: true });
    expect(await core.record()).toMatchObject({ state: 'DONE', netBefore });
  });
  it.each([
    ['BUY', 12],
    ['SELL', -12],
  ] as const)('for a %s more of it, blocked or let through without the guard, too', async (transaction_type, netBefore) => {
    const blocked = await inDoubt(transaction_type);
    expect((await blocked.place({ transaction_type })).body).toMatchObject({ status: 'BLOCKED' });
    expect(await blocked.record()).toMatchObject({ state: 'NOT_SENT', netBefore });
    const free = await inDoubt(transaction_type, true);
    expect((await free.place({ transaction_type })).body).toMatchObject({ success: true });
    expect(await free.record()).toMatchObject({ state: 'DONE', netBefore });
  });
});

describe('a refusal', () => {
  it('that is not kept leaves the whole order in the trail', async () => {
    const core = new Core({ limits: 1 });
    await core.place({ idempotency_key: 'zero', symbol: 'INFY' });
    const { body } = await core.place({ strategy: 'momentum' });
    const [event, ...others] = core.journal.events.filter(({ key }) => key === 'k:one');
    expect([event, others]).toEqual([
      { kind: 'order.refused', ...about, detail: { message: body.message, ...told, strategy: 'momentum' } },
      [],
    ]);
  });
  it('that is kept leaves it beside its record', async () => {
    const core = new Core();
    core.broker.net = 5;
    const { body } = await core.place();
    expect(core.journal.events).toEqual([{ kind: 'order.not_sent', ...about, orderId: '', detail: { message: body.message, ...told } }]);
  });
  it('without a session is kept as an order of no account', async () => {
    const core = new Core();
    core.connected = false;
    const { body } = await core.place();
    const standing = await core.record();
    expect(standing).toEqual({
      ...attempt({ state: 'NOT_SENT', broker: 'unknown', account: '', response: JSON.stringify(body), expiresAt: START + 60_000 }),
      ...{ token: null, requestHash: requestHash(request()), tag: expect.stringMatching(/^[a-z][a-z0-9]{15}$/) },
    });
    const nowhere = { broker: 'unknown', account: '', symbol: 'SBIN', orderId: '', key: 'k:one' };
    expect(core.journal.events).toEqual([{ kind: 'order.not_sent', ...nowhere, detail: { message: 'Broker Not Connected', ...told } }]);
  });
  it('by the kill switch takes nothing of the order budget', async () => {
    const core = new Core();
    core.killSwitch.on = true;
    expect((await core.place()).body).toMatchObject({ success: false, message: expect.stringContaining('The kill switch is on') });
    expect([core.limiter.asked, core.broker.sends]).toEqual([[], []]);
  });
});

describe('a record that stands under the key of an order', () => {
  const replayed = { headers: { 'Idempotency-Replayed': 'true' }, body: { order_id: '77' } };
  const stands = (core: Core): Promise<Attempt> => core.leave('DONE', { response });
  it('goes before a block that was to be written over it', async () => {
    const core = new Core();
    core.broker.net = 5;
    const begin = core.journal.begin.bind(core.journal);
    core.journal.begin = async (...args) => {
      core.journal.begin = begin;
      await stands(core);
      return await begin(...args);
    };
    expect(await core.place()).toMatchObject(replayed);
    expect(await core.record()).toMatchObject({ state: 'DONE' });
  });
  it('goes before the word that another order is still being placed', async () => {
    const core = new Core();
    core.broker.place = () => new Promise(() => undefined);
    void core.ask({ idempotency_key: 'stalls' });
    await core.clock.pass(10);
    await stands(core);
    expect(await core.place()).toMatchObject(replayed);
    expect(core.trail()).toEqual([{ kind: 'left' }]);
  });
  it('goes before the word that its symbol names two instruments', async () => {
    const core = new Core();
    core.directory = fileOf([sbin, { ...sbin, token: '1' }]);
    await stands(core);
    expect(await core.place({ token: '' })).toMatchObject(replayed);
  });
});

describe('a block', () => {
  it('for positions that cannot be read is kept for its 5 s, whatever fills meanwhile', async () => {
    const core = new Core();
    await core.place({ idempotency_key: 'in' });
    core.broker.readPositions = async () => ({ success: false, message: 'HTTP 503' });
    expect((await core.place()).body).toMatchObject({ status: 'BLOCKED' });
    core.broker.place = async (order, tag) => {
      core.broker.book.push(core.broker.row(order, tag, { order_id: '2002' }));
      return { fate: 'accepted', order_id: '2002' };
    };
    expect((await core.place({ idempotency_key: 'out', transaction_type: 'SELL' })).body).toMatchObject({ fill_status: 'FILLED' });
    expect((await core.place()).headers).toEqual({ 'Idempotency-Replayed': 'true' });
  });
  it('by an open position ends where the fill came while it was being written', async () => {
    const core = new Core();
    core.broker.net = 10;
    const begin = core.journal.begin.bind(core.journal);
    core.journal.begin = async (...args) => {
      if (args[0].key === 'k:one') await core.clock.sleep(1000);
      return await begin(...args);
    };
    const asked = core.ask();
    await core.clock.pass(100);
    expect((await core.place({ idempotency_key: 'out', transaction_type: 'SELL' })).body).toMatchObject({ fill_status: 'FILLED' });
    expect((await core.clock.settle(asked)).body).toMatchObject({ status: 'BLOCKED' });
    await core.clock.pass(10);
    expect(await core.record()).toBeNull();
    expect(core.trail().map(({ kind }) => kind)).toEqual(['order.not_sent', 'order.answer_ended']);
  });
  it('by an open position stays where an order of ours is seen to rest, and has filled nothing', async () => {
    const core = new Core();
    core.broker.net = 10;
    const { place } = core.broker;
    core.broker.place = async (order, tag) => {
      core.broker.book = [core.broker.row(order, tag, { state: 'OPEN', filled_quantity: 0, average_price: null })];
      return { fate: 'accepted', order_id: '1001' };
    };
    await core.place({ idempotency_key: 'rests', transaction_type: 'SELL', order_type: 'LIMIT', price: 900 });
    core.broker.place = place;
    await core.place();
    await core.clock.settle(core.account.orderBook.next('orders'));
    expect((await core.place()).headers).toEqual({ 'Idempotency-Replayed': 'true' });
  });
});

describe('what is to be told once an answer has reached its caller', () => {
  it.each([
    ['a fingerprint’s order that is done', null, true, true],
    ['a caller’s key', 'one', true, false],
    ['a fingerprint’s order whose fate is not known', null, false, false],
  ])('is there for %s alone', async (_, idempotency_key, known, delivered) => {
    const core = new Core();
    if (!known) core.broker.place = async () => ({ fate: 'unknown', order_id: '' });
    const reply = await core.place({ idempotency_key });
    expect(reply.body.fill_status).toBe(known ? 'FILLED' : 'UNKNOWN');
    expect(Object.hasOwn(reply, 'delivered')).toBe(delivered);
  });
});

it('an instrument is recorded under the symbol of the first order in it, whatever the next one calls it', async () => {
  const core = new Core();
  Object.assign(core.broker.traits, { tradedBy: tradedByNumber });
  await core.place({ token: '2885' });
  core.broker.net = 10;
  await core.place({ idempotency_key: 'two', token: '2885', symbol: 'SBIN-EQ', transaction_type: 'SELL', quantity: 3 });
  expect(await core.record('two')).toMatchObject({ symbol: 'SBIN', token: '2885' });
});
