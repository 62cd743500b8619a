import type { z } from 'zod';
import { Big } from '../../money.ts';
import type { BrokerChange, BrokerOrder } from '../broker.ts';
import { Refusal, symbolToSend, translate } from '../parse.ts';
import { type bookedOrder, type depth, orderTypes, prefixes, products, sides, tokenHeads, varieties } from './wire.ts';

/** How far beyond its trigger the limit of an SL-M order lies, percent. FYERS names no figure of its own. */
const PROTECTION_PERCENT = 3;

const withLimit = ['1', '4'];
const withStop = ['3', '4'];
const contract = /\d.*(FUT|CE|PE)$/;
const currency = /^NSE:(USD|EUR|GBP|JPY)(INR|USD|JPY)\d/;
const fyToken = /^1[0-2](1[0-2]|20)\d{7,}$/;

export type Body = Record<string, string | number | boolean>;
export type Booked = z.infer<typeof bookedOrder>;

/** The body of POST /orders/sync; for SL-M its limit is still to be set (`protect`). Throws Refusal for what FYERS or the exchange does not take. */
export function placeBody(order: BrokerOrder, tag: string): Body {
  const variety = translate(varieties, 'variety', order.variety);
  const prefix = translate(prefixes, 'exchange', order.exchange);
  const type = translate(orderTypes, 'order_type', order.ordertype);
  const product = translate(products, 'product_type', order.producttype);
  const side = translate(sides, 'transaction_type', order.transactiontype);
  const symbol = symbolToSend(order);
  const equity = order.exchange === 'NSE' || order.exchange === 'BSE';
  if (product === 'CNC' && !equity) throw new Refusal(`product_type: DELIVERY is for NSE and BSE; use CARRYFORWARD on ${order.exchange}`);
  if (product === 'MARGIN' && equity) throw new Refusal(`product_type: CARRYFORWARD is not for ${order.exchange} equity; use DELIVERY`);
  checkInstrument(order, symbol, prefix, equity);
  if (order.variety === 'STOPLOSS' && !withStop.includes(type)) {
    throw new Refusal(`order_type: variety STOPLOSS needs SL or SL-M; ${order.ordertype} would trade without waiting for the trigger`);
  }
  return {
    symbol,
    qty: Number(order.quantity),
    type: Number(type),
    side: Number(side),
    productType: product,
    limitPrice: order.ordertype === 'LIMIT' || order.ordertype === 'SL' ? positive('price', order.price, order.ordertype) : 0,
    stopPrice: withStop.includes(type) ? positive('trigger_price', order.triggerprice, order.ordertype) : 0,
    validity: order.duration,
    disclosedQty: 0,
    offlineOrder: variety === 'true',
    stopLoss: 0,
    takeProfit: 0,
    orderTag: tag,
    isSliceOrder: false,
  };
}

/** FYERS sees the symbol alone; an order filed under another exchange than it trades on would escape the position guard. */
function checkInstrument({ exchange, token }: BrokerOrder, symbol: string, prefix: string, equity: boolean): void {
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
 * `protected`: the limit is still to be set.
 */
export function changeBody(change: BrokerChange, booked: Booked, isProtected: boolean): Body {
  translate(varieties, 'variety', change.variety);
  const type = change.ordertype === undefined ? booked.type : translate(orderTypes, 'order_type', change.ordertype);
  const word = change.ordertype ?? 'the order';
  if (change.price !== undefined && !withLimit.includes(type))
    throw new Refusal(`price: ${word} has no limit price; name order_type with it`);
  if (change.triggerprice !== undefined && !withStop.includes(type))
    throw new Refusal(`trigger_price: ${word} has no trigger; name order_type with it`);
  const body: Body = { id: booked.id, type: Number(type) };
  if (change.quantity !== undefined) body.qty = Number(change.quantity);
  if (withStop.includes(type)) body.stopPrice = positive('trigger_price', change.triggerprice ?? `${booked.stopPrice}`, word);
  if (withLimit.includes(type) && !isProtected) body.limitPrice = positive('price', change.price ?? `${booked.limitPrice}`, word);
  return body;
}

/** The limit of an SL-M order, rupees: the protection beyond its trigger, outward to the tick, inside the circuit limits. */
export function protectedLimit(side: number, stopPrice: number, { tick_Size, lower_ckt, upper_ckt }: z.infer<typeof depth>): number {
  if (!(tick_Size > 0 && lower_ckt > 0 && upper_ckt > lower_ckt))
    throw new Refusal(`order_type: SL-M needs a tick and circuit limits; ${cannot}`);
  const beyond = new Big(stopPrice).times(100 + side * PROTECTION_PERCENT).div(100);
  const limit = beyond
    .div(tick_Size)
    .round(0, side > 0 ? Big.roundUp : Big.roundDown)
    .times(tick_Size);
  const inside = limit.gt(upper_ckt) ? new Big(upper_ckt) : limit.lt(lower_ckt) ? new Big(lower_ckt) : limit;
  if (inside.minus(stopPrice).times(side).lt(0)) throw new Refusal(`trigger_price: ${stopPrice} lies outside the circuit limits`);
  return Number(inside.toFixed());
}

export const cannot = 'FYERS did not give them, so nothing was sent; use SL with a limit price';

function positive(field: string, text: string, type: string): number {
  if (!(Number(text) > 0)) throw new Refusal(`${field}: ${type} needs a ${field} above 0`);
  return Number(text);
}
