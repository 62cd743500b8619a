import { indices, instruments } from '../instruments.ts';
import { seriesOf } from '../listed.ts';
import type { Instrument, Listed, OrderState, Quote } from '../types.ts';
import { dayChange, type OrderView, type TradeView } from '../views.ts';
import { rounded } from '../wire/numbers.ts';
import { monthTime } from '../wire/times.ts';
import { productWord, refusalText, userId } from './words.ts';

/** FYERS v3 rows of orders and trades, and its names of instruments: field names, types, codes and times (IST) as the broker sends them. Prices in rupees, as JSON numbers. */

const places = {
  NSE: { prefix: 'NSE', exchange: 10, segment: 10 },
  BSE: { prefix: 'BSE', exchange: 12, segment: 10 },
  NFO: { prefix: 'NSE', exchange: 10, segment: 11 },
  BFO: { prefix: 'BSE', exchange: 12, segment: 11 },
  MCX: { prefix: 'MCX', exchange: 11, segment: 20 },
  CDS: { prefix: 'NSE', exchange: 10, segment: 12 },
} as const satisfies Record<Instrument['exchange'], { prefix: string; exchange: number; segment: number }>;

const statusCode: Readonly<Record<OrderState, number>> = {
  RECEIVED: 4,
  VALIDATION: 4,
  OPEN_PENDING: 4,
  AMO_RECEIVED: 6,
  OPEN: 6,
  TRIGGER_PENDING: 6,
  MODIFY_VALIDATION: 6,
  MODIFY_PENDING: 6,
  MODIFIED: 6,
  CANCEL_PENDING: 6,
  FILLED: 2,
  REJECTED: 5,
  CANCELLED: 1,
  EXPIRED: 7,
};
const typeCode = { LIMIT: 1, MARKET: 2, 'SL-M': 3, SL: 4 } as const;

/** What the indices are called where it is not their symbol. */
const indexNames: Readonly<Record<string, string>> = { NIFTY: 'NIFTY50', BANKNIFTY: 'NIFTYBANK' };

/** The symbol: exchange, name, and the series of a share. */
export function symbolOf(instrument: Instrument & Partial<Pick<Listed, 'series'>>): string {
  const { exchange, symbol, kind } = instrument;
  const series = kind === 'EQ' ? `-${seriesOf(instrument)}` : '';
  const name = kind === 'INDEX' ? `${indexNames[symbol] ?? symbol}-INDEX` : symbol;
  return `${places[exchange].prefix}:${name}${series}`;
}

/** Exchange and segment, expiry (zeros for shares) and the exchange's own token. */
export function fyToken({ exchange, expiry, exchangeToken }: Pick<Instrument, 'exchange' | 'expiry' | 'exchangeToken'>): string {
  const place = places[exchange];
  return `${place.exchange}${place.segment}${expiry?.slice(2).replaceAll('-', '') ?? '000000'}${exchangeToken}`;
}

const bySymbol = new Map(instruments.map((instrument) => [symbolOf(instrument), instrument]));

export function instrumentOf(symbol: string): Instrument | undefined {
  return bySymbol.get(symbol);
}

const indexBySymbol = new Map(indices.map((index) => [symbolOf(index), index]));

/** The same, and the indices: they have quotes alone. */
export function quotedOf(symbol: string): Instrument | undefined {
  return bySymbol.get(symbol) ?? indexBySymbol.get(symbol);
}

export function identity(instrument: Instrument) {
  const { exchange, segment } = places[instrument.exchange];
  return { symbol: symbolOf(instrument), fyToken: fyToken(instrument), exchange, segment };
}

function tagText(tag: string | null, none: string): string {
  return tag === null ? none : `1:${tag}`;
}

/** `slNo` counts the rows of a book from 1. */
export function orderRow(order: OrderView, quote: Quote, slNo: number) {
  const { instrument } = order;
  const status = statusCode[order.state];
  const change = dayChange(quote);
  const message = order.refusal ? refusalText(order.refusal) : '';
  const disclosed = Number(order.details.disclosedQty ?? 0);
  return {
    clientId: userId,
    id: order.orderId,
    id_fyers: order.details.idFyers ?? '',
    exchOrdId: order.exchangeOrderId,
    qty: order.quantity,
    remainingQuantity: order.pending + order.cancelled,
    filledQty: order.filled,
    discloseQty: disclosed,
    disclosedQty: disclosed,
    dqQtyRem: 0,
    limitPrice: Number(order.price),
    stopPrice: Number(order.triggerPrice),
    tradedPrice: Number(order.average),
    type: typeCode[order.orderType],
    ...identity(instrument),
    instrument: instrument.kind === 'EQ' ? 0 : instrument.kind === 'FUT' ? 11 : 14,
    message: order.state === 'FILLED' ? 'Completed' : message,
    offlineOrder: order.variety === 'AMO',
    orderDateTime: monthTime(order.receivedAt),
    orderValidity: order.validity,
    pan: '',
    productType: productWord[order.product],
    side: order.side === 'BUY' ? 1 : -1,
    status,
    source: order.byHand ? 'W' : 'ITS',
    ex_sym: instrument.underlying,
    description: instrument.name,
    ch: rounded(change.amount),
    chp: rounded(change.percent),
    lp: Number(quote.last),
    slNo,
    orderNumStatus: `${order.orderId}:${status}`,
    orderTag: tagText(order.tag, '2:Untagged'),
    takeProfit: 0,
    stopLoss: 0,
  };
}

export function tradeRow(trade: TradeView) {
  const { order, instrument } = trade;
  return {
    clientId: userId,
    orderDateTime: monthTime(trade.at),
    orderNumber: trade.orderId,
    exchangeOrderNo: order.exchangeOrderId ?? '',
    side: trade.side === 'BUY' ? 1 : -1,
    orderType: typeCode[order.orderType],
    ...identity(instrument),
    productType: productWord[trade.product],
    tradedQty: trade.quantity,
    tradePrice: Number(trade.price),
    tradeValue: rounded(trade.value),
    tradeNumber: trade.tradeId,
    row: Number(trade.tradeId),
    orderTag: tagText(order.tag, '1:Untagged'),
  };
}
