import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keptForExits, OrderBudget, type OrderRank, secondWindow } from '../../server/brokers/order-budget.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

interface Ask {
  priority: OrderRank;
  askedAt: number;
  decidedAt: number;
  granted: boolean;
}

/** Asks at the given moments (ms) and says what became of each. `steps` sets the wall clock, as a time server does. */
async function run(
  clock: VirtualClock,
  budget: OrderBudget,
  asks: readonly { at: number; priority: OrderRank }[],
  steps: readonly number[] = [],
): Promise<Ask[]> {
  const done: Ask[] = [];
  const began = clock.mono();
  for (const [index, step] of steps.entries()) void clock.sleep(500 * index).then(() => clock.step(step));
  const all = Promise.all(
    asks.map(async ({ at, priority }) => {
      await clock.sleep(at);
      const refused = await budget.take(priority);
      done.push({ priority, askedAt: began + at, decidedAt: clock.mono(), granted: refused === null });
    }),
  );
  await clock.settle(all);
  return done;
}

function within(asks: readonly Ask[], at: number, perMs: number): Ask[] {
  return asks.filter((ask) => ask.granted && ask.decidedAt > at - perMs && ask.decidedAt <= at);
}

const asks = fc.array(
  fc.record({ at: fc.integer({ min: 0, max: 4000 }), priority: fc.constantFrom<OrderRank>('cancel', 'exit', 'entry', 'entry', 'entry') }),
  { maxLength: 80 },
);
const minute = fc.integer({ min: 5, max: 60 }).map((requests) => ({ requests, perMs: 60_000 }));

describe('the order budget', () => {
  it('never lets more through than every sliding window allows, also when the wall clock is set', async () => {
    await fc.assert(
      fc.asyncProperty(
        asks,
        minute,
        fc.array(fc.integer({ min: -4_000_000, max: 4_000_000 }), { maxLength: 4 }),
        async (plan, window, steps) => {
          const clock = new VirtualClock();
          const done = await run(clock, new OrderBudget(clock, [secondWindow, window]), plan, steps);
          expect(done).toHaveLength(plan.length);
          for (const ask of done.filter((one) => one.granted)) {
            expect(within(done, ask.decidedAt, 1150).length).toBeLessThanOrEqual(9);
            expect(within(done, ask.decidedAt, 60_150).length).toBeLessThanOrEqual(window.requests);
            if (ask.priority !== 'entry') continue;
            const sentBefore = (perMs: number) => within(done, ask.decidedAt, perMs).filter((one) => one.decidedAt < ask.decidedAt).length;
            expect(sentBefore(1150)).toBeLessThan(7);
            expect(sentBefore(60_150)).toBeLessThan(window.requests - keptForExits(window));
          }
        },
      ),
      { numRuns: 400 },
    );
  });
  it('decides within the second its window lasts', async () => {
    await fc.assert(
      fc.asyncProperty(asks, minute, async (plan, window) => {
        const clock = new VirtualClock();
        const done = await run(clock, new OrderBudget(clock, [secondWindow, window]), plan);
        for (const ask of done) expect(ask.decidedAt - ask.askedAt).toBeLessThanOrEqual(1151);
      }),
      { numRuns: 300 },
    );
  });
  it('serves cancels first, then exits, then entries, and equals in their order', async () => {
    const ranks: Record<OrderRank, number> = { cancel: 0, exit: 1, entry: 2 };
    await fc.assert(
      fc.asyncProperty(asks, async (plan) => {
        const clock = new VirtualClock();
        const done = await run(clock, new OrderBudget(clock, [secondWindow]), plan);
        for (const ask of done.filter((one) => one.granted)) {
          const passedOver = done.filter(
            (other) => ranks[other.priority] <= ranks[ask.priority] && other.askedAt < ask.askedAt && other.decidedAt > ask.decidedAt,
          );
          expect(passedOver).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });
  it('500 entries at once: 14 within a second, clear refusals for the rest, a cancel and an exit in their midst pass', async () => {
    const clock = new VirtualClock();
    const entries = Array.from({ length: 500 }, () => ({ at: 0, priority: 'entry' as const }));
    const done = await run(clock, new OrderBudget(clock, [secondWindow]), [
      ...entries,
      { at: 300, priority: 'cancel' },
      { at: 300, priority: 'exit' },
    ]);
    const granted = done.filter((ask) => ask.granted);
    expect(granted.filter((ask) => ask.priority === 'entry').length).toBeGreaterThanOrEqual(12);
    for (const priority of ['cancel', 'exit']) {
      const one = granted.find((ask) => ask.priority === priority);
      expect((one?.decidedAt ?? 9999) - (one?.askedAt ?? 0)).toBeLessThanOrEqual(50);
    }
    for (const ask of granted) expect(within(done, ask.decidedAt, 1150).length).toBeLessThanOrEqual(9);
  });
  it('a tenth cancel in the very same moment waits for its second instead of being refused', async () => {
    const clock = new VirtualClock();
    const done = await run(
      clock,
      new OrderBudget(clock, [secondWindow]),
      Array.from({ length: 10 }, () => ({ at: 0, priority: 'cancel' as const })),
    );
    expect(done.every((ask) => ask.granted)).toBe(true);
    expect(done.at(-1)?.decidedAt).toBe(1151);
  });
  it('knows what was sent before it began, and refuses at once what a long window cannot free in time', async () => {
    const clock = new VirtualClock();
    await clock.pass(100_000);
    const window = { requests: 3, perMs: 60_000 };
    const budget = new OrderBudget(clock, [window], [clock.now() - 59_650, clock.now() - 20_000, clock.now() - 10_000]);
    const began = clock.mono();
    expect(await clock.settle(budget.take('cancel'))).toBeNull();
    expect(clock.mono() - began).toBeLessThan(600);
    expect(await clock.settle(budget.take('cancel'))).toMatchObject({ retryAfterMs: expect.any(Number) });
    expect(clock.mono() - began).toBeLessThan(600);
  });
  it('sends no more than nine in a second, though a slow store brings twenty turns together', async () => {
    const clock = new VirtualClock();
    const budget = new OrderBudget(clock, [secondWindow, { requests: 200, perMs: 60_000 }]);
    const left: number[] = [];
    const calls = Array.from({ length: 20 }, async (_, index) => {
      await clock.sleep(index * 150);
      expect(await budget.take('exit')).toBeNull();
      await clock.sleep(4000 - clock.mono());
      await budget.pace('exit');
      left.push(clock.mono());
    });
    await clock.settle(Promise.all(calls));
    for (const at of left) expect(left.filter((other) => other >= at && other <= at + 1150).length).toBeLessThanOrEqual(9);
    expect(left.at(-1)).toBe(6302);
  });
  it('is no limit without windows', async () => {
    const budget = new OrderBudget(new VirtualClock(), []);
    for (let count = 0; count < 100; count += 1) expect(await budget.take('entry')).toBeNull();
  });
});
