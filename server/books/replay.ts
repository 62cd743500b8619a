import { Big } from '../money.ts';
import { bookDeal, dealOf, type PositionState, type SavedState, savedState, stateColumns, stateOf } from './average-cost.ts';

/** An execution as it is replayed. */
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

/** One position row as its executions make it. */
export interface Segment {
  state: PositionState;
  base: SavedState | null;
  openedAt: number;
  closedAt: number | null;
  entryOrderId: string | null;
  lastPrice: string | null;
  /** The executions that changed it first. */
  trades: ReplayTrade[];
}

export interface Start {
  base: SavedState;
  openedAt: number;
  entryOrderId: string | null;
}

/** The rows a position's executions make, in the exchange's order, from `start` (nothing, where the first row began with an execution). */
export function replay(start: Start | null, trades: readonly ReplayTrade[]): Segment[] {
  const segments: Segment[] = [];
  let current: Segment | null = start && { ...blank(stateOf(start.base), start.openedAt, start.entryOrderId), base: start.base };
  for (const trade of [...trades].sort(inOrder)) {
    const deal = dealOf(trade);
    const { row, opened }: ReturnType<typeof bookDeal> = bookDeal(current?.state ?? null, deal);
    if (current && row) {
      current.state = row;
      current.lastPrice = trade.price;
      current.trades.push(trade);
      if (row.qty === 0) {
        segments.push({ ...current, closedAt: trade.at });
        current = null;
      }
    }
    if (!opened) continue;
    current = { ...blank(opened, trade.at, trade.orderId), base: row ? savedState(opened, false) : null, lastPrice: trade.price };
    if (!row) current.trades.push(trade);
  }
  return current ? [...segments, current] : segments;
}

function blank(state: PositionState, openedAt: number, entryOrderId: string | null): Segment {
  return { state, base: null, openedAt, closedAt: null, entryOrderId, lastPrice: null, trades: [] };
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

/** The columns of a position row and its details that a replay decides, as texts and numbers to compare and to write. */
export function columnsOf(segment: Segment, multiplier: string) {
  const { state, base, openedAt, closedAt, entryOrderId } = segment;
  return {
    ...stateColumns(state, multiplier),
    side: state.side,
    opened_ms: openedAt,
    closed_ms: state.qty === 0 ? closedAt : null,
    entry_order_id: entryOrderId,
    multiplier: new Big(multiplier).toFixed(4),
    base: base && { ...base },
  };
}

export type Columns = ReturnType<typeof columnsOf>;
