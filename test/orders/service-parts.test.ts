import { describe, expect, it } from 'vitest';
import type { Reason } from '../../server/brokers/wake.ts';
import { seededRandom, tradingDay } from '../../server/clock.ts';
import { silentLog } from '../../server/log.ts';
import { createOrderService, type OrderService, type OrderServiceParts } from '../../server/orders/order-service.ts';
import { Core } from './core.ts';
import { request } from './parts.ts';
import { forever } from './stalled.ts';

const HOUR_MS = 3_600_000;

/** An order service of its own beside a core, and what it told the other parts. */
function beside(core: Core, change: Partial<OrderServiceParts> = {}): { orders: OrderService; woken: string[] } {
  const woken: string[] = [];
  const orders = createOrderService({
    ...{ clock: core.clock, journal: core.journal, killSwitch: core.killSwitch, random: seededRandom(5), log: silentLog() },
    ...{ owner: 'process-1', guardOff: false, instruments: { of: () => null } },
    accounts: {
      active: () => (core.connected ? core.account : null),
      activeName: () => (core.connected ? core.broker.id : null),
      settled: async () => undefined,
      of: () => core.account,
    },
    opensAt: (_exchange, day) => Date.parse(`${day}T09:15:00+05:30`),
    sessionDay: (_variety, _exchange, at) => tradingDay(at),
    wake: (reason: Reason) => void woken.push(reason),
    ...change,
  });
  return { orders, woken };
}

describe('after every place the records are told', () => {
  it('once it was answered, also where it was refused', async () => {
    const core = new Core();
    const { orders, woken } = beside(core);
    const place = () => orders.place(request({ idempotency_key: 'one' }), { replayOnly: false });
    const placed = place();
    expect(woken).toEqual([]);
    expect((await core.clock.settle(placed)).body.success).toBe(true);
    expect(woken).toEqual(['records']);
    core.connected = false;
    await core.clock.settle(orders.place(request({ idempotency_key: 'two' }), { replayOnly: false }));
    expect(woken).toEqual(['records', 'records']);
  });
});

describe('a stop', () => {
  it.each([
    [undefined, 1000],
    [250, 250],
  ])('told to wait %s ms for orders in flight waits %s ms', async (stopWaitMs, waited) => {
    const core = new Core();
    const { orders } = beside(core, stopWaitMs === undefined ? {} : { stopWaitMs });
    core.broker.place = forever;
    void orders.place(request({ idempotency_key: 'one' }), { replayOnly: false });
    await core.clock.pass(100);
    expect(core.broker.sends).toHaveLength(1);
    const from = core.clock.mono();
    await core.clock.settle(orders.stop());
    expect(core.clock.mono() - from).toBe(waited);
  });
  it('waits for nothing where nothing is in flight', async () => {
    const core = new Core();
    const from = core.clock.mono();
    await core.clock.settle(core.orders.stop());
    expect(core.clock.mono()).toBe(from);
  });
});

describe('what stands in the store', () => {
  /** When it was asked for the keys that live, and to clear expired ones away, ms from the start. */
  function watched(core: Core): { learned: number[]; cleared: number[] } {
    const from = core.clock.mono();
    const { journal } = core;
    const seen = { learned: [] as number[], cleared: [] as number[] };
    const [livingKeys, expire] = [journal.livingKeys.bind(journal), journal.expire.bind(journal)];
    journal.livingKeys = (...args) => {
      seen.learned.push(core.clock.mono() - from);
      return livingKeys(...args);
    };
    journal.expire = (...args) => {
      seen.cleared.push(core.clock.mono() - from);
      return expire(...args);
    };
    return seen;
  }

  it('is cleared of expired answers every ten seconds, and its keys are learned again once an hour', async () => {
    const core = new Core();
    const seen = watched(core);
    await core.clock.settle(core.orders.recover());
    expect(seen).toEqual({ learned: [0], cleared: [] });
    await core.clock.pass(20_000);
    expect(seen.cleared).toEqual([10_000, 20_000]);
    await core.clock.pass(2 * HOUR_MS - 20_000);
    expect(seen.learned).toEqual([0, HOUR_MS, 2 * HOUR_MS]);
    expect(seen.cleared).toHaveLength(720);
  });
  it('is learned again an hour later where the store was away', async () => {
    const core = new Core();
    const seen = watched(core);
    await core.clock.settle(core.orders.recover());
    core.away = (name) => name === 'livingKeys';
    await core.clock.pass(HOUR_MS);
    expect(seen.learned).toEqual([0]);
    core.away = () => false;
    await core.clock.pass(HOUR_MS);
    expect(seen.learned).toEqual([0, 2 * HOUR_MS]);
  });
  it('is left alone from the stop on', async () => {
    const core = new Core();
    const seen = watched(core);
    await core.clock.settle(core.orders.recover());
    await core.clock.pass(10_000);
    await core.clock.settle(core.orders.stop());
    await core.clock.pass(HOUR_MS);
    expect(seen).toEqual({ learned: [0], cleared: [10_000] });
  });
});

describe('an account', () => {
  it('has open orders while the fate of one is not known, and another account has none', async () => {
    const core = new Core();
    const { account, orders } = core;
    core.broker.readPositions = forever;
    void core.ask();
    await core.clock.pass(100);
    // Its turn waits for positions: nothing is written of it.
    expect(orders.hasOpen(account)).toBe(false);
    const other = new Core();
    other.broker.place = async () => ({ fate: 'unknown', order_id: '' });
    await other.place();
    expect(other.orders.hasOpen(other.account)).toBe(true);
    expect(other.orders.hasOpen({ ...other.account, id: 'ZZ' })).toBe(false);
    // Beside one that waits for its turn, too.
    other.broker.readPositions = forever;
    void other.ask({ idempotency_key: 'two', symbol: 'INFY' });
    await other.clock.pass(100);
    expect(other.orders.hasOpen(other.account)).toBe(true);
    const elsewhere = new Core();
    Object.assign(elsewhere.broker, { id: 'dhan' });
    expect(other.orders.hasOpen(elsewhere.account)).toBe(false);
  });
});

it('what is not written yet is told with the age of its oldest step', async () => {
  const core = new Core();
  expect(core.orders.lag()).toEqual({ orders: 0, oldestMs: 0 });
  core.away = (name) => name === 'move';
  void core.ask();
  await core.clock.pass(0);
  const { oldestMs } = core.orders.lag();
  await core.clock.pass(7000);
  expect(core.orders.lag()).toEqual({ orders: 1, oldestMs: oldestMs + 7000 });
});

describe('news', () => {
  it.each(['session', 'live'] as const)('of a %s wake the orders although no account is signed in', async (reason) => {
    const core = new Core();
    core.broker.place = async () => ({ fate: 'unknown', order_id: '' });
    await core.place();
    core.readable = false;
    await core.clock.pass(300_000);
    Object.assign(core, { readable: true, connected: false });
    const { reads } = core.broker;
    core.orders.wake(reason);
    await core.clock.pass(10);
    expect(core.broker.reads - reads).toBe(1);
  });
  it.each(['session', 'live'] as const)('of a %s begin to hear what the account’s positions say', async (reason) => {
    const core = new Core();
    core.broker.net = 10;
    await core.clock.settle(core.account.positions.next('books'));
    expect(core.orders.held(core.account)).toEqual([]);
    const next = new Core();
    next.broker.net = 10;
    next.orders.wake(reason);
    await next.clock.settle(next.account.positions.next('books'));
    expect(next.orders.held(next.account)).toMatchObject([{ product: 'INTRADAY', net: 10 }]);
  });
});
