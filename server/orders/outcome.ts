import { type Attempt, lifetimeMs } from '../journal/attempt.ts';
import { acceptance, answerText, type BrokerAnswer, refusal } from './answer.ts';
import type { Fill } from './fill.ts';
import type { Step } from './writer.ts';

/** What a person found out at the broker about an order that nobody else can settle: who says so, and why. */
export type Outcome = { by: string; reason: string } & (
  | { kind: 'absent' }
  /** Rupees a unit. Without an order id: the one that is known, else the only candidate, else its tag. */
  | { kind: 'filled'; quantity: number; price: number; orderId: string | null }
);

/** An outcome whose order id is settled. */
export type Settled = Exclude<Outcome, { kind: 'filled' }> | (Extract<Outcome, { kind: 'filled' }> & { orderId: string });

/** Why an outcome cannot be true of an order of which `filled` was seen filled; null where it can. */
export function objection({ quantity, orderId }: Attempt, filled: number, outcome: Outcome): string | null {
  if (outcome.kind === 'absent') return filled > 0 ? `${filled} of this order were seen filled: settle it with --filled` : null;
  const { quantity: told, price, orderId: named } = outcome;
  if (!Number.isInteger(told) || told < 1 || told > quantity)
    return `The quantity must be a whole number from 1 to ${quantity}, what was ordered`;
  if (!(price > 0 && Number.isFinite(price))) return 'The price must be above 0';
  if (told < filled) return `${filled} of this order were seen filled already, and a fill is never taken back`;
  if (orderId !== '' && named !== null && named !== orderId) return `The broker took this order as ${orderId}: leave --order out`;
  return null;
}

/** What a person found out ends the search, and is written down as theirs. */
export function outcomeStep(attempt: Attempt, outcome: Settled, now: number): Step {
  // The fingerprint of an order whose day is over names new orders already.
  const over = attempt.state === 'UNRESOLVED' && !attempt.key.startsWith('k:');
  const ends = { resolvedAt: now, expiresAt: over ? now : now + lifetimeMs(attempt.key, true) };
  const event = { kind: 'order.settled', detail: { ...outcome, was: attempt.state, tag: attempt.tag } };
  // Since its day was over, reconciliation has made the broker's positions ours, what it filled included.
  const past = attempt.state === 'UNRESOLVED' && { past: true };
  if (outcome.kind === 'absent') {
    const { orderId } = attempt;
    const message = orderId ? 'Nothing of the order was filled' : 'The order did not reach the broker';
    const response = answerText(refusal(`${message}: a person looked it up there`, orderId ? { order_id: orderId } : {}));
    const truth = { orderId, status: 'REJECTED' as const, filledQuantity: 0, averagePrice: null, ...past };
    return { to: 'DONE', change: { response, fillStatus: 'REJECTED', ...ends }, event, ...(orderId && { truth }) };
  }
  const { quantity, price, orderId } = outcome;
  const whole = quantity >= attempt.quantity;
  const fill: Fill = { status: whole ? 'FILLED' : 'PARTIALLY_FILLED', filledQuantity: quantity, averagePrice: price, row: null };
  const broker: BrokerAnswer = JSON.parse(attempt.brokerAnswer ?? '{}');
  const response = answerText(acceptance(orderId, { ...broker, message: 'A person looked the order up at the broker' }, fill));
  return {
    to: 'DONE',
    change: { orderId, response, fillStatus: fill.status, filledQuantity: quantity, ...ends },
    event,
    truth: { orderId, status: whole ? 'FILLED' : 'CANCELLED', filledQuantity: quantity, averagePrice: price, ...past },
  };
}

/** No order has this key. */
export class UnknownKeyError extends Error {
  constructor(key: string) {
    super(`No order is known under ${key}`);
  }
}
