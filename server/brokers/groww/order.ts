import type { BrokerChange, BrokerOrder, OrderRow } from '../broker.ts';
import { Refusal, symbolToSend, translate } from '../parse.ts';
import { orderTypes, products, type Segment, sides, venues } from './wire.ts';

const venueOfOurs = new Map<string, { exchange: string; segment: Segment } | string>(Object.entries(venues));
const needsPrice = ['LIMIT', 'SL'];
const needsTrigger = ['SL', 'SL-M'];

/** The body of POST /v1/order/create. Prices go out in rupees. Throws Refusal for what Groww does not take. */
export function placeBody(order: BrokerOrder, tag: string) {
  checkVariety(order.variety, order.ordertype);
  const { exchange, segment } = venueOf(order.exchange);
  const type = translate(orderTypes, 'order_type', order.ordertype);
  const product = translate(products, 'product_type', order.producttype);
  if (product === 'CNC' && segment !== 'CASH')
    throw new Refusal(`product_type: DELIVERY is for NSE and BSE; use CARRYFORWARD on ${order.exchange}`);
  if (product === 'NRML' && segment === 'CASH')
    throw new Refusal(`product_type: CARRYFORWARD is not for ${order.exchange} equity; use DELIVERY`);
  return {
    trading_symbol: symbolToSend(order),
    quantity: positive('quantity', order.quantity, order.ordertype),
    validity: order.duration,
    exchange,
    segment,
    product,
    order_type: type,
    transaction_type: translate(sides, 'transaction_type', order.transactiontype),
    order_reference_id: tag,
    ...(needsPrice.includes(order.ordertype) && { price: positive('price', order.price, order.ordertype) }),
    ...(needsTrigger.includes(order.ordertype) && { trigger_price: positive('trigger_price', order.triggerprice, order.ordertype) }),
  };
}

/**
 * The body of POST /v1/order/modify: what the caller gave, and for the rest what the order has now, since Groww does not say what an absent
 * price means. Once some of it is filled the quantity is left out, and refused when asked for: whether a new one counts the filled part is not documented.
 */
export function changeBody(change: BrokerChange, now: OrderRow, segment: Segment) {
  const type = change.ordertype ?? now.order_type;
  checkVariety(change.variety, type);
  if (change.quantity !== undefined && now.filled_quantity > 0) {
    throw new Refusal(
      `quantity: ${now.filled_quantity} of ${now.quantity} are filled, and Groww does not say whether a new quantity counts them; cancel the rest and place a new order`,
    );
  }
  const quantity = change.quantity ?? String(now.quantity);
  return {
    groww_order_id: change.orderid,
    segment,
    order_type: translate(orderTypes, 'order_type', type),
    ...(now.filled_quantity === 0 && { quantity: positive('quantity', quantity, type) }),
    ...changedPrice('price', needsPrice, change.price, now.price, type),
    ...changedPrice('trigger_price', needsTrigger, change.triggerprice, now.trigger_price, type),
  };
}

/** The venue of one of our exchanges. Throws Refusal that says why there is none. */
export function venueOf(exchange: string): { exchange: string; segment: Segment } {
  const venue = venueOfOurs.get(exchange);
  if (venue === undefined) throw new Refusal(`exchange: "${exchange}" is not one of ${[...venueOfOurs.keys()].join(', ')}`);
  if (typeof venue === 'string') throw new Refusal(`exchange: ${exchange} is not traded here: ${venue}`);
  return venue;
}

/** Groww has no word for a variety. An AMO is not sent: in market hours it would trade at once. */
function checkVariety(variety: string, type: string): void {
  if (variety === 'AMO')
    throw new Refusal('variety: Groww has no AMO mark and takes any order sent outside market hours as one; send it as NORMAL then');
  if (variety !== 'NORMAL' && variety !== 'STOPLOSS') throw new Refusal(`variety: "${variety}" is not one of NORMAL, STOPLOSS`);
  if (variety === 'STOPLOSS' && !needsTrigger.includes(type)) {
    throw new Refusal(`order_type: variety STOPLOSS needs SL or SL-M; ${type} would trade without waiting for the trigger`);
  }
}

function changedPrice(field: string, usedBy: readonly string[], given: string | undefined, now: number | null, type: string) {
  if (usedBy.includes(type)) return { [field]: positive(field, given ?? String(now), type) };
  if (given !== undefined && Number(given) > 0) throw new Refusal(`${field}: ${type} has none`);
  return {};
}

function positive(field: string, text: string, type: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new Refusal(`${field}: ${type} needs a ${field} above 0`);
  return number;
}
