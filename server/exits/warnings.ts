import type { OrderRow } from '../brokers/broker.ts';
import type { Attempt } from '../journal/attempt.ts';
import type { Standing } from '../orders/standing.ts';
import type { Seen } from './frame.ts';
import { type Leg, openOf } from './plan.ts';

/** What holds for every position: what could not be read. */
export function surveyWarnings({ book, positions, holdings }: Seen, wantsHoldings: boolean): string[] {
  const unread = positions?.unreadable?.map(({ exchange, symbol, token, reason }) => {
    const name = [exchange, symbol ?? token].filter((word) => word !== null).join(' ') || 'One of unknown name';
    return `A position cannot be read and is left alone: ${name} (${reason}). Look at it at the broker`;
  });
  return [
    ...(positions ? [] : ['The positions could not be read: these are the ones by our own books, and others may be open']),
    ...(book ? [] : ['The order book could not be read: orders placed elsewhere may rest that are not cancelled here']),
    ...(wantsHoldings && !holdings ? ['The holdings could not be read'] : []),
    ...(unread ?? []),
  ];
}

/** An order that may have filled, or may fill, and that nothing of this exit closes. */
export function unresolvedWarning({ side, quantity, symbol, product, orderId, tag }: Attempt): string {
  const name = orderId ? `order ${orderId}` : `the order with tag ${tag}`;
  return `${side} ${quantity} ${symbol} ${product} (${name}) is not resolved yet: what it fills stays open. Exit again once it is known`;
}

/** What a person should know before the exit of one position. `others`: open orders of the other side in its instrument. */
export function positionWarnings(leg: Leg, standing: Standing | null, others: readonly OrderRow[]): string[] {
  const { product, net, side, rests, most, quantity } = leg;
  if (side === null) return [`${-net} were sold out of what is held: that is no short position, and nothing is bought back`];
  const stops = rests.filter(isStop).map(({ order_id }) => order_id);
  const again = others.map((order) => {
    return `${order.transaction_type} order ${order.order_id} (${openOf({ quantity: order.quantity, filled: order.filled_quantity })} ${order.product_type}) rests on: it may open a position again`;
  });
  return [
    ...(stops.length > 0
      ? [`${wordsOf(stops)} cancelled first: should the exit then be refused, the ${product} position stands without it`]
      : []),
    ...(standing?.unresolved
      ? [`${standing.unresolved} is not resolved yet: ${standing.unknown} count as under way and are not sent again`]
      : []),
    ...(standing?.unreadable ? ["The broker's positions could not be read for it: the exit goes by our own books"] : []),
    ...(most !== null && quantity > most ? [`It goes in ${Math.ceil(quantity / most)} orders: one may have ${most} at most`] : []),
    ...again,
  ];
}

export function isStop({ order_type }: { order_type: string }): boolean {
  return order_type === 'SL' || order_type === 'SL-M';
}

function wordsOf(stops: readonly string[]): string {
  return stops.length === 1 ? `The stop ${stops[0]} is` : `The stops ${stops.join(', ')} are`;
}
