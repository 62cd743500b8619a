import type { BrokerChange, BrokerOrder, OrderRow } from '../broker.ts';
import { checkChange, checkOrder, checkStopVariety, type OrderRules, pricesOf, wholeQuantity, wordFor } from '../order-rules.ts';
import { symbolToSend } from '../parse.ts';
import { exchanges, notTraded, orderTypes, products, type Segment, segmentOf, sides } from './wire.ts';

/** Groww has no word for a variety. An AMO is not sent: in market hours it would trade at once. */
const varieties = { NORMAL: '', STOPLOSS: '' };
const noAmo = 'Groww has no AMO mark and takes any order sent outside market hours as one; send it as NORMAL then';

const rules: OrderRules = {
  broker: 'Groww',
  words: { variety: varieties, exchange: exchanges, order_type: orderTypes, product_type: products, transaction_type: sides },
  refused: { variety: { AMO: noAmo }, exchange: notTraded },
  refusedChange: 'quantity',
  filledChange: 'quantity',
  unusedPrice: 'above 0',
};

/** The body of POST /v1/order/create. Prices go out in rupees. Throws Refusal for what Groww does not take. */
export function placeBody(order: BrokerOrder, tag: string) {
  checkStopVariety(order.variety, order.ordertype);
  const words = checkOrder(order, rules);
  return {
    trading_symbol: symbolToSend(order),
    quantity: wholeQuantity(order.quantity),
    validity: order.duration,
    exchange: words.exchange,
    segment: segmentOf(order),
    product: words.product_type,
    order_type: words.order_type,
    transaction_type: words.transaction_type,
    order_reference_id: tag,
    ...sentPrices(order.ordertype, order.price, order.triggerprice),
  };
}

/**
 * The body of POST /v1/order/modify: what the caller gave, and for the rest what the order has now, since Groww does not say what an absent
 * price means. Once some of it is filled the quantity is left out: whether a new one counts the filled part is not documented.
 */
export function changeBody(change: BrokerChange, now: OrderRow, segment: Segment) {
  const type = change.ordertype ?? now.order_type;
  wordFor('variety', change.variety, rules);
  checkStopVariety(change.variety, type);
  const order_type = wordFor('order_type', type, rules);
  checkChange(change, { type, exchange: now.exchange, filled: now.filled_quantity, quantity: now.quantity }, rules);
  return {
    groww_order_id: change.orderid,
    segment,
    order_type,
    ...(now.filled_quantity === 0 && { quantity: wholeQuantity(change.quantity ?? String(now.quantity)) }),
    ...sentPrices(type, change.price ?? String(now.price), change.triggerprice ?? String(now.trigger_price)),
  };
}

function sentPrices(type: string, givenPrice: string, givenTrigger: string) {
  const { price, trigger } = pricesOf(type, givenPrice, givenTrigger);
  return { ...(price !== null && { price: Number(price) }), ...(trigger !== null && { trigger_price: Number(trigger) }) };
}
