import { Big } from '../../money.ts';
import type { Instrument, Quote } from '../types.ts';

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

/** How far the last price is from yesterday's close, in percent. */
export function changePercent({ last, close }: Pick<Quote, 'last' | 'close'>): Big {
  return new Big(last).minus(close).div(close).times(100);
}
