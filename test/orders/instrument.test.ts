import { describe, expect, it } from 'vitest';
import { Entry } from '../../server/orders/entry.ts';
import { Instrument, type PositionSource } from '../../server/orders/instrument.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { attempt, orderRow } from './parts.ts';

const NAME = { exchange: 'NSE', symbol: 'SBIN', token: null };

function stand(change: Partial<PositionSource> = {}) {
  const clock = new VirtualClock();
  const instrument = new Instrument(clock, NAME, {
    positionsLagMs: 5000,
    wasRead: () => true,
    holdingsFall: undefined,
    sellable: () => 0,
    unread: () => false,
    filledElsewhere: () => 0,
    ...change,
  });
  const read = (nets: Record<string, number>, beganAt = clock.mono()) => instrument.read(new Map(Object.entries(nets)), beganAt);
  const add = (tag: string, facts: Parameters<typeof attempt>[0] = {}): Entry => {
    const entry = new Entry(`k:${tag}`, 'hash', 0);
    entry.hold(attempt({ tag, ...facts }));
    instrument.add(entry);
    return entry;
  };
  const situation = (side: string, product = 'INTRADAY', except?: Entry) => instrument.situation({ side, product }, true, except);
  return { clock, instrument, read, add, situation };
}

const range = (low: number, high = low) => ({ low, high });

describe('where an order stands', () => {
  it('has its own product’s net and the sum of all', () => {
    const { read, situation } = stand();
    read({ INTRADAY: 10, CARRYFORWARD: -4 });
    expect(situation('BUY')).toMatchObject({ own: range(10), sum: range(6) });
    expect(situation('BUY', 'MTF')).toMatchObject({ own: range(0), sum: range(6) });
    read({ CARRYFORWARD: -4 });
    expect(situation('BUY')).toMatchObject({ own: range(0), sum: range(-4) });
  });
  it('counts our other orders on its side: the unknown by product and in all, those that rest in its product', () => {
    const { add, situation } = stand();
    const own = add('a', { quantity: 7, filledQuantity: 3 });
    add('b', { product: 'CARRYFORWARD', quantity: 5 });
    add('c', { side: 'SELL', quantity: 50 });
    add('d', { quantity: 2 }).stage = 'resting';
    add('e', { product: 'CARRYFORWARD', quantity: 9 }).stage = 'resting';
    expect(situation('BUY')).toMatchObject({ unknown: { own: 4, sum: 9 }, working: 2, unresolved: 'the order with tag a (BUY 7)' });
    expect(situation('BUY', 'INTRADAY', own)).toMatchObject({ unknown: { own: 0, sum: 5 } });
    own.stage = 'over';
    expect(situation('BUY')).toMatchObject({ unknown: { own: 0, sum: 5 } });
  });
  it('takes a read between what is believed and what open orders may have done for an explained one', () => {
    const { read, add, situation } = stand();
    read({ INTRADAY: 10 });
    add('out', { side: 'SELL', quantity: 10 });
    read({ INTRADAY: 4 });
    // For sellers what was believed stays, and the order counts at its full quantity: not twice. Buyers find 4 to sell against.
    expect(situation('SELL')).toMatchObject({ own: { low: 10, high: 4 }, unknown: { own: 10 } });
    read({ INTRADAY: 11 });
    expect(situation('SELL').own).toEqual(range(11));
  });
  it('knows a fill that a read may hold already as a range', () => {
    const { instrument, read, add, situation } = stand();
    const resting = add('in', { quantity: 6 });
    resting.stage = 'resting';
    read({ INTRADAY: 6 });
    resting.filled += 6;
    instrument.filled(resting, 6);
    expect(situation('SELL').own).toEqual(range(6, 12));
  });
});

describe('what is held for delivery', () => {
  it('counts for a delivery sell alone, and once', () => {
    const { read, situation } = stand({ sellable: () => 30 });
    read({ DELIVERY: 5 });
    expect(situation('SELL', 'DELIVERY')).toMatchObject({ own: range(35), sum: range(35) });
    expect(situation('SELL', 'INTRADAY')).toMatchObject({ own: range(0), sum: range(5) });
    expect(situation('BUY', 'DELIVERY')).toMatchObject({ own: range(5), sum: range(5) });
  });
  it.each([
    [true, 20],
    [undefined, 20],
    [false, 10],
  ])('where holdings fall with today’s sales (%s): 20 held after 10 were sold leaves %i', (holdingsFall, left) => {
    const { read, situation } = stand({ holdingsFall, sellable: () => 20 });
    read({ DELIVERY: -10 });
    expect(situation('SELL', 'DELIVERY').own).toEqual(range(left));
  });
  it('makes a sale from holdings no short position for any other order', () => {
    const { read, situation } = stand({ sellable: () => 20 });
    read({ DELIVERY: -10 });
    expect(situation('SELL', 'INTRADAY').sum).toEqual(range(0));
    expect(situation('BUY', 'INTRADAY').sum).toEqual(range(0));
  });
});

describe('an order of ours', () => {
  it('opens what is not filled of it, while it can', () => {
    const entry = new Entry('k:one', 'hash', 0);
    expect(entry.open).toBe(0);
    entry.hold(attempt({ quantity: 10 }));
    expect(entry.open).toBe(10);
    expect(entry.saw(orderRow({ filled_quantity: 4 }), 1)).toBe(4);
    expect(entry.saw(orderRow({ filled_quantity: 3 }), 2)).toBe(0);
    expect(entry.open).toBe(6);
    entry.stage = 'resting';
    expect(entry.open).toBe(6);
    entry.saw(orderRow({ filled_quantity: 4, state: 'CANCELLED' }), 3);
    expect([entry.stage, entry.open]).toEqual(['over', 0]);
  });
  it('has the quantity of the broker’s row, unless a change of it was sent since that read began', () => {
    const entry = new Entry('k:one', 'hash', 0);
    entry.hold(attempt({ quantity: 10 }));
    entry.changing(0)(false, 5);
    entry.saw(orderRow({ quantity: 4 }), 5);
    expect(entry.quantity).toBe(10);
    entry.saw(orderRow({ quantity: 4 }), 6);
    expect(entry.quantity).toBe(4);
  });
  it('has the largest quantity that was asked for and not refused, until a read begun after the last change shows it', () => {
    const entry = new Entry('k:one', 'hash', 0);
    entry.hold(attempt({ quantity: 10 }));
    const [first, second] = [entry.changing(15), entry.changing(20)];
    expect(entry.quantity).toBe(20);
    second(true, 3);
    expect(entry.quantity).toBe(15);
    entry.saw(orderRow({ quantity: 10 }), 4);
    expect(entry.quantity).toBe(15);
    first(false, 5);
    entry.saw(orderRow({ quantity: 12 }), 6);
    expect(entry.quantity).toBe(12);
  });
  it('is not over by a row that says FILLED with less than its quantity', () => {
    const entry = new Entry('k:one', 'hash', 0);
    entry.hold(attempt({ quantity: 10 }));
    entry.stage = 'resting';
    entry.saw(orderRow({ state: 'FILLED', filled_quantity: 9 }), 1);
    expect(entry.stage).toBe('resting');
  });
});

it('an instrument is idle when nothing is held and nothing can come', () => {
  const { instrument, read, add } = stand();
  expect(instrument.idle).toBe(true);
  read({ INTRADAY: 1 });
  expect(instrument.idle).toBe(false);
  read({});
  expect(instrument.idle).toBe(true);
  const entry = add('a');
  instrument.name = 'SBIN';
  expect(instrument.idle).toBe(false);
  entry.stage = 'over';
  instrument.sweep();
  expect([instrument.idle, instrument.name]).toEqual([true, null]);
});
