import type { BrokerChange } from '../../../server/brokers/broker.ts';
import { tradingDay } from '../../../server/clock.ts';
import type { Outside } from '../outside.ts';
import type { Venue } from '../venue.ts';
import { openOf, signOf, type VenueOrder, versionOf } from '../venue-order.ts';
import { type Case, isFinal } from './case.ts';
import type { Move, Truth } from './truth.ts';

/** From then on nothing leaves that can grow a position. */
const KILLED_MS = 100;

/** What must hold of an order or a modify at the moment its bytes leave. */
export class Leaving {
  readonly #world: Outside;
  readonly #truth: Truth;
  readonly #violation: (text: string) => void;
  /** When the kill switch was turned on, epoch ms; null while it is off. */
  #killedAt: number | null = null;

  constructor(world: Outside, truth: Truth, violation: (text: string) => void) {
    this.#world = world;
    this.#truth = truth;
    this.#violation = violation;
  }

  /** The kill switch was turned, or stands like this in a new process. */
  turned(on: boolean): void {
    this.#killedAt = on ? (this.#killedAt ?? this.#world.now()) : null;
  }

  order(one: Case): void {
    const { attempt, symbol, reduceOnly } = one;
    const move = this.#truth.moveOf(one);
    if (this.#truth.blind(move.venue, symbol)) return;
    if (isOpinion(move, this.#world)) return;
    this.#judgeRivals(move, one);
    this.#judgeEntry(move, attempt);
    // It is asked at the door; reduce_only when the order was judged, and what came after it may pass beside it.
    const grows = this.#mayGrow(move, attempt.tag);
    if (reduceOnly && this.#mayGrow(move, attempt.tag, attempt.startedAt))
      this.#violation(`${attempt.tag}: reduce_only ${attempt.side} ${attempt.quantity} ${symbol} can open or flip a position`);
    if (grows && this.#killed())
      this.#violation(`${attempt.tag}: ${attempt.side} ${attempt.quantity} ${symbol} left behind the kill switch`);
  }

  modify(venue: Venue, change: BrokerChange): void {
    const { quantity, ordertype, price } = change;
    const now = this.#world.now();
    const order = venue.order(change.orderid, now);
    if (!order || !this.#killed() || order.visibleAt > now || openOf(order, now) === 0) return;
    const stands = versionOf(order, now);
    // What another change on its way makes of it, nobody can know.
    if (order.versions.some((one) => one.at > now - 10_000 && one !== order.versions[0]) || this.#truth.blind(venue, order.symbol)) return;
    const grows = quantity !== undefined && Number(quantity) > stands.quantity;
    const sharper = (ordertype !== undefined && ordertype !== stands.orderType) || isSharper(price, stands.price, order);
    if (grows || (sharper && this.#isEntry(venue, order)))
      this.#violation(
        `${order.id}: a modify ${JSON.stringify(change)} of ${order.side} ${stands.quantity} ${order.symbol} left behind the kill switch`,
      );
  }

  #killed(): boolean {
    return this.#killedAt !== null && this.#world.now() > this.#killedAt + KILLED_MS;
  }

  #isEntry(venue: Venue, order: VenueOrder): boolean {
    const { symbol, product, side } = order;
    return this.#mayGrow({ venue, symbol, product, side, quantity: openOf(order, this.#world.now()) }, order.tag ?? '');
  }

  /** With everything of ours on its side that may still fill, it can do more than reduce its own product. `before`: orders judged earlier alone, as asked for by then. */
  #mayGrow(move: Move, tag: string, before = Number.POSITIVE_INFINITY): boolean {
    const others = this.#truth.others(move, tag).filter((one) => one.attempt.product === move.product && one.attempt.startedAt < before);
    const room = this.#truth.room(move, move.product) + this.#truth.filledBeyond(move, before, move.product);
    return move.quantity + others.reduce((sum, one) => sum + this.#truth.openOf(one, before), 0) > room;
  }

  /** No entry beside another of its side whose fate is not known. */
  #judgeRivals(move: Move, { attempt: { tag, startedAt } }: Case): void {
    // Those judged after it passed beside it: an exit does.
    const today = tradingDay(this.#world.now());
    const isRival = (one: Case) =>
      one.attempt.startedAt < startedAt && one.attempt.tradingDay >= today && !isFinal(one.attempt) && !this.#truth.mayBeKnown(one);
    const rivals = this.#truth.others(move, tag).filter(isRival);
    if (rivals.length === 0) return;
    // What a stranger traded since the positions they were judged on may look like their fill.
    if (this.#truth.strangerTraded(move.venue, move.symbol, Math.min(...rivals.map((one) => one.judgedOn)))) return;
    const own = rivals.filter((one) => one.attempt.product === move.product);
    const sum = (cases: readonly Case[]) => cases.reduce((total, one) => total + this.#truth.openOf(one), 0);
    if (move.quantity + sum(own) <= this.#truth.room(move, move.product)) return;
    if (move.quantity + sum(rivals) <= this.#truth.roomOfAll(move)) return;
    const names = rivals.map(({ attempt }) => `${attempt.tag} (${attempt.state})`).join(', ');
    this.#violation(`${tag} was sent beside ${names}`);
  }

  /** No second entry: neither on the truth, nor on what the gateway could know of it. A larger quantity asked of another order since it was judged is its caller's. */
  #judgeEntry(move: Move, { tag, startedAt }: Case['attempt']): void {
    const roomOfAll = this.#truth.roomOfAll(move) + this.#truth.filledBeyond(move, startedAt);
    const room = this.#truth.room(move, move.product) + this.#truth.filledBeyond(move, startedAt, move.product);
    if (roomOfAll >= 0 || move.quantity <= room) return;
    // Shares sold for delivery come out of what is held: the guard knows no short position there, and an exchange takes none.
    if (move.product === 'DELIVERY' && move.side === 'SELL') return;
    const held = -signOf(move.side) * this.#truth.roomOfAll(move);
    this.#violation(`${tag}: ${move.side} ${move.quantity} ${move.symbol} ${move.product} was sent while ${held} are held`);
  }
}

/** How much is held where the broker does not say whether its holdings fall, or where more was sold by hand, is the gateway's opinion, and the broker's to refuse. */
function isOpinion({ product, side, venue, symbol }: Move, world: Outside): boolean {
  return product === 'DELIVERY' && side === 'SELL' && (world.seed % 3 === 1 || venue.holding(symbol, world.now()) < 0);
}

function isSharper(price: string | undefined, stands: number, order: VenueOrder): boolean {
  if (price === undefined) return false;
  return order.side === 'BUY' ? Number(price) > stands : Number(price) < stands;
}
