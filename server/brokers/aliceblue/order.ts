import type { BrokerChange, BrokerEnv, BrokerOrder } from '../broker.ts';
import { numberToken } from '../instrument.ts';
import { checkChange, checkOrder, type OrderRules, pricesOf } from '../order-rules.ts';
import { Refusal, translate } from '../parse.ts';
import { cannot, protectedLimit } from './price.ts';
import type { Quote, Quotes } from './quote.ts';
import { type BookedOrder, ourTypes } from './rows.ts';
import { plainSymbol } from './symbol.ts';
import { carriedWords, complexities, exchanges, orderTypes, products, sides } from './wire.ts';

/** Alice Blue counts lots in one call and units in another there, and does not say how many units a lot has: ten might be traded for one. */
const doubtful = {
  MCX: 'MCX orders are not sent: Alice Blue takes lots there, shows units, and does not tell how many units a lot has',
  CDS: 'CDS orders are not sent: whether Alice Blue takes currency orders over its API, and in lots or units, is not documented',
};

const rules: OrderRules = {
  broker: 'Alice Blue',
  words: { variety: complexities, order_type: orderTypes, transaction_type: sides, exchange: exchanges, product_type: products },
  refused: { exchange: doubtful },
  refusedChange: 'exchange',
  filledChange: 'quantity',
  unusedPrice: 'above 0',
};

/** What goes out for the types without a limit of their own. */
const protectedTypes: Readonly<Record<string, string>> = { MARKET: orderTypes.LIMIT, 'SL-M': orderTypes.SL };

interface Terms {
  exchange: string;
  token: string;
  symbol: string;
  side: string;
  /** Ours. */
  type: string;
  price: string;
  trigger: string;
}

/** One order of the array that POST /orders/placeorder takes. Throws Refusal for what must not reach Alice Blue. */
export async function placeItem(order: BrokerOrder, tag: string, env: BrokerEnv, quote: Quotes['quote']) {
  const { exchange, symbol, ordertype: type, producttype } = order;
  const words = checkOrder(order, rules);
  const token = numberToken(order.token);
  if (token === null) throw new Refusal(`token: "${order.token}" is not a Token of Alice Blue's contract master, such as 3045`);
  const carried = env.credentials.CARRYFORWARD_PRODUCT ?? carriedWords[0];
  const terms = { exchange, token, symbol, side: words.transaction_type, type, price: order.price, trigger: order.triggerprice };
  return {
    exchange,
    instrumentId: token,
    transactionType: words.transaction_type,
    quantity: Number(order.quantity),
    product: producttype === 'CARRYFORWARD' ? carried : words.product_type,
    orderComplexity: words.variety,
    ...(await wordsOf(terms, quote)),
    validity: order.duration,
    disclosedQuantity: '0',
    deviceId: 'broker-gateway',
    ...(env.algoId ? { algoId: env.algoId } : {}),
    orderTag: tag,
  };
}

/** The body of POST /orders/modify: what the caller gave, and of the rest the type with its prices, as booked. A quantity goes along only when given. */
export async function changeBody(change: BrokerChange, booked: BookedOrder, quote: Quotes['quote']): Promise<Record<string, unknown>> {
  const { exchange } = booked;
  const symbol = plainSymbol(exchange, booked.tradingSymbol);
  const type = change.ordertype ?? ourTypes.get(booked.orderType) ?? booked.orderType;
  translate(orderTypes, 'order_type', type);
  checkChange(change, { type, exchange, symbol, filled: booked.filledQuantity, quantity: booked.quantity }, rules);
  const terms = {
    exchange,
    token: booked.instrumentId ?? '',
    symbol,
    side: booked.transactionType,
    type,
    price: change.price ?? String(booked.price),
    trigger: change.triggerprice ?? String(booked.slTriggerPrice),
  };
  return {
    brokerOrderId: change.orderid,
    ...(change.quantity === undefined ? {} : { quantity: Number(change.quantity) }),
    ...(await wordsOf(terms, quote)),
    validity: booked.validity,
  };
}

/** Type and prices as Alice Blue takes them: MARKET becomes a protected LIMIT, SL-M a protected SL. */
async function wordsOf(terms: Terms, quote: Quotes['quote']) {
  const { type, exchange, token } = terms;
  const { price, trigger } = pricesOf(type, terms.price, terms.trigger);
  const slTriggerPrice = trigger ?? '';
  if (price !== null) return { orderType: type, price, slTriggerPrice };
  const read = await readQuote(quote, exchange, token);
  return { orderType: protectedTypes[type], price: protectedLimit({ ...terms, trigger }, read), slTriggerPrice };
}

async function readQuote(quote: Quotes['quote'], exchange: string, token: string): Promise<Quote> {
  const read = await quote(exchange, token).catch((error: unknown) => {
    throw cannot(error instanceof Error ? error.message : 'the price could not be read');
  });
  if (!read) throw cannot('there is no last price');
  return read;
}
