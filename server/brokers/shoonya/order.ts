import type { BrokerChange, BrokerOrder } from '../broker.ts';
import { Refusal, reversed, symbolToSend, translate } from '../parse.ts';
import type { BookedOrder } from './rows.ts';
import { doubtfulExchanges, exchanges, limited, orderTypes, products, sides, triggered, varieties } from './wire.ts';

/** An order or change in Shoonya's fields, all text. `limitFrom`: its type is blocked over the API, so it needs a limit made of this. */
export interface Draft {
  fields: Record<string, string>;
  limitFrom: 'last price' | 'trigger' | null;
}

const ourTypes = reversed(orderTypes);
const unlimited: Readonly<Record<string, Draft['limitFrom']>> = { MKT: 'last price', 'SL-MKT': 'trigger' };

/** The fields of PlaceOrder without user and account. Throws Refusal for what must not reach Shoonya. */
export function placeDraft(order: BrokerOrder, tag: string, algoId: string | undefined): Draft {
  const amo = translate(varieties, 'variety', order.variety);
  const exch = translate(exchanges, 'exchange', order.exchange);
  const type = translate(orderTypes, 'order_type', order.ordertype);
  const prd = translate(products, 'product_type', order.producttype);
  const trantype = translate(sides, 'transaction_type', order.transactiontype);
  if (doubtfulExchanges.includes(exch)) {
    throw new Refusal(`exchange: ${exch} orders are not sent: Shoonya does not say whether their quantity is in lots or in units`);
  }
  const tsym = symbolToSend(order);
  checkSymbol(exch, tsym);
  checkProduct(exch, prd);
  if (order.variety === 'STOPLOSS' && !triggered.includes(type)) {
    throw new Refusal(`order_type: variety STOPLOSS needs SL or SL-M; ${order.ordertype} would trade without waiting for the trigger`);
  }
  if (amo && !limited.includes(type)) {
    throw new Refusal(
      `order_type: an AMO needs a limit price; Shoonya takes no ${order.ordertype} and there is no current price to protect it with`,
    );
  }
  const fields = {
    exch,
    tsym,
    qty: count(order.quantity),
    dscqty: '0',
    prd,
    trantype,
    prctyp: type,
    ret: order.duration,
    ordersource: 'API',
    remarks: tag,
    ...pricesOf(type, order.price, order.triggerprice),
    ...(amo ? { amo } : {}),
    ...(algoId ? { algo_id: algoId } : {}),
  };
  return { fields, limitFrom: unlimited[type] ?? null };
}

/** The fields of ModifyOrder without user and account: what the caller gave over what is booked, since Shoonya wants all of them. */
export function changeDraft(change: BrokerChange, booked: BookedOrder): Draft {
  translate(varieties, 'variety', change.variety);
  const type = change.ordertype === undefined ? booked.prctyp : translate(orderTypes, 'order_type', change.ordertype);
  if (!ourTypes.has(type)) throw new Refusal(`order_type: an order of type ${type} is not changed here`);
  if (doubtfulExchanges.includes(booked.exch) && change.quantity !== undefined) {
    throw new Refusal(`quantity: it is not changed on ${booked.exch}: Shoonya does not say whether it is in lots or in units`);
  }
  if (Number(change.price ?? 0) > 0 && !limited.includes(type)) throw new Refusal(`price: ${ourTypes.get(type)} orders have none`);
  if (Number(change.triggerprice ?? 0) > 0 && !triggered.includes(type)) {
    throw new Refusal(`trigger_price: ${ourTypes.get(type)} orders have none`);
  }
  const prices = pricesOf(type, change.price ?? String(booked.prc), change.triggerprice ?? String(booked.trgprc ?? 0));
  if (type === orderTypes.SL) checkSides(booked.trantype, prices);
  const fields = {
    exch: booked.exch,
    norenordno: booked.norenordno,
    tsym: booked.tsym,
    qty: change.quantity === undefined ? String(booked.qty) : count(change.quantity),
    prctyp: type,
    ret: booked.ret,
    ...prices,
    ...(booked.dscqty ? { dscqty: String(booked.dscqty) } : {}),
  };
  return { fields, limitFrom: unlimited[type] ?? null };
}

/** A trigger price is sent with stops alone: Shoonya refuses even a 0 with others. */
function pricesOf(type: string, price: string, trigger: string): { prc: string; trgprc?: string } {
  const prc = limited.includes(type) ? positive('price', price, type) : '0';
  return triggered.includes(type) ? { prc, trgprc: positive('trigger_price', trigger, type) } : { prc };
}

/** Moving a stop's trigger beyond its limit would leave it without a price to trade at. */
function checkSides(side: string, { prc, trgprc }: { prc: string; trgprc?: string }): void {
  const beyond = (Number(prc) - Number(trgprc)) * (side === 'BUY' ? 1 : -1);
  if (beyond < 0) throw new Refusal(`price: the limit ${prc} does not reach the trigger ${trgprc}; send both`);
}

function checkSymbol(exch: string, tsym: string): void {
  if (tsym.includes('%'))
    throw new Refusal(`symbol: write ${tsym.replaceAll('%26', '&')}, not encoded: positions are compared by that name`);
  if (exch === exchanges.NSE && !/-[A-Z0-9]{2}$/.test(tsym)) {
    throw new Refusal(`symbol: Shoonya writes what trades on NSE with its series, as in ${tsym}-EQ`);
  }
}

function checkProduct(exch: string, prd: string): void {
  const cash = exch === exchanges.NSE || exch === exchanges.BSE;
  if (prd === products.DELIVERY && !cash) throw new Refusal(`product_type: DELIVERY is for NSE and BSE; use CARRYFORWARD on ${exch}`);
  if (prd === products.CARRYFORWARD && cash) throw new Refusal(`product_type: CARRYFORWARD is not for ${exch} equity; use DELIVERY`);
}

function count(text: string): string {
  if (!(Number.isSafeInteger(Number(text)) && Number(text) >= 1)) throw new Refusal(`quantity: "${text}" is not a whole number above 0`);
  return text;
}

function positive(field: string, text: string, type: string): string {
  if (!(Number(text) > 0)) throw new Refusal(`${field}: an order of type ${ourTypes.get(type)} needs a ${field} above 0`);
  return text;
}
