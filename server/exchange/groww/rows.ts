import { quoted } from '../instruments.ts';
import type { ExchangeOrder, Instrument, OrderState } from '../types.ts';
import type { OrderView, TradeView } from '../views.ts';
import { istIso } from '../wire/times.ts';
import { orderTypeWord, productWord, refusalText } from './words.ts';

/** Groww's rows of orders and trades: field names and types as documented. Prices in rupees, as JSON numbers; times of orders in IST without a zone. */

export const userId = 'PR000001';

/** Exchange and segment of what Groww trades; CDS it does not. */
export const venueOf = {
  NSE: { exchange: 'NSE', segment: 'CASH' },
  BSE: { exchange: 'BSE', segment: 'CASH' },
  NFO: { exchange: 'NSE', segment: 'FNO' },
  BFO: { exchange: 'BSE', segment: 'FNO' },
  MCX: { exchange: 'MCX', segment: 'COMMODITY' },
  CDS: null,
} as const;

/** What an index is called where it is not its symbol. */
const indexNames: Readonly<Record<string, string>> = { MIDCPNIFTY: 'NIFTYMIDSELECT' };

export function indexName(symbol: string): string {
  return indexNames[symbol] ?? symbol;
}

export function tradingSymbol({ kind, symbol }: Instrument): string {
  return kind === 'INDEX' ? indexName(symbol) : symbol;
}

/** The exchange's token; an index of NSE has its name. */
export function tokenOf(instrument: Instrument): string {
  const named = instrument.kind === 'INDEX' && instrument.exchange === 'NSE';
  return named ? tradingSymbol(instrument) : String(instrument.exchangeToken);
}

const bySymbol = new Map(quoted.map((instrument) => [`${instrument.exchange}:${tradingSymbol(instrument)}`, instrument]));

/** By exchange and trading symbol, indices too. */
export function quotedAs(exchange: string, symbol: string): Instrument | undefined {
  return bySymbol.get(`${exchange}:${symbol}`);
}

const statusWord: Readonly<Record<OrderState, string>> = {
  RECEIVED: 'NEW',
  VALIDATION: 'NEW',
  OPEN_PENDING: 'ACKED',
  AMO_RECEIVED: 'NEW',
  OPEN: 'APPROVED',
  TRIGGER_PENDING: 'TRIGGER_PENDING',
  MODIFY_VALIDATION: 'MODIFICATION_REQUESTED',
  MODIFY_PENDING: 'MODIFICATION_REQUESTED',
  MODIFIED: 'APPROVED',
  CANCEL_PENDING: 'CANCELLATION_REQUESTED',
  FILLED: 'EXECUTED',
  REJECTED: 'REJECTED',
  CANCELLED: 'CANCELLED',
  EXPIRED: 'CANCELLED',
};
const doneWord = { INTRADAY: 'EXECUTED', DELIVERY: 'DELIVERY_AWAITED', CARRYFORWARD: 'COMPLETED' } as const;

/** OPEN stands in the examples and APPROVED in the list of states: both forms are shown in turn. */
export function statusOf(order: ExchangeOrder): string {
  if (order.state === 'FILLED') return doneWord[order.product];
  if (order.refusal?.code === 'RISK') return 'FAILED';
  if (order.state === 'OPEN' && BigInt(order.serial) % 2n === 1n) return 'OPEN';
  return statusWord[order.state];
}

export function remarkOf(order: ExchangeOrder): string {
  return order.refusal ? refusalText(order.refusal) : 'Order placed successfully';
}

export function orderRow(order: OrderView) {
  const placed = istIso(order.receivedAt);
  return {
    groww_order_id: order.orderId,
    trading_symbol: order.symbol,
    order_status: statusOf(order),
    remark: remarkOf(order),
    quantity: order.quantity,
    price: Number(order.price),
    trigger_price: Number(order.triggerPrice),
    filled_quantity: order.filled,
    remaining_quantity: order.unfilled,
    average_fill_price: Number(order.average),
    deliverable_quantity: order.product === 'DELIVERY' ? order.filled : 0,
    amo_status: order.state === 'AMO_RECEIVED' ? 'PARKED' : 'NA',
    validity: order.validity,
    ...venueOf[order.exchange],
    order_type: orderTypeWord[order.orderType],
    transaction_type: order.side,
    product: productWord[order.product],
    created_at: placed,
    exchange_time: order.exchangeOrderId === null ? null : placed,
    trade_date: `${placed.slice(0, 10)}T00:00:00Z`,
    order_reference_id: order.tag,
  };
}

/** What the two status calls tell. */
export function statusRow(order: OrderView) {
  const { groww_order_id, order_status, remark, filled_quantity, order_reference_id } = orderRow(order);
  return { groww_order_id, order_status, remark, filled_quantity, order_reference_id };
}

/** The documented times end in Z and show Indian trading hours; so do these. */
export function tradeRow(trade: TradeView) {
  const at = `${istIso(trade.at)}Z`;
  return {
    price: Number(trade.price),
    isin: trade.instrument.isin ?? '',
    quantity: trade.quantity,
    groww_order_id: trade.orderId,
    groww_trade_id: '',
    exchange_trade_id: trade.tradeId,
    exchange_order_id: trade.order.exchangeOrderId ?? '',
    trade_status: 'EXECUTED',
    trading_symbol: trade.symbol,
    remark: '',
    ...venueOf[trade.exchange],
    product: productWord[trade.product],
    transaction_type: trade.side,
    created_at: at,
    trade_date_time: at,
    settlement_number: '2026001',
  };
}
