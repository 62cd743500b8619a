/** What of a position row of an account decides how far back its books are computed anew. */
export interface RowHeader {
  /** Rises with the day. */
  id: number;
  open: boolean;
  /** A reconciliation closed it. */
  barred: boolean;
  /** A reconciliation set what it holds. */
  fixed: boolean;
  multiplier: string;
  /** Epoch ms: of its executions; `ended` is null while it is open. What no trade confirmed was booked as it was heard, which is not always the order of time. */
  began: number;
  ended: number | null;
}

export interface Change {
  /** When the first of the executions that come was traded, epoch ms; Infinity when none comes. */
  added: number;
  /** Rows from which executions are taken. */
  emptied: ReadonlySet<number>;
  /** The one that holds now, when it is known. */
  multiplier: string | undefined;
}

/** The first row of a position's day whose executions count: after the last one a reconciliation closed, and from the last one it set. Infinity: there is none. */
export function liveFrom(rows: readonly RowHeader[]): number {
  return rows.reduce((live, { id, barred, fixed }) => (fixed ? id : barred ? id + 1 : live), rows[0]?.id ?? Infinity);
}

/**
 * The first row of a position's day (in order of id) that a change can touch. Rows before it stay what they are: orders closed them, their multiplier is
 * the one that holds, nothing is taken from them, and all their executions lie before all others, those that come too.
 */
export function replayFrom(rows: readonly RowHeader[], { added, emptied, multiplier }: Change): number {
  const touched = rows.findIndex((row) => row.open || emptied.has(row.id) || row.multiplier !== (multiplier ?? row.multiplier));
  const closed = touched === -1 ? rows.length : touched;
  // Where the last execution so far lies before the first of all rows that follow.
  const last = running(rows, ({ ended }) => ended ?? -Infinity, Math.max);
  const next = running(rows.toReversed(), ({ began }) => began, Math.min).reverse();
  const apart = (index: number) => (last[index] ?? 0) < added && (last[index] ?? 0) <= (next[index + 1] ?? Infinity);
  const untouched = rows.findLastIndex((_, index) => index < closed && apart(index));
  return Math.max(liveFrom(rows), (rows[untouched]?.id ?? 0) + 1);
}

/** What `of` the rows comes to up to each of them. */
function running(rows: readonly RowHeader[], of: (row: RowHeader) => number, so: (a: number, b: number) => number): number[] {
  const [first, ...rest] = rows;
  if (!first) return [];
  const values = [of(first)];
  for (const row of rest) values.push(so(values.at(-1) ?? 0, of(row)));
  return values;
}
