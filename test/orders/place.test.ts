import { describe, expect, it } from 'vitest';
import { tradedByNumber, tradedBySymbol } from '../../server/brokers/instrument.ts';
import { Core } from './core.ts';
import { forever } from './stalled.ts';

const unknown = async () => ({ fate: 'unknown' as const, order_id: '' });

describe('the same key again', () => {
  it('with the same order is replayed from the store; nothing is sent', async () => {
    const core = new Core();
    const first = await core.place();
    core.broker.net = 10;
    const again = await core.place();
    expect(again).toEqual({ status: 200, headers: { 'Idempotency-Replayed': 'true' }, body: first.body });
    expect(core.broker.sends).toHaveLength(1);
    expect(core.trail().map((event) => event.kind)).not.toContain('order.key_mismatch');
  });
  it('with another order is replayed too, with a header and an event that say so', async () => {
    const core = new Core();
    const first = await core.place();
    const other = await core.place({ quantity: 11 });
    expect(other.body).toEqual(first.body);
    expect(other.headers).toEqual({ 'Idempotency-Replayed': 'true', 'Idempotency-Key-Mismatch': 'true' });
    const about = { key: 'k:one', symbol: 'SBIN', broker: 'zerodha', account: 'AB1234' };
    expect(core.journal.events.at(-1)).toEqual({ kind: 'order.key_mismatch', ...about });
  });
  it('while the first is under way joins it, and says whether it was the same order', async () => {
    const core = new Core();
    const asks = [core.ask(), core.ask(), core.ask({ quantity: 11 }), core.ask({ quantity: 12 }, true)];
    const [first, twin, other, question] = await core.clock.settle(Promise.all(asks));
    expect(first?.headers).toEqual({});
    expect(twin).toEqual({ ...first, headers: { 'Idempotency-Replayed': 'true' } });
    expect(other).toEqual({ ...first, headers: { 'Idempotency-Replayed': 'true', 'Idempotency-Key-Mismatch': 'true' } });
    expect(question).toEqual(twin);
    expect(core.broker.sends).toHaveLength(1);
  });
  it('waits as long as the first may take and 2 s, and only then gets a 409', async () => {
    const core = new Core();
    core.broker.place = forever;
    void core.ask();
    const began = core.clock.mono();
    expect(await core.place()).toEqual({
      status: 409,
      headers: { 'Retry-After': '1' },
      body: { success: false, message: 'The first request with this key is still running; ask again' },
    });
    // Session, look-up, queue, positions as an exit's and as an entry's, order budget, SENDING, pace, send, search, store.
    const boundMs = 5000 + 5000 + 10_000 + 10_000 + 1000 + 5000 + 2000 + 14_000 + 8000 + 10_000;
    expect(core.clock.mono() - began).toBe(boundMs + 2000);
  });
  it('of an order that is still looked for gets its stored UNKNOWN after 8 s, or the truth as soon as it is there', async () => {
    const core = new Core();
    core.broker.place = unknown;
    const first = await core.place();
    const began = core.clock.mono();
    expect((await core.place()).body).toEqual(first.body);
    expect(core.clock.mono() - began).toBe(8000);
    const asked = core.ask();
    const [send] = core.broker.sends;
    if (send) core.broker.book.push(core.broker.row(send.order, send.tag));
    expect((await core.clock.settle(asked)).body).toMatchObject({ success: true, fill_status: 'FILLED' });
    expect(core.clock.mono() - began).toBeLessThan(8000 + 5100);
  });
});

describe('a record that another process left', () => {
  it.each(['SENDING', 'ACCEPTED', 'AMBIGUOUS'] as const)(
    'in %s may have been sent: looked up for 8 s, and never sent again',
    async (state) => {
      const core = new Core();
      core.readable = false;
      const { tag } = await core.leave(state, { orderId: state === 'ACCEPTED' ? '1001' : '' });
      const began = core.clock.mono();
      expect(await core.place()).toMatchObject({
        headers: { 'Idempotency-Replayed': 'true' },
        body: { success: false, fill_status: 'UNKNOWN' },
      });
      expect(core.clock.mono() - began).toBe(8000);
      const now = state === 'SENDING' ? 'AMBIGUOUS' : state;
      expect(await core.record()).toMatchObject({ state: now, owner: 'process-1', epoch: 2, tag });
      expect(core.broker.sends).toEqual([]);
    },
  );
  it('and ends in the moment we take it up is answered as it ended', async () => {
    const core = new Core();
    const left = await core.leave('AMBIGUOUS');
    const response = '{"success":false,"message":"Margin","fill_status":"REJECTED"}';
    const takeOver = core.journal.takeOver.bind(core.journal);
    core.journal.takeOver = async (...args) => {
      await core.journal.move(left, 'DONE', { response }, { kind: 'order.done' }, core.clock.now());
      return await takeOver(...args);
    };
    const { body, headers } = await core.place();
    expect([JSON.stringify(body), headers]).toEqual([response, { 'Idempotency-Replayed': 'true' }]);
    expect(core.broker.sends).toEqual([]);
  });
  it('under a key that is not known by heart is met by the late look-up, which goes before the verdict', async () => {
    const core = new Core();
    await core.leave('DONE', { response: '{"success":true,"order_id":"77","fill_status":"FILLED"}', expiresAt: core.clock.now() + 1000 });
    core.broker.net = 5;
    expect(await core.place()).toMatchObject({ headers: { 'Idempotency-Replayed': 'true' }, body: { order_id: '77' } });
  });
});

describe('a question for a key', () => {
  const unheard = {
    status: 200,
    headers: { 'Idempotency-Key-Known': 'false' },
    body: { success: false, message: 'No order is known under this idempotency key; nothing was placed' },
  };
  it('nobody has used places nothing and says so', async () => {
    const core = new Core();
    expect(await core.place({}, true)).toEqual(unheard);
    expect([core.journal.events, core.broker.sends]).toEqual([[], []]);
  });
  it('that is known replays its answer, whatever order the question names', async () => {
    const core = new Core();
    const first = await core.place();
    expect(await core.place({ quantity: 99 }, true)).toEqual({ ...first, headers: { 'Idempotency-Replayed': 'true' } });
    expect(core.journal.events.at(-1)?.kind).toBe('order.done');
  });
  it('while the store is away says to come again', async () => {
    const core = new Core();
    core.away = () => true;
    const body = { success: false, message: 'Order store unavailable' };
    expect(await core.place({}, true)).toEqual({ status: 200, headers: { 'Retry-After': '1' }, body });
    expect(core.logged).toMatchObject([{ key: 'k:one', error: expect.stringContaining('away'), msg: expect.stringContaining('refused') }]);
  });
});

describe('without a session', () => {
  it('an order waits 5 s for the first connect, and is then refused in a stored answer', async () => {
    const core = new Core();
    core.connected = false;
    const first = await core.place();
    expect(first).toEqual({
      status: 200,
      headers: {},
      body: { success: false, message: 'Broker Not Connected', fill_status: 'REJECTED' },
    });
    expect(core.waits).toEqual([5000]);
    expect(await core.record()).toMatchObject({ state: 'NOT_SENT', broker: 'unknown', account: '' });
    core.connected = true;
    expect(await core.place()).toEqual({ ...first, headers: { 'Idempotency-Replayed': 'true' } });
  });
  it('an order that was placed before is replayed without a wait, with the mismatch if there is one', async () => {
    const core = new Core();
    const first = await core.place();
    core.connected = false;
    expect(await core.place()).toEqual({ ...first, headers: { 'Idempotency-Replayed': 'true' } });
    expect((await core.place({ quantity: 2 })).headers).toMatchObject({ 'Idempotency-Key-Mismatch': 'true' });
    expect(core.waits).toEqual([]);
  });
  it('an order goes out when the first connect succeeds while it waits', async () => {
    const core = new Core();
    core.connected = false;
    core.firstRound = async () => {
      await core.clock.sleep(3000);
      core.connected = true;
    };
    expect((await core.place()).body).toMatchObject({ success: true, fill_status: 'FILLED' });
    expect(await core.record()).toMatchObject({ broker: 'zerodha', account: 'AB1234' });
  });
  it('an order without a key waits for the session, since the session’s name belongs to its fingerprint', async () => {
    const core = new Core();
    await core.place({ idempotency_key: null });
    expect(core.waits).toEqual([5000]);
    await core.place({ idempotency_key: 'two', symbol: 'INFY' });
    expect(core.waits).toEqual([5000]);
  });
});

describe('orders in one symbol', () => {
  it('wait 10 s for one whose send stalls, and are then refused without a trace', async () => {
    const core = new Core();
    core.broker.place = forever;
    void core.ask();
    await core.clock.pass(10);
    const began = core.clock.mono();
    const reply = await core.place({ idempotency_key: 'two' });
    const message = 'Another order in SBIN is still being placed';
    expect(reply).toEqual({ status: 200, headers: { 'Retry-After': '1' }, body: { success: false, message } });
    expect(core.clock.mono() - began).toBe(10_000);
    expect(core.trail('two').at(-1)).toMatchObject({ kind: 'order.refused', detail: { message } });
    expect(await core.record('two')).toBeNull();
  });
  it('on the other side wait for no fill poll', async () => {
    const core = new Core();
    core.broker.place = async () => ({ fate: 'accepted', order_id: '1001' });
    void core.ask();
    await core.clock.pass(500);
    const began = core.clock.mono();
    void core.ask({ idempotency_key: 'two', transaction_type: 'SELL' });
    await core.clock.pass(100);
    expect(core.broker.sends.map(({ order }) => order.transactiontype)).toEqual(['BUY', 'SELL']);
    expect(core.clock.mono() - began).toBeLessThanOrEqual(100);
  });
  it('on the other side wait for no look-up of an order that is asked for again', async () => {
    const core = new Core();
    core.broker.place = unknown;
    await core.place();
    void core.ask();
    await core.clock.pass(100);
    void core.ask({ idempotency_key: 'two', transaction_type: 'SELL' });
    await core.clock.pass(100);
    expect(core.broker.sends.map(({ order }) => order.transactiontype)).toEqual(['BUY', 'SELL']);
  });
  it('are free again after an answer of any kind', async () => {
    const core = new Core();
    core.broker.net = 5;
    await core.place();
    await core.place();
    core.broker.net = 0;
    const began = core.clock.mono();
    expect((await core.place({ idempotency_key: 'two' })).body.success).toBe(true);
    expect(core.clock.mono() - began).toBeLessThan(10_000);
  });
});

describe('a stop', () => {
  it('refuses new orders at once, also questions', async () => {
    const core = new Core();
    const began = core.clock.mono();
    await core.clock.settle(core.orders.stop());
    expect(core.clock.mono()).toBe(began);
    const body = { success: false, message: 'The gateway is stopping' };
    expect(await core.place()).toEqual({ status: 200, headers: { 'Retry-After': '1' }, body });
    expect(await core.place({}, true)).toMatchObject({ body });
    expect(core.broker.sends).toEqual([]);
  });
  it('waits for an order in flight that ends within the second, and no longer', async () => {
    const core = new Core();
    const place = core.broker.place;
    core.broker.place = async (order, tag) => {
      await core.clock.sleep(600);
      return await place(order, tag);
    };
    const asked = core.ask();
    await core.clock.pass(100);
    const began = core.clock.mono();
    const stopped = core.orders.stop();
    expect((await core.clock.settle(asked)).body).toMatchObject({ fill_status: 'FILLED' });
    await core.clock.settle(stopped);
    expect(core.clock.mono() - began).toBe(500);
  });
  it('leaves a longer one to the next start, and says so', async () => {
    const core = new Core();
    core.broker.place = async () => ({ fate: 'accepted', order_id: '1001' });
    const asked = core.ask();
    await core.clock.pass(100);
    const began = core.clock.mono();
    await core.clock.settle(core.orders.stop());
    expect(core.clock.mono() - began).toBe(1000);
    expect((await core.clock.settle(asked)).body).toEqual({
      success: false,
      message: 'The gateway is stopping; the order is looked up again when it is back',
      fill_status: 'UNKNOWN',
    });
    expect(await core.record()).toMatchObject({ state: 'ACCEPTED', orderId: '1001', response: null });
    const reads = core.broker.reads;
    await core.clock.pass(60_000);
    expect(core.broker.reads).toBe(reads);
  });
});

describe("the caller's token", () => {
  it.each([
    [tradedByNumber, '2885'],
    [tradedBySymbol, null],
  ] as const)('names the instrument where the broker trades by it (%o), and nowhere else', async (tradedBy, token) => {
    const core = new Core();
    Object.assign(core.broker.traits, { tradedBy });
    await core.place({ token: '02885' });
    expect(await core.journal.find('k:one', core.clock.now())).toMatchObject({ state: 'DONE', token });
  });
});
