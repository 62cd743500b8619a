import Big from 'big.js';

/** Plain decimal text of a finite number, never in exponent form: 100 -> "100", 1e-7 -> "0.0000001". */
export function decimalText(value: number): string {
  return new Big(String(value)).toFixed();
}

/** A number or numeric text as an exact decimal; null for anything else (NaN, "", "1,000", true). */
export function exact(value: unknown): Big | null {
  if (typeof value === 'number') return Number.isFinite(value) ? new Big(String(value)) : null;
  if (typeof value !== 'string' || !/^[+-]?\d+(\.\d+)?$/.test(value.trim())) return null;
  return new Big(value.trim().replace(/^\+/, ''));
}

export interface Fill {
  quantity: number;
  /** Rupees. */
  price: number | string;
}

/** sum(quantity x price) / sum(quantity), rupees, rounded half-up to 4 places; 0 when nothing filled. */
export function averagePrice(fills: readonly Fill[]): number {
  let quantity = 0;
  let value = new Big(0);
  for (const fill of fills) {
    quantity += fill.quantity;
    value = value.plus(new Big(String(fill.price)).times(fill.quantity));
  }
  return quantity === 0 ? 0 : Number(value.div(quantity).round(4, Big.roundHalfUp).toFixed());
}

export { Big };
