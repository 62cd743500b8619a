import type { RecordedOrder } from '../../contract/records.ts';
import { adviceOn } from './advice.ts';
import { isoOf, numberOf } from './day.ts';
import { type Told, type Trail, trailsOf } from './order-attempts.ts';
import type { OpenAttempt, OrderDay, OrderRecord } from './order-rows.ts';
import { stepsOf } from './order-steps.ts';

type Order = Omit<RecordedOrder, 'instrument'> & { token: string | null };

/** What nobody had to look for: every other state is one whose truth is still to come. */
const SETTLED = new Set(['DONE', 'NOT_SENT']);

/** The orders of a day: unresolved ones first, then the newest. An order that broker or gateway refused has no record and comes from the audit trail. */
export function ordersOf({ records, open, events }: OrderDay): Order[] {
  const trails = trailsOf(events);
  const byOrder = new Map(trails.map((trail) => [trail.orderId, trail]));
  const byKey = new Map(trails.map((trail) => [trail.key, trail]));
  const recorded = new Set(records.map(({ order_id }) => order_id));
  const unrecorded = open.filter(({ order_id }) => order_id === '' || !recorded.has(order_id));
  const openKeys = new Set(open.map(({ key }) => key));
  const orders = [
    ...records.map((record) => ofRecord(record, byOrder.get(record.order_id))),
    ...unrecorded.map((attempt) => ofAttempt(attempt, byKey.get(attempt.key))),
    ...trails.filter((trail) => trail.orderId === '' && !openKeys.has(trail.key)).flatMap(ofTrail),
  ];
  return orders
    .map((order) => ({ ...order, advice: adviceOn({ ...order, instrument: null }) }))
    .sort((a, b) => Number(b.unresolved) - Number(a.unresolved) || (a.placed_at < b.placed_at ? 1 : a.placed_at > b.placed_at ? -1 : 0));
}

function ofRecord(record: OrderRecord, trail: Trail | undefined): Order {
  const { order_id, exchange, symbol, token, side, order_type, product, quantity, filled_quantity, status, state, strategy } = record;
  return {
    ...{ order_id, exchange, symbol, token, order_type, quantity, filled_quantity, status, strategy },
    transaction_type: side,
    product_type: product,
    price: numberOf(record.price),
    trigger_price: firstTold(trail)?.trigger_price ?? null,
    average_price: numberOf(record.avg_price),
    attempt_state: state,
    unresolved: state !== null && !SETTLED.has(state),
    reason: record.reason,
    external: record.external,
    placed_at: isoOf(record.madeMs),
    steps: trail ? stepsOf(trail) : [],
    advice: null,
  };
}

function ofAttempt(attempt: OpenAttempt, trail: Trail | undefined): Order {
  const { order_id, exchange, symbol, token, side, order_type, product, quantity, filled_quantity, price, state, strategy } = attempt;
  return {
    ...{ exchange, symbol, token, order_type, quantity, filled_quantity, strategy },
    order_id: order_id || null,
    transaction_type: side,
    product_type: product,
    price: numberOf(price),
    trigger_price: firstTold(trail)?.trigger_price ?? null,
    average_price: null,
    status: 'UNKNOWN',
    attempt_state: state,
    unresolved: true,
    reason: null,
    external: false,
    placed_at: isoOf(attempt.madeMs),
    steps: trail ? stepsOf(trail) : [],
    advice: null,
  };
}

/** What was refused: by the broker, or before it was sent. */
function ofTrail(trail: Trail): Order[] {
  const [first] = trail.events;
  const last = trail.events.at(-1);
  const told = firstTold(trail);
  if (!first?.kind.startsWith('order.') || !last || !told) return [];
  const steps = stepsOf(trail);
  const isRejected = steps.some(({ step }) => step === 'rejected' || step === 'resolved');
  const state = last.kind === 'order.not_sent' ? 'NOT_SENT' : isRejected ? 'DONE' : null;
  return [
    {
      order_id: null,
      exchange: told.exchange ?? null,
      symbol: first.symbol ?? '',
      token: null,
      transaction_type: told.side ?? null,
      order_type: told.order_type ?? null,
      product_type: told.product_type ?? null,
      quantity: told.quantity ?? null,
      filled_quantity: 0,
      price: told.price ?? null,
      trigger_price: told.trigger_price ?? null,
      average_price: null,
      status: isRejected ? 'REJECTED' : 'REFUSED',
      attempt_state: state,
      unresolved: false,
      strategy: told.strategy ?? null,
      reason: steps.findLast(({ message }) => message !== null)?.message ?? null,
      external: false,
      placed_at: steps[0]?.at ?? isoOf(first.at),
      steps,
      advice: null,
    },
  ];
}

/** What was asked for, as the first event tells it. */
function firstTold(trail: Trail | undefined): Told | undefined {
  return trail?.events.find(({ told }) => told.side !== undefined)?.told ?? trail?.events[0]?.told;
}
