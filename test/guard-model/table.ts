// The guard's table as the order safety rules print it, row by row, on numbers alone. Nothing here knows the server's guard: the two are compared.

export type Side = 'BUY' | 'SELL';

/** What a net may be, smallest and largest; bought is positive. */
export interface Span {
  low: number;
  high: number;
}

export interface Case {
  side: Side;
  quantity: number;
  reduceOnly: boolean;
  guardOn: boolean;
  /** Positions were read in the order's turn and could be read; else the spans are what our records say. */
  read: boolean;
  /** The order's own product, what is held included, before our unknown orders of its side. */
  own: Span;
  /** All products of the instrument, before our unknown orders of its side. */
  sum: Span;
  unknownOwn: number;
  unknownSum: number;
  workingOwn: number;
}

export interface Answer {
  blocked: boolean;
  /** How long a refusal stands under its key. */
  stored: 'stored' | 'briefly' | 'not';
  onlyReduces: boolean;
  /** Whether the kill switch lets it leave. */
  leavesWhenKilled: boolean;
}

/** The first row that fits. */
export function answerOf(of: Case): Answer {
  const { quantity, unknownOwn, unknownSum, workingOwn } = of;
  const own = along(of.side, of.own);
  const sum = along(of.side, of.sum);
  const liesOpposite = own.high < 0;
  const onlyReduces = liesOpposite && quantity + unknownOwn <= Math.abs(own.high);
  const leavesWhenKilled = liesOpposite && quantity + unknownOwn + workingOwn <= Math.abs(own.high);
  const passes: Answer = { blocked: false, stored: 'not', onlyReduces, leavesWhenKilled };
  const blocked: Answer = { ...passes, blocked: true };

  if (of.reduceOnly && !leavesWhenKilled) return blocked;
  if (onlyReduces) return passes;
  if (of.guardOn && !of.read) return { ...blocked, stored: 'briefly' };
  const inOwnDirection = sum.high > 0;
  if (of.guardOn && inOwnDirection) return { ...blocked, stored: sum.low > 0 ? 'stored' : 'not' };
  if (unknownSum === 0) return passes;
  if (sum.high < 0 && quantity + unknownSum <= Math.abs(sum.high)) return passes;
  return blocked;
}

/** A span seen from a side: its own direction is positive, the worse end is `high`. */
function along(side: Side, { low, high }: Span): Span {
  return side === 'BUY' ? { low, high } : { low: -high, high: -low };
}
