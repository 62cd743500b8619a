import { Big } from '../../money.ts';
import type { BrokerChange, BrokerOrder } from '../broker.ts';
import { numberToken } from '../instrument.ts';
import { Refusal, translate } from '../parse.ts';
import { type BookedOrder, orderTypes, products, segments, sides, varieties } from './wire.ts';

/** Dhan nowhere says whether it counts lots or units there. */
const unitInDoubt: readonly string[] = ['MCX_COMM', 'NSE_CURRENCY'];
const cash: readonly string[] = ['NSE_EQ', 'BSE_EQ'];
const stops: readonly string[] = ['STOP_LOSS', 'STOP_LOSS_MARKET'];

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
  const afterMarket = translate(varieties, 'variety', order.variety) === 'true';
  const segment = translate(segments, 'exchange', order.exchange);
  const type = translate(orderTypes, 'order_type', order.ordertype);
  const product = translate(products, 'product_type', order.producttype);
  const side = translate(sides, 'transaction_type', order.transactiontype);
  checkUnit(segment, order.exchange);
  checkProduct(segment, product, order.exchange);
  if (order.variety === 'STOPLOSS' && !stops.includes(type)) {
    throw new Refusal(`order_type: variety STOPLOSS needs SL or SL-M; ${type} would trade without waiting for the trigger`);
  }
  const securityId = numberToken(order.token);
  if (securityId === null || securityId.length > 10) throw new Refusal('token: Dhan orders need the security id, a number');
  const { price, triggerPrice, orderType, message } = pricesOf(type, order.price, order.triggerprice, {
    side,
    segment,
    symbol: order.symbol,
  });
  const fields = {
    dhanClientId: client,
    correlationId: tag,
    transactionType: side,
    exchangeSegment: segment,
    productType: product,
    orderType,
    validity: order.duration,
    securityId,
    quantity: units(order.quantity),
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
  const kept = wasMarketStop && !priced ? orderTypes['SL-M'] : booked.orderType;
  const type = change.ordertype === undefined ? kept : translate(orderTypes, 'order_type', change.ordertype);
  if (change.quantity !== undefined) checkUnit(booked.exchangeSegment, booked.exchangeSegment);
  if (priced && type === 'MARKET') throw new Refusal('price: a MARKET order has none; give order_type LIMIT with it');
  if (Number(change.triggerprice ?? 0) > 0 && !stops.includes(type)) {
    throw new Refusal(`trigger_price: a ${type} order has none; give order_type SL with it`);
  }
  const about = { side: booked.transactionType, segment: booked.exchangeSegment, symbol: booked.tradingSymbol };
  const price = change.price ?? String(booked.price);
  const { message, ...prices } = pricesOf(type, price, change.triggerprice ?? String(booked.triggerPrice), about);
  const fields = {
    dhanClientId: client,
    orderId: booked.orderId,
    ...prices,
    ...(booked.legName === null || booked.legName === 'NA' ? {} : { legName: booked.legName }),
    quantity: change.quantity === undefined ? booked.quantity : units(change.quantity),
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
function pricesOf(type: string, price: string, trigger: string, about: About) {
  if (type === 'MARKET') return { orderType: type, price: 0, triggerPrice: 0 };
  if (type === 'LIMIT') return { orderType: type, price: positive('price', price), triggerPrice: 0 };
  if (!stops.includes(type)) throw new Refusal(`order_type: an order booked as ${type} cannot be changed here`);
  const triggerPrice = positive('trigger_price', trigger);
  if (type === 'STOP_LOSS') return { orderType: type, price: positive('price', price), triggerPrice };
  const limit = stopLimit(triggerPrice, about);
  const message = `SL-M was sent as SL with limit ${limit}: Dhan is reported to fill a stop without a limit at once, or to refuse it`;
  return { orderType: 'STOP_LOSS', price: limit, triggerPrice, message };
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

function checkUnit(segment: string, exchange: string): void {
  if (!unitInDoubt.includes(segment)) return;
  throw new Refusal(
    `exchange: orders on ${exchange} are not sent to Dhan, because it does not say whether their quantity counts lots or units; a wrong guess trades many times the size`,
  );
}

function checkProduct(segment: string, product: string, exchange: string): void {
  const equity = cash.includes(segment);
  if (product === 'CNC' && !equity) throw new Refusal(`product_type: DELIVERY is for NSE and BSE; use CARRYFORWARD on ${exchange}`);
  if (product === 'MARGIN' && equity) throw new Refusal(`product_type: CARRYFORWARD is not for ${exchange} equity; use DELIVERY`);
}

function positive(field: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Refusal(`${field}: this order type needs a ${field} above 0`);
  return value;
}

function units(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new Refusal('quantity: must be a whole number above 0');
  return value;
}
