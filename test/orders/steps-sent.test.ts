import { describe, expect, it } from 'vitest';
import type { Sent } from '../../server/brokers/broker.ts';
import { fateStep, leftStep } from '../../server/orders/steps.ts';
import { attempt } from './parts.ts';

const NOW = Date.parse('2026-11-20T10:00:02+05:30');
const DAY = 86_400_000;
const timing = { sent_after_ms: 12, took_ms: 34.5 };
const sent = (change: Partial<Sent>): Sent => ({ fate: 'unknown', order_id: '', message: 'said', data: { id: 7 }, ...change });
const brokerAnswer = '{"message":"said","data":{"id":7}}';

describe('the step after a send', () => {
  it('whose fate is not known looks for the order', () => {
    expect(fateStep(attempt(), sent({}), NOW, timing)).toEqual({
      to: 'AMBIGUOUS',
      change: { brokerAnswer },
      event: { kind: 'order.ambiguous', detail: { message: 'said', order_id: '', ...timing } },
    });
  });
  it('that was accepted has the order’s id, and an order that stands', () => {
    expect(fateStep(attempt(), sent({ fate: 'accepted', order_id: '1001' }), NOW)).toEqual({
      to: 'ACCEPTED',
      change: { brokerAnswer, orderId: '1001' },
      event: { kind: 'order.accepted', detail: { message: 'said', order_id: '1001' } },
      truth: { orderId: '1001', status: 'PLACED', filledQuantity: 0, averagePrice: null },
    });
  });
  it.each([
    ['rejected', 'k:one', 'DONE', 7 * DAY],
    ['rejected', 'f:one', 'DONE', 60_000],
    ['not_sent', 'k:one', 'NOT_SENT', 60_000],
    ['not_sent', 'f:one', 'NOT_SENT', 30_000],
  ] as const)('that was %s under %s is final', (fate, key, to, lifeMs) => {
    const body = { success: false, order_id: '', message: 'said', fill_status: 'REJECTED', data: { id: 7 } };
    const step = fateStep(attempt({ key }), sent({ fate }), NOW);
    expect(step).toEqual({
      to,
      change: { brokerAnswer, response: expect.any(String), expiresAt: NOW + lifeMs },
      event: { kind: `order.${fate}`, detail: { message: 'said', order_id: '' } },
      body,
    });
    expect(JSON.parse(step.change.response ?? '')).toEqual(body);
  });
  it('says so where the broker said nothing', () => {
    const step = fateStep(attempt(), { fate: 'rejected', order_id: '' }, NOW);
    expect(step.body).toEqual({ success: false, order_id: '', message: 'The broker rejected the order', fill_status: 'REJECTED' });
    expect(step.event.detail).toEqual({ message: null, order_id: '' });
    expect(step.change).toMatchObject({ brokerAnswer: '{}' });
  });
  it.each([
    [1.6, 2],
    [0, 0],
    [-250.4, -250],
    [2 * DAY, DAY],
    [-2 * DAY, -DAY],
  ])('keeps how far the broker’s clock is off, %i ms as %i, a day at most', (clockOffsetMs, kept) => {
    expect(fateStep(attempt(), sent({ clockOffsetMs }), NOW).change).toEqual({ brokerAnswer, clockOffsetMs: kept });
  });
});

it('an order left in the middle of its send is looked for', () => {
  expect(leftStep()).toEqual({
    to: 'AMBIGUOUS',
    change: {},
    event: { kind: 'order.ambiguous', detail: { message: 'left in the middle of its send' } },
  });
});
