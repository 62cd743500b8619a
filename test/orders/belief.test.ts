import { describe, expect, it } from 'vitest';
import { Belief } from '../../server/orders/belief.ts';

const LAG_MS = 5000;
const nobody = new Set<string>();
const none = { bought: 0, sold: 0 };

const heard = (beganAt: number) => ({ beganAt, at: beganAt + 1 });
const open = (unknown = none, names: ReadonlySet<string> = nobody) => ({ unknown, resting: none, names });

/** A belief of `net` that was read at the beginning of time, with these orders under way. */
function read(net: number, underWay: ReadonlySet<string> = nobody): Belief {
  const belief = new Belief(0, LAG_MS);
  belief.read(net, heard(0), open(none, underWay));
  return belief;
}

describe('what the net quantity must be', () => {
  it('is what our records say before the first read', () => {
    expect(new Belief(-7, LAG_MS).range).toEqual({ low: -7, high: -7 });
  });
  it('is what was read, and our own fills since', () => {
    const belief = read(5);
    belief.filled('a', 'BUY', 10, 1);
    expect(belief.range).toEqual({ low: 15, high: 15 });
    belief.filled('b', 'SELL', 20, 2);
    expect(belief.range).toEqual({ low: -5, high: -5 });
  });
  it('is a range where the read may hold a part of a fill already, or a stranger’s', () => {
    const buying = new Belief(0, LAG_MS);
    buying.read(3, heard(0), open({ bought: 10, sold: 0 }, new Set(['a'])));
    buying.filled('a', 'BUY', 10, 1);
    expect(buying.range).toEqual({ low: 10, high: 10 });
    const selling = new Belief(0, LAG_MS);
    selling.read(-3, heard(0), open({ bought: 0, sold: 10 }, new Set(['a'])));
    selling.filled('a', 'SELL', 10, 1);
    expect(selling.range).toEqual({ low: -10, high: -10 });
  });
  it('is a range where an order that rested at the first read may have been in it, also where the read agrees with our records', () => {
    for (const recorded of [0, 4]) {
      const belief = new Belief(recorded, LAG_MS, true);
      belief.read(recorded, heard(0), { unknown: none, resting: { bought: 3, sold: 0 }, names: new Set(['a']) });
      belief.filled('a', 'BUY', 3, 10_000);
      expect(belief.range).toEqual({ low: recorded, high: recorded + 3 });
      belief.read(recorded + 3, heard(16_000), open());
      expect(belief.range).toEqual({ low: recorded + 3, high: recorded + 3 });
    }
  });
  it('is a range where a fill was seen while the read that it lacks was under way', () => {
    const belief = read(0);
    belief.filled('a', 'BUY', 4, 9000);
    belief.read(50, heard(8000), open());
    expect(belief.range).toEqual({ low: 50, high: 54 });
  });
  it('is the read alone where nothing of ours explains it', () => {
    const belief = read(0);
    belief.filled('a', 'BUY', 10, 1);
    belief.read(30, heard(1000), open());
    expect(belief.range).toEqual({ low: 30, high: 30 });
  });
});

describe('a read is explained by lag', () => {
  const afterRead = (belief: Belief, net: number, beganAt: number, unknown = none) => {
    belief.read(net, heard(beganAt), open(unknown));
    return belief.range;
  };
  it('only while a fill of ours is younger than the lag', () => {
    for (const [beganAt, range] of [
      [5999, { low: 10, high: 10 }],
      [6000, { low: 0, high: 0 }],
    ] as const) {
      const belief = read(0);
      belief.filled('a', 'BUY', 10, 1000);
      expect(afterRead(belief, 0, beganAt)).toEqual(range);
    }
  });
  it.each([
    ['BUY', -1, false],
    ['BUY', 0, true],
    ['BUY', 4, true],
    ['BUY', 10, true],
    ['BUY', 11, false],
    ['SELL', -11, false],
    ['SELL', -10, true],
    ['SELL', 0, true],
    ['SELL', 1, false],
  ])('when it lacks some of a %s of 10: %i is %s', (side, net, explained) => {
    const belief = read(0);
    belief.filled('a', side, 10, 6000);
    const believed = belief.range;
    const range = afterRead(belief, net, 6001);
    if (explained) expect(range).toEqual(believed);
    else expect(range).toEqual({ low: net, high: net });
  });
  it('by an older fill no more, once younger ones count', () => {
    const belief = read(0);
    belief.filled('a', 'BUY', 10, 6000);
    belief.filled('b', 'BUY', 1, 16_000);
    expect(afterRead(belief, 10, 16_001)).toEqual({ low: 11, high: 11 });
    expect(afterRead(belief, 9, 16_001)).toEqual({ low: 9, high: 9 });
  });
  it.each([
    ['bought', 17, true],
    ['bought', 18, false],
    ['sold', 3, true],
    ['sold', 2, false],
  ] as const)('by what an open order may have %s unseen: %i is %s', (side, net, explained) => {
    const belief = read(10);
    // Sellers may count on what an unknown BUY order has brought, buyers on what an unknown SELL order has taken.
    const shown = side === 'bought' ? { low: net, high: 10 } : { low: 10, high: net };
    expect(afterRead(belief, net, 1000, { ...none, [side]: 7 })).toEqual(explained ? shown : { low: net, high: net });
  });
  it('by a fill that an earlier process saw, as far as that may be missing', () => {
    const remembering = () => {
      const belief = new Belief(10, LAG_MS);
      belief.remember('BUY', 10, 0);
      return belief;
    };
    expect(afterRead(remembering(), 0, 4999)).toEqual({ low: 0, high: 10 });
    expect(afterRead(remembering(), 10, 4999)).toEqual({ low: 10, high: 10 });
    expect(afterRead(remembering(), 0, 5000)).toEqual({ low: 0, high: 0 });
  });
});
