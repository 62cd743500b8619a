import type { BrokerChange, BrokerEnv, BrokerOrder } from '../broker.ts';
import { numberToken } from '../instrument.ts';
import { Refusal, reversed, translate } from '../parse.ts';
import { cannot, protectedLimit } from './price.ts';
import type { Quote, Quotes } from './quote.ts';
import { type BookedOrder, plainSymbol } from './rows.ts';
import { carriedWords, cashExchanges, complexities, exchanges, orderTypes, sides } from './wire.ts';

const needsTrigger = ['SL', 'SL-M'];
/** The types that name their own limit, and those they take the place of. */
const limited: Readonly<Record<string, string>> = { LIMIT: 'LIMIT', SL: 'SL', MARKET: 'LIMIT', 'SL-M': 'SL' };
const ourTypes = reversed(orderTypes);

/** Alice Blue counts lots in one call and units in another there, and does not say how many units a lot has: ten might be traded for one. */
const doubtful: Readonly<Record<string, string>> = {
  MCX: 'Alice Blue takes lots there, shows units, and does not tell how many units a lot has',
  CDS: 'whether Alice Blue takes currency orders over its API, and in lots or units, is not documented',
};

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

/** The array POST /orders/placeorder takes, of one order. Throws Refusal for what must not reach Alice Blue. */
export async function placeBody(order: BrokerOrder, tag: string, env: BrokerEnv, quote: Quotes['quote']): Promise<unknown[]> {
  const { exchange, symbol, ordertype: type } = order;
  const orderComplexity = translate(complexities, 'variety', order.variety);
  translate(orderTypes, 'order_type', type);
  const transactionType = translate(sides, 'transaction_type', order.transactiontype);
  const token = checkedToken(order);
  const product = productWord(order, env.credentials.CARRYFORWARD_PRODUCT);
  if (order.variety === 'STOPLOSS' && !needsTrigger.includes(type)) {
    throw new Refusal(`order_type: variety STOPLOSS needs SL or SL-M; ${type} would trade without waiting for the trigger`);
  }
  const quantity = count(order.quantity);
  const terms = { exchange, token, symbol, side: transactionType, type, price: order.price, trigger: order.triggerprice };
  return [
    {
      exchange,
      instrumentId: token,
      transactionType,
      quantity,
      product,
      orderComplexity,
      ...(await wordsOf(terms, quote)),
      validity: order.duration,
      disclosedQuantity: '0',
      deviceId: 'broker-gateway',
      ...(env.algoId ? { algoId: env.algoId } : {}),
      orderTag: tag,
    },
  ];
}

/** The body of POST /orders/modify: what the caller gave, and of the rest the type with its prices, as booked. A quantity goes along only when given. */
export async function changeBody(change: BrokerChange, booked: BookedOrder, quote: Quotes['quote']): Promise<Record<string, unknown>> {
  const { exchange } = booked;
  const doubt = doubtful[exchange];
  if (doubt) throw new Refusal(`exchange: ${exchange} orders are not changed: ${doubt}; cancel it instead`);
  if (change.quantity !== undefined && booked.filledQuantity > 0) {
    throw new Refusal(
      'quantity: the order is partly filled, and whether Alice Blue would count the filled part is not known; cancel it instead',
    );
  }
  const type = change.ordertype ?? ourTypes.get(booked.orderType) ?? booked.orderType;
  translate(orderTypes, 'order_type', type);
  if (Number(change.price ?? 0) > 0 && limited[type] !== type) throw new Refusal(`price: ${type} orders have none`);
  if (Number(change.triggerprice ?? 0) > 0 && !needsTrigger.includes(type)) throw new Refusal(`trigger_price: ${type} orders have none`);
  const terms = {
    exchange,
    token: booked.instrumentId ?? '',
    symbol: plainSymbol(exchange, booked.tradingSymbol),
    side: booked.transactionType,
    type,
    price: change.price ?? String(booked.price),
    trigger: change.triggerprice ?? String(booked.slTriggerPrice),
  };
  return {
    brokerOrderId: change.orderid,
    ...(change.quantity === undefined ? {} : { quantity: count(change.quantity) }),
    ...(await wordsOf(terms, quote)),
    validity: booked.validity,
  };
}

/** Type and prices as Alice Blue takes them: MARKET becomes a protected LIMIT, SL-M a protected SL. */
async function wordsOf(terms: Terms, quote: Quotes['quote']) {
  const { type, trigger, exchange, token } = terms;
  const slTriggerPrice = needsTrigger.includes(type) ? positive('trigger_price', trigger, type) : '';
  const orderType = translate(limited, 'order_type', type);
  if (orderType === type) return { orderType, price: positive('price', terms.price, type), slTriggerPrice };
  const read = await readQuote(quote, exchange, token);
  const from = type === 'MARKET' ? read.price : Number(trigger);
  return { orderType, price: protectedLimit({ ...terms, from }, read), slTriggerPrice };
}

async function readQuote(quote: Quotes['quote'], exchange: string, token: string): Promise<Quote> {
  const read = await quote(exchange, token).catch((error: unknown) => {
    throw cannot(error instanceof Error ? error.message : 'the price could not be read');
  });
  if (!read) throw cannot('there is no last price');
  return read;
}

/** The token alone says what is traded. */
function checkedToken({ exchange, token }: BrokerOrder): string {
  translate(exchanges, 'exchange', exchange);
  const doubt = doubtful[exchange];
  if (doubt) throw new Refusal(`exchange: ${exchange} orders are not sent: ${doubt}`);
  const number = numberToken(token);
  if (number === null) throw new Refusal(`token: "${token}" is not a Token of Alice Blue's contract master, such as 3045`);
  return number;
}

function productWord({ exchange, producttype }: BrokerOrder, carried: string = carriedWords[0]): string {
  const cash = cashExchanges.includes(exchange);
  if (producttype === 'DELIVERY' && !cash) throw new Refusal(`product_type: DELIVERY is for NSE and BSE; use CARRYFORWARD on ${exchange}`);
  if (producttype === 'CARRYFORWARD' && cash) throw new Refusal(`product_type: CARRYFORWARD is not for ${exchange} equity; use DELIVERY`);
  return translate({ INTRADAY: 'INTRADAY', DELIVERY: 'LONGTERM', CARRYFORWARD: carried }, 'product_type', producttype);
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new Refusal(`quantity: "${text}" is not a whole number above 0`);
  return value;
}

function positive(field: string, text: string, type: string): string {
  if (!(Number(text) > 0)) throw new Refusal(`${field}: ${type} needs a ${field} above 0`);
  return text;
}
