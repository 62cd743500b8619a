import { describe, expect, it } from 'vitest';
import type { Sent } from '../../server/brokers/broker.ts';
import { Core } from './core.ts';
import { orderRow } from './parts.ts';

const whole = { order_id: '1001', variety: 'NORMAL', order_type: 'LIMIT', quantity: 20, price: 812.5, trigger_price: 1e-2 };
const sent = { orderid: '1001', variety: 'NORMAL', ordertype: 'LIMIT', quantity: '20', price: '812.5', triggerprice: '0.01' };
const about = { broker: 'zerodha', account: 'AB1234', orderId: '1001' };

function run(core: Core, what: 'modify' | 'cancel') {
  const asked = what === 'modify' ? core.orders.modify(whole) : core.orders.cancel({ order_id: '1001', variety: 'NORMAL' });
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
    await core.clock.settle(core.orders.modify(bare));
    expect(core.broker.changes).toStrictEqual([{ orderid: '1001', variety: 'AMO' }]);
  });
  it('to a price of 0 says so', async () => {
    const core = new Core();
    await core.clock.settle(core.orders.modify({ order_id: '1001', variety: 'NORMAL', price: 0 }));
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
      { ...about, kind: `${what}.accepted`, detail: { message: 'done', took_ms: 0 } },
    ]);
    expect(core.changed).toBe(1);
    expect(core.limiter.asked).toEqual([what === 'modify' ? 'entry' : 'cancel']);
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
    expect(core.journal.events.at(-1)).toEqual({ ...about, kind: `${what}.${fate}`, detail: { message: message ?? null, took_ms: 0 } });
    expect([core.changed, core.broker.reads]).toEqual([0, 0]);
  });
});

it('a modify that cannot be written down is not sent', async () => {
  const core = new Core();
  core.away = (name) => name === 'note';
  expect(await run(core, 'modify')).toEqual({ success: false, message: 'Order store unavailable' });
  expect(core.broker.changes).toEqual([]);
  expect(core.logged).toMatchObject([
    { orderId: '1001', error: 'Error: The store is away for note', msg: expect.stringContaining('modify') },
  ]);
});

describe('a cancel while the store', () => {
  it('answers has its events written once', async () => {
    const core = new Core();
    await run(core, 'cancel');
    await core.clock.pass(10_000);
    expect(core.journal.events.map(({ kind }) => kind)).toEqual(['cancel.sending', 'cancel.accepted']);
  });
  it('is away goes out at once, and its events are written later', async () => {
    const core = new Core();
    core.away = (name) => name === 'note';
    const began = core.clock.mono();
    expect(await run(core, 'cancel')).toMatchObject({ success: true });
    expect([core.clock.mono() - began, core.broker.changes]).toEqual([0, ['1001']]);
    core.away = () => false;
    await core.clock.pass(1100);
    expect(core.journal.events.map(({ kind }) => kind).sort()).toEqual(['cancel.accepted', 'cancel.sending']);
  });
  it('hangs goes out after a second', async () => {
    const core = new Core();
    core.journal.note = () => new Promise(() => undefined);
    const began = core.clock.mono();
    expect(await run(core, 'cancel')).toMatchObject({ success: true });
    expect(core.clock.mono() - began).toBe(1000);
  });
});

it.each(['modify', 'cancel'] as const)('a %s whose session ends, or whose gateway stops, while it waits is not sent', async (what) => {
  for (const [message, happen] of [
    ['The broker session changed; nothing was sent', (core: Core) => void core.account.door.shut()],
    ['The gateway is stopping; nothing was sent', (core: Core) => core.clock.settle(core.orders.stop())],
  ] as const) {
    const core = new Core();
    await happen(core);
    expect(await run(core, what)).toEqual({ success: false, message });
    expect(core.broker.changes).toEqual([]);
  }
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
    expect(core.journal.events.at(-1)).toEqual({ ...about, kind: `${what}.unknown`, detail: { message: 'HTTP 502', took_ms: 0 } });
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

describe('a modify of a known order', () => {
  const limit = { order_type: 'LIMIT', price: 800, tag: null } as const;
  const modify = (core: Core, change: object) => core.clock.settle(core.orders.modify({ order_id: '1001', variety: 'NORMAL', ...change }));
  /** A core whose order book holds our resting order, read once. */
  async function resting(change: Parameters<typeof orderRow>[0] = {}, net = 0): Promise<Core> {
    const core = new Core();
    core.broker.net = net;
    core.broker.book = [orderRow({ ...limit, ...change })];
    core.orders.wake('session');
    await core.clock.settle(Promise.all([core.account.orderBook.next('orders'), core.account.positions.next('orders')]));
    return core;
  }
  it.each([
    ['an entry’s price further away', {}, 0, { price: 799 }, true],
    ['an entry’s price nearer', {}, 0, { price: 801 }, false],
    ['an entry to MARKET', {}, 0, { order_type: 'MARKET', price: 0 }, false],
    ['a smaller quantity', {}, 0, { quantity: 5 }, true],
    ['a larger quantity', {}, 0, { quantity: 11 }, false],
    ['an exit to MARKET', { transaction_type: 'SELL' }, 10, { order_type: 'MARKET', price: 0 }, true],
    ['an exit’s price nearer', { transaction_type: 'SELL' }, 10, { price: 790 }, true],
    ['an exit to a larger quantity', { transaction_type: 'SELL' }, 20, { quantity: 11 }, false],
    ['what would flip the position to MARKET', { transaction_type: 'SELL' }, 9, { order_type: 'MARKET', price: 0 }, false],
  ] as const)('under the kill switch: %s', async (_, row, net, change, passes) => {
    const core = await resting(row, net);
    core.killSwitch.on = true;
    const reads = core.broker.reads;
    expect((await modify(core, change)).success).toBe(passes);
    expect(core.broker.changes).toHaveLength(passes ? 1 : 0);
    expect(core.broker.reads).toBeGreaterThan(reads);
  });
  it('that the order book does not show is not sent under the kill switch', async () => {
    const core = await resting();
    core.broker.book = [];
    core.killSwitch.on = true;
    expect(await modify(core, { price: 799 })).toEqual({
      success: false,
      message: 'The kill switch is on and the modify was not sent: the order could not be read',
    });
  });
  it('that grows says why it is not sent under the kill switch, and spends nothing of the order budget', async () => {
    const core = await resting();
    core.killSwitch.on = true;
    expect(await modify(core, { quantity: 11 })).toEqual({
      success: false,
      message: 'The kill switch is on and the modify was not sent: it would let an entry do more',
    });
    expect(core.limiter.asked).toEqual([]);
  });
  it('that grows holds its turn while it is sent: an entry is judged after it', async () => {
    const core = await resting();
    const answered = Promise.withResolvers<void>();
    core.broker.change = async () => {
      await answered.promise;
      return { fate: 'accepted', order_id: '1001' };
    };
    const modified = core.orders.modify({ order_id: '1001', variety: 'NORMAL', price: 801 });
    await core.clock.pass(100);
    void core.ask();
    await core.clock.pass(1000);
    expect(core.broker.sends).toEqual([]);
    answered.resolve();
    await core.clock.settle(modified);
    await core.clock.pass(100);
    expect(core.broker.sends).toHaveLength(1);
  });
  it('that grows and waits while the switch is turned on is not sent', async () => {
    const core = await resting();
    const { pace } = core.limiter;
    core.limiter.pace = async (rank) => {
      core.killSwitch.on = true;
      await pace.call(core.limiter, rank);
    };
    expect(await modify(core, { price: 801 })).toEqual({ success: false, message: 'The kill switch was turned on; nothing was sent' });
    expect(core.broker.changes).toEqual([]);
  });
  it('takes the rank of what it is', async () => {
    const core = await resting();
    await modify(core, { price: 799 });
    await modify(core, { price: 801 });
    expect(core.limiter.asked).toEqual(['exit', 'entry']);
  });
  it('that grows waits for its turn in the instrument, one that does not goes at once', async () => {
    const core = await resting();
    core.broker.place = () => new Promise(() => undefined);
    void core.ask();
    await core.clock.pass(100);
    const began = core.clock.mono();
    expect((await modify(core, { price: 799 })).success).toBe(true);
    expect(core.clock.mono()).toBe(began);
    expect(await modify(core, { price: 801 })).toEqual({
      success: false,
      message: 'Another order in SBIN is still being placed; the modify was not sent',
    });
    expect(core.broker.changes).toHaveLength(1);
  });
});
