import type { OrderStatus } from '../../contract/words.ts';
import { Big } from '../money.ts';
import type { Execution } from './fill.ts';

/** What an order record holds that never changes. */
export interface OrderFacts {
  broker: string;
  account: string;
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
  const { broker, account, mode, exchange, symbol, token, product, side } = facts;
  const { orderId, at } = now;
  return {
    broker,
    account,
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
