import { Big } from '../../money.ts';
import { Refusal } from '../parse.ts';
import type { Quote } from './quote.ts';

/** How far a protected limit may lie beyond its starting price: below this many rupees, this share. Alice Blue names none; other brokers use these. */
const shareBands = [
  { below: 100, share: '0.02' },
  { below: 500, share: '0.01' },
  { below: Number.POSITIVE_INFINITY, share: '0.005' },
];
const optionBands = [
  { below: 10, share: '0.05' },
  { below: 100, share: '0.03' },
  { below: 500, share: '0.02' },
  { below: Number.POSITIVE_INFINITY, share: '0.01' },
];

/** What is not plainly a future of NFO counts as an option. */
function isOption(exchange: string, symbol: string): boolean {
  return exchange === 'NFO' && !/F(UT)?$/.test(symbol);
}

export interface Protected {
  side: string;
  exchange: string;
  symbol: string;
  /** Rupees: the last price, or the trigger of a stop. */
  from: number;
}

/**
 * The limit (rupees, plain text) that stands for a market price: never wider than the band but at least one tick, on the tick and inside the
 * circuit limits. Throws Refusal where the quote does not tell enough.
 */
export function protectedLimit({ side, exchange, symbol, from }: Protected, { tick, lower, upper }: Quote): string {
  if (!tick || !(tick > 0)) throw cannot(`the feed tells no tick size for ${symbol}`);
  const band = (isOption(exchange, symbol) ? optionBands : shareBands).find((each) => from < each.below);
  const width = new Big(from).times(band?.share ?? 0);
  const beyond = new Big(width.lt(tick) ? tick : width);
  const buying = side === 'BUY';
  const wanted = buying ? new Big(from).plus(beyond) : new Big(from).minus(beyond);
  const limit = wanted
    .div(tick)
    .round(0, buying ? Big.roundDown : Big.roundUp)
    .times(tick);
  const inside = buying ? least(limit, upper) : most(limit, lower);
  if (inside.lte(0)) throw cannot(`no limit above 0 fits ${symbol}`);
  return inside.toFixed();
}

export function cannot(why: string): Refusal {
  return new Refusal(
    `order_type: Alice Blue may refuse orders at market price over its API, and a protected limit cannot be set (${why}); send LIMIT or SL with a price`,
  );
}

function least(price: Big, bound: number | null): Big {
  return bound && price.gt(bound) ? new Big(bound) : price;
}

function most(price: Big, bound: number | null): Big {
  return bound && price.lt(bound) ? new Big(bound) : price;
}
