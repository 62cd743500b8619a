import type { TransactionSql } from 'postgres';
import type { OrderStatus } from '../../contract/words.ts';
import type { CommitWith } from '../db/transaction.ts';
import { Big } from '../money.ts';
import { bookExecution, type Execution, openPosition } from './fill.ts';

/** What an order record holds that never changes. */
export interface OrderFacts {
  broker: string;
  account: string;
  mode: string;
  symbol: string;
  token: string | null;
  exchange: string;
  side: string;
  orderType: string;
  product: string;
  quantity: number;
  /** Rupees, plain decimal text. */
  price: string | null;
  /** Placed elsewhere: recorded, never touched. */
  external: boolean;
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

/**
 * Brings an order record up to what is known, and books what filled since. A fill is never taken back, a final state never left,
 * and a fill without its price waits for it, the order staying open until then. An order that proves ours is external no more.
 * Runs inside the caller's transaction; `beside` is a statement of the caller's that goes out in the same round trip, before everything here,
 * and with `commitWith` the caller has nothing to add: the commit may go out with the last statements.
 */
export async function recordOrder(
  tx: TransactionSql,
  facts: OrderFacts,
  told: OrderProgress,
  { beside, commitWith }: { beside?: Promise<unknown>; commitWith?: CommitWith } = {},
): Promise<void> {
  const place = { broker: facts.broker, exchange: facts.exchange, symbol: facts.symbol, style: facts.product };
  const now = priced(told);
  const [, before, open] = await Promise.all([
    beside,
    upsertOrder(tx, facts, now),
    now.filledQuantity > 0 ? openPosition(tx, place) : null,
  ]);
  const added = now.filledQuantity - before.filled_quantity;
  if (added <= 0 || now.averagePrice === null) return;
  const booked = bookExecution(tx, newFill(facts, now, before, now.averagePrice), open);
  await (commitWith ? commitWith(booked) : booked);
}

/** What can be booked of it: nothing of a fill whose price is not known. */
export function priced<Told extends Pick<OrderProgress, 'status' | 'filledQuantity' | 'averagePrice'>>(told: Told): Told {
  return told.filledQuantity > 0 && !told.averagePrice ? { ...told, status: 'PLACED', filledQuantity: 0, averagePrice: null } : told;
}

/** Returns what the record said before, zero for a new one. The record stays locked, so that no fill is booked twice. */
async function upsertOrder(tx: TransactionSql, facts: OrderFacts, now: OrderProgress): Promise<Known> {
  const [before] = await tx<Known[]>`
    with before as (
      select filled_quantity, avg_price from tsm_orders where broker = ${facts.broker} and order_id = ${now.orderId} for update
    ), written as (
      insert into tsm_orders as o (order_id, broker, symbol, exchange, side, order_type, product, quantity, price, filled_quantity, avg_price, status, mode, created_at)
      values (${now.orderId}, ${facts.broker}, ${facts.symbol}, ${facts.exchange}, ${facts.side}, ${facts.orderType}, ${facts.product},
        ${facts.quantity}, ${facts.price}, ${now.filledQuantity}, ${now.averagePrice}, ${now.status}, ${facts.mode}, to_timestamp(${now.at / 1000}))
      on conflict (broker, order_id) do update set
        status = case when o.status in ('FILLED', 'REJECTED', 'CANCELLED') or (excluded.status = 'PLACED' and o.filled_quantity > 0)
          then o.status else excluded.status end,
        filled_quantity = greatest(o.filled_quantity, excluded.filled_quantity),
        avg_price = case when excluded.filled_quantity > o.filled_quantity then excluded.avg_price else o.avg_price end,
        updated_at = now()
    ), detailed as (
      insert into order_details as known (broker, order_id, account, token, external)
      values (${facts.broker}, ${now.orderId}, ${facts.account}, ${facts.token}, ${facts.external})
      on conflict (broker, order_id) do update set external = known.external and excluded.external, token = coalesce(excluded.token, known.token)
      where (known.external and not excluded.external) or known.token is distinct from coalesce(excluded.token, known.token)
    )
    select filled_quantity, avg_price from before`;
  return before ?? { filled_quantity: 0, avg_price: null };
}

/** The part of the fill that is new, at the price that brings the old average to the new one. */
export function newFill(
  facts: Pick<OrderFacts, 'broker' | 'account' | 'mode' | 'exchange' | 'symbol' | 'token' | 'product' | 'side'>,
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
