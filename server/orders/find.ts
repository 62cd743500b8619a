import type { OrderRow } from '../brokers/broker.ts';
import type { Attempt } from './attempt.ts';

/** A row may be stamped this much before our attempt began (clock grain), and this much after the send could still reach the broker. */
const EARLIER_MS = 2000;
const LATER_MS = 7000 + 120_000;

export type Finding =
  | { kind: 'found'; row: OrderRow }
  /** Nothing in this book can be ours. */
  | { kind: 'absent' }
  /** Something fits and cannot be told apart: neither ours nor proof of absence. */
  | { kind: 'unclear'; candidates: string[] };

interface Search {
  attempt: Attempt;
  rows: readonly OrderRow[];
  /** Order ids that belong to other attempts. */
  taken: ReadonlySet<string>;
}

/**
 * Looks for an attempt's order in one full order book. Our tag alone makes a row ours: one without a tag that fits may be a stranger's,
 * placed by hand while our own was lost, so that it is neither adopted nor taken for absence.
 */
export function findOrder({ attempt, rows, taken }: Search): Finding {
  const tagged = rows.filter((row) => row.tag === attempt.tag);
  if (tagged.length === 1 && tagged[0]) return { kind: 'found', row: tagged[0] };
  if (tagged.length > 1) return unclear(tagged);
  const fitting = rows.filter((row) => row.tag === null && !taken.has(row.order_id) && fits(row, attempt));
  return fitting.length === 0 ? { kind: 'absent' } : unclear(fitting);
}

function unclear(rows: readonly OrderRow[]): Finding {
  return { kind: 'unclear', candidates: rows.map((row) => row.order_id) };
}

/** Same exchange, symbol, side, quantity and time. Never order type or price: brokers turn MARKET into LIMIT. A row without a time fits. */
function fits(row: OrderRow, attempt: Attempt): boolean {
  if (row.exchange !== attempt.exchange || row.symbol !== attempt.symbol) return false;
  if (row.transaction_type !== attempt.side || row.quantity !== attempt.quantity) return false;
  if (row.placed_at === null) return true;
  const placedAt = Date.parse(row.placed_at) + (attempt.clockOffsetMs ?? 0);
  return placedAt >= attempt.startedAt - EARLIER_MS && placedAt <= attempt.startedAt + LATER_MS;
}
