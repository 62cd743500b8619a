import { describe, expect, it } from 'vitest';
import { FillView, isOver, rests } from '../../server/orders/fill.ts';
import { orderRow } from './parts.ts';

describe('nothing can become of an order any more', () => {
  it.each([
    ['REJECTED', 0, true],
    ['CANCELLED', 4, true],
    ['EXPIRED', 4, true],
    ['FILLED', 10, true],
    // Some brokers say so while the rest is still on its way.
    ['FILLED', 9, false],
    ['OPEN', 10, false],
    ['TRIGGER_PENDING', 0, false],
    ['TRANSIT', 0, false],
    ['UNKNOWN', 10, false],
  ] as const)('by a row that says %s with %i of 10 filled: %s', (state, filled_quantity, over) => {
    expect(isOver(orderRow({ state, filled_quantity }))).toBe(over);
  });
});

it.each([
  ['REJECTED', true],
  ['CANCELLED', true],
  ['EXPIRED', true],
  ['OPEN', false],
  ['TRIGGER_PENDING', false],
  ['TRANSIT', false],
  ['UNKNOWN', false],
] as const)('one row that says %s with nothing filled leaves nothing to wait for: %s', (state, settled) => {
  const view = new FillView();
  view.see(orderRow({ state }), 0);
  expect(view.settled()).toBe(settled);
});

describe('the exchange still holds an order', () => {
  it.each([
    ['OPEN', 0, true],
    ['OPEN', 4, true],
    ['TRIGGER_PENDING', 0, true],
    ['TRANSIT', 4, true],
    ['FILLED', 4, true],
    ['OPEN', 10, false],
    ['FILLED', 10, false],
    ['TRANSIT', 0, false],
    ['UNKNOWN', 4, false],
    ['REJECTED', 0, false],
    ['REJECTED', 4, false],
    ['CANCELLED', 4, false],
    ['EXPIRED', 4, false],
  ] as const)('that was last read as %s with %i of 10 filled: %s', (state, filled_quantity, held) => {
    const view = new FillView();
    view.see(orderRow({ state, filled_quantity, average_price: 100 }), 0);
    expect(rests(view.result())).toBe(held);
  });
  it('is not said of one that was never seen', () => {
    expect(rests(new FillView().result())).toBe(false);
  });
});

describe('a row that says FILLED', () => {
  it.each([0, 10])('with nothing filled of %i settles nothing, and its fill is not known', (quantity) => {
    const view = new FillView();
    view.see(orderRow({ state: 'FILLED', quantity, filled_quantity: 0 }), 0);
    expect(view.settled()).toBe(false);
    expect(view.result().status).toBe('UNKNOWN');
  });
  it('settles once all is filled, and not before', () => {
    const view = new FillView();
    view.see(orderRow({ state: 'FILLED', filled_quantity: 9, average_price: 100 }), 0);
    expect([view.settled(), view.result().status]).toEqual([false, 'PARTIALLY_FILLED']);
    view.see(orderRow({ state: 'FILLED', filled_quantity: 10, average_price: 100 }), 100);
    expect([view.settled(), view.result().status]).toEqual([true, 'FILLED']);
  });
});
