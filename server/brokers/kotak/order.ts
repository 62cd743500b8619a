import type { BrokerChange, BrokerOrder } from '../broker.ts';
import { checkChange, checkOrder, type OrderRules, pricesOf } from '../order-rules.ts';
import { symbolToSend, translate } from '../parse.ts';
import {
  afterMarket,
  type BookedOrder,
  isHeldAfterMarket,
  orderTypes,
  ourExchanges,
  ourOrderTypes,
  products,
  segments,
  sides,
} from './wire.ts';

export type Fields = Record<string, string>;

/** MCX is taken: it counts units, in multiples of the lot of Kotak's instrument file, and Kotak itself refuses what is none. */
const doubtful = {
  CDS: "CDS orders are not sent: Kotak's own client refuses currency orders while its documents list them",
};

const rules: OrderRules = {
  broker: 'Kotak',
  words: { variety: afterMarket, exchange: segments, order_type: orderTypes, product_type: products, transaction_type: sides },
  refused: { exchange: doubtful },
  carriesShares: true,
  refusedChange: 'quantity',
};

const common = { mp: '0', os: 'NEOTRADEAPI' };

/** The fields of an order, all text; an SL-M still without the limit it is sent with. Throws Refusal for what must not reach Kotak. */
export function placeFields(order: BrokerOrder, tag: string): Fields {
  const words = checkOrder(order, rules);
  return {
    am: words.variety,
    dq: '0',
    es: words.exchange,
    ...common,
    pc: words.product_type,
    pf: 'N',
    ...sentPrices(order.ordertype, order.price, order.triggerprice),
    pt: words.order_type,
    qt: order.quantity,
    rt: order.duration,
    ts: symbolToSend(order),
    tt: words.transaction_type,
    ig: tag,
  };
}

/** The fields of a change: what the caller gave over what Kotak has booked, because Kotak wants all of them. */
export function changeFields(change: BrokerChange, booked: BookedOrder): Fields {
  const pt = change.ordertype === undefined ? booked.prcTp : translate(orderTypes, 'order_type', change.ordertype);
  const type = ourOrderTypes.get(pt) ?? pt;
  checkChange(change, { type, exchange: ourExchanges.get(booked.exSeg) ?? booked.exSeg }, rules);
  return {
    no: booked.nOrdNo,
    am: isHeldAfterMarket(booked.ordSt) ? afterMarket.AMO : afterMarket.NORMAL,
    dq: String(booked.dscQty ?? 0),
    es: booked.exSeg,
    ...common,
    pc: booked.prod,
    ...sentPrices(type, change.price ?? String(booked.prc), change.triggerprice ?? String(booked.trgPrc)),
    pt,
    qt: change.quantity ?? String(booked.qty),
    vd: booked.vldt ?? 'DAY',
    ts: booked.trdSym,
    tt: booked.trnsTp,
    ...(booked.tok ? { tk: booked.tok } : {}),
  };
}

/** What a type does not use is "0"; a limit of 0 would not be refused by Kotak but traded at a price of its own. */
function sentPrices(type: string, givenPrice: string, givenTrigger: string): { pr: string; tp: string } {
  const { price, trigger } = pricesOf(type, givenPrice, givenTrigger);
  return { pr: price ?? '0', tp: trigger ?? '0' };
}
