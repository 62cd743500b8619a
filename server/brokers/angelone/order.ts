import { decimalText } from '../../money.ts';
import type { BrokerChange, BrokerEnv, BrokerOrder } from '../broker.ts';
import { numberToken } from '../instrument.ts';
import { checkChange, checkOrder, hasLimit, hasTrigger, inSession, type OrderRules, pricesOf } from '../order-rules.ts';
import { Refusal, translate } from '../parse.ts';
import { type BookedOrder, ourTypes } from './rows.ts';
import { exchanges, orderTypes, products, sides, varieties } from './wire.ts';

type Body = Record<string, string>;

const unitInDoubt = (exchange: string) =>
  `Angel One does not document whether a quantity on ${exchange} means lots or units, so nothing is sent there`;

const rules: OrderRules = {
  broker: 'Angel One',
  words: { variety: varieties, exchange: exchanges, order_type: orderTypes, product_type: products, transaction_type: sides },
  refused: { exchange: { MCX: unitInDoubt('MCX'), CDS: unitInDoubt('CDS') } },
  stopMarketFutures: ['NFO'],
  refusedChange: 'exchange',
  filledChange: 'order_id',
};

/** The body of placeOrder at an instant (epoch ms). Throws Refusal for what Angel One or the exchange does not take, and for what is in doubt. */
export function placeBody(order: BrokerOrder, tag: string, now: number, env: Pick<BrokerEnv, 'isOpen'>): Body {
  const words = checkOrder(order, rules);
  if (order.variety === 'AMO' && inSession(env, order.exchange, now))
    throw new Refusal('variety: Angel One has no word for AMO any more; while the exchange is open this order would trade at once');
  if (order.exchange === 'NSE' && !/-[A-Z0-9]{2}$/.test(order.tradingsymbol))
    throw new Refusal(`symbol: Angel One writes what trades on NSE with its series, as in ${order.tradingsymbol}-EQ`);
  const symboltoken = numberToken(order.token);
  if (symboltoken === null) throw new Refusal('token: Angel One needs the symbol token, a number, beside the symbol');
  return {
    variety: hasTrigger(order.ordertype) ? 'STOPLOSS' : 'NORMAL',
    tradingsymbol: order.tradingsymbol,
    symboltoken,
    transactiontype: words.transaction_type,
    exchange: words.exchange,
    ordertype: words.order_type,
    producttype: words.product_type,
    duration: order.duration,
    ...prices(order.ordertype, order.price, order.triggerprice),
    squareoff: '0',
    stoploss: '0',
    quantity: order.quantity,
    ordertag: tag,
  };
}

/** The body of modifyOrder: the whole order as booked with the caller's members in it, since a part may be answered with success and change nothing. */
export function changeBody(change: BrokerChange, booked: BookedOrder): Body {
  const { exchange, tradingsymbol, symboltoken } = booked;
  const bookedType = ourTypes.get(booked.ordertype) ?? booked.ordertype;
  const type = change.ordertype ?? bookedType;
  const ordertype = change.ordertype === undefined ? booked.ordertype : translate(orderTypes, 'order_type', type);
  checkChange(change, { type, exchange, symbol: tradingsymbol, filled: booked.filledshares, quantity: booked.quantity }, rules);
  if (hasTrigger(type) !== hasTrigger(bookedType))
    throw new Refusal(`order_type: ${bookedType} does not become ${type} by a change at Angel One; cancel it and place a new order`);
  const effective = [
    change.ordertype,
    change.quantity,
    hasLimit(type) ? change.price : undefined,
    hasTrigger(type) ? change.triggerprice : undefined,
  ];
  if (effective.every((member) => member === undefined))
    throw new Refusal(
      `price, trigger_price: an order of type ${type} has no member among those given; Angel One would accept it and change nothing`,
    );
  if (symboltoken === null) throw new Refusal("token: Angel One's order book does not tell this order's symbol token; nothing was changed");
  return {
    variety: booked.variety,
    orderid: booked.orderid,
    ordertype,
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
  const type = ourTypes.get(body.ordertype ?? '') ?? '';
  const limit = !hasLimit(type) || booked.price === Number(body.price);
  const trigger = !hasTrigger(type) || booked.triggerprice === Number(body.triggerprice);
  return booked.quantity === Number(body.quantity) && (type === 'MARKET' || booked.ordertype === body.ordertype) && limit && trigger;
}

/** Both prices always; one the type does not use is 0. */
function prices(type: string, price: string, trigger: string): { price: string; triggerprice: string } {
  const needed = pricesOf(type, price, trigger);
  return { price: needed.price ?? '0', triggerprice: needed.trigger ?? '0' };
}
