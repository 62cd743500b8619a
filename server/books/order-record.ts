import type { TransactionSql } from 'postgres';
import type { OrderStatus } from '../../contract/words.ts';
import { Big } from '../money.ts';
import { bookExecution } from './fill.ts';

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
  averagePrice: number | null;
  /** Epoch ms, UTC. */
  at: number;
}

interface Known {
  filled_quantity: number;
  avg_price: string | null;
  status: string;
}

const FINAL = ['FILLED', 'REJECTED', 'CANCELLED'];

/** Brings an order record up to what is known, and books what filled since. A fill is never taken back, a final state never left. */
export async function recordOrder(tx: TransactionSql, facts: OrderFacts, now: OrderProgress): Promise<void> {
  const known = await lockOrder(tx, facts, now);
  const filled = Math.max(known.filled_quantity, now.filledQuantity);
  const average = filled > known.filled_quantity && now.averagePrice !== null ? String(now.averagePrice) : known.avg_price;
  const status = FINAL.includes(known.status) ? known.status : now.status;
  await tx`
    update tsm_orders set status = ${status}, filled_quantity = ${filled}, avg_price = ${average}, updated_at = now()
    where broker = ${facts.broker} and order_id = ${now.orderId}
      and (status, filled_quantity, coalesce(avg_price, -1)) is distinct from (${status}, ${filled}::bigint, coalesce(${average}::numeric, -1))`;
  const added = filled - known.filled_quantity;
  if (added > 0 && average !== null) await bookExecution(tx, execution(facts, now, known, filled, average));
}

async function lockOrder(tx: TransactionSql, facts: OrderFacts, now: OrderProgress): Promise<Known> {
  await tx`
    insert into tsm_orders (order_id, broker, symbol, exchange, side, order_type, product, quantity, price, status, mode, created_at)
    values (${now.orderId}, ${facts.broker}, ${facts.symbol}, ${facts.exchange}, ${facts.side}, ${facts.orderType}, ${facts.product},
      ${facts.quantity}, ${facts.price}, ${now.filledQuantity > 0 ? 'PLACED' : now.status}, ${facts.mode}, to_timestamp(${now.at / 1000}))
    on conflict (broker, order_id) do nothing`;
  await tx`
    insert into order_details (broker, order_id, account, token, external)
    values (${facts.broker}, ${now.orderId}, ${facts.account}, ${facts.token}, ${facts.external}) on conflict (broker, order_id) do nothing`;
  const [known] = await tx<Known[]>`
    select filled_quantity, avg_price, status from tsm_orders where broker = ${facts.broker} and order_id = ${now.orderId} for update`;
  if (!known) throw new Error('An order record was not written');
  return known;
}

/** The part of the fill that is new, at the price that brings the old average to the new one. */
function execution(facts: OrderFacts, now: OrderProgress, known: Known, filled: number, average: string) {
  const added = filled - known.filled_quantity;
  const before = new Big(known.avg_price ?? '0').times(known.filled_quantity);
  const price = new Big(average).times(filled).minus(before).div(added).toFixed(4);
  const { broker, account, mode, exchange, symbol, token, product, side } = facts;
  const tradeId = `${now.orderId}:${filled}`;
  return {
    broker,
    account,
    mode,
    tradeId,
    orderId: now.orderId,
    exchange,
    symbol,
    token,
    style: product,
    side,
    quantity: added,
    price,
    at: now.at,
  };
}
