import { tradingDay } from '../../clock.ts';
import type { ExchangeOrder, Instrument, OrderState } from '../types.ts';
import type { OrderView, TradeView } from '../views.ts';
import { dateParts } from '../wire/times.ts';
import { clientCode, dateText, letters, marketRefused, refusalText, scripName } from './words.ts';

/** 5paisa's rows of orders and trades: field names, types, words and times as the broker sends them. Prices in rupees, as JSON numbers. */

const stateWords: Readonly<Record<OrderState, string>> = {
  RECEIVED: 'Xmitted',
  VALIDATION: 'Xmitted',
  OPEN_PENDING: 'Xmitted',
  AMO_RECEIVED: 'AH Placed',
  OPEN: 'Pending',
  TRIGGER_PENDING: 'Pending',
  MODIFY_VALIDATION: 'Xmitted',
  MODIFY_PENDING: 'Xmitted',
  MODIFIED: 'Modified',
  CANCEL_PENDING: 'Pending',
  FILLED: 'Fully Executed',
  REJECTED: 'Rejected By 5P',
  CANCELLED: 'Cancelled',
  EXPIRED: 'Cancelled',
};

export function identity(instrument: Instrument) {
  const [Exch, ExchType] = letters[instrument.exchange];
  return { Exch, ExchType, ScripCode: instrument.exchangeToken };
}

export function statusWord(order: ExchangeOrder): string {
  if (order.refusal?.code === 'WITHDRAWN' || order.refusal?.code === 'STOP_BAND') return 'Rejected by Exch';
  if (order.state === 'CANCELLED' && order.variety === 'AMO' && order.exchangeOrderId === null) return 'AH Cancelled';
  return stateWords[order.state];
}

function isAtMarket(order: ExchangeOrder): boolean {
  return order.askedType === 'MARKET' || order.askedType === 'SL-M';
}

export function reasonOf(order: ExchangeOrder): string {
  if (!order.refusal) return '';
  return order.refusal.code === 'RISK' && isAtMarket(order) ? marketRefused : refusalText(order.refusal);
}

export function orderRow(order: OrderView) {
  const { instrument } = order;
  const afterHours = order.variety === 'AMO';
  const stop = Number(order.triggerPrice) > 0;
  return {
    AHProcess: 'N',
    AfterHours: afterHours ? 'Y' : 'N',
    AtMarket: isAtMarket(order) ? 'Y' : 'N',
    AveragePrice: Number(order.average),
    BrokerOrderId: Number(order.orderId),
    BrokerOrderTime: dateText(order.receivedAt),
    BuySell: order.side === 'BUY' ? 'B' : 'S',
    DelvIntra: order.product === 'INTRADAY' ? 'I' : 'D',
    DisClosedQty: Number(order.details.disclosed ?? 0),
    ...identity(instrument),
    ExchOrderID: order.exchangeOrderId ?? '0',
    ExchOrderTime: dateText(order.updatedAt),
    MarketLot: instrument.lotSize,
    OldorderQty: 0,
    OrderRequesterCode: clientCode,
    OrderStatus: statusWord(order),
    OrderValidUpto: dayText(order.receivedAt),
    OrderValidity: order.validity === 'IOC' ? 3 : 0,
    PendingQty: order.pending + order.cancelled,
    Qty: order.quantity,
    Rate: Number(order.price),
    Reason: reasonOf(order),
    RemoteOrderID: order.tag ?? '',
    RequestType: order.modifications > 0 ? 'M' : 'P',
    SLTriggerRate: Number(order.triggerPrice),
    SLTriggered: stop && (order.state === 'OPEN' || order.filled > 0) ? 'Y' : 'N',
    SMOProfitRate: 0,
    SMOSLLimitRate: 0,
    SMOSLTriggerRate: 0,
    SMOTrailingSL: 0,
    ScripName: scripName(instrument),
    TerminalId: 46188,
    TradedQty: order.filled,
    WithSL: stop ? 'Y' : 'N',
  };
}

/** `07 Feb 2024` */
function dayText(at: number): string {
  const { year, monthName, day } = dateParts(tradingDay(at));
  return `${day} ${monthName} ${year}`;
}

/** A row of the look-up by tag: it names neither tag nor side, its ids are numbers, and before a fill the average is the order's own price. */
export function statusRow(order: OrderView) {
  const { instrument } = order;
  return {
    AveragePrice: Number(order.filled > 0 ? order.average : order.price),
    ...identity(instrument),
    ExchOrderID: Number(order.exchangeOrderId ?? 0),
    ExchOrderTime: dateText(order.updatedAt),
    OrderQty: order.quantity,
    OrderRate: Number(order.price),
    PendingQty: order.pending + order.cancelled,
    Status: statusWord(order),
    Symbol: scripName(instrument),
    TradedQty: order.filled,
  };
}

export function tradeRow(trade: TradeView) {
  const { order, instrument } = trade;
  return {
    BuySell: trade.side === 'BUY' ? 'B' : 'S',
    DelvIntra: trade.product === 'INTRADAY' ? 'I' : 'D',
    ...identity(instrument),
    ExchOrderID: order.exchangeOrderId ?? '',
    ExchangeTradeID: trade.tradeId,
    ExchangeTradeTime: dateText(trade.at),
    Multiplier: instrument.multiplier,
    OrgQty: order.quantity,
    PendingQty: order.unfilled,
    Qty: trade.quantity,
    Rate: Number(trade.price),
    ScripName: scripName(instrument),
    TradeType: 'ON',
  };
}
