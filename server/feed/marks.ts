import type { HeldPosition } from '../books/open-positions.ts';
import { Big } from '../money.ts';
import type { Prices } from './prices.ts';

/** What an open position is worth at the last price the feed told. */
export interface Mark {
  exchange: string;
  symbol: string;
  /** Product word. */
  style: string;
  /** Positive long, negative short. */
  quantity: number;
  /** Last traded price, rupees, and when it came (epoch ms). */
  ltp: number;
  at: number;
  /** Profit not realised, rupees, exact decimal text; null where the entry price is not known. */
  unrealised: string | null;
}

/** Marks of the positions the feed has told a price of. */
export function marksOf(held: readonly HeldPosition[], prices: Prices): Mark[] {
  return held.flatMap(({ exchange, symbol, style, side, qty, entry_price, multiplier }) => {
    const last = prices.last(exchange, symbol);
    if (!last) return [];
    const quantity = side === 'SELL' ? -qty : qty;
    const gain = entry_price === null ? null : new Big(last.rupees).minus(entry_price).times(quantity).times(multiplier);
    return [{ exchange, symbol, style, quantity, ltp: last.rupees, at: last.at, unrealised: gain?.toFixed() ?? null }];
  });
}
