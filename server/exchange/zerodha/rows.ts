import { istText } from '../../clock.ts';
import { quoted } from '../instruments.ts';
import type { Instrument, OrderState } from '../types.ts';
import type { OrderView, TradeView } from '../views.ts';
import { productWord, refusalText } from './words.ts';

/** Kite Connect v3 rows of orders and trades: field names, types and times (IST, no zone) as the broker sends them. Prices in rupees, as JSON numbers. */

export const userId = 'PR0001';

const segmentCode = { NSE: 1, NFO: 2, CDS: 3, BSE: 4, BFO: 5, MCX: 7 } as const;

const statusWord: Readonly<Record<OrderState, string>> = {
  RECEIVED: 'PUT ORDER REQ RECEIVED',
  VALIDATION: 'VALIDATION PENDING',
  OPEN_PENDING: 'OPEN PENDING',
  AMO_RECEIVED: 'AMO REQ RECEIVED',
  OPEN: 'OPEN',
  TRIGGER_PENDING: 'TRIGGER PENDING',
  MODIFY_VALIDATION: 'MODIFY VALIDATION PENDING',
  MODIFY_PENDING: 'MODIFY PENDING',
  MODIFIED: 'MODIFIED',
  CANCEL_PENDING: 'CANCEL PENDING',
  FILLED: 'COMPLETE',
  REJECTED: 'REJECTED',
  CANCELLED: 'CANCELLED',
  EXPIRED: 'CANCELLED',
};

const INDEX_CODE = 9;
/** Kite's names of indices, and its own numbers for them. */
const indexNames: Readonly<Record<string, readonly [name: string, number: number]>> = {
  NIFTY: ['NIFTY 50', 1001],
  BANKNIFTY: ['NIFTY BANK', 1016],
  FINNIFTY: ['NIFTY FIN SERVICE', 1007],
  MIDCPNIFTY: ['NIFTY MID SELECT', 1125],
  INDIAVIX: ['INDIA VIX', 1035],
  SENSEX: ['SENSEX', 1],
  BANKEX: ['BANKEX', 1072],
};

/** The number of an instrument within its segment: the exchange's, of an index Kite's own. */
export function exchangeToken({ kind, symbol, exchangeToken: given }: Pick<Instrument, 'kind' | 'symbol' | 'exchangeToken'>): number {
  return kind === 'INDEX' ? (indexNames[symbol]?.[1] ?? given) : given;
}

/** That number in the upper bytes, the segment in the lowest. */
export function instrumentToken(instrument: Pick<Instrument, 'exchange' | 'exchangeToken' | 'kind' | 'symbol'>): number {
  return exchangeToken(instrument) * 256 + (instrument.kind === 'INDEX' ? INDEX_CODE : segmentCode[instrument.exchange]);
}

/** `SBIN`, `NIFTY 50`; shares of the NSE carry their series unless it is EQ. */
export function tradingSymbol({ kind, exchange, symbol, series }: Instrument & { series?: string | null }): string {
  if (kind === 'INDEX') return indexNames[symbol]?.[0] ?? symbol;
  return exchange === 'NSE' && series && series !== 'EQ' ? `${symbol}-${series}` : symbol;
}

const byName = new Map(quoted.map((instrument) => [`${instrument.exchange}:${tradingSymbol(instrument)}`, instrument]));

/** By `NSE:SBIN`, `NSE:NIFTY 50`. */
export function quotedAs(name: string): Instrument | undefined {
  return byName.get(name);
}

const unacknowledged: readonly OrderState[] = ['RECEIVED', 'VALIDATION', 'OPEN_PENDING', 'AMO_RECEIVED'];

/** One order as GET /orders has it, or with `line` as one line of its history. */
export function orderRow(order: OrderView, line = false) {
  const acknowledged = !(line && unacknowledged.includes(order.state));
  const at = istText(order.updatedAt);
  const message = order.refusal ? refusalText(order.refusal) : null;
  const exchangeOrderId = acknowledged ? order.exchangeOrderId : null;
  return {
    account_id: userId,
    placed_by: userId,
    order_id: order.orderId,
    exchange_order_id: exchangeOrderId,
    parent_order_id: null,
    status: statusWord[order.state],
    status_message: message,
    status_message_raw: message,
    order_timestamp: line ? at : istText(order.receivedAt),
    exchange_update_timestamp: acknowledged ? at : null,
    exchange_timestamp: exchangeOrderId ? at : null,
    variety: order.variety === 'AMO' ? 'amo' : 'regular',
    modified: order.modifications > 0,
    exchange: order.exchange,
    tradingsymbol: order.symbol,
    instrument_token: instrumentToken(order.instrument),
    order_type: order.orderType,
    transaction_type: order.side,
    validity: order.details.validity ?? order.validity,
    validity_ttl: Number(order.details.validityTtl ?? 0),
    product: productWord[order.product],
    quantity: order.quantity,
    disclosed_quantity: Number(order.details.disclosedQuantity ?? 0),
    price: Number(order.price),
    trigger_price: Number(order.triggerPrice),
    average_price: Number(order.average),
    filled_quantity: order.filled,
    // As recorded: a cancelled row shows its rest as pending and as cancelled.
    pending_quantity: order.pending + order.cancelled,
    cancelled_quantity: order.cancelled,
    market_protection: 0,
    meta: {},
    ...tagsOf(order),
    guid: null,
  };
}

/** Whether our tag stays in `tag` on a protected market order is not known: both forms are shown in turn. */
function tagsOf({ tag, odd, details }: OrderView) {
  const own = tag === null ? [] : [tag];
  const market = details.marketTags?.split(' ') ?? [];
  if (market.length > 0 && tag !== null && odd) return { tag: null, tags: [...market, ...own] };
  const tags = [...own, ...market];
  return { tag, ...(tags.length > 0 ? { tags } : {}) };
}

export function tradeRow(trade: TradeView) {
  const { order, instrument } = trade;
  return {
    trade_id: trade.tradeId,
    order_id: trade.orderId,
    exchange: trade.exchange,
    tradingsymbol: trade.symbol,
    instrument_token: instrumentToken(instrument),
    product: productWord[trade.product],
    average_price: Number(trade.price),
    quantity: trade.quantity,
    exchange_order_id: order.exchangeOrderId,
    transaction_type: trade.side,
    fill_timestamp: istText(trade.at),
    order_timestamp: istText(order.receivedAt).slice(11),
    exchange_timestamp: istText(trade.at),
  };
}
