import type { BrokerChange, BrokerEnv, BrokerOrder } from '../broker.ts';
import { checkChange, checkOrder, inSession, type OrderRules, pricesOf, protectionOf } from '../order-rules.ts';
import { Refusal, translate } from '../parse.ts';
import type { BookedOrder } from './rows.ts';
import { cashExchanges, instrumentKey, orderTypes, products, segments, sides, varieties } from './wire.ts';

type Settings = Pick<BrokerEnv, 'marketProtection'>;

/** Upstox refuses MARKET and SL-M with a protection of 0. */
function protection(type: string, { marketProtection }: Settings): { market_protection?: number } {
  const percent = protectionOf(type, marketProtection);
  return percent === null ? {} : { market_protection: Number(percent) };
}

const rules: OrderRules = {
  broker: 'Upstox',
  words: { order_type: orderTypes, product_type: products, transaction_type: sides, variety: varieties, exchange: segments },
  refused: { exchange: { MCX: 'Upstox takes no MCX orders over its API (UDAPI1161)' } },
  stopMarketFutures: ['NFO', 'MCX', 'CDS'],
  refusedChange: 'quantity',
  filledChange: 'quantity',
  unusedPrice: 'above 0',
};

/** The body of POST /v3/order/place. Throws Refusal for what Upstox or the exchange does not take, or takes otherwise than the words say. */
export function placeBody(
  order: BrokerOrder,
  tag: string,
  now: number,
  env: Settings & Pick<BrokerEnv, 'isOpen'>,
): Record<string, unknown> {
  const { exchange } = order;
  const words = checkOrder(order, rules);
  const key = checkedKey(order, words.exchange);
  if (order.variety === 'AMO' && inSession(env, exchange, now)) {
    throw new Refusal(`variety: the ${exchange} session is open, and Upstox may trade an AMO at once then; send it after hours, or NORMAL`);
  }
  const { price, trigger } = pricesOf(order.ordertype, order.price, order.triggerprice);
  return {
    quantity: Number(order.quantity),
    product: words.product_type,
    validity: order.duration,
    price: Number(price ?? 0),
    tag,
    instrument_token: key,
    order_type: words.order_type,
    transaction_type: words.transaction_type,
    disclosed_quantity: 0,
    trigger_price: Number(trigger ?? 0),
    is_amo: order.variety === 'AMO',
    slice: false,
    ...protection(order.ordertype, env),
  };
}

/** The body of PUT /v3/order/modify: what the caller gave, and of the rest only what Upstox demands, as it is booked. */
export function changeBody(change: BrokerChange, booked: BookedOrder, settings: Settings): Record<string, unknown> {
  const type = change.ordertype ?? booked.order_type;
  const order_type = translate(orderTypes, 'order_type', type);
  checkChange(change, { type, exchange: booked.exchange, symbol: booked.trading_symbol, filled: booked.filled_quantity }, rules);
  const { price, trigger } = pricesOf(type, change.price ?? `${booked.price}`, change.triggerprice ?? `${booked.trigger_price}`);
  return {
    order_id: change.orderid,
    validity: booked.validity,
    order_type,
    price: Number(price ?? 0),
    trigger_price: Number(trigger ?? 0),
    ...(change.quantity !== undefined && { quantity: Number(change.quantity) }),
    ...protection(type, settings),
  };
}

/** The key alone says what is traded, so it must at least be one of the exchange; and the symbol must be the one the books show. */
function checkedKey({ exchange, token }: BrokerOrder, segment: string): string {
  const key = instrumentKey(token);
  if (key?.startsWith(`${segment}|`)) return key;
  const example = cashExchanges.includes(exchange) ? 'INE062A01020' : '43919';
  throw new Refusal(`token: an Upstox instrument key of ${exchange} is needed, such as ${segment}|${example}`);
}
