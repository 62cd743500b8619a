import { describe, expect, it } from 'vitest';
import type { Range } from '../../server/orders/belief.ts';
import { judge, onlyReduces, reduces, type Situation } from '../../server/orders/guard.ts';

const asked = (side: string, quantity: number) => ({ symbol: 'SBIN', exchange: 'NSE', product: 'INTRADAY', side, quantity });
const at = (net: number, change: Partial<Situation> = {}): Situation => {
  const range: Range = { low: net, high: net };
  return {
    own: range,
    sum: range,
    unknown: { own: 0, sum: 0 },
    working: 0,
    elsewhere: () => 0,
    read: true,
    unresolved: 'order 7 (BUY 5)',
    ...change,
  };
};
const normal = { reduceOnly: false, guardOff: false };
const unknown = (sum: number, own = sum) => ({ unknown: { own, sum } });

/** The verdict in a word: reduces, passes, or for how long the block is stored. */
function word(side: string, quantity: number, situation: Situation, options = normal): string {
  const verdict = judge(asked(side, quantity), situation, options);
  if (verdict.kind === 'blocked') return verdict.keep;
  expect(verdict).toEqual({ kind: 'pass', onlyReduces: verdict.onlyReduces });
  return verdict.onlyReduces ? 'reduces' : 'passes';
}

describe('the table, for a buy and its mirror', () => {
  it.each<[string, number, number, Partial<Situation>, string]>([
    ['flat', 10, 0, {}, 'passes'],
    ['a part of what is opposite', 4, -5, {}, 'reduces'],
    ['all of what is opposite', 5, -5, {}, 'reduces'],
    ['more than what is opposite: it may flip', 6, -5, {}, 'passes'],
    ['its own direction', 1, 5, {}, 'stored'],
    ['opposite, all beside what is not known', 3, -5, unknown(2), 'reduces'],
    ['opposite, more beside what is not known', 4, -5, unknown(2), 'not'],
    ['flat beside what is not known', 1, 0, unknown(2), 'not'],
    ['its own product in its direction, the sum opposite', 3, -5, { own: { low: 2, high: 2 } }, 'passes'],
    ['the sum opposite, beside what is not known there', 3, -5, { own: { low: 2, high: 2 }, ...unknown(2, 0) }, 'passes'],
    ['the sum opposite, more beside what is not known', 4, -5, { own: { low: 2, high: 2 }, ...unknown(2, 0) }, 'not'],
    ['its own product opposite, whatever the sum', 5, 20, { own: { low: -5, high: -5 } }, 'reduces'],
    ['its own product opposite, the unknown elsewhere', 5, 20, { own: { low: -5, high: -5 }, ...unknown(9, 0) }, 'reduces'],
    ['a range that lies in its direction on one end', 1, 0, { own: { low: 0, high: 5 }, sum: { low: 0, high: 5 } }, 'not'],
    ['a range that lies in its direction on both', 1, 0, { own: { low: 1, high: 5 }, sum: { low: 1, high: 5 } }, 'stored'],
    ['a range that is opposite, within its worse end', 3, 0, { own: { low: -9, high: -3 }, sum: { low: -9, high: -3 } }, 'reduces'],
    ['a range that is opposite, beyond its worse end', 4, 0, { own: { low: -9, high: -3 }, sum: { low: -9, high: -3 } }, 'passes'],
    ['flat by our records alone', 1, 0, { read: false }, 'briefly'],
    ['more than our records hold', 6, -5, { read: false }, 'briefly'],
    ['what our records hold', 5, -5, { read: false }, 'reduces'],
    ['what rests does not count', 5, -5, { working: 100 }, 'reduces'],
  ])('%s', (_, quantity, net, change, expected) => {
    const situation = at(net, change);
    const flip = ({ low, high }: Range) => ({ low: 0 - high, high: 0 - low });
    expect(word('BUY', quantity, situation)).toBe(expected);
    expect(word('SELL', quantity, { ...situation, own: flip(situation.own), sum: flip(situation.sum) })).toBe(expected);
  });
});

describe('with POSITION_GUARD=off', () => {
  const off = { reduceOnly: false, guardOff: true };
  it('an open position in its direction and positions that cannot be read block nobody', () => {
    expect(word('BUY', 1, at(5), off)).toBe('passes');
    expect(word('BUY', 1, at(0, { read: false }), off)).toBe('passes');
  });
  it('an order whose fate is not known still does', () => {
    expect(word('BUY', 1, at(5, unknown(2)), off)).toBe('not');
  });
});

describe('reduce_only', () => {
  const only = { reduceOnly: true, guardOff: false };
  it.each<[number, number, Partial<Situation>, string]>([
    [5, -5, {}, 'reduces'],
    [6, -5, {}, 'not'],
    [1, 0, {}, 'not'],
    [1, 5, {}, 'not'],
    [3, -5, { working: 2 }, 'reduces'],
    [4, -5, { working: 2 }, 'not'],
    [3, -5, { working: 1, ...unknown(1) }, 'reduces'],
    [4, -5, { working: 1, ...unknown(1) }, 'not'],
    [3, -5, { own: { low: 2, high: 2 } }, 'not'],
  ])('BUY %i at a net of %i with %o: %s', (quantity, net, change, expected) => {
    expect(word('BUY', quantity, at(net, change), only)).toBe(expected);
    expect(word('BUY', quantity, at(net, change), { ...only, guardOff: true })).toBe(expected);
  });
  it.each<[number, number, Partial<Situation>, string, number]>([
    [6, 5, { working: 2 }, ' with 2 more in SELL orders that may still fill', 5],
    [4, 5, { working: 2, ...unknown(1) }, ' with 3 more in SELL orders that may still fill', 5],
    [6, 5, {}, '', 5],
    // What was filled elsewhere is gone already.
    [4, 5, { elsewhere: () => 2 }, '', 3],
    [1, 5, { elsewhere: () => 7 }, '', 0],
    [1, -5, {}, '', 0],
  ])('SELL %i of %i with %o says what is in its way, and what can be reduced', (quantity, net, change, beside, reducible) => {
    const message = `SBIN: reduce_only SELL ${quantity}${beside} does not fit into the INTRADAY position, of which ${reducible} can be reduced; the order was not sent.`;
    expect(judge(asked('SELL', quantity), at(net, change), only)).toEqual({ kind: 'blocked', keep: 'not', message });
  });
});

it('what only reduces counts what rests, where what merely reduces does not', () => {
  expect(reduces(asked('SELL', 5), at(5, { working: 1 }))).toBe(true);
  expect(onlyReduces(asked('SELL', 5), at(5, { working: 1 }))).toBe(false);
  expect(onlyReduces(asked('SELL', 4), at(5, { working: 1 }))).toBe(true);
  expect(onlyReduces(asked('SELL', 4), at(5, { elsewhere: () => 2 }))).toBe(false);
  expect(onlyReduces(asked('SELL', 3), at(5, { elsewhere: () => 2 }))).toBe(true);
});
