import { Big } from '../../money.ts';
import type { Instrument } from '../types.ts';

/** Prices, rupees as decimal text, as brokers spell and pack them. */

/** With so many decimal places, rounded half up. */
export function places(count: number): (value: Big | string) => string {
  return (value) => new Big(value).toFixed(count);
}

/** How many decimal places the prices of an instrument have: currencies are quoted to a hundredth of a paisa. */
export function pricePlaces({ exchange }: Pick<Instrument, 'exchange'>): 2 | 4 {
  return exchange === 'CDS' ? 4 : 2;
}

/** Rupees in units of which so many make a rupee, as a whole number. */
export function inUnits(perRupee: number): (rupees: string) => number {
  return (rupees) => Number(new Big(rupees).times(perRupee).toFixed(0));
}

/** A decimal as a JSON number. */
export function number(value: Big): number {
  return Number(value.toFixed());
}

/** A decimal as a JSON number of 4 places at most: how averages are shown. */
export function rounded(value: Big | string): number {
  return number(new Big(value).round(4));
}

/** At least two places. */
export function twoPlaces(value: Big | string): string {
  const exact = new Big(value);
  return exact.round(2).eq(exact) ? exact.toFixed(2) : exact.toFixed();
}
