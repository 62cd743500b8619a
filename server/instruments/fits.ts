import { Big } from '../money.ts';
import type { Directory, InstrumentRow } from './instruments.ts';

/** The numbers of an order or a change: rupees as exact text, null where it has none. */
export interface Numbers {
  quantity: number | null;
  price: string | null;
  trigger: string | null;
}

/**
 * Why an order that may open a position does not fit its instrument: expired, off the tick, no multiple of the lot, above the freeze quantity. Null when
 * it does, and where the file is not today's: exchanges change all of them overnight. `today` is `YYYY-MM-DD`, IST.
 */
export function misfit(directory: Directory, row: InstrumentRow, { quantity, price, trigger }: Numbers, today: string): string | null {
  if (row.expiry !== null && row.expiry < today) return `symbol: ${row.instrument} expired on ${row.expiry}`;
  if (!directory.isToday()) return null;
  return offTick('price', price, row) ?? offTick('trigger_price', trigger, row) ?? (quantity === null ? null : misquantity(quantity, row));
}

function offTick(field: string, text: string | null, { tickSize, instrument }: InstrumentRow): string | null {
  if (text === null || tickSize === null) return null;
  const [price, tick] = [new Big(text), new Big(tickSize)];
  if (price.lte(0) || price.mod(tick).eq(0)) return null;
  const below = price.minus(price.mod(tick));
  return `${field}: ${price.toFixed()} is off the tick of ${tick.toFixed()} of ${instrument}; ${below.toFixed()} and ${below.plus(tick).toFixed()} are on it`;
}

function misquantity(quantity: number, { lotSize, freezeQuantity, instrument }: InstrumentRow): string | null {
  const below = quantity - (quantity % lotSize);
  if (below !== quantity) {
    const right = below === 0 ? `${lotSize} is` : `${below} and ${below + lotSize} are`;
    return `quantity: ${quantity} is no multiple of the lot of ${lotSize} of ${instrument}; ${right} right`;
  }
  if (freezeQuantity === null || quantity <= freezeQuantity) return null;
  const most = freezeQuantity - (freezeQuantity % lotSize);
  return `quantity: ${quantity} is above the freeze quantity of ${freezeQuantity} of ${instrument}; one order may have ${most}`;
}
