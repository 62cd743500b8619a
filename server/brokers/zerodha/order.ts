import type { BrokerChange, BrokerEnv, BrokerOrder } from '../broker.ts';
import { checkChange, checkOrder, type OrderRules, pricesOf, protectionOf } from '../order-rules.ts';
import { Refusal, symbolToSend, translate } from '../parse.ts';
import { exchanges, orderTypes, products, sides, varieties } from './wire.ts';

type Form = Record<string, string>;
type Settings = Pick<BrokerEnv, 'algoId' | 'marketProtection'>;

/** Kite refuses MARKET and SL-M without a protection. */
function protection(type: string, { marketProtection }: Settings): Form {
  const market_protection = protectionOf(type, marketProtection);
  return market_protection === null ? {} : { market_protection };
}

const rules: OrderRules = {
  broker: 'Zerodha',
  words: { variety: varieties, exchange: exchanges, order_type: orderTypes, product_type: products, transaction_type: sides },
  stopMarketFutures: ['NFO'],
};

/** The variety for the path and the form of POST /orders/:variety. Throws Refusal for what Kite or the exchange does not take. */
export function placeForm(order: BrokerOrder, tag: string, settings: Settings): { variety: string; form: Form } {
  const words = checkOrder(order, rules);
  const { price, trigger } = pricesOf(order.ordertype, order.price, order.triggerprice);
  const form: Form = {
    exchange: words.exchange,
    tradingsymbol: symbolToSend(order),
    transaction_type: words.transaction_type,
    order_type: words.order_type,
    product: words.product_type,
    quantity: order.quantity,
    validity: order.duration,
    ...protection(words.order_type, settings),
    tag,
    ...(price !== null && { price }),
    ...(trigger !== null && { trigger_price: trigger }),
    ...(settings.algoId && { algo_id: settings.algoId }),
  };
  return { variety: words.variety, form };
}

/** The form of PUT /orders/:variety/:order_id: only what the caller gave, with the protection the order's type needs. */
export function changeForm(change: BrokerChange, booked: { type: string; exchange: string; symbol: string }, settings: Settings): Form {
  const form: Form = {};
  if (change.ordertype !== undefined) {
    form.order_type = translate(orderTypes, 'order_type', change.ordertype);
    checkChange(change, { ...booked, type: change.ordertype }, rules);
  }
  if (change.quantity !== undefined) form.quantity = change.quantity;
  if (change.price !== undefined) form.price = change.price;
  if (change.triggerprice !== undefined) form.trigger_price = change.triggerprice;
  const type = form.order_type ?? booked.type;
  if (type === 'SL-M' && Object.keys(form).join() === 'price') {
    throw new Refusal('price: an SL-M order moves by trigger_price; Kite would accept a price alone and change nothing');
  }
  return { ...form, ...protection(type, settings) };
}
