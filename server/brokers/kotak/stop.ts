import { z } from 'zod';
import { Big } from '../../money.ts';
import { decimal, Refusal } from '../parse.ts';

const price = z.looseObject({ price: decimal });
/** A row of the quotes. `low_price_range` and `high_price_range` are the circuit limits. Rupees as text. */
const quoteRow = z.looseObject({
  ltp: decimal,
  low_price_range: decimal.nullish(),
  high_price_range: decimal.nullish(),
  ohlc: z.looseObject({ open: decimal, high: decimal, low: decimal }).partial().nullish(),
  depth: z
    .looseObject({ buy: z.array(price), sell: z.array(price) })
    .partial()
    .nullish(),
});
export type QuoteRow = z.infer<typeof quoteRow>;
export const quotes = z.array(quoteRow);

/** Kotak's own protection for market orders: below this price, this share of it, or this many rupees. A price on a boundary takes the narrower band. */
const shareBands: readonly Band[] = [
  { below: 100, share: '0.02' },
  { below: 500, share: '0.01' },
  { below: Number.POSITIVE_INFINITY, share: '0.005' },
];
const optionBands: readonly Band[] = [
  { below: 1, rupees: '0.1' },
  { below: 5, share: '0.1' },
  { below: 10, share: '0.05' },
  { below: 100, share: '0.03' },
  { below: 500, share: '0.02' },
  { below: Number.POSITIVE_INFINITY, share: '0.01' },
];
interface Band {
  below: number;
  share?: string;
  rupees?: string;
}

export interface Stop {
  side: string;
  option: boolean;
  /** Rupees. */
  trigger: string;
}

/**
 * The limit (rupees, plain text) that stands for a stop order's missing one: Kotak's protection band beyond the trigger, never wider,
 * on the tick and inside the circuit limits. Throws Refusal where the quote does not tell enough.
 */
export function protectedLimit(stop: Stop, quote: QuoteRow): string {
  const trigger = new Big(stop.trigger);
  const { low_price_range: low, high_price_range: high } = quote;
  if (!low || !high) throw cannot('Kotak tells no circuit limits for it');
  if (trigger.lt(low) || trigger.gt(high))
    throw new Refusal(`trigger_price: ${stop.trigger} is outside the circuit limits ${low} to ${high}`);
  const band = (stop.option ? optionBands : shareBands).find((each) => Number(stop.trigger) < each.below);
  const width = band?.rupees ? new Big(band.rupees) : trigger.times(band?.share ?? 0);
  const buying = stop.side === 'BUY';
  const room = buying ? new Big(high).minus(trigger) : trigger.minus(low);
  const tick = commonTick(trigger, quote);
  const steps = (room.lt(width) ? room : width).div(tick).round(0, Big.roundDown);
  if (steps.lt(1)) throw cannot('its tick size or the room to the circuit limit does not allow one');
  return trigger.plus(steps.times(tick).times(buying ? 1 : -1)).toFixed();
}

function cannot(why: string): Refusal {
  return new Refusal(
    `order_type: Kotak takes no SL-M over its API and a protected limit cannot be set (${why}); send SL with a limit price`,
  );
}

/** The largest step that all prices in sight are multiples of: the tick, or a multiple of it, which serves as well. Quotes do not name the tick. */
function commonTick(trigger: Big, quote: QuoteRow): Big {
  const { ltp, low_price_range, high_price_range, ohlc, depth } = quote;
  const levels = [...(depth?.buy ?? []), ...(depth?.sell ?? [])].map((level) => level.price);
  const seen = [ltp, low_price_range, high_price_range, ohlc?.open, ohlc?.high, ohlc?.low, ...levels];
  const parts = [trigger, ...seen.map((value) => new Big(value ?? 0))].map((value) => Number(value.times(10_000).round(0).toFixed()));
  return new Big(parts.reduce(greatestCommonDivisor, 0)).div(10_000);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
