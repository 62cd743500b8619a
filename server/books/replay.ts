import { Big } from '../money.ts';
import { type Base, baseOf, dealOf, type Holding, holdingColumns, holdingOf, step } from './fold.ts';

/** An execution as the fold takes it in. */
export interface ReplayTrade {
  orderId: string;
  tradeId: string;
  side: string;
  quantity: number;
  price: string;
  /** Epoch ms, UTC. */
  at: number;
  derived: boolean;
  /** In order of booking: decides between derived ones of one moment. */
  serial: number;
  /** The row it stands with; null before it has one. */
  positionId: number | null;
}

/** One position row as the fold makes it. */
export interface Segment {
  holding: Holding;
  base: Base | null;
  openedAt: number;
  closedAt: number | null;
  entryOrderId: string | null;
  lastPrice: string | null;
  /** The executions that changed it first. */
  trades: ReplayTrade[];
}

export interface Start {
  base: Base;
  openedAt: number;
  entryOrderId: string | null;
}

/** The rows a position's executions make, in the exchange's order, from `start` (nothing, where the first row began with an execution). */
export function replay(start: Start | null, trades: readonly ReplayTrade[]): Segment[] {
  const segments: Segment[] = [];
  let current: Segment | null = start && { ...blank(holdingOf(start.base), start.openedAt, start.entryOrderId), base: start.base };
  for (const trade of [...trades].sort(inOrder)) {
    const deal = dealOf(trade);
    const { row, opened }: ReturnType<typeof step> = step(current?.holding ?? null, deal);
    if (current && row) {
      current.holding = row;
      current.lastPrice = trade.price;
      current.trades.push(trade);
      if (row.qty === 0) {
        segments.push({ ...current, closedAt: trade.at });
        current = null;
      }
    }
    if (!opened) continue;
    current = { ...blank(opened, trade.at, trade.orderId), base: row ? baseOf(opened, false) : null, lastPrice: trade.price };
    if (!row) current.trades.push(trade);
  }
  return current ? [...segments, current] : segments;
}

function blank(holding: Holding, openedAt: number, entryOrderId: string | null): Segment {
  return { holding, base: null, openedAt, closedAt: null, entryOrderId, lastPrice: null, trades: [] };
}

/** By time; within one moment exact trades by their number, which exchanges count up, then derived ones as they were booked. */
export function inOrder(a: ReplayTrade, b: ReplayTrade): number {
  if (a.at !== b.at) return a.at - b.at;
  if (a.derived !== b.derived) return a.derived ? 1 : -1;
  if (a.derived) return a.serial - b.serial;
  const [one, other] = [sortable(a.tradeId), sortable(b.tradeId)];
  return one < other ? -1 : one > other ? 1 : a.serial - b.serial;
}

function sortable(tradeId: string): string {
  return /^\d+$/.test(tradeId) ? tradeId.padStart(40, '0') : tradeId;
}

/** The columns of a position row and its details that a fold decides, as texts and numbers to compare and to write. */
export function columnsOf(segment: Segment, multiplier: string) {
  const { holding, base, openedAt, closedAt, entryOrderId } = segment;
  return {
    ...holdingColumns(holding, multiplier),
    side: holding.side,
    opened_ms: openedAt,
    closed_ms: holding.qty === 0 ? closedAt : null,
    entry_order_id: entryOrderId,
    multiplier: new Big(multiplier).toFixed(4),
    base: base && { ...base },
  };
}

export type Columns = ReturnType<typeof columnsOf>;
