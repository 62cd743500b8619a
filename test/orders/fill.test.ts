import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bell, seededRandom } from '../../server/clock.ts';
import { FillView, POLL_MS, pollFill, pollMoments } from '../../server/orders/fill.ts';
import { Venue } from '../simulation/venue.ts';
import { averageOf, type Fill, filledBy, quantityOf, stateOf, type VenueOrder } from '../simulation/venue-order.ts';
import { trialsOf } from '../support/proven.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { orderRow } from './parts.ts';

const SCHEDULES = trialsOf(1_500, 10_000);
/** Nobody stops the poll and no news come. */
const quiet = { signal: new AbortController().signal, news: new Bell() };

interface Schedule {
  quantity: number;
  ackMs: number;
  parts: { quantity: number; afterMs: number; paise: number }[];
  cancelled: boolean;
  averageLagMs: number;
  seed: number;
}

const schedule: fc.Arbitrary<Schedule> = fc.record({
  quantity: fc.integer({ min: 1, max: 40 }),
  ackMs: fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 12_000 })),
  parts: fc.array(
    fc.record({
      quantity: fc.integer({ min: 1, max: 20 }),
      afterMs: fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 9000 })),
      paise: fc.integer({ min: 1, max: 500_000 }),
    }),
    { maxLength: 5 },
  ),
  cancelled: fc.boolean(),
  averageLagMs: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 9000 }) }),
  seed: fc.integer(),
});

function orderOf(plan: Schedule, now: number): { venue: Venue; order: VenueOrder } {
  let left = plan.quantity;
  let at = now + plan.ackMs;
  const fills: Fill[] = [];
  for (const part of plan.parts) {
    const quantity = Math.min(left, part.quantity);
    at += part.afterMs;
    if (quantity > 0) fills.push({ at, quantity, paise: part.paise });
    left -= quantity;
  }
  const venue = new Venue('zerodha');
  const common = {
    tag: null,
    symbol: 'SBIN',
    product: 'INTRADAY',
    side: 'BUY',
    orderType: 'MARKET',
    quantity: plan.quantity,
    receivedAt: now,
    visibleAt: now,
  };
  const end = plan.cancelled && left > 0 ? ({ at: at + 200, state: 'CANCELLED' } as const) : null;
  return { venue, order: venue.take({ ...common, ackAt: now + plan.ackMs, fills, end, averageLagMs: plan.averageLagMs }) };
}

describe(`${SCHEDULES} random fill schedules`, () => {
  it('are reported as they were, in quantity and in average', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(schedule, async (plan) => {
        const clock = new VirtualClock();
        const began = clock.now();
        const { venue, order } = orderOf(plan, began);
        let readAt = began;
        const read = async () => {
          readAt = clock.now();
          return venue.book(readAt)[0] ?? null;
        };
        const fill = await clock.settle(pollFill({ clock, random: seededRandom(plan.seed), view: new FillView(), ...quiet, read }));
        expect(clock.now() - began).toBeLessThanOrEqual(POLL_MS);
        const [fills, state] = [filledBy(order, readAt), stateOf(order, readAt)];
        expect(fill.filledQuantity).toBe(quantityOf(fills));
        const priced = readAt >= (fills.at(-1)?.at ?? 0) + plan.averageLagMs;
        if (!priced && fills.length > 0) expect([fill.status, fill.averagePrice]).toEqual(['UNKNOWN', 0]);
        else expect(fill.averagePrice).toBe(averageOf(fills));
        if (fill.status === 'FILLED') expect(quantityOf(fills)).toBe(plan.quantity);
        if (fill.status === 'PARTIALLY_FILLED') expect(fills.length > 0 && quantityOf(fills) < plan.quantity).toBe(true);
        if (fill.status === 'PENDING') expect([state, fills.length]).toEqual(['OPEN', 0]);
        if (fill.status === 'REJECTED') expect([state, fills.length]).toEqual(['CANCELLED', 0]);
        if (fill.status === 'UNKNOWN') expect(state === 'TRANSIT' || (!priced && fills.length > 0)).toBe(true);
      }),
      { numRuns: SCHEDULES },
    );
  });
});

describe('a view of successive reads', () => {
  it('never takes a fill back, whatever order the reads come in', () => {
    const seen = fc.record({
      filled: fc.integer({ min: 0, max: 10 }),
      state: fc.constantFrom('TRANSIT' as const, 'OPEN' as const, 'UNKNOWN' as const),
    });
    fc.assert(
      fc.property(fc.array(seen, { maxLength: 12 }), (reads) => {
        const view = new FillView();
        let most = 0;
        reads.forEach(({ filled, state }, index) => {
          most = Math.max(most, filled);
          view.see(orderRow({ state, filled_quantity: filled, average_price: filled * 2 }), index * 100);
          expect(view.result(true)).toMatchObject({ filledQuantity: most, averagePrice: most * 2 });
        });
      }),
    );
  });
  it('never gives the average of fewer fills to more of them', () => {
    const view = new FillView();
    view.see(orderRow({ filled_quantity: 4, average_price: 100 }), 0);
    view.see(orderRow({ state: 'FILLED', filled_quantity: 10, average_price: null }), 100);
    expect(view.settled()).toBe(false);
    expect(view.result()).toMatchObject({ status: 'UNKNOWN', filledQuantity: 10, averagePrice: 0 });
    view.see(orderRow({ state: 'FILLED', filled_quantity: 10, average_price: 101.5 }), 200);
    expect(view.settled()).toBe(true);
    expect(view.result()).toMatchObject({ status: 'FILLED', filledQuantity: 10, averagePrice: 101.5 });
  });
  it('keeps an average that a later read leaves out', () => {
    const view = new FillView();
    view.see(orderRow({ filled_quantity: 10, state: 'FILLED', average_price: 100 }), 0);
    view.see(orderRow({ filled_quantity: 10, state: 'FILLED', average_price: null }), 100);
    expect(view.result().averagePrice).toBe(100);
  });
  it('knows a resting order after two acknowledged reads 500 ms apart', () => {
    const view = new FillView();
    view.see(orderRow(), 0);
    view.see(orderRow(), 499);
    expect(view.settled()).toBe(false);
    view.see(orderRow(), 500);
    expect(view.settled()).toBe(true);
    expect(view.result().status).toBe('PENDING');
  });
  it('starts again when transit comes between', () => {
    const view = new FillView();
    expect(view.acknowledged).toBe(false);
    view.see(orderRow({ state: 'TRIGGER_PENDING' }), 0);
    expect(view.acknowledged).toBe(true);
    view.see(orderRow({ state: 'TRANSIT' }), 300);
    expect(view.acknowledged).toBe(false);
    view.see(orderRow(), 600);
    expect([view.acknowledged, view.settled()]).toEqual([true, false]);
  });
  it.each([
    ['CANCELLED', 4, 'PARTIALLY_FILLED'],
    ['CANCELLED', 0, 'REJECTED'],
    ['EXPIRED', 4, 'PARTIALLY_FILLED'],
    ['REJECTED', 0, 'REJECTED'],
    ['UNKNOWN', 4, 'UNKNOWN'],
    ['TRANSIT', 0, 'UNKNOWN'],
    ['TRANSIT', 4, 'PARTIALLY_FILLED'],
    ['FILLED', 0, 'UNKNOWN'],
    ['FILLED', 10, 'FILLED'],
    ['OPEN', 10, 'FILLED'],
  ] as const)('%s with %i of 10 filled is %s', (state, filled, status) => {
    const view = new FillView();
    view.see(orderRow({ state, filled_quantity: filled, average_price: filled > 0 ? 100 : null }), 0);
    expect(view.result().status).toBe(status);
  });
  it('says UNKNOWN before the first read', () => {
    expect(new FillView().result()).toEqual({ status: 'UNKNOWN', filledQuantity: 0, averagePrice: 0, row: null });
  });
});

describe('the moments of a poll', () => {
  it('begin at once, spread by a tenth, and end at 8 s', () => {
    const moments = [...pollMoments(seededRandom(3))];
    const planned = [0, 100, 250, 500, 900, 1500, 2500, 3500, 4500, 5500, 6500, 7500, 8000];
    expect(moments).toHaveLength(planned.length);
    moments.forEach((moment, index) => {
      expect(Math.abs(moment - (planned[index] ?? 0))).toBeLessThanOrEqual((planned[index] ?? 0) * 0.1 + 1e-9);
    });
    expect(moments.at(-1)).toBe(POLL_MS);
  });
});

it('a poll whose reads fail or hang ends after 8 s and says UNKNOWN', async () => {
  const clock = new VirtualClock();
  const hanging = pollFill({ clock, random: seededRandom(1), view: new FillView(), ...quiet, read: () => new Promise(() => undefined) });
  expect(await clock.settle(hanging)).toMatchObject({ status: 'UNKNOWN' });
  expect(clock.mono()).toBeLessThanOrEqual(POLL_MS + 50);
  const failing = pollFill({
    clock,
    random: seededRandom(1),
    view: new FillView(),
    ...quiet,
    read: () => Promise.reject(new Error('503')),
  });
  expect(await clock.settle(failing)).toMatchObject({ status: 'UNKNOWN' });
});
