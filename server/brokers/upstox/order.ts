import { istText, tradingDay } from '../../clock.ts';
import type { BrokerChange, BrokerOrder } from '../broker.ts';
import { Refusal, translate } from '../parse.ts';
import type { BookedOrder } from './rows.ts';
import { cashExchanges, instrumentKey, orderTypes, products, segments, sides, varieties } from './wire.ts';

const needsPrice = ['LIMIT', 'SL'];
const needsTrigger = ['SL', 'SL-M'];
/** Without a limit of their own these need a protection; -1 lets Upstox choose the band, 0 is refused. */
const needsProtection = ['MARKET', 'SL-M'];

/** The body of POST /v3/order/place. Throws Refusal for what Upstox or the exchange does not take, or takes otherwise than the words say. */
export function placeBody(order: BrokerOrder, tag: string, now: number): Record<string, unknown> {
  const { exchange } = order;
  const type = translate(orderTypes, 'order_type', order.ordertype);
  const product = translate(products, 'product_type', order.producttype);
  const side = translate(sides, 'transaction_type', order.transactiontype);
  translate(varieties, 'variety', order.variety);
  const key = checkedKey(order);
  checkProduct(exchange, order.producttype);
  checkOrderType(type, exchange, order.tradingsymbol);
  if (order.variety === 'STOPLOSS' && !needsTrigger.includes(type)) {
    throw new Refusal(`order_type: variety STOPLOSS needs SL or SL-M; ${type} would trade without waiting for the trigger`);
  }
  if (order.variety === 'AMO' && inSession(exchange, now)) {
    throw new Refusal(`variety: the ${exchange} session is open, and Upstox may trade an AMO at once then; send it after hours, or NORMAL`);
  }
  return {
    quantity: count(order.quantity),
    product,
    validity: order.duration,
    price: needsPrice.includes(type) ? positive('price', order.price, type) : 0,
    tag,
    instrument_token: key,
    order_type: type,
    transaction_type: side,
    disclosed_quantity: 0,
    trigger_price: needsTrigger.includes(type) ? positive('trigger_price', order.triggerprice, type) : 0,
    is_amo: order.variety === 'AMO',
    slice: false,
    ...protection(type),
  };
}

/** The body of PUT /v3/order/modify: what the caller gave, and of the rest only what Upstox demands, as it is booked. */
export function changeBody(change: BrokerChange, booked: BookedOrder): Record<string, unknown> {
  const type = translate(orderTypes, 'order_type', change.ordertype ?? booked.order_type);
  checkOrderType(type, booked.exchange, booked.trading_symbol);
  if (change.quantity !== undefined && booked.filled_quantity > 0) {
    throw new Refusal(
      'quantity: the order is partly filled, and whether Upstox would count the filled part is not known; cancel it instead',
    );
  }
  if (Number(change.price ?? 0) > 0 && !needsPrice.includes(type)) throw new Refusal(`price: ${type} orders have none`);
  if (Number(change.triggerprice ?? 0) > 0 && !needsTrigger.includes(type)) throw new Refusal(`trigger_price: ${type} orders have none`);
  return {
    order_id: change.orderid,
    validity: booked.validity,
    order_type: type,
    price: needsPrice.includes(type) ? positive('price', change.price ?? `${booked.price}`, type) : 0,
    trigger_price: needsTrigger.includes(type) ? positive('trigger_price', change.triggerprice ?? `${booked.trigger_price}`, type) : 0,
    ...(change.quantity === undefined ? {} : { quantity: count(change.quantity) }),
    ...protection(type),
  };
}

/** Whether an exchange's day is on, pre-open included, at an instant (epoch ms). Holidays are not known here. */
export function inSession(exchange: string, at: number): boolean {
  const weekday = new Date(tradingDay(at)).getUTCDay();
  const time = istText(at).slice(11);
  return weekday >= 1 && weekday <= 5 && time >= '09:00:00' && time < (exchange === 'CDS' ? '17:00:00' : '15:30:00');
}

/** The key alone says what is traded, so it must at least be one of the exchange; and the symbol must be the one the books show. */
function checkedKey({ exchange, token }: BrokerOrder): string {
  const segment = translate(segments, 'exchange', exchange);
  if (exchange === 'MCX') throw new Refusal('exchange: Upstox takes no MCX orders over its API (UDAPI1161)');
  const key = instrumentKey(token);
  if (!key?.startsWith(`${segment}|`)) {
    throw new Refusal(
      `token: an Upstox instrument key of ${exchange} is needed, such as ${segment}|${cashExchanges.includes(exchange) ? 'INE062A01020' : '43919'}`,
    );
  }
  return key;
}

function checkProduct(exchange: string, product: string): void {
  const cash = cashExchanges.includes(exchange);
  if (product === 'DELIVERY' && !cash) throw new Refusal(`product_type: DELIVERY is for NSE and BSE; use CARRYFORWARD on ${exchange}`);
  if (product === 'CARRYFORWARD' && cash) throw new Refusal(`product_type: CARRYFORWARD is not for ${exchange} equity; use DELIVERY`);
}

/** Stop orders without a limit were withdrawn on BSE and for NSE options; what is not plainly a future counts as an option. */
function checkOrderType(type: string, exchange: string, symbol: string): void {
  if (type !== 'SL-M' || exchange === 'NSE') return;
  if (exchange.startsWith('B') || !/\bFUT\b|FUT$/.test(symbol)) {
    throw new Refusal(`order_type: SL-M is not taken for ${symbol} on ${exchange}; use SL with a limit price`);
  }
}

function protection(type: string): { market_protection?: number } {
  return needsProtection.includes(type) ? { market_protection: -1 } : {};
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new Refusal(`quantity: "${text}" is not a whole number above 0`);
  return value;
}

function positive(field: string, text: string, type: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Refusal(`${field}: ${type} needs a ${field} above 0`);
  return value;
}
