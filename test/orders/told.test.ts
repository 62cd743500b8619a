import { describe, expect, it } from 'vitest';
import { Core } from './core.ts';
import { orderRow } from './parts.ts';
import { forever } from './stalled.ts';

describe('what is written of an order', () => {
  it('is its strategy and its confidence, where it has them', async () => {
    const core = new Core();
    await core.place({ strategy: 'breakout', ai_confidence: 0.85 });
    expect(await core.record()).toMatchObject({ strategy: 'breakout', aiConfidence: '0.85' });
    expect(core.trail()[0]?.detail).toMatchObject({ strategy: 'breakout' });
    await core.place({ idempotency_key: 'two', symbol: 'INFY' });
    expect(await core.record('two')).toMatchObject({ strategy: null, aiConfidence: null });
    expect(core.trail('two')[0]?.detail).not.toHaveProperty('strategy');
  });
  it('is how long it waited, and how long the broker took, in tenths of a millisecond', async () => {
    const core = new Core();
    const { place, readPositions } = core.broker;
    core.broker.readPositions = async () => {
      await core.clock.sleep(700.04);
      return await readPositions();
    };
    core.broker.place = async (...order) => {
      await core.clock.sleep(123.46);
      return await place(...order);
    };
    // Its own beginning is not that of the process.
    await core.clock.pass(5000);
    await core.place();
    const [sending, accepted] = core.trail();
    expect(sending?.detail).toMatchObject({ waited_ms: 700 });
    expect(accepted?.detail).toMatchObject({ sent_after_ms: 700, took_ms: 123.5 });
    expect(core.steps.filter(([step]) => step === 'send').map(([, ms]) => Math.round(ms))).toEqual([123]);
  });
  it.each([
    ['SELL', 'BUY', 10],
    ['BUY', 'SELL', -10],
  ] as const)('is the net that a %s goes by, where a %s of unknown fate may have filled', async (transaction_type, before, net) => {
    const core = new Core();
    const { place } = core.broker;
    core.broker.place = forever;
    void core.ask({ transaction_type: before, quantity: 10 });
    await core.clock.pass(100);
    core.broker.place = place;
    core.broker.net = net;
    await core.clock.settle(core.account.positions.next('orders'));
    await core.place({ idempotency_key: 'two', transaction_type, quantity: 3 });
    expect(await core.record('two')).toMatchObject({ netBefore: net });
  });
  it('is the wait for its fill', async () => {
    const core = new Core();
    const until = core.clock.mono() + 400;
    core.broker.place = async (order, tag) => {
      const [open, filled] = [core.broker.row(order, tag, { state: 'OPEN', filled_quantity: 0 }), core.broker.row(order, tag)];
      core.broker.readBook = async () => ({ success: true, data: [], normalized: [core.clock.mono() < until ? open : filled] });
      return { fate: 'accepted', order_id: '1001' };
    };
    expect((await core.place()).body).toMatchObject({ fill_status: 'FILLED' });
    const [[, ms] = ['', 0]] = core.steps.filter(([step]) => step === 'fill');
    expect(ms).toBeGreaterThanOrEqual(400);
  });
  it.each(['modify', 'cancel'] as const)('is how long a %s took', async (what) => {
    const core = new Core();
    await core.clock.pass(5000);
    core.broker.change = async () => {
      await core.clock.sleep(123.46);
      return { fate: 'accepted', order_id: '1001' };
    };
    const request = { order_id: '1001', variety: 'NORMAL' } as const;
    await core.clock.settle(what === 'modify' ? core.orders.modify({ ...request, price: 800 }) : core.orders.cancel(request));
    expect(core.journal.events.at(-1)).toMatchObject({ kind: `${what}.accepted`, detail: { took_ms: 123.5 } });
  });
});

describe('an order is not sent', () => {
  it('when the trading day ends between its record and its bytes', async () => {
    const core = new Core();
    const begin = core.journal.begin.bind(core.journal);
    core.journal.begin = async (...args) => {
      core.amoDay = '2026-11-24';
      return await begin(...args);
    };
    const message = 'The trading day ended before the order was sent';
    expect(await core.place({ variety: 'AMO' })).toEqual({
      ...{ status: 200, headers: { 'Retry-After': '1' } },
      body: { success: false, message },
    });
    expect([core.broker.sends, await core.record()]).toEqual([[], null]);
  });
  it('by a process that may not lead any more, nor is a change', async () => {
    const core = new Core();
    core.held = 'Another gateway leads';
    expect(await core.place()).toEqual({
      ...{ status: 200, headers: { 'Retry-After': '1' } },
      body: { success: false, message: 'Another gateway leads' },
    });
    const cancel = core.orders.cancel({ order_id: '1001', variety: 'NORMAL' });
    expect(await core.clock.settle(cancel)).toEqual({ success: false, message: 'Another gateway leads' });
    expect([core.broker.sends, core.broker.changes]).toEqual([[], []]);
  });
  it('when its turn to leave does not come within 3 s', async () => {
    const core = new Core();
    core.limiter.pace = forever;
    const message = 'Too many orders: no more may leave within this second';
    const began = core.clock.mono();
    expect(await core.place()).toEqual({ status: 200, headers: { 'Retry-After': '1' }, body: { success: false, message } });
    expect([core.clock.mono() - began, core.broker.sends, await core.record()]).toEqual([3000, [], null]);
  });
  it('and says so where its trace cannot be removed', async () => {
    const core = new Core();
    core.limiter.pace = forever;
    core.away = (call) => call === 'withdraw';
    await core.place();
    const msg = 'The trace of an order that was not sent could not be removed; it is tried again';
    expect(core.logged[0]).toMatchObject({ key: 'k:one', error: 'Error: The store is away for withdraw', msg });
    await core.clock.settle(core.orders.stop());
    const told = core.logged.length;
    await core.clock.pass(10_000);
    expect(core.logged.length - told).toBeLessThanOrEqual(1);
  });
  it('a MARKET one that has waited 10 s to the millisecond still is', async () => {
    const core = new Core();
    const { take } = core.limiter;
    core.limiter.take = async (rank) => {
      await core.clock.sleep(10_000);
      return await take.call(core.limiter, rank);
    };
    expect((await core.place()).body).toMatchObject({ success: true });
  });
});

describe('what fails is told with its key', () => {
  it('an event of a change that cannot be written', async () => {
    const core = new Core();
    core.away = (call) => call === 'note';
    await core.clock.settle(core.orders.cancel({ order_id: '1001', variety: 'NORMAL' }));
    const msg = 'An event could not be written; it is tried again';
    expect(core.logged[0]).toMatchObject({ orderId: '1001', kind: 'cancel.sending', error: 'Error: The store is away for note', msg });
  });
  it('SENDING that cannot be written', async () => {
    const core = new Core();
    core.away = (call) => call === 'begin';
    await core.place();
    expect(core.logged).toMatchObject([{ msg: 'An order was not sent because the order store failed' }]);
  });
  it('a key that is looked up in vain', async () => {
    const core = new Core();
    core.journal.find = forever;
    await core.place({}, true);
    expect(core.logged).toMatchObject([{ key: 'k:one', error: 'Error: The order store did not answer in time' }]);
  });
});

it('a change of an exit is judged by what of it may still fill', async () => {
  const core = new Core();
  core.broker.net = 6;
  // Six of ten are sold: four more of six only reduce.
  core.broker.book = [orderRow({ order_type: 'LIMIT', price: 800, tag: null, transaction_type: 'SELL', filled_quantity: 4 })];
  core.orders.wake('session');
  await core.clock.settle(Promise.all([core.account.orderBook.next('orders'), core.account.positions.next('orders')]));
  core.killSwitch.on = true;
  const modify = core.orders.modify({ order_id: '1001', variety: 'NORMAL', order_type: 'MARKET', price: 0 });
  expect(await core.clock.settle(modify)).toMatchObject({ success: true });
});

it('an order whose waits nobody measures is placed as any other', async () => {
  const core = new Core();
  core.meters = undefined;
  core.open('process-1');
  expect((await core.place()).body).toMatchObject({ success: true, fill_status: 'FILLED' });
  expect(core.steps).toEqual([]);
});
