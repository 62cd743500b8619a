import { describe, expect, it } from 'vitest';
import type { Attempt } from '../../server/journal/attempt.ts';
import type { Fill } from '../../server/orders/fill.ts';
import { absentStep, fillStep, foundStep, gaveUpStep, truthOf } from '../../server/orders/steps.ts';
import type { Step } from '../../server/orders/writer.ts';
import { attempt, orderRow, TAG } from './parts.ts';

const NOW = Date.parse('2026-11-20T10:05:00+05:30');
const WEEK = 7 * 86_400_000;
const nothing: Fill = { status: 'UNKNOWN', filledQuantity: 0, averagePrice: 0, row: null };
const whole = orderRow({ order_id: '77', state: 'FILLED', filled_quantity: 10, average_price: 100.5 });
const filled: Fill = { status: 'FILLED', filledQuantity: 10, averagePrice: 100.5, row: whole };
const lost = (change: Partial<Attempt> = {}) =>
  attempt({ state: 'AMBIGUOUS', brokerAnswer: '{"message":"HTTP 502","data":{"id":7}}', ...change });

/** A step with its answer as it can be read. */
function read({ change: { response, ...change }, ...step }: Step) {
  return { ...step, change, ...(response !== undefined && { response: JSON.parse(response) }) };
}

describe('an order that is found', () => {
  it('has its id, and what of it is booked as filled', () => {
    const row = orderRow({ order_id: '77', filled_quantity: 4, average_price: 99 });
    expect(foundStep(lost(), row)).toEqual({
      to: 'AMBIGUOUS',
      change: { orderId: '77', filledQuantity: 4 },
      event: { kind: 'order.found', detail: { order_id: '77' } },
      truth: { orderId: '77', status: 'PARTIALLY_FILLED', filledQuantity: 4, averagePrice: 99 },
    });
  });
  it('never has less than was booked before', () => {
    expect(foundStep(lost({ filledQuantity: 6 }), orderRow({ filled_quantity: 4, average_price: 99 })).change.filledQuantity).toBe(6);
  });
});

describe('what reads say of a fill', () => {
  const answer = {
    order_id: '77',
    message: 'HTTP 502',
    fill_status: 'FILLED',
    filled_quantity: 10,
    avg_fill_price: 100.5,
    data: { id: 7 },
  };
  const truth = { orderId: '77', status: 'FILLED', filledQuantity: 10, averagePrice: 100.5 };
  it.each([
    [false, 'order.done', {}],
    [true, 'order.resolved', { resolvedAt: NOW }],
  ] as const)('ends the order; late: %s', (late, kind, resolved) => {
    expect(read(fillStep(lost(), filled, { now: NOW, late }))).toEqual({
      to: 'DONE',
      change: { fillStatus: 'FILLED', filledQuantity: 10, expiresAt: NOW + WEEK, ...resolved },
      event: { kind, detail: { fill_status: 'FILLED', filled: 10 } },
      response: { success: true, ...answer },
      truth,
    });
  });
  it('is the answer of the order that the broker took, whatever became of it', () => {
    const row = orderRow({ order_id: '1001', state: 'REJECTED', status: 'REJECTED', status_message: 'Margin' });
    const taken = lost({ state: 'ACCEPTED', orderId: '1001', key: 'f:one' });
    const rejected: Fill = { status: 'REJECTED', filledQuantity: 0, averagePrice: 0, row };
    expect(read(fillStep(taken, rejected, { now: NOW, late: false }))).toEqual({
      to: 'DONE',
      change: { fillStatus: 'REJECTED', filledQuantity: 0, expiresAt: NOW + 60_000 },
      event: { kind: 'order.done', detail: { fill_status: 'REJECTED', filled: 0 } },
      response: {
        ...{ success: true, order_id: '1001', message: 'Margin', fill_status: 'REJECTED' },
        ...{ filled_quantity: 0, avg_fill_price: 0, data: { id: 7 } },
      },
      truth: { orderId: '1001', status: 'REJECTED', filledQuantity: 0, averagePrice: null, reason: 'Margin' },
    });
  });
  it('keeps the order open where it is not known, and answers so once', () => {
    const response = { success: false, order_id: '', fill_status: 'UNKNOWN', filled_quantity: 0, avg_fill_price: 0, data: { id: 7 } };
    expect(read(fillStep(lost(), nothing, { now: NOW, late: false }))).toEqual({
      to: 'AMBIGUOUS',
      change: { fillStatus: 'UNKNOWN', filledQuantity: 0 },
      event: { kind: 'order.unknown', detail: { fill_status: 'UNKNOWN', filled: 0 } },
      response: { ...response, message: 'HTTP 502' },
    });
    const before = '{"told":"before"}';
    expect(fillStep(lost({ response: before }), nothing, { now: NOW, late: false }).change.response).toBe(before);
    expect(fillStep(lost({ response: before }), filled, { now: NOW, late: true }).change.response).not.toBe(before);
    expect(read(fillStep(lost({ brokerAnswer: null }), nothing, { now: NOW, late: false })).response).toEqual({
      ...{ success: false, order_id: '', fill_status: 'UNKNOWN', filled_quantity: 0, avg_fill_price: 0 },
      message: 'The outcome of the order is not known yet',
    });
  });
  it('says nothing of the time of a truth that is not known, late or not', () => {
    expect(fillStep(lost(), nothing, { now: NOW, late: true })).toMatchObject({ to: 'AMBIGUOUS', event: { kind: 'order.resolved' } });
    expect(fillStep(lost(), nothing, { now: NOW, late: true }).change).not.toHaveProperty('resolvedAt');
  });
  it('never takes a fill back', () => {
    expect(fillStep(lost({ filledQuantity: 6 }), { ...nothing, filledQuantity: 4 }, { now: NOW, late: false }).change).toMatchObject({
      filledQuantity: 6,
    });
  });
  it('says what is to be done about a MARKET order that rests', () => {
    const pending: Fill = { ...nothing, status: 'PENDING', row: orderRow({ order_id: '77' }) };
    for (const open of [lost(), lost({ state: 'ACCEPTED', orderId: '77' })])
      expect(read(fillStep(open, pending, { now: NOW, late: true })).response.message).toContain('This MARKET order has not filled');
  });
});

it('an order that is nowhere did not reach the broker', () => {
  expect(read(absentStep(lost(), NOW))).toEqual({
    to: 'DONE',
    change: { fillStatus: 'REJECTED', resolvedAt: NOW, expiresAt: NOW + WEEK },
    event: { kind: 'order.resolved', detail: { fill_status: 'REJECTED', absent: true } },
    response: {
      success: false,
      message: 'The order did not reach the broker: its order book was read for two minutes and does not hold it',
      fill_status: 'REJECTED',
    },
  });
  expect(absentStep(lost({ key: 'f:one' }), NOW).change).toMatchObject({ expiresAt: NOW + 60_000 });
});

describe('an order given up', () => {
  it('is answered as before', () => {
    expect(gaveUpStep(lost({ response: '{"told":"before"}' }), nothing, NOW)).toEqual({
      to: 'UNRESOLVED',
      change: { response: '{"told":"before"}', expiresAt: NOW + WEEK },
      event: { kind: 'order.unresolved', detail: { tag: TAG, day: '2026-11-20' } },
    });
  });
  it('is answered with what was seen where nobody was answered, and under a fingerprint frees its key', () => {
    const { change, response } = read(gaveUpStep(lost({ key: 'f:one' }), nothing, NOW));
    expect([change, response]).toEqual([
      { expiresAt: NOW },
      {
        ...{ success: false, order_id: '', message: 'HTTP 502', fill_status: 'UNKNOWN' },
        ...{ filled_quantity: 0, avg_fill_price: 0, data: { id: 7 } },
      },
    ]);
  });
});

describe('what a row says of an order', () => {
  it.each([
    ['REJECTED', { reason: 'Margin' }],
    ['CANCELLED', { reason: 'Margin' }],
    ['PLACED', {}],
  ] as const)('is the broker’s reason where it is %s', (status, reason) => {
    const state = status === 'PLACED' ? 'OPEN' : status;
    const row = orderRow({ state, status, status_message: 'Margin' });
    expect(truthOf(row)).toEqual({ orderId: '1001', status, filledQuantity: 0, averagePrice: null, ...reason });
    expect(truthOf({ ...row, status_message: null })).not.toHaveProperty('reason');
  });
  it('is its token where it has one', () => {
    expect(truthOf(orderRow({ token: '779521' }))).toMatchObject({ token: '779521' });
    expect(truthOf(orderRow({ token: null }))).not.toHaveProperty('token');
    // Also where its fill has no price yet.
    const unpriced = orderRow({ token: '779521', state: 'FILLED', filled_quantity: 10 });
    expect(truthOf(unpriced)).toEqual({ orderId: '1001', token: '779521', status: 'PLACED', filledQuantity: 0, averagePrice: null });
  });
});
