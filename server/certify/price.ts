import type { FeedInstrument } from '../brokers/feed.ts';
import { Big, exact } from '../money.ts';

/** The order that a person asks for. */
export interface OrderAsked extends FeedInstrument {
  quantity: number;
  /** Rupees, as typed; null: 20 % under the last price. */
  price: string | null;
  tick: string | null;
}

/** At which price it goes out, at which after the change, and what both may cost at most; rupees. Else why it cannot go. */
export type Priced = { price: string; changed: string; risk: string } | { refused: string };

const BELOW = '0.8';
/** A price of the person's own lies at least this far under the last one. */
const LEAST_BELOW = '0.95';
const shares: readonly string[] = ['NSE', 'BSE'];

/** NSE's ticks of shares by price. Each is a whole multiple of the one before, so that a larger one is never wrong. */
const ticks: readonly (readonly [upTo: number, tick: string])[] = [
  [1_000, '0.05'],
  [5_000, '0.1'],
  [10_000, '0.5'],
  [20_000, '1'],
];
const LARGEST_TICK = '5';
/** The tick goes by the price of a past day, which may have been higher. */
const ROOM = 1.2;

/** `last`: the last traded price, rupees; null where it cannot be had. */
export function priceOf(asked: OrderAsked, last: number | null): Priced {
  const { exchange, quantity } = asked;
  const isShare = shares.includes(exchange);
  const given = exact(asked.price);
  if (asked.price === null && (last === null || last <= 0)) return { refused: 'no last price can be had; give one with --price' };
  if (asked.price === null && !isShare) return { refused: `--price is needed on ${exchange}: how far its prices move is not known here` };
  if (asked.price !== null && !given?.gt(0)) return { refused: '--price must be a number above 0' };
  if (asked.tick === null && !isShare) return { refused: `--tick is needed on ${exchange}` };
  const tick = exact(asked.tick ?? tickNear((last ?? given?.toNumber() ?? 0) * ROOM));
  if (!tick?.gt(0)) return { refused: '--tick must be a number above 0' };
  const price = given ?? new Big(String(last)).times(BELOW).div(tick).round(0, Big.roundDown).times(tick);
  const changed = price.plus(tick);
  if (!price.gt(0)) return { refused: '20 % under the last price is less than one tick; give --price' };
  if (last !== null && changed.gt(new Big(String(last)).times(LEAST_BELOW)))
    return { refused: `--price is too near: the order could trade. It must be 5 % under the last price of ₹${last}, or lower` };
  return { price: price.toFixed(), changed: changed.toFixed(), risk: changed.times(quantity).toFixed() };
}

function tickNear(price: number): string {
  return ticks.find(([upTo]) => price <= upTo)?.[1] ?? LARGEST_TICK;
}
