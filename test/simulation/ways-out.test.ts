import { describe, expect, it } from 'vitest';
import { blocked, filled, filledAt, lostAnswer, prompt, Stand } from './stand.ts';

describe('an order id given anew after midnight', () => {
  it.each([true, false])('is another order: its fill is not taken for ours (tags shown: %s)', async (showsTags) => {
    const stand = await Stand.start(showsTags);
    const { world } = stand;
    await world.clock.pass(9 * 3_600_000 - 3000);
    await world.clock.settle(stand.process.sessions.connect('zerodha'));
    world.plans.push({ ...prompt, ackAfterMs: 100_000, fills: filledAt(100_000) });
    const answer = stand.ask();
    await world.clock.pass(4000);
    const other = stand.byHand();
    other.fills = [{ at: world.now(), quantity: 10, paise: 9900 }];
    other.end = null;
    expect(other.id).toBe(stand.orders[0]?.id);
    expect((await world.clock.settle(answer)).body).toMatchObject({ fill_status: 'UNKNOWN', filled_quantity: 0 });
    await world.clock.pass(10_000);
    expect((await stand.record()).state).toBe('UNRESOLVED');
  });
});

describe('an order on its way when midnight comes', () => {
  it('is not sent as one of the day before, and may be placed again', async () => {
    const stand = await Stand.start(true);
    const { world } = stand;
    await world.clock.pass(9 * 3_600_000 - 3000);
    await world.clock.settle(stand.process.sessions.connect('zerodha'));
    await world.clock.pass(Date.parse('2026-11-21T00:00:00+05:30') - world.now() - 500);
    const begin = world.journal.begin.bind(world.journal);
    world.journal.begin = async (...args) => {
      world.journal.begin = begin;
      await world.clock.sleep(1000);
      return await begin(...args);
    };
    expect((await stand.place()).headers).toEqual({ 'Retry-After': '1' });
    expect(stand.orders).toHaveLength(0);
    world.plans.push(prompt);
    expect((await stand.place()).body).toMatchObject(filled);
    expect(world.judge.violations).toEqual([]);
  });
});

describe('a sale of shares held, the first since the start', () => {
  it('waits behind no order that stalls on its way', async () => {
    const stand = await Stand.start(true);
    const { world } = stand;
    world.venue('zerodha').held.set('SBIN', 50);
    world.plans.push({ ...prompt, arrivesMs: 6900, answersMs: 50 }, prompt);
    void stand.ask({ idempotency_key: 'stalls' });
    await world.clock.pass(500);
    const asked = world.clock.mono();
    const sale = stand.ask({ idempotency_key: 'sale', transaction_type: 'SELL', product_type: 'DELIVERY' });
    expect((await world.clock.settle(sale)).body).toMatchObject(filled);
    expect(world.clock.mono() - asked).toBeLessThan(3000);
  });
});

describe('a way out of what only our own orders made', () => {
  it('is counted once where the gateway died between the sight of a fill and its end', async () => {
    const stand = await Stand.start(true);
    const { world } = stand;
    world.plans.push({ ...lostAnswer, fills: filledAt(10), averageLagMs: 0 }, prompt);
    const move = world.journal.move.bind(world.journal);
    world.journal.move = async (...args) => {
      const moved = await move(...args);
      if (moved.orderId !== '') world.life.alive = false;
      return moved;
    };
    void stand.ask();
    await world.clock.pass(3000);
    world.journal.move = move;
    await stand.crashAndRestart(700);
    world.positionsHangUntil = world.now() + 30_000;
    await world.clock.pass(1000);
    const twice = { transaction_type: 'SELL', quantity: 20, reduce_only: true };
    expect((await stand.place({ idempotency_key: 'twice', ...twice })).body).toMatchObject(blocked);
    expect((await stand.place({ idempotency_key: 'once', ...twice, quantity: 10 })).body.success).toBe(true);
  });
  it('is known by the word of a person, while positions cannot be read', async () => {
    const stand = await Stand.start(false);
    const { world } = stand;
    world.plans.push(lostAnswer, prompt);
    expect((await stand.place()).body).toMatchObject({ fill_status: 'UNKNOWN' });
    const found = { quantity: 10, price: 100.5, orderId: stand.orders[0]?.id ?? '', by: 'a person', reason: 'looked up' };
    await world.clock.settle(stand.process.orders.resolve('k:one', { kind: 'filled', ...found }));
    world.positionsHangUntil = world.now() + 10_000;
    expect((await stand.place({ idempotency_key: 'exit', transaction_type: 'SELL' })).body.status).not.toBe('BLOCKED');
    expect(stand.orders).toHaveLength(2);
  });
  it('is known by their fills, whatever a read between them may have lacked', async () => {
    const stand = await Stand.start(true);
    const { world } = stand;
    const fill = (quantity: number) => [{ at: 50, quantity, paise: 10_000 }];
    world.plans.push({ ...prompt, fills: fill(4) }, { ...prompt, answersMs: 1500, fills: fill(5) }, { ...prompt, fills: fill(1) });
    expect((await stand.place({ idempotency_key: 'short', transaction_type: 'SELL', quantity: 4 })).body).toMatchObject({
      fill_status: 'FILLED',
    });
    const long = stand.ask({ idempotency_key: 'long', quantity: 5 });
    await world.clock.pass(500);
    // The fill of the order before is not seen yet: what positions show may be all of it, or a part of it beside a sale that they lack.
    await world.clock.settle(Promise.resolve(stand.process.sessions.active()?.positions.next('orders')));
    expect((await world.clock.settle(long)).body).toMatchObject({ fill_status: 'FILLED' });
    world.readsAwayUntil = world.now() + 2000;
    const exit = stand.ask({ idempotency_key: 'exit', transaction_type: 'SELL', quantity: 1 });
    expect((await world.clock.settle(exit)).body).toMatchObject({ success: true });
  });
});

describe('a sign-in that takes the place of another', () => {
  it('sees a fill as the one before did: an exit needs no positions', async () => {
    const stand = await Stand.start(true);
    const { world } = stand;
    // One send stalls, so that the session before is not over yet when another order has filled.
    world.plans.push({ ...prompt, arrivesMs: 6000, answersMs: 500 }, { ...prompt, ackAfterMs: 1400, fills: filledAt(1500) });
    void stand.ask({ idempotency_key: 'stalls', symbol: 'INFY' });
    await world.clock.pass(50);
    const first = stand.ask();
    await world.clock.pass(100);
    void stand.process.sessions.connect('zerodha');
    expect((await world.clock.settle(first)).body).toMatchObject(filled);
    world.positionsHangUntil = world.now() + 10_000;
    expect((await stand.place({ idempotency_key: 'exit', transaction_type: 'SELL' })).body.status).not.toBe('BLOCKED');
    expect(world.judge.violations).toEqual([]);
  });
});
