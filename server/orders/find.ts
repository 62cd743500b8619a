import type { OrderRow } from '../brokers/broker.ts';
import type { InstrumentNames } from '../brokers/instrument.ts';
import { tradingDay } from '../clock.ts';
import type { Attempt } from '../journal/attempt.ts';

/** A row may be stamped this much before our attempt began (clock grain), and this much after the send could still reach the broker. */
const EARLIER_MS = 2000;
const LATER_MS = 7000 + 120_000;

/** Our tag alone makes a row ours. More than one: nobody can tell. Brokers may write it in other letters. */
export function taggedRows(attempt: Attempt, rows: readonly OrderRow[]): OrderRow[] {
  const tag = attempt.tag.toLowerCase();
  return rows.filter((row) => row.tag?.toLowerCase() === tag);
}

/** A row of an order begun on `day` or later. Ids come again, and a book may still show an earlier day's orders. Without a time it may be. */
export function isSince({ placed_at }: OrderRow, day: string, clockOffsetMs = 0): boolean {
  return placed_at === null || tradingDay(Date.parse(placed_at) + clockOffsetMs) >= day;
}

/** A row of an order placed on `day` or earlier: an AMO order's row is of an evening before its day. */
export function isUntil({ placed_at }: OrderRow, day: string, clockOffsetMs = 0): boolean {
  return placed_at === null || tradingDay(Date.parse(placed_at) + clockOffsetMs) <= day;
}

/**
 * The row of an attempt whose order id is known: an id may be given to another order a day earlier or later. Where two clocks show two days at midnight
 * only a tag makes a row ours.
 */
export function rowById(attempt: Attempt, rows: readonly OrderRow[]): OrderRow | null {
  const { orderId, tag, tradingDay: day, startedAt, clockOffsetMs } = attempt;
  const isOfItsDay = (row: OrderRow) => isSince(row, tradingDay(startedAt), clockOffsetMs ?? 0) && isUntil(row, day, clockOffsetMs ?? 0);
  return rows.find((row) => row.order_id === orderId && (row.tag?.toLowerCase() === tag.toLowerCase() || isOfItsDay(row))) ?? null;
}

/**
 * Rows without a tag that may be ours: one may be a stranger's, placed by hand while ours was lost, so that it is neither adopted nor taken for
 * absence. Same side, quantity and time, and nothing that proves another instrument. Never order type or price: brokers turn MARKET into LIMIT.
 */
export function fittingRows(attempt: Attempt, rows: readonly OrderRow[], names: InstrumentNames): OrderRow[] {
  return rows.filter((row) => row.tag === null && alike(row, attempt) && names.mayBeSame(row, attempt));
}

/** A row without a time fits. */
function alike(row: OrderRow, attempt: Attempt): boolean {
  if (row.transaction_type !== attempt.side || row.quantity !== attempt.quantity) return false;
  if (row.placed_at === null) return true;
  const placedAt = Date.parse(row.placed_at) + (attempt.clockOffsetMs ?? 0);
  return placedAt >= attempt.startedAt - EARLIER_MS && placedAt <= attempt.startedAt + LATER_MS;
}
