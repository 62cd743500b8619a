import type { z } from 'zod';
import { Big } from '../../money.ts';
import type { BrokerChange, BrokerOrder } from '../broker.ts';
import { checkChange, checkOrder, type OrderRules, pricesOf } from '../order-rules.ts';
import { Refusal, symbolToSend, translate } from '../parse.ts';
import { protectedLimit, stopWidth } from '../protected-limit.ts';
import { type bookedOrder, type depth, orderTypes, prefixes, products, sides, tokenHeads, typeWords, varieties } from './wire.ts';

const contract = /\d.*(FUT|CE|PE)$/;
const option = /\d.*(CE|PE)$/;
const currency = /^[A-Z]+:(USD|EUR|GBP|JPY)(INR|USD|JPY)\d/;
const fyToken = /^1[0-2](1[0-2]|20)\d{7,}$/;

export type Body = Record<string, string | number | boolean>;
export type Booked = z.infer<typeof bookedOrder>;

const rules: OrderRules = {
  broker: 'FYERS',
  words: { variety: varieties, exchange: prefixes, order_type: orderTypes, product_type: products, transaction_type: sides },
  unusedPrice: 'given',
};

/** The body of POST /orders/sync; for SL-M its limit is still to be set (`protect`). Throws Refusal for what FYERS or the exchange does not take. */
export function placeBody(order: BrokerOrder, tag: string): Body {
  const words = checkOrder(order, rules);
  const symbol = symbolToSend(order);
  checkInstrument(order, symbol, words.exchange);
  const { price, trigger } = pricesOf(order.ordertype, order.price, order.triggerprice);
  return {
    symbol,
    qty: Number(order.quantity),
    type: Number(words.order_type),
    side: Number(words.transaction_type),
    productType: words.product_type,
    limitPrice: Number(price ?? 0),
    stopPrice: Number(trigger ?? 0),
    validity: order.duration,
    disclosedQty: 0,
    offlineOrder: words.variety === 'true',
    orderTag: tag,
    isSliceOrder: false,
  };
}

/** FYERS sees the symbol alone; an order filed under another exchange than it trades on would escape the position guard. */
function checkInstrument({ exchange, token }: BrokerOrder, symbol: string, prefix: string): void {
  const equity = exchange === 'NSE' || exchange === 'BSE';
  if (!symbol.startsWith(prefix))
    throw new Refusal(`symbol: FYERS' symbols on ${exchange} begin with ${prefix}, as in NSE:SBIN-EQ; got ${symbol}`);
  if (contract.test(symbol) === equity || (currency.test(symbol) && exchange !== 'CDS') || (exchange === 'CDS' && !currency.test(symbol)))
    throw new Refusal(`symbol: ${symbol} is not traded on ${exchange}`);
  if (fyToken.test(token) && !token.startsWith(translate(tokenHeads, 'exchange', exchange)))
    throw new Refusal(`token: ${token} is not one of ${exchange}`);
}

/** Whether a change leaves the order a stop whose limit is ours to set. `ours`: it was placed as SL-M. */
export function needsProtection(change: BrokerChange, ours: boolean): boolean {
  if (change.ordertype !== undefined) return change.ordertype === 'SL-M';
  return ours && change.price === undefined && change.triggerprice !== undefined;
}

/**
 * The body of PATCH /orders/sync: what the caller gave, and of the booked order what FYERS wants beside it (the type, and the prices of that type).
 * `isProtected`: the limit is still to be set.
 */
export function changeBody(change: BrokerChange, booked: Booked, isProtected: boolean): Body {
  translate(varieties, 'variety', change.variety);
  const theirs = change.ordertype === undefined ? booked.type : translate(orderTypes, 'order_type', change.ordertype);
  // An SL-M order of ours is an SL at FYERS, and so may be given a price.
  const type = typeWords[theirs] ?? theirs;
  checkChange(change, { type }, rules);
  const [limit, stop] = [change.price ?? `${booked.limitPrice}`, change.triggerprice ?? `${booked.stopPrice}`];
  const { price, trigger } = pricesOf(isProtected ? 'SL-M' : type, limit, stop);
  return {
    id: booked.id,
    type: Number(theirs),
    ...(change.quantity !== undefined && { qty: Number(change.quantity) }),
    ...(trigger !== null && { stopPrice: Number(trigger) }),
    ...(price !== null && { limitPrice: Number(price) }),
  };
}

/** The limit of an SL-M order, rupees: beyond its trigger, no further than the exchange allows, on the tick and inside the circuit limits. */
export function stopLimit({ symbol, side, stopPrice }: Stop, { tick_Size, lower_ckt, upper_ckt }: z.infer<typeof depth>): number {
  if (!(tick_Size > 0 && lower_ckt > 0 && upper_ckt > lower_ckt))
    throw new Refusal(`order_type: SL-M needs a tick and circuit limits; ${cannot}`);
  const trigger = new Big(String(stopPrice));
  if (trigger.lt(lower_ckt) || trigger.gt(upper_ckt))
    throw new Refusal(`trigger_price: ${stopPrice} lies outside the circuit limits ${lower_ckt} to ${upper_ckt}; nothing was sent`);
  const width = stopWidth(trigger, option.test(symbol));
  const limit = protectedLimit({ buying: side > 0, base: trigger, width, tick: tick_Size, lower: lower_ckt, upper: upper_ckt });
  if (limit !== null) return Number(limit.toFixed());
  const room = `between ${stopPrice} and the circuit limit ${side > 0 ? upper_ckt : lower_ckt} on ticks of ${tick_Size}`;
  throw new Refusal(`trigger_price: SL-M goes out with a limit beyond its trigger, and none fits ${room}; nothing was sent`);
}

/** What the limit of a stop depends on; side 1 buys, -1 sells. */
interface Stop {
  symbol: string;
  side: number;
  stopPrice: number;
}

export const cannot = 'FYERS did not give them, so nothing was sent; use SL with a limit price';
