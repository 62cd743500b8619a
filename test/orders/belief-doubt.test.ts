import { describe, expect, it } from 'vitest';
import { Belief, type Open } from '../../server/orders/belief.ts';

const LAG_MS = 5000;
const NONE = { bought: 0, sold: 0 };
const nothing: Open = { unknown: NONE, resting: NONE, names: new Set() };
const heard = (beganAt: number, at = beganAt + 1) => ({ beganAt, at });
const resting = (sides: Partial<typeof NONE>, ...names: string[]): Open => ({
  ...nothing,
  resting: { ...NONE, ...sides },
  names: new Set(names),
});

/** A belief of a net that was read at the beginning of time. */
function read(net: number): Belief {
  const belief = new Belief(0, LAG_MS);
  belief.read(net, heard(0), nothing);
  return belief;
}

describe('a fill that a read may lack', () => {
  it('is every one of the last seconds, each by itself', () => {
    const belief = read(0);
    belief.filled('a', 'BUY', 10, 6000);
    belief.filled('b', 'BUY', 1, 6500);
    belief.read(0, heard(6501), nothing);
    expect(belief.range).toEqual({ low: 11, high: 11 });
  });
  it.each([
    [59_999, { low: 11, high: 11 }],
    // Then only what was filled while the read ran may be missing.
    [60_000, { low: 0, high: 1 }],
  ])('is one of the last minute before the newest, however long the read took: %i ms', (ageMs, range) => {
    const belief = read(0);
    belief.filled('a', 'BUY', 10, 70_000 - ageMs);
    belief.filled('b', 'BUY', 1, 70_000);
    belief.read(0, heard(9000, 70_001), nothing);
    expect(belief.range).toEqual(range);
  });
  it('may be one on top of what our records say, which is no read', () => {
    const recorded = new Belief(10, LAG_MS);
    recorded.filled('a', 'BUY', 5, 1000);
    recorded.read(10, heard(1001), nothing);
    expect(recorded.range).toEqual({ low: 10, high: 15 });
    const known = read(10);
    known.filled('a', 'BUY', 5, 1000);
    known.read(10, heard(1001), nothing);
    expect(known.range).toEqual({ low: 15, high: 15 });
  });
});

describe('what an order at rest bought unseen', () => {
  /** Five, then eight while an order rests that may have bought three. */
  function moved(): Belief {
    const belief = read(5);
    belief.read(8, heard(1000), resting({ bought: 5 }, 'rests'));
    return belief;
  }
  it('is held, and what another order buys comes on top', () => {
    const belief = moved();
    belief.filled('other', 'BUY', 2, 1100);
    expect(belief.range).toEqual({ low: 10, high: 10 });
    belief.filled('other', 'SELL', 4, 1200);
    expect(belief.range).toEqual({ low: 6, high: 6 });
  });
  it.each([
    [6000, 5, 8],
    [6001, 5, 5],
    [6000, 4, 4],
  ])('may be missing in another read of the next 5 s, and no more than that: one begun at %i that shows %i leaves %i', (...told) => {
    const [beganAt, net, low] = told;
    const belief = moved();
    belief.read(net, heard(beganAt), nothing);
    expect(belief.range.low).toBe(low);
  });
});

describe('what others filled, as it is heard of', () => {
  it('is in a read without doubt that began longer after it than positions lag', () => {
    const belief = read(0);
    belief.read(0, heard(10_000), nothing);
    const asked: number[] = [];
    const since = (heardAt: number) => (instant: number) => {
      asked.push(instant);
      return heardAt > instant ? 7 : 0;
    };
    for (const side of ['SELL', 'BUY']) {
      expect(belief.lacks(side, since(5000))).toBe(0);
      expect(belief.lacks(side, since(5001))).toBe(7);
    }
    expect(new Set(asked)).toEqual(new Set([-5000, 5000]));
  });
  it.each([
    [61_000, [-5000, -4000, 56_000]],
    [61_001, [-4000, 56_001]],
  ])('is held against the reads without doubt of the last minute and the one before: at %i', (beganAt, instants) => {
    const belief = read(0);
    belief.read(0, heard(1000), nothing);
    belief.read(0, heard(beganAt), nothing);
    const asked: number[] = [];
    belief.lacks('SELL', (instant) => asked.push(instant));
    expect(asked).toEqual(instants);
  });
  it('may all be missing before a read without doubt', () => {
    const belief = new Belief(0, LAG_MS);
    const asked: number[] = [];
    expect(belief.lacks('SELL', (instant) => asked.push(instant) + 6)).toBe(7);
    expect(asked).toEqual([Number.NEGATIVE_INFINITY]);
  });
  it('is shown by positions that moved as far on its side, and by none that moved on the other', () => {
    const belief = read(0);
    belief.read(5, heard(1000), nothing);
    expect([belief.lacks('BUY', () => 5), belief.lacks('BUY', () => 7), belief.lacks('SELL', () => 5)]).toEqual([0, 2, 5]);
    belief.read(2, heard(2000), nothing);
    expect([belief.lacks('SELL', () => 3), belief.lacks('SELL', () => 4)]).toEqual([0, 1]);
  });
  it.each([
    [{ sold: 4 }, 6, 4],
    [{ sold: 4 }, 5, 0],
    [{ bought: 4 }, 14, 4],
    [{ bought: 4 }, 15, 0],
  ])('is not shown where an order of ours at rest may have done it: with %o, ten become %i and four sold or bought lack %i', (...told) => {
    const [sides, net, lacks] = told;
    const belief = read(10);
    belief.read(net, heard(1000), resting(sides, 'rests'));
    expect(belief.lacks('sold' in sides ? 'SELL' : 'BUY', () => 4)).toBe(lacks);
  });
});
