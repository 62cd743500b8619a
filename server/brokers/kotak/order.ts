import type { BrokerChange, BrokerOrder } from '../broker.ts';
import { Refusal, symbolToSend, translate } from '../parse.ts';
import { afterMarket, type BookedOrder, isHeldAfterMarket, orderTypes, products, segments, sides } from './wire.ts';

export type Fields = Record<string, string>;

/** Kotak leaves open what they count, so that ten might be traded for one. */
const doubtfulSegments: Readonly<Record<string, string>> = {
  mcx_fo: 'Kotak does not say what one unit of quantity is on MCX',
  cde_fo: "Kotak's own client refuses currency orders while its documents list them",
};

const common = { mp: '0', os: 'NEOTRADEAPI' };
const limited: readonly string[] = [orderTypes.LIMIT, orderTypes.SL];
const triggered: readonly string[] = [orderTypes.SL, orderTypes['SL-M']];

/** The fields of an order, all text; an SL-M still without the limit it is sent with. Throws Refusal for what must not reach Kotak. */
export function placeFields(order: BrokerOrder, tag: string): Fields {
  const am = translate(afterMarket, 'variety', order.variety);
  const es = translate(segments, 'exchange', order.exchange);
  const pt = translate(orderTypes, 'order_type', order.ordertype);
  const pc = translate(products, 'product_type', order.producttype);
  const tt = translate(sides, 'transaction_type', order.transactiontype);
  const doubt = doubtfulSegments[es];
  if (doubt) throw new Refusal(`exchange: ${order.exchange} orders are not sent: ${doubt}`);
  if (pc === products.DELIVERY && es === segments.NFO)
    throw new Refusal(`product_type: DELIVERY is for NSE and BSE; use CARRYFORWARD on ${order.exchange}`);
  if (order.variety === 'STOPLOSS' && !triggered.includes(pt))
    throw new Refusal(`order_type: variety STOPLOSS needs SL or SL-M; ${order.ordertype} would trade without waiting for the trigger`);
  const prices = pricesOf(pt, order.price, order.triggerprice);
  return {
    am,
    dq: '0',
    es,
    ...common,
    pc,
    pf: 'N',
    ...prices,
    pt,
    qt: order.quantity,
    rt: order.duration,
    ts: symbolToSend(order),
    tt,
    ig: tag,
  };
}

/** The fields of a change: what the caller gave over what Kotak has booked, because Kotak wants all of them. */
export function changeFields(change: BrokerChange, booked: BookedOrder): Fields {
  const pt = change.ordertype === undefined ? booked.prcTp : translate(orderTypes, 'order_type', change.ordertype);
  const doubt = doubtfulSegments[booked.exSeg];
  if (doubt && change.quantity !== undefined) throw new Refusal(`quantity: it is not changed on ${booked.exSeg}: ${doubt}`);
  return {
    no: booked.nOrdNo,
    am: isHeldAfterMarket(booked.ordSt) ? afterMarket.AMO : afterMarket.NORMAL,
    dq: String(booked.dscQty ?? 0),
    es: booked.exSeg,
    ...common,
    pc: booked.prod,
    ...pricesOf(pt, change.price ?? String(booked.prc), change.triggerprice ?? String(booked.trgPrc)),
    pt,
    qt: change.quantity ?? String(booked.qty),
    vd: booked.vldt ?? 'DAY',
    ts: booked.trdSym,
    tt: booked.trnsTp,
    ...(booked.tok ? { tk: booked.tok } : {}),
  };
}

/** What a type does not use is "0"; a limit of 0 would not be refused by Kotak but traded at a price of its own. */
function pricesOf(pt: string, price: string, trigger: string): { pr: string; tp: string } {
  return {
    pr: limited.includes(pt) ? positive('price', price, pt) : '0',
    tp: triggered.includes(pt) ? positive('trigger_price', trigger, pt) : '0',
  };
}

function positive(field: string, text: string, pt: string): string {
  if (!(Number(text) > 0)) throw new Refusal(`${field}: an order of type ${pt} needs a ${field} above 0`);
  return text;
}
