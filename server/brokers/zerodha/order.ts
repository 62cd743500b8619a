import type { BrokerChange, BrokerOrder } from '../broker.ts';
import { Refusal, symbolToSend, translate } from '../parse.ts';
import { exchanges, orderTypes, products, sides, varieties } from './wire.ts';

type Form = Record<string, string>;

/** Kite refuses MARKET and SL-M without a protection; -1 lets it choose the band. */
const protection: Readonly<Record<string, Form>> = { MARKET: { market_protection: '-1' }, 'SL-M': { market_protection: '-1' } };

const needsPrice = ['LIMIT', 'SL'];
const needsTrigger = ['SL', 'SL-M'];

/** The variety for the path and the form of POST /orders/:variety. Throws Refusal for what Kite or the exchange does not take. */
export function placeForm(order: BrokerOrder, tag: string, algoId: string | undefined): { variety: string; form: Form } {
  const variety = translate(varieties, 'variety', order.variety);
  const exchange = translate(exchanges, 'exchange', order.exchange);
  const type = translate(orderTypes, 'order_type', order.ordertype);
  const product = translate(products, 'product_type', order.producttype);
  const side = translate(sides, 'transaction_type', order.transactiontype);
  const tradingsymbol = symbolToSend(order);
  checkProduct(exchange, product);
  checkOrderType(type, exchange, tradingsymbol);
  if (order.variety === 'STOPLOSS' && !needsTrigger.includes(type)) {
    throw new Refusal(`order_type: variety STOPLOSS needs SL or SL-M; ${type} would trade without waiting for the trigger`);
  }
  const form: Form = {
    exchange,
    tradingsymbol,
    transaction_type: side,
    order_type: type,
    product,
    quantity: order.quantity,
    validity: order.duration,
    ...protection[type],
    tag,
  };
  if (needsPrice.includes(type)) form.price = positive('price', order.price, type);
  if (needsTrigger.includes(type)) form.trigger_price = positive('trigger_price', order.triggerprice, type);
  if (algoId) form.algo_id = algoId;
  return { variety, form };
}

/** The form of PUT /orders/:variety/:order_id: only what the caller gave, with the protection the order's type needs. */
export function changeForm(change: BrokerChange, booked: { type: string; exchange: string; symbol: string }): Form {
  const form: Form = {};
  if (change.ordertype !== undefined) {
    form.order_type = translate(orderTypes, 'order_type', change.ordertype);
    checkOrderType(form.order_type, booked.exchange, booked.symbol);
  }
  if (change.quantity !== undefined) form.quantity = change.quantity;
  if (change.price !== undefined) form.price = change.price;
  if (change.triggerprice !== undefined) form.trigger_price = change.triggerprice;
  const type = form.order_type ?? booked.type;
  if (type === 'SL-M' && Object.keys(form).join() === 'price') {
    throw new Refusal('price: an SL-M order moves by trigger_price; Kite would accept a price alone and change nothing');
  }
  return { ...form, ...protection[type] };
}

function checkProduct(exchange: string, product: string): void {
  const equity = exchange === 'NSE' || exchange === 'BSE';
  if (product === 'CNC' && !equity) throw new Refusal(`product_type: DELIVERY is for NSE and BSE; use CARRYFORWARD on ${exchange}`);
  if (product === 'NRML' && equity) throw new Refusal(`product_type: CARRYFORWARD is not for ${exchange} equity; use DELIVERY`);
}

/** Stop orders without a limit were withdrawn on BSE and for NSE options; what is not plainly a future counts as an option. */
function checkOrderType(type: string, exchange: string, symbol: string): void {
  if (type !== 'SL-M') return;
  if (['BSE', 'BFO', 'BCD'].includes(exchange) || (exchange === 'NFO' && !symbol.endsWith('FUT'))) {
    throw new Refusal(`order_type: SL-M is not taken for ${symbol} on ${exchange}; use SL with a limit price`);
  }
}

function positive(field: string, text: string, type: string): string {
  if (!(Number(text) > 0)) throw new Refusal(`${field}: ${type} needs a ${field} above 0`);
  return text;
}
