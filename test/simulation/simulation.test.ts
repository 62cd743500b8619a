import { describe, expect, it } from 'vitest';
import { trialsOf } from '../support/proven.ts';
import { Day, type Outcome } from './day.ts';

const SEEDS = trialsOf(100, 250);

async function play(seed: number, asFound = false): Promise<Outcome> {
  const day = new Day(seed);
  if (asFound) Object.assign(day.world, { lateStore: 0, exitShare: 0 });
  return await day.run();
}

describe('random trading days of the order core', () => {
  it(`hold every promise, in ${SEEDS} seeds`, { timeout: 120_000 }, async () => {
    let orders = 0;
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const outcome = await play(seed);
      orders += outcome.orders;
      expect(outcome.violations, `replay: npm run simulate -- --seeds 1 --from ${seed} --log`).toEqual([]);
    }
    expect(orders).toBeGreaterThan(2 * SEEDS);
  });
  it.each([
    [26019, 'another order was raised while an exit was on its way to be sent'],
    [41421, 'positions were read as of midnight, when intraday ones had just ended'],
    [45661, 'a larger quantity was refused, of an order that no book shows yet'],
    [91040, 'a person settled what had been given up with its day'],
    [92039, 'a stranger traded after the positions that an order was judged on'],
    [94037, 'an order rested unread for more than three minutes'],
  ])('hold them where they are hard to judge: seed %i, %s', async (seed) => {
    // As they were found: before statements of the store could end late, and before exits as one operation.
    expect((await play(seed, true)).violations).toEqual([]);
  });
  it.each([
    [274, 'one was asked for again on the next day'],
    [1001, 'what rested had ended since the order book was read'],
    [3242, 'an id of the day before came again'],
    [7557, 'what an earlier process left at rest had filled, and a stranger had traded'],
    [222632, 'the id of a resting order came again before it was known to rest'],
  ])('hold them for exits as one operation: seed %i, %s', async (seed) => {
    expect((await play(seed)).violations).toEqual([]);
  });
  it('play back byte for byte from their seed', async () => {
    for (const seed of [3, 77, 435, 2098]) {
      const [first, second] = [await play(seed), await play(seed)];
      expect(second.log.join('\n')).toBe(first.log.join('\n'));
      expect(first.log.length).toBeGreaterThan(20);
    }
  });
});
