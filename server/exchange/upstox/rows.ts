import { istText } from '../../clock.ts';
import { indices, instruments } from '../instruments.ts';
import type { ExchangeOrder, Instrument, OrderState } from '../types.ts';
import type { OrderView, TradeView } from '../views.ts';
import { orderSystemWords } from '../wire/state-words.ts';
import { monthTime } from '../wire/times.ts';
import { refusalText } from './words.ts';

/** Upstox rows of orders and trades, and its names of instruments: field names, types and times (IST, no zone) as the broker sends them. Prices in rupees, as JSON numbers. */

export const userId = 'PU0001';

const segmentOf = { NSE: 'NSE_EQ', BSE: 'BSE_EQ', NFO: 'NSE_FO', BFO: 'BSE_FO', MCX: 'MCX_FO', CDS: 'NCD_FO' } as const;

const unacknowledged: readonly OrderState[] = ['RECEIVED', 'VALIDATION', 'OPEN_PENDING', 'AMO_RECEIVED'];

/** Upstox's names of indices where they are not the exchange's. */
const indexNames: Readonly<Record<string, string>> = { MIDCPNIFTY: 'NIFTY MID SELECT' };

export function indexName({ symbol, name }: Instrument): string {
  return indexNames[symbol] ?? name;
}

export function segment({ exchange, kind }: Instrument): string {
  return kind === 'INDEX' ? `${exchange}_INDEX` : segmentOf[exchange];
}

/** Shares go by their ISIN, indices by their name, contracts by the exchange's token. */
export function instrumentKey(instrument: Instrument): string {
  const { kind, isin, exchangeToken } = instrument;
  return `${segment(instrument)}|${kind === 'INDEX' ? indexName(instrument) : (isin ?? exchangeToken)}`;
}

const byKey = new Map(instruments.map((instrument) => [instrumentKey(instrument), instrument]));

export function instrumentOfKey(key: string): Instrument | undefined {
  return byKey.get(key);
}

const indexByKey = new Map(indices.map((index) => [instrumentKey(index), index]));

/** The same, and the indices: they have quotes alone. */
export function quotedOfKey(key: string): Instrument | undefined {
  return byKey.get(key) ?? indexByKey.get(key);
}

/** Order book, trades and positions write NSE shares with their series; holdings do not. */
export function named(instrument: Instrument) {
  const name = instrument.exchange === 'NSE' ? `${instrument.symbol}-EQ` : instrument.symbol;
  return { exchange: instrument.exchange, instrument_token: instrumentKey(instrument), trading_symbol: name, tradingsymbol: name };
}

export function productWord(product: ExchangeOrder['product']): string {
  return product === 'INTRADAY' ? 'I' : 'D';
}

/** One order, or with `line` one line of its history. A market order keeps its word although the exchange holds a limit for it. */
export function orderRow(order: OrderView, line = false) {
  const { instrument, state } = order;
  const acknowledged = order.exchangeOrderId !== null && !unacknowledged.includes(state);
  const message = order.refusal ? refusalText(order.refusal) : null;
  const market = order.askedType === 'MARKET' && order.modifications === 0;
  const status = orderSystemWords[state];
  const beforeMarket = order.variety === 'AMO' && order.exchangeOrderId === null && status === 'cancelled';
  return {
    ...named(instrument),
    product: productWord(order.product),
    price: market ? 0 : Number(order.price),
    quantity: order.quantity,
    status: beforeMarket ? 'cancelled after market order' : status,
    guid: null,
    tag: order.tag,
    placed_by: userId,
    order_type: market ? 'MARKET' : order.orderType,
    validity: order.validity,
    trigger_price: Number(order.triggerPrice),
    disclosed_quantity: Number(order.details.disclosedQuantity ?? 0),
    transaction_type: order.side,
    average_price: Number(order.average),
    filled_quantity: order.filled,
    pending_quantity: order.pending,
    status_message: message,
    status_message_raw: message,
    exchange_order_id: acknowledged ? order.exchangeOrderId : null,
    parent_order_id: null,
    order_id: order.orderId,
    variety: 'SIMPLE',
    order_timestamp: istText(line ? order.updatedAt : order.receivedAt),
    exchange_timestamp: acknowledged ? istText(order.updatedAt) : null,
    is_amo: order.variety === 'AMO',
    order_request_id: String(order.modifications + 1),
    order_ref_id: `udapi-${order.serial}`,
  };
}

/** Trades write their times in another form than orders. */
export function tradeRow(trade: TradeView) {
  const { order, instrument } = trade;
  return {
    ...named(instrument),
    product: productWord(trade.product),
    order_type: order.askedType,
    transaction_type: trade.side,
    quantity: trade.quantity,
    exchange_order_id: order.exchangeOrderId,
    order_id: trade.orderId,
    exchange_timestamp: monthTime(trade.at),
    average_price: Number(trade.price),
    trade_id: trade.tradeId,
    order_ref_id: `udapi-${order.serial}`,
    order_timestamp: monthTime(order.receivedAt),
  };
}
