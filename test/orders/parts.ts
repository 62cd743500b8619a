import { PlaceOrderRequest } from '../../contract/orders.ts';
import type { OrderRow } from '../../contract/rows.ts';
import type { Attempt } from '../../server/journal/attempt.ts';
import type { OpenOrderRecord } from '../../server/journal/journal.ts';

/** When every attempt of these tests begins. */
export const START = Date.parse('2026-11-20T10:00:00+05:30');
export const TAG = 'k3v9c0m2p7q1x8za';

export function request(change: Partial<PlaceOrderRequest> = {}): PlaceOrderRequest {
  return PlaceOrderRequest.parse({
    symbol: 'SBIN',
    token: '779521',
    exchange: 'NSE',
    transaction_type: 'BUY',
    order_type: 'MARKET',
    product_type: 'INTRADAY',
    quantity: 10,
    ...change,
  });
}

export function attempt(change: Partial<Attempt> = {}): Attempt {
  return {
    key: 'k:one',
    state: 'SENDING',
    owner: 'process-1',
    epoch: 1,
    requestHash: 'hash',
    broker: 'zerodha',
    account: 'AB1234',
    tradingDay: '2026-11-20',
    tag: TAG,
    symbol: 'SBIN',
    token: '779521',
    exchange: 'NSE',
    side: 'BUY',
    orderType: 'MARKET',
    product: 'INTRADAY',
    quantity: 10,
    price: '0',
    strategy: null,
    aiConfidence: null,
    startedAt: START,
    clockOffsetMs: null,
    netBefore: null,
    orderId: '',
    brokerAnswer: null,
    fillStatus: null,
    filledQuantity: 0,
    response: null,
    resolvedAt: null,
    expiresAt: null,
    updatedAt: START,
    ...change,
  };
}

/** What records hold of an order of ours that rests: ten to be sold. */
export function restingRecord(change: Partial<OpenOrderRecord> = {}): OpenOrderRecord {
  return {
    ...{ broker: 'zerodha', account: 'AB1234', exchange: 'NSE', symbol: 'SBIN', token: null, product: 'INTRADAY', side: 'SELL' },
    ...{ orderId: '77', orderType: 'LIMIT', quantity: 10, filledQuantity: 0, price: '900', external: false, tradingDay: '2026-11-20' },
    ...change,
  };
}

export function orderRow(change: Partial<OrderRow> = {}): OrderRow {
  return {
    order_id: '1001',
    symbol: 'SBIN',
    token: null,
    exchange: 'NSE',
    transaction_type: 'BUY',
    order_type: 'MARKET',
    product_type: 'INTRADAY',
    quantity: 10,
    filled_quantity: 0,
    price: null,
    trigger_price: null,
    average_price: null,
    status: 'PLACED',
    state: 'OPEN',
    status_message: null,
    tag: TAG,
    variety: null,
    placed_at: new Date(START).toISOString(),
    ...change,
  };
}
