import { Big } from '../../money.ts';
import type { ExchangeOrder, Instrument } from '../types.ts';
import type { OrderView, TradeView } from '../views.ts';
import { norenWords } from '../wire/state-words.ts';
import { exchangeTime, norenTime, otherWords, productName, productWord, refusalText, tradingSymbol, typeWord, user } from './words.ts';

/** Rows of the Noren order system on orders and trades: all values are texts, and what does not apply is left out. Prices in rupees. */

export const who = { uid: user, actid: user };

/** At least two places, at most four. */
export function money(value: string | Big): string {
  const exact = new Big(value);
  return exact.round(2).eq(exact) ? exact.toFixed(2) : exact.round(4).toFixed();
}

export function contract(instrument: Instrument) {
  const { exchange, exchangeToken, lotSize, tick } = instrument;
  const precision = exchange === 'CDS' ? '4' : '2';
  const identity = { exch: exchange, tsym: tradingSymbol(instrument), token: String(exchangeToken) };
  return { ...identity, pp: precision, ls: String(lotSize), ti: new Big(tick).toFixed(Number(precision)) };
}

export function factors({ multiplier }: Instrument) {
  return { mult: '1', prcftr: new Big(multiplier).toFixed(6) };
}

export function product(of: Pick<ExchangeOrder, 'product'>) {
  return { prd: productWord[of.product], s_prdt_ali: productName[of.product] };
}

/** An order, as it stands or as it stood on one line of its history. Rows use one set of status words or another, in turn here. */
export function orderRow(order: OrderView) {
  const { instrument } = order;
  const [usual, rpt] = norenWords[order.state];
  const status = (order.odd ? otherWords[order.state] : undefined) ?? usual;
  const cancelled = status === 'CANCELED' ? { cancelqty: String(order.cancelled) } : {};
  const rejected = order.refusal ? { rejreason: refusalText(order.refusal) } : {};
  const fills = order.filled > 0 ? { fillshares: String(order.filled), avgprc: money(order.average) } : {};
  const at = order.updatedAt;
  const exchangeKnows = order.exchangeOrderId ? { exchordid: order.exchangeOrderId, exch_tm: exchangeTime(at) } : {};
  return {
    stat: 'Ok',
    norenordno: order.orderId,
    ...who,
    ...contract(instrument),
    ...factors(instrument),
    qty: String(order.quantity),
    trantype: order.side === 'BUY' ? 'B' : 'S',
    prctyp: typeWord[order.orderType],
    ret: order.validity,
    ...product(order),
    prc: money(order.price),
    trgprc: money(order.triggerPrice),
    dscqty: order.details.disclosed ?? '0',
    amo: order.variety === 'AMO' ? 'Yes' : 'No',
    status,
    rpt,
    ...fills,
    ...rejected,
    ...cancelled,
    ...exchangeKnows,
    ...(order.tag ? { remarks: order.tag } : {}),
    norentm: norenTime(at),
    ordenttm: String(Math.floor(order.receivedAt / 1000)),
    rqty: String(order.quantity),
    rprc: money(order.price),
    rorgqty: String(order.quantity),
    rorgprc: money(order.price),
  };
}

/** One fill of an order; `qty` and `fillshares` are the whole order's. */
export function tradeRow(trade: TradeView) {
  const { order, instrument } = trade;
  return {
    stat: 'Ok',
    norenordno: trade.orderId,
    ...who,
    ...contract(instrument),
    prctyp: typeWord[order.orderType],
    ret: order.validity,
    ...product(trade),
    flid: trade.tradeId,
    fltm: exchangeTime(trade.at),
    trantype: trade.side === 'BUY' ? 'B' : 'S',
    qty: String(order.quantity),
    fillshares: String(order.filled),
    flqty: String(trade.quantity),
    prc: money(order.price),
    flprc: money(trade.price),
    norentm: norenTime(order.receivedAt),
    exch_tm: exchangeTime(trade.at),
    ...(order.tag ? { remarks: order.tag } : {}),
    exchordid: order.exchangeOrderId ?? '',
  };
}
