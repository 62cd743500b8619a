import type { OrderStatus } from '../../contract/words.ts';
import { Big } from '../money.ts';
import type { Execution } from './fill.ts';

/** What an order record holds that never changes. */
export interface OrderFacts {
  broker: string;
  account: string;
  /** `YYYY-MM-DD`, IST. */
  tradingDay: string;
  mode: string;
  symbol: string;
  token: string | null;
  exchange: string;
  side: string;
  product: string;
}

export interface OrderProgress {
  orderId: string;
  status: OrderStatus;
  filledQuantity: number;
  /** Rupees; null when the broker did not tell it yet. */
  averagePrice: number | null;
  /** Epoch ms, UTC. */
  at: number;
  /** Positions hold what it filled already: its trade is history alone. */
  past?: boolean;
}

/** What an order record says was filled. */
export interface Known {
  filled_quantity: number;
  avg_price: string | null;
}

/** What can be booked of it: nothing of a fill whose price is not known. */
export function priced<Told extends Pick<OrderProgress, 'status' | 'filledQuantity' | 'averagePrice'>>(told: Told): Told {
  return told.filledQuantity > 0 && !told.averagePrice ? { ...told, status: 'PLACED', filledQuantity: 0, averagePrice: null } : told;
}

/** The part of the fill that is new, at the price that brings the old average to the new one. */
export function newFill(
  facts: OrderFacts,
  now: Pick<OrderProgress, 'orderId' | 'filledQuantity' | 'at'>,
  before: Known,
  average: number,
): Execution {
  const added = now.filledQuantity - before.filled_quantity;
  const value = new Big(before.avg_price ?? '0').times(before.filled_quantity);
  const price = new Big(String(average)).times(now.filledQuantity).minus(value).div(added);
  const { broker, account, tradingDay, mode, exchange, symbol, token, product, side } = facts;
  const { orderId, at } = now;
  return {
    broker,
    account,
    tradingDay,
    mode,
    tradeId: `${orderId}:${now.filledQuantity}`,
    orderId,
    exchange,
    symbol,
    token,
    style: product,
    side,
    quantity: added,
    price: price.toFixed(4),
    at,
    derived: true,
  };
}

/**
 * SQL: `o`, order records, with `d`, the details of each. Fenced: until the tables are analyzed a plan would take an account's details for one row and
 * walk the open orders for each of them.
 */
export const DETAILED = `tsm_orders o cross join lateral (
  select * from order_details k where k.broker = o.broker and k.order_id = o.order_id and k.created_at = o.created_at offset 0) d`;

/**
 * SQL: the created_at of a record to be made, of an order of a broker from `at` on. Two accounts of a broker may have one order id in one millisecond:
 * the second record is made a microsecond later, so that the key of tsm_orders, which knows no account, tells them apart.
 */
export function madeAt(broker: string, orderId: string, at: string): string {
  return `coalesce((select max(other.created_at) + interval '1 microsecond' from tsm_orders other
    where other.broker = ${broker} and other.order_id = ${orderId} and other.created_at between ${at} and ${at} + interval '1 millisecond'), ${at})`;
}
