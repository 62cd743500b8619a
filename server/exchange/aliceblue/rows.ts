import { istText } from '../../clock.ts';
import { instruments } from '../instruments.ts';
import { seriesOf } from '../listed.ts';
import type { Instrument, Listed, OrderState } from '../types.ts';
import type { OrderView, TradeView } from '../views.ts';
import { dateParts } from '../wire/times.ts';
import { clientId, refusalText } from './words.ts';

/** Alice Blue rows of orders and trades, and its names of instruments: field names, types and times (IST) as the broker sends them. Prices in rupees, as JSON numbers. */

const statusWord: Readonly<Record<OrderState, string>> = {
  RECEIVED: 'PENDING',
  VALIDATION: 'PENDING',
  OPEN_PENDING: 'PENDING',
  AMO_RECEIVED: 'AMO REQ RECEIVED',
  OPEN: 'OPEN',
  TRIGGER_PENDING: 'TRIGGER_PENDING',
  MODIFY_VALIDATION: 'OPEN',
  MODIFY_PENDING: 'OPEN',
  MODIFIED: 'OPEN',
  CANCEL_PENDING: 'OPEN',
  FILLED: 'COMPLETE',
  REJECTED: 'REJECTED',
  CANCELLED: 'CANCELED',
  EXPIRED: 'Cancelled',
};

const typeWord = { MARKET: 'MARKET', LIMIT: 'LIMIT', SL: 'SL', 'SL-M': 'SLM' } as const;
const byToken = new Map(instruments.map((instrument) => [`${instrument.exchange}|${instrument.exchangeToken}`, instrument]));

export function instrumentOf(exchange: string, token: string): Instrument | undefined {
  return byToken.get(`${exchange}|${token}`);
}

/** Trading symbol without the series: SBIN, NIFTY29DEC26F, NIFTY29DEC26C26000; futures of commodities end with their date. */
export function plainName({ exchange, symbol, expiry, underlying, strike, kind }: Instrument): string {
  if (expiry === null) return symbol;
  const { year, monthName, day } = dateParts(expiry);
  const date = `${day}${monthName.toUpperCase()}${year.slice(2)}`;
  if (kind === 'FUT') return `${underlying}${date}${exchange === 'MCX' ? '' : 'F'}`;
  return `${underlying}${date}${kind.slice(0, 1)}${strike}`;
}

/** The same with the series of a share on NSE: SBIN-EQ. */
export function seriesName(instrument: Instrument & Partial<Pick<Listed, 'series'>>): string {
  const { exchange, kind } = instrument;
  return exchange === 'NSE' && kind === 'EQ' ? `${instrument.symbol}-${seriesOf(instrument)}` : plainName(instrument);
}

/** Units of the books in one quantity of a placement: commodities are placed in lots and shown in units. */
export function unitsOf({ exchange, multiplier }: Instrument): number {
  return exchange === 'MCX' ? multiplier : 1;
}

const productWord = { INTRADAY: 'INTRADAY', DELIVERY: 'LONGTERM', CARRYFORWARD: 'NORMAL' } as const;

/** One order, as it stands or as it stood on one line of its history. */
export function orderRow(order: OrderView) {
  const { instrument } = order;
  const units = unitsOf(instrument);
  return {
    clientId,
    placedBy: clientId,
    brokerOrderId: order.orderId,
    exchange: order.exchange,
    exchangeOrderId: order.exchangeOrderId ?? '',
    formattedInstrumentName: seriesName(instrument),
    tradingSymbol: plainName(instrument),
    instrumentId: String(instrument.exchangeToken),
    transactionType: order.side,
    quantity: order.quantity * units,
    product: productWord[order.product],
    orderComplexity: order.variety === 'AMO' ? 'AMO' : 'REGULAR',
    orderType: typeWord[order.orderType],
    price: Number(order.price),
    averageTradedPrice: Number(order.average),
    slTriggerPrice: Number(order.triggerPrice),
    validity: order.validity,
    disclosedQuantity: 0,
    orderTime: istText(order.receivedAt),
    exchangeUpdateTime: order.exchangeOrderId === null ? '' : istText(order.updatedAt),
    rejectionReason: order.refusal ? refusalText(order.refusal, order) : '',
    mainLegOrderId: '',
    cancelledQuantity: order.cancelled * units,
    pendingQuantity: order.pending * units,
    filledQuantity: order.filled * units,
    appKey: '',
    algoId: order.details.algoId ?? '',
    source: order.byHand ? 'WEB' : 'API',
    orderTag: order.tag ?? '',
    trailingSlAmount: 0,
    brokerUpdateTime: istText(order.updatedAt),
    marketProtectionPercent: '',
    exchangeTimestamp: '',
    orderStatus: statusWord[order.state],
  };
}

export function tradeRow(trade: TradeView) {
  const { order, instrument } = trade;
  return {
    clientId,
    placedBy: clientId,
    brokerOrderId: trade.orderId,
    exchangeOrderId: order.exchangeOrderId,
    exchangeTradeId: trade.tradeId,
    formattedInstrumentName: plainName(instrument),
    tradingSymbol: seriesName(instrument),
    instrumentId: String(instrument.exchangeToken),
    exchange: trade.exchange,
    transactionType: trade.side,
    product: productWord[trade.product],
    orderComplexity: order.variety === 'AMO' ? 'AMO' : 'REGULAR',
    orderType: typeWord[order.orderType],
    validity: order.validity,
    tradedPrice: Number(trade.price),
    filledQuantity: trade.quantity * unitsOf(instrument),
    orderTime: istText(order.receivedAt),
    fillTimestamp: istText(trade.at),
    orderTag: order.tag ?? '--',
    algoId: order.details.algoId ?? '',
  };
}
