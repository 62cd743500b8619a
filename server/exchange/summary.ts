import type { PlacingRequest } from './ledger.ts';
import { averageOf } from './matching.ts';
import type { Records } from './records.ts';
import type { BrokerId, ExchangeOrder, Trade } from './types.ts';

/** One order as the judge of the tests sees it. */
export interface LedgerOrder
  extends Pick<
    ExchangeOrder,
    'orderId' | 'tag' | 'byHand' | 'exchange' | 'symbol' | 'side' | 'orderType' | 'product' | 'quantity' | 'filled'
  > {
  broker: BrokerId;
  status: ExchangeOrder['state'];
  /** Average fill price, rupees as decimal text, 4 places; 0 when nothing filled. */
  average: string;
  /** Epoch ms. */
  receivedAt: number;
  /** When the newest change of it was taken, epoch ms; null: never changed. */
  changedAt: number | null;
}

/** What happened at the exchange, whatever an account may see of it. */
export interface Ledger {
  /** In the order they were received, all days. */
  orders: LedgerOrder[];
  trades: Trade[];
  /** Every placing request an emulator received, lost ones too. */
  requests: readonly PlacingRequest[];
  placingRequests: Partial<Record<BrokerId, number>>;
}

export function summaryOf(records: Records): Ledger {
  const { requests } = records;
  const books = records.books();
  const placingRequests: Partial<Record<BrokerId, number>> = {};
  for (const { broker } of requests) placingRequests[broker] = (placingRequests[broker] ?? 0) + 1;
  const orders = books.flatMap((book) => [...book.orders.values()]).map(ledgerOrder);
  return { orders, trades: books.flatMap((book) => book.trades), requests, placingRequests };
}

function ledgerOrder(order: ExchangeOrder): LedgerOrder {
  const { account, orderId, tag, byHand, exchange, symbol, side, orderType, product, quantity, filled, state, receivedAt } = order;
  const named = { broker: account, orderId, tag, byHand, exchange, symbol, side, orderType, product };
  const changedAt = order.history.findLast((line) => line.state === 'MODIFY_PENDING')?.at ?? null;
  return { ...named, quantity, filled, average: averageOf(order), status: state, receivedAt, changedAt };
}
