import { Big } from '../money.ts';

/**
 * NSE refuses a stop whose limit lies more than 3 % from its trigger, of an option 20 %, of a trigger up to Rs 50 what that is of Rs 50
 * (NSE/CM/57613 and its sister circulars). Ours stay well inside; a limit too near is passed over when the price leaps.
 */
const STOP_SHARE = '0.025';
const OPTION_SHARE = '0.05';
/** A share of a small price is less than it moves at once: rupees. */
const STOP_LEAST = '0.5';

/** A limit price that stands for the missing one of a MARKET or SL-M order. Prices in rupees. */
export interface Missing {
  buying: boolean;
  /** The last price, or the trigger of a stop. */
  base: Big;
  /** How far beyond it the limit may lie. */
  width: Big;
  /** The tick, or a multiple of it. */
  tick: Big | string | number;
  /** Circuit limits, where they are known. */
  lower?: Big | string | number | null | undefined;
  upper?: Big | string | number | null | undefined;
}

/** How far beyond its trigger the limit of a stop may lie, rupees. */
export function stopWidth(trigger: Big, option: boolean): Big {
  const share = trigger.times(option ? OPTION_SHARE : STOP_SHARE);
  return share.lt(STOP_LEAST) ? new Big(STOP_LEAST) : share;
}

/** The limit, rupees: on a whole number of ticks, never wider than `width`, inside the circuit limits, above 0. Null where not one tick lies between it and the base. */
export function protectedLimit({ buying, base, width, tick, lower, upper }: Missing): Big | null {
  const sign = buying ? 1 : -1;
  const nearer = (one: Big, other: Big) => (one.minus(other).times(sign).gt(0) ? other : one);
  const edge = buying ? upper : (lower ?? tick);
  const wanted = base.plus(width.times(sign));
  const inside = edge === null || edge === undefined ? wanted : nearer(wanted, new Big(edge));
  const limit = inside
    .div(tick)
    .round(0, buying ? Big.roundDown : Big.roundUp)
    .times(tick);
  return limit.gt(0) && limit.minus(base).times(sign).gte(tick) ? limit : null;
}

/** The largest step that all these prices are multiples of, rupees: the tick or a multiple of it, which serves as well where nobody tells the tick. */
export function commonTick(prices: readonly (Big | string | number | null | undefined)[]): Big {
  const parts = prices.map((price) => Number(new Big(price ?? 0).times(10_000).round(0).toFixed()));
  return new Big(parts.reduce(greatestCommonDivisor, 0)).div(10_000);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
