import type { PlaceOrderResult } from '../../contract/orders.ts';
import type { OrderRow, Sent } from '../brokers/broker.ts';
import { statusOf } from '../brokers/broker.ts';
import { type Attempt, type AttemptChange, lifetimeMs, type OrderTruth, unresolvedLifetimeMs } from '../journal/attempt.ts';
import { acceptance, answerText, type BrokerAnswer, refusal, restingText, searched } from './answer.ts';
import type { Fill } from './fill.ts';
import type { Step } from './writer.ts';

const DAY_MS = 86_400_000;

/** When an order's bytes left after it was asked for, and how long the broker took to answer, ms. */
export interface Timing {
  sent_after_ms: number;
  took_ms: number;
}

/** The step after the send, and the answer where it is final. */
export function fateStep(attempt: Attempt, sent: Sent, now: number, timing?: Timing): Step & { body?: PlaceOrderResult } {
  const { fate, message, data, order_id } = sent;
  const change: AttemptChange = {
    brokerAnswer: JSON.stringify({ message, data }),
    ...(sent.clockOffsetMs !== undefined && { clockOffsetMs: clamped(sent.clockOffsetMs) }),
  };
  const detail = { message: message ?? null, order_id, ...timing };
  if (fate === 'unknown') return { to: 'AMBIGUOUS', change, event: { kind: 'order.ambiguous', detail } };
  if (fate === 'accepted') {
    const truth = { orderId: order_id, status: 'PLACED' as const, filledQuantity: 0, averagePrice: null };
    return { to: 'ACCEPTED', change: { ...change, orderId: order_id }, event: { kind: 'order.accepted', detail }, truth };
  }
  const body = refusal(message ?? 'The broker rejected the order', { order_id: '', data });
  const final = { ...change, response: answerText(body), expiresAt: now + lifetimeMs(attempt.key, fate === 'rejected') };
  return { to: fate === 'rejected' ? 'DONE' : 'NOT_SENT', change: final, event: { kind: `order.${fate}`, detail }, body };
}

/** A clock that is a day wrong says nothing more precise. */
function clamped(offsetMs: number): number {
  return Math.round(Math.max(-DAY_MS, Math.min(DAY_MS, offsetMs)));
}

/** An order left in SENDING by a dead process, or lost sight of: it may or may not live. */
export function leftStep(): Step {
  return { to: 'AMBIGUOUS', change: {}, event: { kind: 'order.ambiguous', detail: { message: 'left in the middle of its send' } } };
}

/** Our row is in the book: its id is known, and not yet what became of it. What is booked as filled stands in the attempt too, or a restart counts it twice. */
export function foundStep(attempt: Attempt, row: OrderRow): Step {
  const event = { kind: 'order.found', detail: { order_id: row.order_id } };
  const truth = truthOf(row);
  const filledQuantity = Math.max(attempt.filledQuantity, truth.filledQuantity);
  return { to: attempt.state, change: { orderId: row.order_id, filledQuantity }, event, truth };
}

/** What reads of the order say. UNKNOWN keeps the record open; the truth closes it, replacing a stored UNKNOWN once. */
export function fillStep(attempt: Attempt, fill: Fill, { now, late }: { now: number; late: boolean }): Step {
  const known = fill.status !== 'UNKNOWN';
  const response = known || attempt.response === null ? responseText(attempt, fill) : attempt.response;
  return {
    to: known ? 'DONE' : attempt.state,
    change: {
      response,
      fillStatus: fill.status,
      filledQuantity: Math.max(attempt.filledQuantity, fill.filledQuantity),
      ...(known && { expiresAt: now + lifetimeMs(attempt.key, true) }),
      ...(late && known && { resolvedAt: now }),
    },
    event: {
      kind: late ? 'order.resolved' : known ? 'order.done' : 'order.unknown',
      detail: { fill_status: fill.status, filled: fill.filledQuantity },
    },
    ...(fill.row && { truth: truthOf(fill.row, fill) }),
  };
}

export function absentStep(attempt: Attempt, now: number): Step {
  const message = 'The order did not reach the broker: its order book was read for two minutes and does not hold it';
  return {
    to: 'DONE',
    change: {
      response: answerText(refusal(message)),
      fillStatus: 'REJECTED',
      resolvedAt: now,
      expiresAt: now + lifetimeMs(attempt.key, true),
    },
    event: { kind: 'order.resolved', detail: { fill_status: 'REJECTED', absent: true } },
  };
}

export function gaveUpStep(attempt: Attempt, fill: Fill, now: number): Step {
  const { tag, tradingDay: day, key } = attempt;
  const response = attempt.response ?? responseText(attempt, fill);
  return {
    to: 'UNRESOLVED',
    change: { response, expiresAt: now + unresolvedLifetimeMs(key) },
    event: { kind: 'order.unresolved', detail: { tag, day } },
  };
}

function responseText(attempt: Attempt, fill: Fill): string {
  const broker: BrokerAnswer = JSON.parse(attempt.brokerAnswer ?? '{}');
  const resting = restingText(attempt, fill);
  return answerText(attempt.state === 'ACCEPTED' ? acceptance(attempt.orderId, broker, fill, resting) : searched(broker, fill, resting));
}

/** What a row says of an order; a poll's view of the fill goes before a single row's. */
export function truthOf(row: OrderRow, fill?: Fill): OrderTruth {
  const filledQuantity = Math.max(row.filled_quantity, fill?.filledQuantity ?? 0);
  const averagePrice = fill && fill.averagePrice > 0 ? fill.averagePrice : row.average_price;
  const reason = row.status_message !== null && (row.status === 'REJECTED' || row.status === 'CANCELLED') && { reason: row.status_message };
  const known = { orderId: row.order_id, ...reason, ...(row.token !== null && { token: row.token }) };
  // A fill is booked with its price or not yet.
  if (filledQuantity > 0 && !averagePrice) return { ...known, status: 'PLACED', filledQuantity: 0, averagePrice: null };
  return {
    ...known,
    status: statusOf(row.state, filledQuantity),
    filledQuantity,
    averagePrice: filledQuantity > 0 ? averagePrice : null,
  };
}
