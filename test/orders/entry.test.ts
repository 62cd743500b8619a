import { describe, expect, it } from 'vitest';
import { Entry } from '../../server/orders/entry.ts';
import { attempt, orderRow } from './parts.ts';

function sent(change: Parameters<typeof attempt>[0] = {}): Entry {
  const entry = new Entry('k:one', 'hash', 7);
  entry.hold(attempt(change));
  return entry;
}

describe('an order in the live book', () => {
  it('is nothing yet when it is claimed', () => {
    const entry = new Entry('k:one', 'hash', 7);
    const nothing = { stage: 'asked', attempt: null, reply: null, tracker: null, withdrawing: null, home: null };
    const nowhere = { day: '', product: '', side: '', positionAlone: false, held: 0, filled: 0, orderId: '', tag: '', open: 0, name: '' };
    expect(entry).toMatchObject({ key: 'k:one', requestHash: 'hash', begunAt: 7, ...nothing });
    for (const [name, value] of Object.entries(nowhere)) expect([name, entry[name as keyof Entry]]).toEqual([name, value]);
  });
  it('is told by its tag, or by its order id where it has none', () => {
    expect(sent({ tag: 't', orderId: '77' })).toMatchObject({ name: 't' });
    expect(sent({ tag: '', orderId: '77' })).toMatchObject({ name: '77' });
    expect(sent({ tag: 't', orderId: '' }).describe()).toBe('the order with tag t (BUY 10)');
    expect(sent({ tag: 't', orderId: '77' }).describe()).toBe('order 77 (BUY 10)');
  });
  it('may fill what is left of it while it is unknown or rests', () => {
    const entry = sent({ filledQuantity: 4 });
    expect(entry.open).toBe(6);
    entry.stage = 'resting';
    expect(entry.open).toBe(6);
    entry.stage = 'over';
    expect(entry.open).toBe(0);
  });
  it('never takes a fill back, and says what is new of it', () => {
    const entry = sent();
    expect(entry.saw(orderRow({ filled_quantity: 4 }), 100)).toBe(4);
    expect(entry.saw(orderRow({ filled_quantity: 3 }), 101)).toBe(0);
    expect([entry.filled, entry.saw(orderRow({ filled_quantity: 9 }), 102)]).toEqual([4, 5]);
  });
  it('is over by a row only once it rests: before that its tracker says so', () => {
    const entry = sent();
    entry.saw(orderRow({ state: 'CANCELLED' }), 100);
    expect(entry.stage).toBe('unknown');
    entry.stage = 'resting';
    entry.saw(orderRow({ state: 'OPEN' }), 101);
    expect(entry.stage).toBe('resting');
    entry.saw(orderRow({ state: 'CANCELLED' }), 102);
    expect(entry.stage).toBe('over');
  });
  it('counts at the largest quantity it may have, until a read begun after every answer shows one', () => {
    const entry = sent();
    const [first, second] = [entry.changing(15), entry.changing(12)];
    expect(entry.quantity).toBe(15);
    first(false, 200);
    entry.saw(orderRow({ quantity: 15 }), 300);
    expect([entry.quantity, entry.held]).toEqual([15, 10]);
    second(false, 300);
    entry.saw(orderRow({ quantity: 12 }), 300);
    expect([entry.quantity, entry.held]).toEqual([15, 10]);
    entry.saw(orderRow({ quantity: 0 }), 301);
    expect([entry.quantity, entry.held]).toEqual([15, 10]);
    entry.saw(orderRow({ quantity: 12 }), 301);
    expect([entry.quantity, entry.held]).toEqual([12, 12]);
    entry.changing(50)(true, 400);
    expect(entry.quantity).toBe(12);
  });
});
