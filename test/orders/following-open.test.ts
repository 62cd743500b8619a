import { describe, expect, it } from 'vitest';
import { Core } from './core.ts';
import { orderRow } from './parts.ts';
import { forever } from './stalled.ts';
import { lost } from './tracker-lost.ts';

const unknown = JSON.stringify({ success: false, fill_status: 'UNKNOWN', message: 'told before' });

/** The order service of the next process, over what the one before left. */
async function restart(core: Core, owner = 'process-2'): Promise<void> {
  await core.clock.settle(core.orders.stop());
  core.open(owner);
  await core.clock.settle(core.orders.recover());
}

describe('the list of orders whose truth is not known', () => {
  it('does not name one that is being sent or polled, and is not disturbed by news', async () => {
    const core = new Core();
    core.broker.place = async () => {
      await core.clock.sleep(1000);
      return { fate: 'accepted', order_id: '1001' };
    };
    void core.ask();
    for (let second = 0; second < 5; second += 1) {
      await core.clock.pass(1000);
      expect(core.orders.unresolved()).toEqual([]);
      core.orders.wake('news', '1001');
      core.orders.wake('news');
    }
    await core.clock.pass(5000);
    expect(core.orders.unresolved()).toMatchObject([{ key: 'k:one', state: 'ACCEPTED' }]);
  });
  it('does not name one that was not sent, while its record still stands', async () => {
    const core = new Core();
    core.limiter.pace = forever;
    core.away = (call) => call === 'withdraw';
    await core.place();
    expect(await core.record()).toMatchObject({ state: 'SENDING' });
    expect(core.orders.unresolved()).toEqual([]);
    const word = core.orders.resolve('k:one', { kind: 'absent', by: 'me@here', reason: 'never left' });
    await expect(core.clock.settle(word)).rejects.toThrow('is still being placed');
  });
});

describe('the orders that may be one whose fate is not known', () => {
  const stranger = orderRow({ tag: null, order_id: '7' });
  async function candidates(core: Core): Promise<readonly string[]> {
    const [open] = core.orders.unresolved();
    if (!open) throw new Error('No order is open');
    return await core.orders.candidates(open);
  }
  it('are none before a read shows one', async () => {
    const { core } = await lost();
    expect(await candidates(core)).toEqual([]);
  });
  it('are known where the store could not take them', async () => {
    const { core } = await lost();
    core.away = (call) => call === 'note';
    core.broker.book = [stranger];
    await core.clock.pass(2000);
    expect(await candidates(core)).toEqual(['7']);
  });
  it('are known after a restart without a read, and by the newest read once there is one', async () => {
    const { core } = await lost();
    core.broker.book = [stranger];
    await core.clock.pass(2000);
    core.readable = false;
    await restart(core);
    expect(await candidates(core)).toEqual(['7']);
    core.readable = true;
    core.broker.book = [{ ...stranger, order_id: '8' }];
    await core.clock.pass(10_000);
    expect(await candidates(core)).toEqual(['8']);
  });
  it('are those of its own day, where its fingerprint names a new order', async () => {
    const core = new Core({ start: '2026-11-20T23:57:00+05:30' });
    core.broker.place = async () => ({ fate: 'unknown', order_id: '', message: 'HTTP 502' });
    core.broker.book = [stranger, { ...stranger, placed_at: null, order_id: '9' }];
    await core.place({ idempotency_key: null });
    await core.clock.pass(600_000);
    core.broker.book = [{ ...stranger, placed_at: null, order_id: '8' }];
    await core.place({ idempotency_key: null });
    await core.clock.pass(10_000);
    const [givenUp, followed] = core.orders.unresolved();
    expect(givenUp && (await core.orders.candidates(givenUp))).toEqual(['9']);
    expect(followed && (await core.orders.candidates(followed))).toEqual(['8']);
  });
});

describe('an open record that nobody follows', () => {
  it('of this very process is followed as it stands', async () => {
    const core = new Core();
    await core.leave('AMBIGUOUS', { owner: 'process-1', response: unknown });
    await core.clock.settle(core.orders.recover());
    expect(await core.record()).toMatchObject({ owner: 'process-1', epoch: 1 });
  });
  it('counts in its instrument from the moment a caller asks for it', async () => {
    const core = new Core();
    core.orders.wake('session');
    await core.leave('AMBIGUOUS', { response: unknown });
    void core.ask();
    await core.clock.pass(100);
    const name = { exchange: 'NSE', symbol: 'SBIN', token: '779521' };
    const buys = { name, product: 'INTRADAY', side: 'BUY' };
    expect(core.orders.standing(core.account, buys)).toMatchObject({ unknown: 10, net: null });
    expect((await core.place({ idempotency_key: 'two' })).body).toMatchObject({ status: 'BLOCKED' });
  });
  it('and that ends while it is being taken over is answered with its end, and not looked up', async () => {
    const core = new Core();
    await core.leave('AMBIGUOUS', { response: unknown });
    const takeOver = core.journal.takeOver.bind(core.journal);
    core.journal.takeOver = async (attempt, owner) => {
      const response = JSON.stringify({ success: true, order_id: '1001', fill_status: 'FILLED', message: 'theirs' });
      await core.journal.move(attempt, 'DONE', { response, orderId: '1001' }, { kind: 'theirs' }, core.clock.now());
      return await takeOver(attempt, owner);
    };
    const { body, headers } = await core.place();
    expect([body, headers]).toEqual([
      { success: true, order_id: '1001', fill_status: 'FILLED', message: 'theirs' },
      { 'Idempotency-Replayed': 'true' },
    ]);
    expect([core.broker.reads, core.orders.hasOpen(core.account)]).toEqual([0, false]);
  });
  it('answers a caller as soon as it is found, also while the store is away', async () => {
    const core = new Core();
    await core.leave('SENDING');
    await core.clock.settle(core.orders.recover());
    core.away = (call) => call === 'move';
    const asked = core.ask();
    core.broker.book = [orderRow({ state: 'FILLED', filled_quantity: 10, average_price: 100.5 })];
    const began = core.clock.mono();
    const { body, headers } = await core.clock.settle(asked);
    expect([body, headers]).toMatchObject([{ success: true, order_id: '1001' }, { 'Idempotency-Stored': 'false' }]);
    expect(core.clock.mono() - began).toBeLessThan(1000);
  });
});

it('what an open position blocked before a restart is ended by a fill, and that is tried no longer than it lives', async () => {
  const core = new Core();
  core.broker.net = 5;
  expect((await core.place()).body).toMatchObject({ status: 'BLOCKED' });
  await core.clock.pass(20_000);
  await restart(core);
  core.broker.net = 0;
  core.away = (call) => call === 'end';
  await core.place({ idempotency_key: 'two' });
  await core.clock.pass(600_000);
  const warned = core.logged.filter(({ msg }) => msg === 'The end of a stored answer could not be written; it is tried again');
  // Twice a second for the forty that were left to it.
  expect(warned.length).toBeGreaterThan(60);
  expect(warned.length).toBeLessThanOrEqual(80);
});
