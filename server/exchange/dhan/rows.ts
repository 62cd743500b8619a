import { istText } from '../../clock.ts';
import type { ExchangeOrder, Instrument, OrderState } from '../types.ts';
import type { OrderView, TradeView } from '../views.ts';
import { credentials } from './login.ts';
import { productWord, refusalText, segmentOf, tradingSymbol, typeWord } from './words.ts';

/** DhanHQ v2 rows of orders and trades: field names, spelling and times (IST, no zone) as the broker sends them. Prices in rupees, as JSON numbers. */

export const client = { dhanClientId: credentials.CLIENT_ID };
const never = '0001-01-01 00:00:00';

const statusWord: Readonly<Record<OrderState, string>> = {
  RECEIVED: 'TRANSIT',
  VALIDATION: 'TRANSIT',
  OPEN_PENDING: 'TRANSIT',
  AMO_RECEIVED: 'PENDING',
  OPEN: 'PENDING',
  TRIGGER_PENDING: 'PENDING',
  MODIFY_VALIDATION: 'PENDING',
  MODIFY_PENDING: 'PENDING',
  MODIFIED: 'PENDING',
  CANCEL_PENDING: 'PENDING',
  FILLED: 'TRADED',
  REJECTED: 'REJECTED',
  CANCELLED: 'CANCELLED',
  EXPIRED: 'EXPIRED',
};

export function statusOf(order: ExchangeOrder): string {
  const word = statusWord[order.state];
  return word === 'PENDING' && order.filled > 0 ? 'PART_TRADED' : word;
}

export function identity(instrument: Instrument) {
  return {
    exchangeSegment: segmentOf[instrument.exchange],
    tradingSymbol: tradingSymbol(instrument),
    securityId: String(instrument.exchangeToken),
  };
}

export function contract({ kind, expiry, strike }: Instrument) {
  const drvOptionType = kind === 'CE' ? 'CALL' : kind === 'PE' ? 'PUT' : 'NA';
  return { drvExpiryDate: expiry ?? '0001-01-01', drvOptionType, drvStrikePrice: Number(strike ?? 0) };
}

/** The average of a part fill is not to be relied upon: it is shown and left at 0 in turn. */
function averageShown(order: OrderView): number {
  const stale = order.unfilled > 0 && order.odd;
  return stale ? 0 : Number(order.average);
}

function tagShown(order: OrderView): string | null {
  if (order.byHand) return null;
  return order.tag ?? `${credentials.CLIENT_ID}-${order.receivedAt}`;
}

export function orderRow(order: OrderView) {
  const { instrument } = order;
  const reached = order.exchangeOrderId !== null;
  return {
    ...client,
    orderId: order.orderId,
    exchangeOrderId: order.exchangeOrderId ?? '0',
    correlationId: tagShown(order),
    orderStatus: statusOf(order),
    transactionType: order.side,
    ...identity(instrument),
    productType: productWord[order.product],
    orderType: typeWord[order.orderType],
    validity: order.validity,
    quantity: order.quantity,
    disclosedQuantity: Number(order.details.disclosedQuantity ?? 0),
    price: Number(order.price),
    triggerPrice: Number(order.triggerPrice),
    afterMarketOrder: order.variety === 'AMO',
    boProfitValue: 0,
    boStopLossValue: 0,
    legName: 'NA',
    createTime: istText(order.receivedAt),
    updateTime: istText(order.updatedAt),
    exchangeTime: reached ? istText(order.updatedAt) : never,
    ...contract(instrument),
    omsErrorCode: order.refusal ? '16387' : '0',
    omsErrorDescription: order.refusal ? refusalText(order.refusal, order.orderId) : 'CONFIRMED',
    algoId: null,
    remainingQuantity: order.unfilled,
    averageTradedPrice: averageShown(order),
    filledQty: order.filled,
  };
}

export function tradeRow(trade: TradeView) {
  const { order, instrument } = trade;
  return {
    ...client,
    orderId: trade.orderId,
    exchangeOrderId: order.exchangeOrderId ?? '0',
    exchangeTradeId: trade.tradeId,
    transactionType: trade.side,
    ...identity(instrument),
    productType: productWord[trade.product],
    orderType: typeWord[order.orderType],
    customSymbol: instrument.name,
    tradedQuantity: trade.quantity,
    tradedPrice: Number(trade.price),
    createTime: istText(order.receivedAt),
    updateTime: istText(trade.at),
    exchangeTime: istText(trade.at),
    ...contract(instrument),
  };
}
