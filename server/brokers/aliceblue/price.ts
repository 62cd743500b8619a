import { Big } from '../../money.ts';
import { Refusal } from '../parse.ts';
import { protectedLimit as limitWithin, stopWidth } from '../protected-limit.ts';
import type { Quote } from './quote.ts';
import { cashExchanges } from './wire.ts';

/** How far the limit of an order at market may lie beyond the last price: below this many rupees, this share. Alice Blue names none; other brokers use these. */
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

/** What is not plainly a future counts as an option. */
function isOption(exchange: string, symbol: string): boolean {
  return !cashExchanges.includes(exchange) && !/F(UT)?$/.test(symbol);
}

export interface Protected {
  side: string;
  exchange: string;
  symbol: string;
  /** Rupees; null for an order at market, which starts from the last price. */
  trigger: string | null;
}

/** The limit (rupees, plain text) that stands for a market price, at least one tick wide. Throws Refusal where the quote does not tell enough. */
export function protectedLimit({ side, exchange, symbol, trigger }: Protected, { price, tick, lower, upper }: Quote): string {
  if (!tick || !(tick > 0)) throw cannot(`the feed tells no tick size for ${symbol}`);
  const option = isOption(exchange, symbol);
  const buying = side === 'BUY';
  const base = new Big(trigger ?? price);
  const band = (option ? optionBands : shareBands).find(({ below }) => Number(base) < below);
  // A stop is passed over when the price leaps: it gets all the room that the exchange leaves.
  const width = trigger === null ? most(base.times(band?.share ?? 0), new Big(tick)) : stopWidth(base, option);
  const limit = limitWithin({ buying, base, width, tick, lower, upper });
  if (limit) return limit.toFixed();
  if (trigger !== null)
    throw new Refusal(`trigger_price: no limit fits between ${trigger} and what the exchange allows; send SL with a price`);
  // At the circuit limit, or one tick above nothing, no better price can trade.
  const end = new Big((buying ? upper : lower) ?? (buying ? price : tick));
  if (!base.minus(end).abs().lt(tick)) throw cannot(`its last price ${price} lies outside its circuit limits`);
  return base.toFixed();
}

export function cannot(why: string): Refusal {
  return new Refusal(
    `order_type: Alice Blue may refuse orders at market price over its API, and a protected limit cannot be set (${why}); send LIMIT or SL with a price`,
  );
}

function most(one: Big, other: Big): Big {
  return one.gt(other) ? one : other;
}
