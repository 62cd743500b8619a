import { describe, expect, it } from 'vitest';
import { Belief, type Open } from '../../server/orders/belief.ts';

const NONE = { bought: 0, sold: 0 };
const open = (name: string, bought: number): Open => ({ unknown: { bought, sold: 0 }, resting: NONE, names: new Set([name]) });

describe('a purchase that is seen whole after a read that showed it', () => {
  it('puts the read beyond doubt, although a young sale may have been missing in it', () => {
    const belief = new Belief(0, 5000);
    belief.filled('sale', 'SELL', 4, 1000);
    belief.read(1, { beganAt: 4000, at: 4010 }, open('purchase', 5));
    expect(belief.range.low).toBe(-3);
    belief.filled('purchase', 'BUY', 5, 4020);
    expect(belief.range).toEqual({ low: 1, high: 1 });
  });
  it('is not counted again where it had been made larger than we knew', () => {
    const belief = new Belief(0, 5000);
    belief.read(6, { beganAt: 4000, at: 4010 }, open('purchase', 5));
    belief.filled('purchase', 'BUY', 6, 4020);
    expect(belief.range.low).toBe(6);
  });
});
