import type { BrokerOrder } from '../../server/brokers/broker.ts';
import { tradingCalendar } from '../../server/calendar/calendar.ts';
import { sessionDay } from '../../server/calendar/market.ts';
import type { Outside } from './outside.ts';
import type { Venue } from './venue.ts';
import { dayBegins, dayNumber, dayOf, openOf, type Plan, type VenueOrder } from './venue-order.ts';

/** Every session opens so long after midnight. */
export const OPENS_MS = (9 * 60 + 15) * 60_000;

/** What a venue makes of an order that has reached it: null where it does not take it, as one that comes after its day. An AMO order waits for its session to open. */
export function arriving(world: Outside, venue: Venue, order: BrokerOrder, tag: string, plan: Plan, sentAt: number): VenueOrder | null {
  const now = world.now();
  const symbol = venue.instrument(order);
  if (dayNumber(sentAt) !== dayNumber(now)) return null;
  if (symbol === '' || !mayBeSold(venue, symbol, order, now)) return null;
  const day = order.variety === 'AMO' ? dayOf(sessionDay(tradingCalendar(), order.exchange, now)) : dayNumber(now);
  const opens = opensAt(day, now);
  const taken = venue.take({
    tag,
    symbol,
    product: order.producttype,
    side: order.transactiontype,
    orderType: order.ordertype,
    quantity: Number(order.quantity),
    price: Number(order.price),
    day,
    receivedAt: now,
    visibleAt: now + plan.visibleAfterMs,
    ackAt: now + plan.ackAfterMs,
    fills: plan.fills.map((fill) => ({ ...fill, at: opens + fill.at })),
    end: plan.end && { ...plan.end, at: opens + plan.end.at },
    averageLagMs: plan.averageLagMs,
  });
  world.note(`venue ${venue.broker} took ${taken.id} ${tag}`);
  return taken;
}

/** Shares that are not there cannot be delivered. */
function mayBeSold(venue: Venue, symbol: string, { producttype, transactiontype, quantity }: BrokerOrder, now: number): boolean {
  if (producttype !== 'DELIVERY' || transactiontype !== 'SELL') return true;
  const selling = venue.orders.filter((one) => one.symbol === symbol && one.product === 'DELIVERY' && one.side === 'SELL');
  return venue.sellable(symbol, now) - selling.reduce((sum, one) => sum + openOf(one, now), 0) >= Number(quantity);
}

/** When an order of a day's session that comes at `now` begins to trade. */
export function opensAt(day: number, now: number): number {
  return day > dayNumber(now) ? dayBegins(day) + OPENS_MS : now;
}
