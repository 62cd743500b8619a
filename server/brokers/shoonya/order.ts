import type { BrokerChange, BrokerOrder } from '../broker.ts';
import { checkChange, checkOrder, hasLimit, type OrderRules, pricesOf } from '../order-rules.ts';
import { Refusal, symbolToSend, translate } from '../parse.ts';
import { type BookedOrder, ourTypes } from './rows.ts';
import { exchanges, orderTypes, products, sides, varieties } from './wire.ts';

/** An order or change in Shoonya's fields, all text. `limitFrom`: its type is blocked over the API, so it needs a limit made of this. */
export interface Draft {
  fields: Record<string, string>;
  limitFrom: 'last price' | 'trigger' | null;
}

const unlimited: Readonly<Record<string, Draft['limitFrom']>> = { MARKET: 'last price', 'SL-M': 'trigger' };

/** Lots and units are mixed on this order system. */
const unitInDoubt = (exchange: string) =>
  `${exchange} orders are not sent: Shoonya does not say whether their quantity is in lots or in units`;

const rules: OrderRules = {
  broker: 'Shoonya',
  words: { variety: varieties, exchange: exchanges, order_type: orderTypes, product_type: products, transaction_type: sides },
  refused: { exchange: { MCX: unitInDoubt('MCX'), CDS: unitInDoubt('CDS') } },
  refusedChange: 'quantity',
  unusedPrice: 'above 0',
};

/** The fields of PlaceOrder without user and account. Throws Refusal for what must not reach Shoonya. */
export function placeDraft(order: BrokerOrder, tag: string, algoId: string | undefined): Draft {
  const words = checkOrder(order, rules);
  const { ordertype: type } = order;
  const tsym = symbolToSend(order);
  checkSymbol(words.exchange, tsym);
  if (words.variety && !hasLimit(type)) {
    throw new Refusal(`order_type: an AMO needs a limit price; Shoonya takes no ${type} and there is no current price to protect it with`);
  }
  const fields = {
    exch: words.exchange,
    tsym,
    qty: order.quantity,
    dscqty: '0',
    prd: words.product_type,
    trantype: words.transaction_type,
    prctyp: words.order_type,
    ret: order.duration,
    remarks: tag,
    ...sentPrices(type, order.price, order.triggerprice),
    ...(words.variety ? { amo: words.variety } : {}),
    ...(algoId ? { algo_id: algoId } : {}),
  };
  return { fields, limitFrom: unlimited[type] ?? null };
}

/** The fields of ModifyOrder without user and account: what the caller gave over what is booked, since Shoonya wants all of them. */
export function changeDraft(change: BrokerChange, booked: BookedOrder): Draft {
  translate(varieties, 'variety', change.variety);
  const type = change.ordertype ?? ourTypes.get(booked.prctyp);
  if (type === undefined) throw new Refusal(`order_type: an order of type ${booked.prctyp} is not changed here`);
  const prctyp = translate(orderTypes, 'order_type', type);
  checkChange(change, { type, exchange: booked.exch }, rules);
  const prices = sentPrices(type, change.price ?? String(booked.prc), change.triggerprice ?? String(booked.trgprc ?? 0));
  if (type === 'SL') checkSides(booked.trantype, prices);
  const fields = {
    exch: booked.exch,
    norenordno: booked.norenordno,
    tsym: booked.tsym,
    qty: change.quantity ?? String(booked.qty),
    prctyp,
    ret: booked.ret,
    ...prices,
    ...(booked.dscqty ? { dscqty: String(booked.dscqty) } : {}),
  };
  return { fields, limitFrom: unlimited[type] ?? null };
}

/** A trigger price is sent with stops alone: Shoonya refuses even a 0 with others. */
function sentPrices(type: string, givenPrice: string, givenTrigger: string): { prc: string; trgprc?: string } {
  const { price, trigger } = pricesOf(type, givenPrice, givenTrigger);
  return { prc: price ?? '0', ...(trigger !== null && { trgprc: trigger }) };
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
