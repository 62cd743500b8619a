import type { OrderStatus } from '../../contract/words.ts';
import { Big } from '../money.ts';
import { bookDeal, dealOf, fixed, moneyOf, type PositionState, savedState, stateColumns } from './average-cost.ts';
import { type Execution, type OpenPosition, stateOfRow } from './position-rows.ts';

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
  /** Why the broker rejected or cancelled it, in its words. */
  reason?: string | null;
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

/** An order's record and its position as they stand, each with the version that tells whether it was written since; null where there is none. */
export interface Standing {
  /** `made`: its created_at, exact text. */
  record: (Known & { status: OrderStatus; version: string; made: string }) | null;
  open: (OpenPosition & { version: string }) | null;
  /** Of a position to be opened. */
  multiplier: string;
}

/** What is to be written of one step of an order. */
export interface Booking {
  record: { status: OrderStatus; filledQuantity: number; averagePrice: string | number | null; reason: string | null };
  /** The execution, when something filled that is not booked yet. */
  trade: Execution | null;
  /** What it makes of the open row. */
  row: ({ id: number } & ReturnType<typeof stateColumns>) | null;
  /** The row it opens. */
  opened: ReturnType<typeof openedOf> | null;
  /** Rupees that the capital record moves by. */
  deployed: Big;
  profit: Big;
}

const FINAL: readonly OrderStatus[] = ['FILLED', 'REJECTED', 'CANCELLED'];
const NOTHING: Known = { filled_quantity: 0, avg_price: null };

/**
 * What `now` (already `priced`) adds to what stands: a fill is never taken back, a final state never left, and what filled since is booked against the
 * open row at average cost. The open row is of the same account, or none.
 */
export function bookingOf(facts: OrderFacts, now: OrderProgress, { record, open, multiplier }: Standing): Booking {
  const before = record ?? NOTHING;
  const more = now.filledQuantity > before.filled_quantity;
  const trade = more && now.averagePrice !== null ? newFill(facts, now, before, now.averagePrice) : null;
  const stays = record && (FINAL.includes(record.status) || (now.status === 'PLACED' && record.filled_quantity > 0));
  const held = open && stateOfRow(open);
  const { row, opened } = trade && !now.past ? bookDeal(held, dealOf(trade)) : { row: null, opened: null };
  const was = held && row && moneyOf(held, open.multiplier);
  const is = row && open && moneyOf(row, open.multiplier);
  const entered = opened && moneyOf(opened, multiplier);
  const zero = new Big(0);
  const status = stays ? record.status : now.status;
  return {
    record: {
      status,
      filledQuantity: more ? now.filledQuantity : before.filled_quantity,
      averagePrice: more ? now.averagePrice : before.avg_price,
      reason: reasonOf(status, now.reason),
    },
    trade,
    row: row && open && { id: open.id, ...stateColumns(row, open.multiplier) },
    opened: opened && openedOf(opened, multiplier, row === null),
    deployed: (is?.deployed ?? zero).minus(was?.deployed ?? zero).plus(entered?.deployed ?? zero),
    profit: (is?.realized ?? zero).minus(was?.realized ?? zero),
  };
}

/** A broker's sentence; what is longer is no sentence. */
const LONGEST_REASON = 1000;

/** Why an order that is over was rejected or cancelled, as a record holds it; null for any other order, and where the broker does not say. */
export function reasonOf(status: OrderStatus, words: string | null | undefined): string | null {
  if (status !== 'REJECTED' && status !== 'CANCELLED') return null;
  // A database cannot keep NUL, and halves of characters are none.
  return words?.replaceAll('\0', '').slice(0, LONGEST_REASON).toWellFormed().trim() || null;
}

/** `fromFlat`: nothing was held before, so that the row's executions begin from nothing. */
function openedOf(row: PositionState, multiplier: string, fromFlat: boolean) {
  const cost = fixed(row.cost, 10);
  return { side: row.side, qty: row.qty, multiplier, cost, base: fromFlat ? null : JSON.stringify(savedState(row, false)) };
}
