import { z } from 'zod';
import { Big } from '../../money.ts';
import { decimal, Refusal } from '../parse.ts';
import { commonTick, protectedLimit } from '../protected-limit.ts';

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

/** An order without the limit it is to be sent with. */
export interface Unlimited {
  side: string;
  option: boolean;
  /** Of a stop, rupees; null of a MARKET order. */
  trigger: string | null;
}

/**
 * The limit (rupees, plain text) that stands for a missing one: Kotak's protection band beyond the last price or the trigger, never wider, on the
 * tick and inside the circuit limits. Throws Refusal where the quote does not tell enough.
 */
export function limitFor({ side, option, trigger }: Unlimited, quote: QuoteRow): string {
  const base = new Big(trigger ?? quote.ltp);
  const [lower, upper] = [quote.low_price_range || null, quote.high_price_range || null];
  if (base.lte(0)) throw cannot('it has not traded');
  // A trigger may lie anywhere; the last price lies inside them, and a way out must not wait for two numbers.
  if (trigger !== null && (lower === null || upper === null)) throw cannot('Kotak tells no circuit limits for it');
  if ((lower !== null && base.lt(lower)) || (upper !== null && base.gt(upper))) {
    const what = trigger === null ? 'order_type: the last price' : 'trigger_price:';
    throw new Refusal(`${what} ${base.toFixed()} is outside the circuit limits ${lower} to ${upper}`);
  }
  const buying = side === 'BUY';
  const edge = buying ? upper : lower;
  // At its circuit limit an instrument trades at that price or not at all.
  if (trigger === null && edge !== null && base.eq(edge)) return base.toFixed();
  const limit = protectedLimit({ buying, base, width: widthAt(base, option), tick: tickOf(base, quote), lower, upper });
  if (!limit) throw cannot('its tick size or the room to the circuit limit does not allow one');
  return limit.toFixed();
}

function widthAt(base: Big, option: boolean): Big {
  const band = (option ? optionBands : shareBands).find((each) => Number(base) < each.below);
  return band?.rupees ? new Big(band.rupees) : base.times(band?.share ?? 0);
}

function cannot(why: string): Refusal {
  return new Refusal(
    `order_type: MARKET and SL-M go to Kotak with a protected limit, and none can be set (${why}); send LIMIT or SL with a limit price`,
  );
}

/** Quotes do not name the tick: all prices in sight are multiples of it. */
function tickOf(base: Big, { ltp, low_price_range, high_price_range, ohlc, depth }: QuoteRow): Big {
  const levels = [...(depth?.buy ?? []), ...(depth?.sell ?? [])].map((level) => level.price);
  return commonTick([base, ltp, low_price_range, high_price_range, ohlc?.open, ohlc?.high, ohlc?.low, ...levels]);
}
