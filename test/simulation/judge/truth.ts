import { products } from '../instruments.ts';
import type { Outside } from '../outside.ts';
import type { Venue } from '../venue.ts';
import { dayBegins, dayNumber, filledBy, openOf, quantityAsked, quantityOf, stateOf, type VenueOrder } from '../venue-order.ts';
import { type Case, isFinal, wasSent } from './case.ts';
import { Shown } from './shown.ts';

/** What we could not have been told of blinds the guard no longer than this. */
export const STRANGER_MS = 30_000;
/** No request reaches a venue later than this. */
const ARRIVES_MS = 120_000;
/** So old positions may be. */
const LAG_MS = 5000;

/** One order as the rules look at it: where, what, and how much. */
export interface Move {
  venue: Venue;
  symbol: string;
  product: string;
  side: string;
  quantity: number;
}

/** What is true at the venues, and what of it the gateway may not know yet. */
export class Truth {
  readonly cases = new Map<string, Case>();
  /** Keys of which a person has said what became of them, looked up here. */
  readonly settled = new Set<string>();
  readonly shown: Shown;
  readonly #world: Outside;

  constructor(world: Outside) {
    this.#world = world;
    this.shown = new Shown(world);
  }

  get orders(): VenueOrder[] {
    return [...this.#world.venues.values()].flatMap((venue) => venue.orders);
  }

  casesOf(key: string): Case[] {
    return [...this.cases.values()].filter((one) => one.attempt.key === key);
  }

  orderOf(tag: string): VenueOrder | undefined {
    return this.orders.find((order) => order.tag === tag);
  }

  moveOf({ attempt, symbol }: Case): Move {
    const { product, side, quantity, broker } = attempt;
    return { venue: this.#world.venue(broker), symbol, product, side, quantity };
  }

  /**
   * By how much a product's net lies opposite to the move's side; negative when it lies in it. Shares held count for a delivery sale; for every
   * other order a sale out of holdings is no short position.
   */
  room({ venue, symbol, side, ...move }: Move, product: string, at = this.#world.now()): number {
    const delivers = move.product === 'DELIVERY' && side === 'SELL';
    const net = product !== 'DELIVERY' || delivers ? venue.net(symbol, product, at) : Math.max(0, venue.net(symbol, product, at));
    const held = product === 'DELIVERY' && delivers ? venue.holding(symbol, at) : 0;
    return side === 'SELL' ? held + net : -net;
  }

  /** The same over all products. */
  roomOfAll(move: Move, at = this.#world.now()): number {
    return products.reduce((sum, product) => sum + this.room(move, product, at), 0);
  }

  /** Our other sent orders of the move's instrument and side. */
  others({ venue, symbol, side }: Move, tag: string): Case[] {
    return [...this.cases.values()].filter((one) => {
      const { attempt } = one;
      const isSame = attempt.broker === venue.broker && one.symbol === symbol && attempt.side === side;
      return isSame && attempt.tag !== tag && one.sentAt !== null;
    });
  }

  /** What one of our orders may still fill, by the venue, or by our own records while it is on its way. `by`: as it was asked for before that. */
  openOf({ attempt, quantity, notSent, refused, sentAt }: Case, by = Number.POSITIVE_INFINITY): number {
    if (notSent || refused || this.settled.has(attempt.key)) return 0;
    const order = this.orderOf(attempt.tag);
    const now = this.#world.now();
    if (!order) return isFinal(attempt) || this.#isLost(sentAt) ? 0 : quantity;
    return Math.min(openOf(order, now), Math.max(0, quantityAsked(order, by) - quantityOf(filledBy(order, now))));
  }

  /** What orders on the move's side have filled beyond what was asked of them before an instant: a change sent since has let them. */
  filledBeyond({ venue, symbol, side }: Move, by: number, product?: string): number {
    const now = this.#world.now();
    return venue.orders
      .filter((order) => order.symbol === symbol && order.side === side && order.product === (product ?? order.product))
      .reduce((sum, order) => sum + Math.max(0, quantityOf(filledBy(order, now)) - quantityAsked(order, by)), 0);
  }

  /** The gateway was told, or could read, what became of an order, and the step that says so may still be on its way to the store. */
  mayBeKnown(one: Case): boolean {
    const order = this.orderOf(one.attempt.tag);
    const now = this.#world.now();
    const isTold = one.notSent || one.refused || this.settled.has(one.attempt.key);
    if (!order) return isTold || this.#isLost(one.sentAt);
    return isTold || (order.visibleAt <= now && stateOf(order, now) !== 'TRANSIT');
  }

  /** Of one that no venue holds: it never arrived, and nothing more of it comes. */
  #isLost(sentAt: number | null): boolean {
    return sentAt !== null && this.#world.now() - sentAt > ARRIVES_MS;
  }

  /** Something the gateway could not have been told of moved the instrument: it may judge wrongly, and is not to blame. */
  blind(venue: Venue, symbol: string): boolean {
    const now = this.#world.now();
    const orders = venue.orders.filter((one) => one.symbol === symbol);
    if (orders.some((one) => this.#moreThanTold(one, now - STRANGER_MS))) return true;
    const troubled = now < this.#world.troubleAt + STRANGER_MS;
    // While positions cannot be read, our own records judge, and they know no stranger and no midnight.
    const lastNight = Math.max(dayBegins(dayNumber(now)), 0);
    const overnight = orders.some((one) => one.receivedAt < lastNight) || (venue.held.get(symbol) ?? 0) > 0;
    if (now - lastNight < STRANGER_MS) return true;
    return troubled && (overnight || orders.some((one) => this.#moreThanTold(one, 0)));
  }

  /** Fills since an instant of a stranger's order, or of one answered as resting: only the broker's positions can tell, and they lag. */
  #moreThanTold(order: VenueOrder, since: number): boolean {
    const fills = filledBy(order, this.#world.now());
    if ((fills.at(-1)?.at ?? 0) < since || fills.length === 0) return false;
    const own = order.tag === null ? undefined : this.cases.get(order.tag);
    if (own === undefined) return true;
    // It was seen to rest, and what says so may still be on its way to the store.
    const restingAt = this.shown.restingAt(own.attempt.tag, own.sentAt ?? 0);
    const rested = restingAt !== null && fills.some((fill) => fill.at > restingAt);
    return (isFinal(own.attempt) || rested) && own.attempt.filledQuantity < quantityOf(fills);
  }

  /** An order of ours filled after it was answered as resting: when that is seen, nobody can say which positions read held it already. */
  filledAtRest({ venue, symbol, product }: Move): boolean {
    return venue.orders.some((order) => {
      const own = order.tag === null ? undefined : this.cases.get(order.tag);
      if (!own || order.symbol !== symbol || order.product !== product || !isFinal(own.attempt)) return false;
      return own.attempt.filledQuantity < quantityOf(filledBy(order, this.#world.now()));
    });
  }

  /** A stranger has an order in the instrument at a venue. */
  hasStranger(venue: Venue, symbol: string): boolean {
    return venue.orders.some((one) => one.symbol === symbol && this.#isStrangers(one));
  }

  /** Something of a stranger's order in it has filled after an instant. */
  strangerTraded(venue: Venue, symbol: string, since: number): boolean {
    const orders = venue.orders.filter((one) => one.symbol === symbol && this.#isStrangers(one));
    return orders.some((one) => filledBy(one, this.#world.now()).some((fill) => fill.at > since));
  }

  #isStrangers({ tag }: VenueOrder): boolean {
    return tag === null || !this.cases.has(tag);
  }

  /** Nothing of an order's product moved but by orders of ours whose end is known and written down. Returns its net room then, else null. */
  settledRoom(move: Move): number | null {
    const { venue, symbol, product } = move;
    const now = this.#world.now();
    if (product === 'DELIVERY' || this.hasStranger(venue, symbol)) return null;
    for (const order of venue.orders) {
      if (order.symbol !== symbol || order.product !== product) continue;
      const own = order.tag === null ? undefined : this.cases.get(order.tag);
      if (!own || order.day !== dayNumber(now) || this.mayBeMissed(order)) return null;
      if (order.side === move.side && !isFinal(own.attempt)) continue;
      if (!isFinal(own.attempt) || own.attempt.filledQuantity !== quantityOf(filledBy(order, now)) || openOf(order, now) > 0) return null;
    }
    return this.room(move, product) + this.#filledUnseen(move);
  }

  /** The first positions that a new process reads may be older than what an earlier one saw fill. */
  mayBeMissed(order: VenueOrder): boolean {
    const began = this.#world.lifeBeganAt;
    return order.fills.some((fill) => fill.at <= began && fill.at > began - 2 * LAG_MS);
  }

  /** Fills of our open orders on the move's side: the gateway counts those orders at their full quantity instead. */
  #filledUnseen(move: Move): number {
    const open = this.others(move, '').filter((one) => !isFinal(one.attempt) && one.attempt.product === move.product && wasSent(one));
    return open.reduce((sum, one) => {
      const order = this.orderOf(one.attempt.tag);
      return sum + (order ? quantityOf(filledBy(order, this.#world.now())) : 0);
    }, 0);
  }
}
