import { istText, tradingDay } from '../../clock.ts';
import { decimalText } from '../../money.ts';
import type { BrokerChange, BrokerOrder } from '../broker.ts';
import { numberToken } from '../instrument.ts';
import { Refusal, translate } from '../parse.ts';
import { type BookedOrder, exchanges, orderTypes, products, sides, varieties } from './wire.ts';

type Body = Record<string, string>;

const stops = ['STOPLOSS_LIMIT', 'STOPLOSS_MARKET'];
const needsPrice = ['LIMIT', 'STOPLOSS_LIMIT'];

/** The body of placeOrder at an instant (epoch ms). Throws Refusal for what Angel One or the exchange does not take, and for what is in doubt. */
export function placeBody(order: BrokerOrder, tag: string, now: number): Body {
  const variety = translate(varieties, 'variety', order.variety);
  const exchange = translate(exchanges, 'exchange', order.exchange);
  const type = translate(orderTypes, 'order_type', order.ordertype);
  const product = translate(products, 'product_type', order.producttype);
  const side = translate(sides, 'transaction_type', order.transactiontype);
  checkUnit(exchange);
  checkProduct(exchange, product);
  checkOrderType(type, exchange, order.tradingsymbol);
  if (variety === 'STOPLOSS' && !stops.includes(type))
    throw new Refusal(`order_type: variety STOPLOSS needs SL or SL-M; ${order.ordertype} would trade without waiting for the trigger`);
  if (order.variety === 'AMO' && isTradingTime(now))
    throw new Refusal('variety: Angel One has no word for AMO any more; between 09:00 and 15:30 IST this order would trade at once');
  if (exchange === 'NSE' && !/-[A-Z0-9]{2}$/.test(order.tradingsymbol))
    throw new Refusal(`symbol: Angel One writes what trades on NSE with its series, as in ${order.tradingsymbol}-EQ`);
  const symboltoken = numberToken(order.token);
  if (symboltoken === null) throw new Refusal('token: Angel One needs the symbol token, a number, beside the symbol');
  return {
    variety: varietyOf(type),
    tradingsymbol: order.tradingsymbol,
    symboltoken,
    transactiontype: side,
    exchange,
    ordertype: type,
    producttype: product,
    duration: order.duration,
    ...prices(type, order.price, order.triggerprice),
    squareoff: '0',
    stoploss: '0',
    quantity: order.quantity,
    ordertag: tag,
  };
}

/** The body of modifyOrder: the whole order as booked with the caller's members in it, since a part may be answered with success and change nothing. */
export function changeBody(change: BrokerChange, booked: BookedOrder): Body {
  const { exchange, tradingsymbol, symboltoken } = booked;
  const type = change.ordertype === undefined ? booked.ordertype : translate(orderTypes, 'order_type', change.ordertype);
  checkUnit(exchange);
  checkOrderType(type, exchange, tradingsymbol);
  if (stops.includes(type) !== stops.includes(booked.ordertype))
    throw new Refusal(`order_type: ${booked.ordertype} does not become ${type} by a change at Angel One; cancel it and place a new order`);
  const effective = [
    change.ordertype,
    change.quantity,
    needsPrice.includes(type) ? change.price : undefined,
    stops.includes(type) ? change.triggerprice : undefined,
  ];
  if (effective.every((member) => member === undefined))
    throw new Refusal(
      `price, trigger_price: a ${type} order has no member among those given; Angel One would accept it and change nothing`,
    );
  if (booked.filledshares > 0)
    throw new Refusal(
      `order_id: ${booked.filledshares} of this order are filled, and Angel One does not say whether the quantity of a change counts them; cancel the rest and place a new order`,
    );
  if (symboltoken === null) throw new Refusal("token: Angel One's order book does not tell this order's symbol token; nothing was changed");
  return {
    variety: booked.variety,
    orderid: booked.orderid,
    ordertype: type,
    producttype: booked.producttype,
    duration: booked.duration ?? 'DAY',
    ...prices(type, change.price ?? decimalText(booked.price ?? 0), change.triggerprice ?? decimalText(booked.triggerprice ?? 0)),
    quantity: change.quantity ?? String(booked.quantity),
    tradingsymbol,
    symboltoken,
    exchange,
  };
}

/** Whether the book shows what a change asked for. A MARKET order comes back as LIMIT with a price of the broker's. */
export function shows(booked: BookedOrder, body: Body): boolean {
  const type = body.ordertype ?? '';
  const limit = !needsPrice.includes(type) || booked.price === Number(body.price);
  const trigger = !stops.includes(type) || booked.triggerprice === Number(body.triggerprice);
  return booked.quantity === Number(body.quantity) && (type === 'MARKET' || booked.ordertype === type) && limit && trigger;
}

function varietyOf(type: string): string {
  return stops.includes(type) ? 'STOPLOSS' : 'NORMAL';
}

/** Both prices always; one the type does not use is 0. */
function prices(type: string, price: string, trigger: string): { price: string; triggerprice: string } {
  return {
    price: needsPrice.includes(type) ? positive('price', price, type) : '0',
    triggerprice: stops.includes(type) ? positive('trigger_price', trigger, type) : '0',
  };
}

function checkUnit(exchange: string): void {
  if (exchange === 'MCX' || exchange === 'CDS')
    throw new Refusal(
      `exchange: Angel One does not document whether a quantity on ${exchange} means lots or units, so nothing is sent there`,
    );
}

function checkProduct(exchange: string, product: string): void {
  const equity = exchange === 'NSE' || exchange === 'BSE';
  if (product === 'DELIVERY' && !equity) throw new Refusal(`product_type: DELIVERY is for NSE and BSE; use CARRYFORWARD on ${exchange}`);
  if (product === 'CARRYFORWARD' && equity) throw new Refusal(`product_type: CARRYFORWARD is not for ${exchange} equity; use DELIVERY`);
}

/** Stop orders without a limit were withdrawn on BSE and for NSE options; what is not plainly a future counts as an option. */
function checkOrderType(type: string, exchange: string, symbol: string): void {
  if (type !== 'STOPLOSS_MARKET') return;
  if (exchange === 'BSE' || exchange === 'BFO' || (exchange === 'NFO' && !symbol.endsWith('FUT')))
    throw new Refusal(`order_type: SL-M is not taken for ${symbol} on ${exchange}; use SL with a limit price`);
}

/** Weekdays from the pre-open to the close of the share market, India. Holidays are not known here and count as trading days. */
function isTradingTime(now: number): boolean {
  const weekday = new Date(tradingDay(now)).getUTCDay();
  const time = istText(now).slice(11, 16);
  return weekday >= 1 && weekday <= 5 && time >= '09:00' && time < '15:30';
}

function positive(field: string, text: string, type: string): string {
  if (!(Number(text) > 0)) throw new Refusal(`${field}: ${type} needs a ${field} above 0`);
  return text;
}
