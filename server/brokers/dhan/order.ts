import { Big } from '../../money.ts';
import type { BrokerChange, BrokerOrder } from '../broker.ts';
import { numberToken } from '../instrument.ts';
import { checkChange, checkOrder, type OrderRules, pricesOf } from '../order-rules.ts';
import { Refusal, translate } from '../parse.ts';
import { protectedLimit, stopWidth } from '../protected-limit.ts';
import { type BookedOrder, orderTypes, ourExchange, ourType, products, segments, sides, varieties } from './wire.ts';

const notTraded = { CDS: 'CDS orders are not sent: the documents of Dhan name no currency segment for orders' };

const rules: OrderRules = {
  broker: 'Dhan',
  words: { variety: varieties, exchange: segments, order_type: orderTypes, product_type: products, transaction_type: sides },
  refused: { exchange: notTraded },
  refusedChange: 'quantity',
  unusedPrice: 'above 0',
};

/**
 * Rupees that every tick at a price below divides. Dhan tells no tick, and one that was set by last month's price may be that of twice the price
 * now. Options tick by 0.05 at any price.
 */
const steps: readonly [below: number, step: string][] = [
  [500, '0.05'],
  [2_500, '0.1'],
  [5_000, '0.5'],
  [10_000, '1'],
  [Number.POSITIVE_INFINITY, '5'],
];
/** The same on MCX, whose ticks go by contract: from 0.05 to 1, and 10 for cotton and steel, which trade above 10,000. */
const commoditySteps: typeof steps = [
  [10_000, '1'],
  [Number.POSITIVE_INFINITY, '10'],
];

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

/** The limit of a stop, rupees: beyond its trigger, no further than the exchange allows. Throws Refusal where not one step lies between. */
export function stopLimit(trigger: number, { side, segment, symbol }: About): number {
  // What is not plainly an option gets the narrower width, which fits an option too.
  const option = (segment === segments.NFO || segment === segments.BFO) && /(CE|PE|CALL|PUT)$/i.test(symbol.trim());
  const table = segment === segments.MCX ? commoditySteps : steps;
  const tick = (option ? undefined : table.find(([below]) => trigger < below)?.[1]) ?? '0.05';
  const base = new Big(String(trigger));
  const limit = protectedLimit({ buying: side === 'BUY', base, width: stopWidth(base, option), tick });
  if (limit === null)
    throw new Refusal(
      `trigger_price: SL-M goes out with a limit beyond its trigger, and ${trigger} leaves none on steps of ${tick}; nothing was sent`,
    );
  return Number(limit.toFixed());
}
