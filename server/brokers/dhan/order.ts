import { Big } from '../../money.ts';
import type { BrokerChange, BrokerOrder } from '../broker.ts';
import { numberToken } from '../instrument.ts';
import { checkChange, checkOrder, type OrderRules, pricesOf } from '../order-rules.ts';
import { Refusal, translate } from '../parse.ts';
import { type BookedOrder, orderTypes, ourExchange, ourType, products, segments, sides, varieties } from './wire.ts';

const unitInDoubt = (exchange: string) =>
  `orders on ${exchange} are not sent to Dhan, because it does not say whether their quantity counts lots or units; a wrong guess trades many times the size`;

const rules: OrderRules = {
  broker: 'Dhan',
  words: { variety: varieties, exchange: segments, order_type: orderTypes, product_type: products, transaction_type: sides },
  refused: { exchange: { MCX: unitInDoubt('MCX'), CDS: unitInDoubt('CDS') } },
  refusedChange: 'quantity',
  unusedPrice: 'above 0',
};

/** Percent between a stop's trigger and its protecting limit: the widest bands brokers publish for market orders of shares and futures, and of options. */
const STOP_BAND = '2';
const OPTION_STOP_BAND = '5';

/** A body to send, and what the caller should hear about it. */
export interface Body {
  fields: Record<string, unknown>;
  message?: string;
}

/** The body of POST /orders. Throws Refusal for what Dhan or the exchange does not take. Prices in rupees. */
export function placeBody(order: BrokerOrder, client: string, tag: string): Body {
  const words = checkOrder(order, rules);
  const securityId = numberToken(order.token);
  if (securityId === null || securityId.length > 10) throw new Refusal('token: Dhan orders need the security id, a number');
  const about = { side: words.transaction_type, segment: words.exchange, symbol: order.symbol };
  const { price, triggerPrice, orderType, message } = sentPrices(order.ordertype, order.price, order.triggerprice, about);
  const afterMarket = words.variety === 'true';
  const fields = {
    dhanClientId: client,
    correlationId: tag,
    transactionType: words.transaction_type,
    exchangeSegment: words.exchange,
    productType: words.product_type,
    orderType,
    validity: order.duration,
    securityId,
    quantity: Number(order.quantity),
    price,
    ...(triggerPrice > 0 ? { triggerPrice } : {}),
    afterMarketOrder: afterMarket,
    ...(afterMarket ? { amoTime: 'OPEN' } : {}),
  };
  return { fields, ...(message === undefined ? {} : { message }) };
}

/**
 * The body of PUT /orders/:id: the booked order with what the caller gave put over it, since nobody says what a left-out field does.
 * `wasMarketStop`: the order was asked for as SL-M and booked with our limit, which has to move with its trigger.
 */
export function changeBody(change: BrokerChange, booked: BookedOrder, client: string, wasMarketStop: boolean): Body {
  translate(varieties, 'variety', change.variety);
  const priced = Number(change.price ?? 0) > 0;
  const type = change.ordertype ?? (wasMarketStop && !priced ? 'SL-M' : ourType.get(booked.orderType));
  if (type === undefined) throw new Refusal(`order_type: an order booked as ${booked.orderType} cannot be changed here`);
  translate(orderTypes, 'order_type', type);
  // An SL-M order of ours is an SL at Dhan, and so may be given a price.
  const asBooked = { type: type === 'SL-M' ? 'SL' : type, exchange: ourExchange.get(booked.exchangeSegment) ?? '' };
  checkChange(change, asBooked, rules);
  const about = { side: booked.transactionType, segment: booked.exchangeSegment, symbol: booked.tradingSymbol };
  const { message, ...prices } = sentPrices(
    type,
    change.price ?? String(booked.price),
    change.triggerprice ?? String(booked.triggerPrice),
    about,
  );
  const fields = {
    dhanClientId: client,
    orderId: booked.orderId,
    ...prices,
    ...(booked.legName === null || booked.legName === 'NA' ? {} : { legName: booked.legName }),
    quantity: change.quantity === undefined ? booked.quantity : Number(change.quantity),
    disclosedQuantity: booked.disclosedQuantity ?? 0,
    validity: booked.validity,
  };
  return { fields, ...(message === undefined ? {} : { message }) };
}

interface About {
  side: string;
  segment: string;
  symbol: string;
}

/** Type and prices as they are sent; 0 for a price the type does not use. Dhan protects MARKET itself, a stop without a limit it does not. */
function sentPrices(type: string, given: string, givenTrigger: string, about: About) {
  const { price, trigger } = pricesOf(type, given, givenTrigger);
  const triggerPrice = Number(trigger ?? 0);
  if (type !== 'SL-M') return { orderType: translate(orderTypes, 'order_type', type), price: Number(price ?? 0), triggerPrice };
  const limit = stopLimit(triggerPrice, about);
  const message = `SL-M was sent as SL with limit ${limit}: Dhan is reported to fill a stop without a limit at once, or to refuse it`;
  return { orderType: orderTypes.SL, price: limit, triggerPrice, message };
}

/** The limit of a stop: its band beyond the trigger, rounded away from it to a step that every tick at such a price divides. */
function stopLimit(trigger: number, { side, segment, symbol }: About): number {
  const band = segment === 'NSE_FNO' && !symbol.endsWith('FUT') ? OPTION_STOP_BAND : STOP_BAND;
  const beyond = new Big(band).div(100).times(side === 'BUY' ? 1 : -1);
  const exact = beyond.plus(1).times(String(trigger));
  const step = exact.lt(1_000) ? '0.05' : exact.lt(20_000) ? '1' : '5';
  const limit = exact
    .div(step)
    .round(0, side === 'BUY' ? Big.roundUp : Big.roundDown)
    .times(step);
  return limit.gt(0) ? Number(limit.toFixed()) : trigger;
}
