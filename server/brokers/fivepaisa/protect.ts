import { Big } from '../../money.ts';
import { issueText, Refusal } from '../parse.ts';
import { protectedLimit as limitWithin, stopWidth } from '../protected-limit.ts';
import type { Api } from './api.ts';
import type { Open } from './order.ts';
import { type Snapshot, snapshot } from './wire.ts';

/** A last price older than this does not price an order. */
const FRESH_MS = 5_000;
/** How far beyond the last price the limit of an order at market lies. An option's width is never below the rupees given. */
const SHARE_PERCENT = 2;
const OPTION_PERCENT = 5;
const OPTION_LEAST = '0.1';
/**
 * Below this price no tick is wider, rupees. The exchange fixes a tick for a month by the price the month before ended with: it is looked up at twice
 * the price of now, for a share that has fallen since keeps its wider tick. Each tick is a multiple of those above it.
 */
const widestTicks = [
  [1_000, '0.05'],
  [5_000, '0.1'],
  [10_000, '0.5'],
  [20_000, '1'],
] as const;

export interface Seen {
  snapshot: Snapshot;
  /** When it was asked for, epoch ms. */
  at: number;
}

/** The market of one scrip; null when 5paisa has none. Throws when it cannot be read. */
export async function marketOf(api: Api, now: () => number, segment: string, token: string): Promise<Seen | null> {
  const at = now();
  const Data = [{ Exchange: segment[0], ExchangeType: segment[1], ScripCode: Number(token), ScripData: '' }];
  const answer = await api.read('/MarketSnapshot', { Data });
  if (!answer.success) throw new Error(answer.message);
  const row: unknown = Array.isArray(answer.data.Data) ? answer.data.Data[0] : undefined;
  if (row === undefined) return null;
  const parsed = snapshot.safeParse(row);
  if (!parsed.success) throw new Error(`last price: ${issueText(parsed.error)}`);
  const { codes, last } = parsed.data;
  if (codes.some((code) => code !== token)) throw new Error('last price: 5paisa answered for another scrip');
  return last > 0 ? { snapshot: parsed.data, at } : null;
}

/** The limit (rupees) that stands for a MARKET or SL-M order's missing one. Throws Refusal where the market does not tell enough. */
export async function limitFor(api: Api, now: () => number, open: Open): Promise<number> {
  const seen = await marketOf(api, now, open.segment, open.token).catch((error: Error) => {
    throw cannot(error.message);
  });
  if (!seen) throw cannot('5paisa shows no last price');
  if (now() - seen.at > FRESH_MS) throw cannot('the last price came too late');
  return protectedLimit(open, seen.snapshot);
}

/** The limit beyond the last price, or beyond a stop's trigger, inside the circuit limits where 5paisa tells them. */
export function protectedLimit({ side, option, trigger }: Open, market: Snapshot): number {
  const { last, upper, lower } = market;
  const base = new Big(trigger ?? last);
  const field = trigger === null ? 'order_type: the last price' : 'trigger_price:';
  if ((lower && base.lt(lower)) || (upper && base.gt(upper)))
    throw new Refusal(`${field} ${base.toFixed()} is outside the circuit limits ${lower} to ${upper}`);
  const tick = stepAt(base, market);
  const percent = base.times(option ? OPTION_PERCENT : SHARE_PERCENT).div(100);
  const atMarket = option && percent.lt(OPTION_LEAST) ? new Big(OPTION_LEAST) : percent;
  // A stop is passed over when the price leaps: it gets all the room that the exchange leaves.
  const width = trigger === null ? atMarket : stopWidth(base, option);
  if (width.lt(tick)) throw cannot('its tick size is not known');
  const limit = limitWithin({ buying: side === 'BUY', base, width, tick, lower, upper });
  if (limit === null && trigger !== null)
    throw new Refusal(`trigger_price: no limit fits between ${trigger} and what the exchange allows; use SL with a price`);
  // At the circuit limit, or one tick above nothing, no better price can trade.
  return Number((limit ?? base).toFixed());
}

function cannot(why: string): Refusal {
  return new Refusal(
    `order_type: 5paisa refuses market orders over its API and a protected limit cannot be set (${why}); nothing was sent, use LIMIT or SL with a price`,
  );
}

/**
 * A step that is the tick or a multiple of it: 5paisa names the tick in a file alone. All prices in sight are multiples of the tick,
 * so their common divisor is one too; where few prices make that too coarse, the widest tick of any exchange at such a price serves.
 */
function stepAt(base: Big, market: Snapshot): Big {
  const seen = [market.last, market.upper, market.lower, ...market.others].map((price) => new Big(price ?? 0));
  const parts = [base, ...seen].map((price) => Number(price.times(10_000).round(0).toFixed()));
  const common = new Big(parts.reduce(greatestCommonDivisor, 0)).div(10_000);
  const [, widest] = widestTicks.find(([below]) => base.times(2).lt(below)) ?? [0, '5'];
  return common.lt(widest) ? common : new Big(widest);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
