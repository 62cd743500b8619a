import { Big } from '../../money.ts';
import { Refusal } from '../parse.ts';
import { protectedLimit, stopWidth } from '../protected-limit.ts';
import type { QuoteRow } from './wire.ts';

/**
 * How far beyond the last price the limit of an order at market may lie, as a share of it, by where the price is. Shoonya publishes none: these are the
 * bands brokers publish for NSE.
 */
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

/** `NIFTY29DEC26C26000`, and on BFO `SENSEX26DEC85500CE`. */
const optionName = /\d([CP]\d+(\.\d+)?|CE|PE)$/;

export interface Protected {
  buying: boolean;
  /** What the limit is made of, rupees; with the name of the field to blame. */
  base: Big;
  field: 'order_type' | 'trigger_price';
}

/**
 * The limit (rupees, plain text) that stands for a missing one: the band beyond the base, one tick at least. Throws Refusal where the quote does not
 * tell enough, and for a stop between whose trigger and circuit limit no tick lies; an order for the last price at its circuit limit gets that.
 */
export function limitBeyond({ buying, base, field }: Protected, quote: QuoteRow): string {
  const { tsym, ti, uc, lc } = quote;
  if (!((ti ?? 0) > 0 && (uc ?? 0) > 0 && (lc ?? 0) > 0)) {
    throw new Refusal(
      `order_type: no protected limit can be set, since Shoonya's quote of ${tsym} lacks tick or circuit limits; send a limit price`,
    );
  }
  const [tick, upper, lower] = [new Big(ti ?? 0), new Big(uc ?? 0), new Big(lc ?? 0)];
  if (base.lt(lower) || base.gt(upper)) throw new Refusal(`${field}: ${base.toFixed()} is outside the circuit limits ${lower} to ${upper}`);
  const option = optionName.test(tsym);
  // A stop is passed over when the price leaps: it gets the room that the exchange leaves, and never more.
  if (field === 'trigger_price') {
    const limit = protectedLimit({ buying, base, width: stopWidth(base, option), tick, lower, upper });
    if (limit) return limit.toFixed();
    throw new Refusal(
      `trigger_price: between ${base.toFixed()} and the circuit limit ${buying ? upper : lower} no tick is left for the limit price Shoonya wants; use SL`,
    );
  }
  const band = base.times((option ? optionBands : shareBands).find(([below]) => Number(base) < below)?.[1] ?? 0);
  // From a base off the tick the next price but one is up to two ticks away.
  const least = tick.times(base.mod(tick).eq(0) ? 1 : 2);
  const limit = protectedLimit({ buying, base, width: band.gt(least) ? band : least, tick, lower, upper });
  if (limit) return limit.toFixed();
  const rounding = buying ? Big.roundDown : Big.roundUp;
  return (buying ? upper : lower).div(tick).round(0, rounding).times(tick).toFixed();
}
