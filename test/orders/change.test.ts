import { describe, expect, it } from 'vitest';
import type { Sent } from '../../server/brokers/broker.ts';
import { Core } from './core.ts';
import { orderRow } from './parts.ts';

const whole = { order_id: '1001', variety: 'NORMAL', order_type: 'LIMIT', quantity: 20, price: 812.5, trigger_price: 1e-2 };
const sent = { orderid: '1001', variety: 'NORMAL', ordertype: 'LIMIT', quantity: '20', price: '812.5', triggerprice: '0.01' };
const about = { broker: 'zerodha', account: 'AB1234', orderId: '1001' };

function run(core: Core, what: 'modify' | 'cancel') {
  const asked = what === 'modify' ? core.desk.modify(whole) : core.desk.cancel({ order_id: '1001', variety: 'NORMAL' });
  return core.clock.settle(asked);
}

describe('a modify', () => {
  it('sends what the caller gave, numbers as plain text, after it was written down', async () => {
    const core = new Core();
    core.broker.change = async () => {
      expect(core.journal.events).toEqual([{ ...about, kind: 'modify.sending', detail: sent }]);
      return { fate: 'accepted', order_id: '1001' };
    };
    expect(await run(core, 'modify')).toStrictEqual({ success: true, data: null });
    expect(core.broker.changes).toStrictEqual([sent]);
  });
  it.each([undefined, null])('leaves out what the caller left %s', async (none) => {
    const core = new Core();
    const bare = { order_id: '1001', variety: 'AMO', order_type: none, quantity: none, price: none, trigger_price: none };
    await core.clock.settle(core.desk.modify(bare));
    expect(core.broker.changes).toStrictEqual([{ orderid: '1001', variety: 'AMO' }]);
  });
  it('to a price of 0 says so', async () => {
    const core = new Core();
    await core.clock.settle(core.desk.modify({ order_id: '1001', variety: 'NORMAL', price: 0 }));
    expect(core.broker.changes).toStrictEqual([{ orderid: '1001', variety: 'NORMAL', price: '0' }]);
  });
});

describe.each(['modify', 'cancel'] as const)('a %s', (what) => {
  it('that the broker took is answered with its own words, and the order is read again', async () => {
    const core = new Core();
    expect(await run(core, what)).toStrictEqual({ success: true, message: 'done', data: { id: 7 } });
    expect(core.broker.changes).toEqual([what === 'modify' ? sent : '1001']);
    expect(core.journal.events).toEqual([
      { ...about, kind: `${what}.sending`, detail: what === 'modify' ? sent : {} },
      { ...about, kind: `${what}.accepted`, detail: { message: 'done' } },
    ]);
    expect(core.changed).toBe(1);
    expect(core.limiter.asked).toEqual([what === 'modify' ? 'exit' : 'cancel']);
  });
  it('without a session is refused and leaves no trace', async () => {
    const core = new Core();
    core.connected = false;
    expect(await run(core, what)).toEqual({ success: false, message: 'Broker Not Connected' });
    expect([core.broker.changes, core.journal.events, core.changed]).toEqual([[], [], 0]);
  });
  it('beyond the order budget is not sent, and the answer says so', async () => {
    const core = new Core({ limits: 1 });
    await run(core, what);
    expect(await run(core, what)).toEqual({ success: false, message: expect.stringContaining(`the ${what} was not sent`) });
    expect(core.broker.changes).toHaveLength(1);
    expect(core.journal.events).toHaveLength(2);
  });
  it('that cannot be written down is not sent', async () => {
    const core = new Core();
    core.away = (name) => name === 'note';
    expect(await run(core, what)).toEqual({ success: false, message: 'Order store unavailable' });
    expect(core.broker.changes).toEqual([]);
    expect(core.logged).toMatchObject([
      { orderId: '1001', error: 'Error: The store is away for note', msg: expect.stringContaining(what) },
    ]);
  });
  it('is answered as it was when the store goes away after the send', async () => {
    const core = new Core();
    core.broker.change = async () => {
      core.away = () => true;
      return { fate: 'accepted', order_id: '1001' };
    };
    expect(await run(core, what)).toStrictEqual({ success: true, data: null });
  });
  it.each([
    ['rejected', 'No such order'],
    ['rejected', undefined],
    ['not_sent', 'Connection refused'],
  ] as const)('that was %s (%s) is said so, and the order is as it was', async (fate, message) => {
    const core = new Core();
    core.broker.change = async () => ({ fate, order_id: '', ...(message && { message }), data: { code: 1 } });
    expect(await run(core, what)).toStrictEqual({ success: false, message: message ?? `The broker refused the ${what}` });
    expect(core.journal.events.at(-1)).toEqual({ ...about, kind: `${what}.${fate}`, detail: { message: message ?? null } });
    expect([core.changed, core.broker.reads]).toEqual([0, 0]);
  });
});

describe.each(['modify', 'cancel'] as const)('a %s whose outcome is unclear', (what) => {
  const unclear: Sent = { fate: 'unknown', order_id: '', message: 'HTTP 502', data: { seen: 1 } };
  function stand(answer: Sent | Error = unclear): Core {
    const core = new Core();
    core.broker.change = async () => {
      if (answer instanceof Error) throw answer;
      return answer;
    };
    core.broker.book = [orderRow({ order_id: '999', state: 'CANCELLED' }), orderRow({ state: 'OPEN', filled_quantity: 4 })];
    return core;
  }
  it('is sent once, said to be unclear, with the order as it was read afterwards', async () => {
    const core = stand();
    expect(await run(core, what)).toEqual({
      success: false,
      message: `The outcome of this ${what} is not known (HTTP 502). Order 1001: it was read as OPEN, 4 of 10 filled, just now. Read the order before acting again.`,
    });
    expect([core.broker.changes.length, core.broker.reads, core.changed]).toEqual([1, 1, 1]);
    expect(core.journal.events.at(-1)).toEqual({ ...about, kind: `${what}.unknown`, detail: { message: 'HTTP 502' } });
  });
  it('without a reason names none', async () => {
    const { message } = (await run(stand({ fate: 'unknown', order_id: '' }), what)) as { message: string };
    expect(message).toContain(`The outcome of this ${what} is not known. Order 1001:`);
  });
  it('because the adapter failed is no less unclear', async () => {
    const core = stand(new Error('socket hang up'));
    expect(await run(core, what)).toMatchObject({
      success: false,
      message: expect.stringContaining('is not known. Order 1001: it was read as OPEN'),
    });
    expect(core.logged).toMatchObject([{ orderId: '1001', error: 'Error: socket hang up', msg: expect.stringContaining(what) }]);
    expect(core.broker.changes).toHaveLength(1);
  });
  it.each([
    ['fails', async () => ({ success: false as const, message: 'HTTP 503' })],
    ['throws', () => Promise.reject(new Error('reset'))],
    ['hangs', () => new Promise<never>(() => undefined)],
    ['does not hold it', async () => ({ success: true as const, data: [], normalized: [] })],
  ])('says within 2 s that it could not be read when the order book %s', async (_, readBook) => {
    const core = stand();
    core.broker.readBook = readBook;
    const began = core.clock.mono();
    expect(await run(core, what)).toMatchObject({
      success: false,
      message: expect.stringContaining('Order 1001: it could not be read just now.'),
    });
    expect(core.clock.mono() - began).toBeLessThanOrEqual(2000);
  });
});

it.each([
  ['cancel', { success: true, message: 'The order is cancelled', data: { seen: 1 } }],
  ['modify', { success: false, message: expect.stringContaining('it was read as CANCELLED') }],
] as const)('an unclear %s of an order that is then read as cancelled', async (what, answer) => {
  const core = new Core();
  core.broker.change = async () => ({ fate: 'unknown', order_id: '', data: { seen: 1 } });
  core.broker.book = [orderRow({ state: 'CANCELLED' })];
  expect(await run(core, what)).toStrictEqual(answer);
});
it('an unclear cancel of an order that filled meanwhile is not called cancelled', async () => {
  const core = new Core();
  core.broker.change = async () => ({ fate: 'unknown', order_id: '' });
  core.broker.book = [orderRow({ state: 'FILLED', filled_quantity: 10 })];
  expect(await run(core, 'cancel')).toMatchObject({ success: false, message: expect.stringContaining('FILLED, 10 of 10') });
});
