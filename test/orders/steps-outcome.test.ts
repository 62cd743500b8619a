import { describe, expect, it } from 'vitest';
import type { Attempt } from '../../server/journal/attempt.ts';
import { type Outcome, objection, outcomeStep, type Settled, UnknownKeyError } from '../../server/orders/outcome.ts';
import { attempt } from './parts.ts';

const by = { by: 'me@here', reason: 'contract note' };
const absent: Settled = { kind: 'absent', ...by };
const filled = { kind: 'filled', quantity: 10, price: 99.5, orderId: '77', ...by } as const;
const NOW = Date.parse('2026-11-20T15:00:00+05:30');
const WEEK = 7 * 86_400_000;

describe('what a person says of an order of ten', () => {
  const objected = (change: object, known: Partial<Attempt> = {}, seen = 0) =>
    objection(attempt(known), seen, { ...filled, ...change } as Outcome);
  it.each([
    [{ quantity: 0 }, 'The quantity must be a whole number from 1 to 10, what was ordered'],
    [{ quantity: 11 }, 'The quantity must be a whole number from 1 to 10, what was ordered'],
    [{ quantity: 2.5 }, 'The quantity must be a whole number from 1 to 10, what was ordered'],
    [{ price: 0 }, 'The price must be above 0'],
    [{ price: -1 }, 'The price must be above 0'],
    [{ price: Number.NaN }, 'The price must be above 0'],
    [{ price: Number.POSITIVE_INFINITY }, 'The price must be above 0'],
  ])('cannot be true with %o', (change, words) => {
    expect(objected(change)).toBe(words);
  });
  it.each([{ quantity: 1 }, { quantity: 10 }, { price: 0.05 }, { orderId: null }])('can be true with %o', (change) => {
    expect(objected(change)).toBeNull();
  });
  it('takes no fill back that was seen', () => {
    expect(objection(attempt(), 1, absent)).toBe('1 of this order were seen filled: settle it with --filled');
    expect(objection(attempt(), 0, absent)).toBeNull();
    expect(objected({ quantity: 3 }, {}, 4)).toBe('4 of this order were seen filled already, and a fill is never taken back');
    expect(objected({ quantity: 4 }, {}, 4)).toBeNull();
  });
  it('names no other order than the one the broker took', () => {
    const known = { orderId: '1001' };
    expect(objected({ orderId: '77' }, known)).toBe('The broker took this order as 1001: leave --order out');
    expect([objected({ orderId: '1001' }, known), objected({ orderId: null }, known)]).toEqual([null, null]);
  });
});

describe('the step of a person’s word', () => {
  const lost = (change: Partial<Attempt> = {}) =>
    attempt({ state: 'AMBIGUOUS', brokerAnswer: '{"message":"HTTP 502","data":{"id":7}}', ...change });
  function stepOf(outcome: Settled, change: Partial<Attempt> = {}) {
    const {
      change: { response = '', ...changed },
      ...step
    } = outcomeStep(lost(change), outcome, NOW);
    return { ...step, change: changed, response: JSON.parse(response) };
  }
  const told = (outcome: Settled, was = 'AMBIGUOUS') => ({ kind: 'order.settled', detail: { ...outcome, was, tag: attempt().tag } });

  it('that it never arrived rejects it, and knows no order', () => {
    expect(stepOf(absent)).toEqual({
      to: 'DONE',
      change: { fillStatus: 'REJECTED', resolvedAt: NOW, expiresAt: NOW + WEEK },
      response: {
        success: false,
        message: 'The order did not reach the broker: a person looked it up there',
        fill_status: 'REJECTED',
      },
      event: told(absent),
    });
  });
  it('that nothing of a known order filled rejects that order', () => {
    expect(stepOf(absent, { orderId: '1001' })).toEqual({
      to: 'DONE',
      change: { fillStatus: 'REJECTED', resolvedAt: NOW, expiresAt: NOW + WEEK },
      response: {
        success: false,
        order_id: '1001',
        message: 'Nothing of the order was filled: a person looked it up there',
        fill_status: 'REJECTED',
      },
      event: told(absent),
      truth: { orderId: '1001', status: 'REJECTED', filledQuantity: 0, averagePrice: null },
    });
  });
  it.each([
    [10, 'FILLED', 'FILLED'],
    [9, 'PARTIALLY_FILLED', 'CANCELLED'],
  ] as const)('that %i of ten filled books them at their price', (quantity, fill_status, status) => {
    const outcome = { ...filled, quantity };
    expect(stepOf(outcome)).toEqual({
      to: 'DONE',
      change: { orderId: '77', fillStatus: fill_status, filledQuantity: quantity, resolvedAt: NOW, expiresAt: NOW + WEEK },
      response: {
        success: true,
        order_id: '77',
        message: 'A person looked the order up at the broker',
        fill_status,
        filled_quantity: quantity,
        avg_fill_price: 99.5,
        data: { id: 7 },
      },
      event: told(outcome),
      truth: { orderId: '77', status, filledQuantity: quantity, averagePrice: 99.5 },
    });
  });
  it('needs no answer of the broker', () => {
    expect(stepOf(filled, { brokerAnswer: null }).response).not.toHaveProperty('data');
  });
  it.each([
    ['k:one', WEEK],
    ['f:one', 0],
  ])('of an order given up under %s is history for the books, and answered for %i ms', (key, lifeMs) => {
    const givenUp = { key, state: 'UNRESOLVED', orderId: '77' } as const;
    for (const outcome of [filled, absent]) {
      const step = stepOf(outcome, givenUp);
      expect(step.truth).toMatchObject({ orderId: '77', past: true });
      expect(step.change).toMatchObject({ resolvedAt: NOW, expiresAt: NOW + lifeMs });
      expect(step.event).toEqual(told(outcome, 'UNRESOLVED'));
    }
  });
  it('under a fingerprint of today is answered for a minute', () => {
    expect(stepOf(filled, { key: 'f:one' }).change).toMatchObject({ expiresAt: NOW + 60_000 });
  });
});

it('a key without an order is named', () => {
  expect(new UnknownKeyError('k:none').message).toBe('No order is known under k:none');
});
