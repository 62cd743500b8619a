import { Big } from '../money.ts';
import { instrumentNamed } from './instruments.ts';
import type { Holder } from './positions.ts';
import { type ExchangeOrder, isOption, remaining } from './types.ts';

export interface Funds {
  /** Rupees, as decimal text. */
  opening: string;
  /** Opening cash and today's realised profit. */
  balance: string;
  realised: string;
  unrealised: string;
  /** Margin of open positions and of open orders. */
  used: string;
  available: string;
}

type Named = Pick<ExchangeOrder, 'exchange' | 'symbol' | 'product' | 'side'>;

/** Share of the value of shares that margin is held for. */
const shareRate = { INTRADAY: '0.2', DELIVERY: '1', CARRYFORWARD: '1' } as const;
/**
 * Share of the notional that a future or a sold option binds, whatever the product: what SPAN and exposure come to in round figures. The notional of an
 * option is that of its strike. Who buys an option pays its premium in full.
 */
const CONTRACT_RATE = '0.15';

/** Rupees an order binds for a quantity of it. */
export function orderMargin(order: Named & Pick<ExchangeOrder, 'marginPrice'>, quantity: number): Big {
  return boundBy(order, quantity, new Big(order.marginPrice).times(quantity));
}

/** Funds of an account: opening cash, today's profit, and what positions and open orders bind. */
export function fundsOf(holder: Holder, open: readonly ExchangeOrder[], unrealised: string): Funds {
  let realised = new Big(0);
  let used = new Big(0);
  for (const position of Object.values(holder.positions)) {
    const { net, openValue } = position;
    realised = realised.plus(position.realised);
    used = used.plus(boundBy({ ...position, side: net < 0 ? 'SELL' : 'BUY' }, Math.abs(net), new Big(openValue)));
  }
  for (const order of open) used = used.plus(orderMargin(order, Math.min(remaining(order), order.opening)));
  const balance = new Big(holder.cash).plus(realised);
  const available = balance.minus(used).toFixed();
  return { opening: holder.cash, balance: balance.toFixed(), realised: realised.toFixed(), unrealised, used: used.toFixed(), available };
}

/** Rupees that holding a quantity binds; `value`: price x quantity, without the multiplier. */
function boundBy({ exchange, symbol, product, side }: Named, quantity: number, value: Big): Big {
  const instrument = instrumentNamed(exchange, symbol);
  const { kind, strike, multiplier } = instrument;
  // Shares sold from a holding bind no money.
  if (kind === 'EQ') return product === 'DELIVERY' && side === 'SELL' ? new Big(0) : value.times(shareRate[product]);
  if (!isOption(instrument)) return value.times(multiplier).times(CONTRACT_RATE);
  if (side === 'BUY') return value.times(multiplier);
  return new Big(strike ?? 0).times(quantity).times(multiplier).times(CONTRACT_RATE);
}
