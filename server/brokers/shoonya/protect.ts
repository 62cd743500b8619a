import { Big } from '../../money.ts';
import { Refusal } from '../parse.ts';
import type { QuoteRow } from './wire.ts';

/** How far beyond a price a protected limit may lie, as a share of it, by where the price is. Shoonya publishes none: these are the bands brokers publish for NSE. */
const shareBands = [
  [100, '0.02'],
  [500, '0.01'],
  [Number.POSITIVE_INFINITY, '0.005'],
] as const;
const optionBands = [
  [10, '0.05'],
  [100, '0.03'],
  [500, '0.02'],
  [Number.POSITIVE_INFINITY, '0.01'],
] as const;

export interface Protected {
  buying: boolean;
  /** What the limit is made of, rupees; with the name of the field to blame. */
  base: Big;
  field: 'order_type' | 'trigger_price';
}

/**
 * The limit (rupees, plain text) that stands for a missing one: the band beyond the base, on the tick and never wider but for one whole tick,
 * inside the circuit limits. Throws Refusal where the quote does not tell enough.
 */
export function protectedLimit({ buying, base, field }: Protected, quote: QuoteRow): string {
  const { tsym, ti, uc, lc } = quote;
  if (!((ti ?? 0) > 0 && (uc ?? 0) > 0 && (lc ?? 0) > 0)) {
    throw new Refusal(
      `order_type: no protected limit can be set, since Shoonya's quote of ${tsym} lacks tick or circuit limits; send a limit price`,
    );
  }
  const [tick, upper, lower] = [new Big(ti ?? 0), new Big(uc ?? 0), new Big(lc ?? 0)];
  if (base.lt(lower) || base.gt(upper)) throw new Refusal(`${field}: ${base.toFixed()} is outside the circuit limits ${lower} to ${upper}`);
  const bands = /\d[CP]\d+(\.\d+)?$/.test(tsym) ? optionBands : shareBands;
  const share = bands.find(([below]) => Number(base) < below)?.[1] ?? 0;
  const sign = buying ? 1 : -1;
  const inward = buying ? Big.roundDown : Big.roundUp;
  const outward = buying ? Big.roundUp : Big.roundDown;
  const onTick = (price: Big, rounding: typeof inward) => price.div(tick).round(0, rounding).times(tick);
  const band = onTick(base.plus(base.times(share).times(sign)), inward);
  const least = onTick(base, outward).plus(tick.times(sign));
  const wanted = band.minus(least).times(sign).gt(0) ? band : least;
  const edge = onTick(buying ? upper : lower, inward);
  return (wanted.minus(edge).times(sign).gt(0) ? edge : wanted).toFixed();
}
