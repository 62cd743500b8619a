import { describe, expect, it } from 'vitest';
import { Expectation } from '../../server/orders/expectation.ts';
import { attempt } from './parts.ts';

const none = new Set<string>();
const bought = (quantity: number, at: number) => ({ bought: quantity, sold: 0, at });
const sold = (quantity: number, at: number) => ({ bought: 0, sold: quantity, at });

describe('what the net quantity must be', () => {
  it('is what was read, and our own fills since', () => {
    const expected = new Expectation(5, none);
    expect(expected.now).toEqual({ low: 5, high: 5 });
    expected.filled('a', bought(10, 0));
    expect(expected.now).toEqual({ low: 15, high: 15 });
    expected.filled('b', sold(20, 0));
    expect(expected.now).toEqual({ low: -5, high: -5 });
  });
  it('is a range where the read may hold a fill already', () => {
    const buying = new Expectation(0, new Set(['a']));
    buying.filled('a', bought(10, 0));
    expect(buying.now).toEqual({ low: 0, high: 10 });
    const selling = new Expectation(0, new Set(['a']));
    selling.filled('a', sold(10, 0));
    expect(selling.now).toEqual({ low: -10, high: 0 });
  });
  it('may lack what an earlier process saw filled', () => {
    expect(new Expectation(3, none, { bought: 4, sold: 2, at: 0 }).now).toEqual({ low: 1, high: 7 });
  });
});

describe('a read is explained by lag', () => {
  it('only while a fill of ours is younger than 5 s', () => {
    const expected = new Expectation(0, none);
    expected.filled('a', bought(10, 1000));
    expect(expected.explains(0, 5999, [])).toBe(true);
    expect(expected.explains(0, 6000, [])).toBe(false);
  });
  it('never without a fill of ours, even when it shows what is expected', () => {
    expect(new Expectation(7, none).explains(7, 0, [])).toBe(false);
  });
  it.each([
    [-1, false],
    [0, true],
    [4, true],
    [10, true],
    [11, false],
  ])('when it lacks some of what we bought: %i is %s', (read, explained) => {
    const expected = new Expectation(0, none);
    expected.filled('a', bought(10, 0));
    expect(expected.explains(read, 0, [])).toBe(explained);
  });
  it.each([
    [-11, false],
    [-10, true],
    [0, true],
    [1, false],
  ])('when it lacks some of what we sold: %i is %s', (read, explained) => {
    const expected = new Expectation(0, none);
    expected.filled('a', sold(10, 0));
    expect(expected.explains(read, 0, [])).toBe(explained);
  });
  it('by an older fill no more, once younger ones count', () => {
    const expected = new Expectation(0, none);
    expected.filled('a', bought(10, 0));
    expected.filled('b', bought(1, 10_000));
    expect(expected.explains(10, 10_000, [])).toBe(true);
    expect(expected.explains(9, 10_000, [])).toBe(false);
  });
  it('by no fill older than the longest read, however early it began', () => {
    const expected = new Expectation(0, none);
    expected.filled('a', bought(10, 1));
    expected.filled('b', bought(1, 60_001));
    expect(expected.explains(10, 0, [])).toBe(true);
    expect(expected.explains(9, 0, [])).toBe(false);
    const young = new Expectation(0, none);
    young.filled('a', bought(10, 2));
    young.filled('b', bought(1, 60_001));
    expect(young.explains(0, 0, [])).toBe(true);
  });
  it.each([
    ['BUY', 17, true],
    ['BUY', 18, false],
    ['BUY', -1, false],
    ['SELL', -7, true],
    ['SELL', -8, false],
    ['SELL', 11, false],
  ])('by what an open %s may have filled unseen: %i is %s', (side, read, explained) => {
    const expected = new Expectation(0, none);
    expected.filled('a', bought(10, 0));
    expect(expected.explains(read, 0, [attempt({ side, quantity: 10, filledQuantity: 3 })])).toBe(explained);
  });
  it('by what an earlier process saw filled', () => {
    const expected = new Expectation(0, none, bought(10, 0));
    expect(expected.explains(0, 4999, [])).toBe(true);
    expect(expected.explains(0, 5000, [])).toBe(false);
  });
});
