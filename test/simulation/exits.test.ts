import { describe, expect, it } from 'vitest';
import type { ExitReport } from '../../contract/exits.ts';
import { filled, lostAnswer, lostRequest, prompt, Stand } from './stand.ts';

/** The next morning: intraday positions have ended, and ids begin anew. */
const NIGHT_MS = 19 * 3_600_000;
/** Longer than it takes to prove that an order never arrived. */
const PROVEN_MS = 150_000;

async function exit(stand: Stand, key = 'out'): Promise<ExitReport> {
  const asked = stand.process.exits.exitPositions({ all: true, idempotency_key: key }, 'somebody', { replayOnly: false });
  const { body } = await stand.world.clock.settle(asked);
  if (!body.success) throw new Error(body.message);
  return body;
}

/** Ten bought, and four of them offered in the broker's own app. */
async function bought(key: string): Promise<Stand> {
  const stand = await Stand.start(true);
  stand.world.plans.push(prompt);
  expect((await stand.place({ idempotency_key: key })).body).toMatchObject(filled);
  const order = stand.byHand();
  // As most brokers have it: the next day's orders have other ids.
  order.id = 'z9001';
  [order.side, order.versions] = ['SELL', order.versions.map((version) => ({ ...version, orderType: 'LIMIT', price: 120, quantity: 4 }))];
  return stand;
}

describe('an exit whose order never arrived', () => {
  it('goes on with the same request under the next key', async () => {
    const stand = await bought('in');
    const { world } = stand;
    world.plans.push(lostRequest, prompt);
    expect(await exit(stand)).toMatchObject({ flat: false, positions: [{ outcome: 'UNKNOWN', left_quantity: null }] });
    await world.clock.pass(PROVEN_MS);
    const report = await exit(stand);
    const [rejected, whole] = [{ answer: { fill_status: 'REJECTED' } }, { quantity: 10, answer: { fill_status: 'FILLED' } }];
    expect(report).toMatchObject({ flat: true, positions: [{ outcome: 'FLAT', filled_quantity: 10, orders: [rejected, whole] }] });
    expect(await exit(stand)).toEqual(report);
    expect(world.judge.violations).toEqual([]);
  });
  it('counts nothing that rested the day before when it is asked for again', async () => {
    const stand = await bought('in');
    const { world } = stand;
    world.plans.push(lostRequest);
    expect(await exit(stand)).toMatchObject({ positions: [{ outcome: 'UNKNOWN', cancels: [{ quantity: 4 }] }] });
    await world.clock.pass(NIGHT_MS);
    await world.clock.settle(stand.process.sessions.connect('zerodha'));
    expect((await exit(stand)).positions).toMatchObject([{ outcome: 'UNKNOWN' }]);
    world.plans.push(prompt, prompt);
    expect((await stand.place({ idempotency_key: 'next day' })).body).toMatchObject(filled);
    expect(await exit(stand, 'another')).toMatchObject({ flat: true, positions: [{ filled_quantity: 10, orders: [{ quantity: 10 }] }] });
    expect(world.judge.violations).toEqual([]);
  });
});

describe('an exit whose order rests, filled in part', () => {
  it('sends no more than its plan, whatever is bought meanwhile', async () => {
    const stand = await Stand.start(true);
    const { world } = stand;
    world.plans.push(prompt, { ...prompt, answersMs: 1500, fills: [{ at: 50, quantity: 4, paise: 10_000 }] });
    expect((await stand.place({ idempotency_key: 'in' })).body).toMatchObject(filled);
    const asked = exit(stand);
    await world.clock.pass(1000);
    stand.byHand().fills = [{ at: world.now(), quantity: 10, paise: 10_000 }];
    await world.clock.settle(Promise.resolve(stand.process.sessions.active()?.positions.next('orders')));
    expect(await world.clock.settle(asked)).toMatchObject({ positions: [{ filled_quantity: 4, orders: [{ quantity: 10 }] }] });
    expect(stand.orders.filter(({ side }) => side === 'SELL')).toHaveLength(1);
  });
});

describe('an exit beside an entry whose fate nobody knows', () => {
  it('names it: what it fills stays open', async () => {
    const stand = await Stand.start(false);
    stand.world.plans.push(lostAnswer);
    expect((await stand.place({ idempotency_key: 'in' })).body).toMatchObject({ fill_status: 'UNKNOWN' });
    stand.world.positionsHangUntil = stand.world.now() + 10_000;
    const { positions, warnings } = await exit(stand);
    expect(positions).toEqual([]);
    expect(warnings).toContainEqual(expect.stringMatching(/^BUY 10 SBIN INTRADAY \(the order with tag \w+\) is not resolved yet/));
  });
});

describe('an exit that a stop cuts short', () => {
  it('says so, and goes on with the same request after the start', async () => {
    const stand = await bought('in');
    const { world } = stand;
    // Its cancel waits for reads that are away, so that the stop comes before its send.
    const asked = exit(stand);
    await world.clock.pass(60);
    world.readsAwayUntil = world.now() + 1500;
    await world.clock.pass(100);
    await world.clock.settle(stand.process.shutdown());
    expect(await world.clock.settle(asked)).toMatchObject({ flat: false, finished: false });
    await stand.crashAndRestart(2000);
    world.plans.push(prompt);
    expect(await exit(stand)).toMatchObject({ flat: true, finished: true });
    expect(world.judge.violations).toEqual([]);
  });
});
