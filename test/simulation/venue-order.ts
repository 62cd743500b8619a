import type { OrderState } from '../../contract/rows.ts';

/** One execution. Epoch ms, units, paise. */
export interface Fill {
  at: number;
  quantity: number;
  paise: number;
}

/** What an order asks for from an instant on: the first version is as it came, each modify makes another. */
export interface Version {
  at: number;
  /** When it was sent. */
  askedAt: number;
  quantity: number;
  orderType: string;
  /** Rupees; 0 at market. */
  price: number;
}

/** What becomes of an order is settled when the venue takes it, and anew when it is modified; every read only asks how much of it has happened by then. */
export interface VenueOrder {
  id: string;
  /** Trading day of its session, as dayNumber counts. */
  day: number;
  /** The tag it came with, also where the venue's rows do not show it; null for one placed by hand. */
  tag: string | null;
  /** The venue's own symbol. */
  symbol: string;
  token: string | null;
  product: string;
  side: string;
  versions: Version[];
  receivedAt: number;
  /** Order books show it from here on. */
  visibleAt: number;
  /** The exchange acknowledges it; before that it is in transit. */
  ackAt: number;
  fills: Fill[];
  /** How it ends when it is not filled whole. */
  end: { at: number; state: 'REJECTED' | 'CANCELLED' | 'EXPIRED' } | null;
  /** The average price appears this much later than the quantity. */
  averageLagMs: number;
}

/** What will become of one placing request. Times in ms from the moment the broker takes it. */
export interface Plan {
  arrival: 'accept' | 'reject' | 'lost';
  answer: 'clear' | 'unclear' | 'not_sent';
  arrivesMs: number;
  answersMs: number;
  visibleAfterMs: number;
  ackAfterMs: number;
  fills: Fill[];
  end: VenueOrder['end'];
  averageLagMs: number;
}

const DAY_MS = 86_400_000;
const IST_OFFSET_MS = 5.5 * 3_600_000;

/** Days in India, counted from the epoch, at an instant (epoch ms, UTC). */
export function dayNumber(at: number): number {
  return Math.floor((at + IST_OFFSET_MS) / DAY_MS);
}

/** The instant a day begins (epoch ms, UTC). */
export function dayBegins(day: number): number {
  return day * DAY_MS - IST_OFFSET_MS;
}

/** The number of a trading day `YYYY-MM-DD`. */
export function dayOf(text: string): number {
  return Date.parse(text) / DAY_MS;
}

export function filledBy(order: Pick<VenueOrder, 'fills'>, at: number): Fill[] {
  return order.fills.filter((fill) => fill.at <= at);
}

export function quantityOf(fills: readonly Fill[]): number {
  return fills.reduce((sum, fill) => sum + fill.quantity, 0);
}

/** Rupees; 0 when nothing filled. */
export function averageOf(fills: readonly Fill[]): number {
  const quantity = quantityOf(fills);
  return quantity === 0 ? 0 : Math.round((fills.reduce((sum, fill) => sum + fill.quantity * fill.paise, 0) / quantity) * 100) / 10_000;
}

export function versionOf({ versions }: Pick<VenueOrder, 'versions'>, at: number): Version {
  const version = versions.findLast((one) => one.at <= at) ?? versions[0];
  if (!version) throw new Error('An order without a version');
  return version;
}

/** The quantity by what was sent before an instant. */
export function quantityAsked({ versions }: Pick<VenueOrder, 'versions'>, at: number): number {
  const version = versions.findLast((one) => one.askedAt < at) ?? versions[0];
  return version?.quantity ?? 0;
}

export function stateOf(order: VenueOrder, at: number): OrderState {
  if (order.end && at >= order.end.at) return order.end.state;
  if (quantityOf(filledBy(order, at)) === versionOf(order, at).quantity) return 'FILLED';
  return at < order.ackAt ? 'TRANSIT' : 'OPEN';
}

/** What may still fill at an instant, however it goes on. */
export function openOf(order: VenueOrder, at: number): number {
  const state = stateOf(order, at);
  return state === 'OPEN' || state === 'TRANSIT' ? versionOf(order, at).quantity - quantityOf(filledBy(order, at)) : 0;
}

/** It lives, or something of it was traded. */
export function alive(order: VenueOrder, at: number): boolean {
  return quantityOf(filledBy(order, at)) > 0 || openOf(order, at) > 0;
}

/** BUY counts up, SELL down. */
export function signOf(side: string): 1 | -1 {
  return side === 'SELL' ? -1 : 1;
}
