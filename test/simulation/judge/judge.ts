import type { PlaceOrderRequest } from '../../../contract/orders.ts';
import type { BrokerChange, BrokerOrder } from '../../../server/brokers/broker.ts';
import { tradingCalendar } from '../../../server/calendar/calendar.ts';
import { sessionDay } from '../../../server/calendar/market.ts';
import { tradingDay } from '../../../server/clock.ts';
import type { Attempt } from '../../../server/journal/attempt.ts';
import type { PlaceReply } from '../../../server/orders/answer.ts';
import { OPENS_MS } from '../arrive.ts';
import type { Outside } from '../outside.ts';
import { dayBegins, dayOf, type VenueOrder } from '../venue-order.ts';
import { Answers } from './answers.ts';
import { isExits, isFinal, type SignIn } from './case.ts';
import { type Ask, Exits } from './exits.ts';
import { Leaving } from './leaving.ts';
import { Replays } from './replays.ts';
import { Reports } from './reports.ts';
import { Truth } from './truth.ts';

/** The bound from visibility to truth, and what store and reads may add to it. */
const TRUTH_WITHIN_MS = 10_000 + 4000;
const SEARCH_MS = 180_000;
const SLOW_EVERY_MS = 60_000;

/** Holds what the gateway does and says against what the venues hold. */
export class Judge {
  readonly violations: string[] = [];
  readonly truth: Truth;
  readonly leaving: Leaving;
  readonly answers: Answers;
  readonly reports: Reports;
  readonly #world: Outside;
  readonly #exits: Exits;
  readonly #replays: Replays;

  constructor(world: Outside) {
    this.#world = world;
    this.truth = new Truth(world);
    const rules = [world, this.truth, (text: string) => this.violation(text)] as const;
    this.leaving = new Leaving(...rules);
    this.answers = new Answers(...rules);
    this.reports = new Reports(...rules);
    this.#exits = new Exits(...rules);
    this.#replays = new Replays(...rules);
  }

  violation(text: string): void {
    this.violations.push(text);
    this.#world.note(`VIOLATION ${text}`);
  }

  asked(key: string, request: PlaceOrderRequest, broker: string | null): Ask {
    return this.#exits.asked(key, request, broker === null ? null : this.#world.venue(broker));
  }

  begun(attempt: Attempt): void {
    const { broker, key, tag } = attempt;
    if (broker === 'unknown') return;
    const venue = this.#world.venue(broker);
    const symbol = venue.instrument(attempt);
    if (attempt.state === 'NOT_SENT') this.#replays.stored(attempt, symbol);
    const ask = this.#exits.askOf(key, attempt.requestHash);
    this.truth.cases.set(tag, {
      attempt,
      symbol,
      reduceOnly: ask?.request.reduce_only ?? isExits(key),
      sentAt: null,
      answeredAt: null,
      notSent: false,
      refused: false,
      quantity: attempt.quantity,
      fillKnownAt: null,
      judgedOn: this.truth.shown.positionsAt(venue, attempt.startedAt),
      life: this.#world.life.number,
      askedAt: ask?.at ?? this.#world.now(),
    });
  }

  /** A SENDING that never left was deleted; `standing` is what is left under its key. */
  withdrawn(attempt: Attempt, standing: Attempt | null): void {
    const known = this.truth.cases.get(attempt.tag);
    if (!known || standing?.tag === attempt.tag) return;
    if (known.sentAt !== null) this.violation(`${attempt.key} (${attempt.tag}) was sent and then withdrawn`);
    this.truth.cases.delete(attempt.tag);
    this.#world.note(`${attempt.key} withdrawn`);
  }

  /** A state change that is durable. */
  moved(attempt: Attempt): void {
    const { tag, key, state, orderId } = attempt;
    const known = this.truth.cases.get(tag);
    if (!known) {
      this.violation(`${key} moved to ${state} without a record`);
      return;
    }
    const before = known.attempt;
    known.attempt = attempt;
    known.answeredAt ??= state === 'DONE' ? (known.sentAt ?? this.#world.now()) : this.#world.now();
    this.#world.note(`${key} ${before.state} -> ${state} ${orderId} ${attempt.fillStatus ?? ''} ${attempt.filledQuantity}`);
    const bySomebody = before.state === 'UNRESOLVED' && this.truth.settled.has(key);
    if (isFinal(before) && !bySomebody) this.violation(`${key} left the final state ${before.state} for ${state}`);
    if (attempt.filledQuantity < before.filledQuantity) this.violation(`${key}: filled quantity went down`);
    if (attempt.filledQuantity > before.filledQuantity) known.fillKnownAt = this.#world.now();
    if (orderId !== '') this.#judgeOwner(attempt);
    if (isFinal(attempt)) this.#replays.done(attempt);
    if (state === 'DONE' && !this.truth.settled.has(key)) this.#judgePromptness(attempt, known.answeredAt);
  }

  /** The bytes of an order leave. */
  sent(through: SignIn, order: BrokerOrder, tag: string): void {
    const world = this.#world;
    const known = this.truth.cases.get(tag);
    if (!known) {
      this.violation(`${tag} was sent without a record`);
      return;
    }
    if (known.sentAt !== null) this.violation(`${tag} was sent twice`);
    if (through.over) this.violation(`${tag} was sent through a session that is over`);
    known.sentAt = world.now();
    // A refusal that may be stored calls the instrument by the name our records hold it under.
    known.symbol = world.venue(through.id).instrument(order);
    const { key, tradingDay: day } = known.attempt;
    const session = order.variety === 'AMO' ? sessionDay(tradingCalendar(), order.exchange, world.now()) : tradingDay(world.now());
    if (session !== day) this.violation(`${tag} was sent for the session of ${session} as one of ${day}`);
    void world.journal.find(key, world.now()).then((record) => {
      if (record?.state !== 'SENDING' || record.tag !== tag) this.violation(`${tag} was sent without a durable SENDING: ${record?.state}`);
    });
    this.#replays.sent(known);
    this.leaving.order(known);
    this.#exits.sent(key, known.attempt.requestHash);
  }

  /** A request has reached its venue. */
  arrived(through: SignIn, what: string): void {
    if (through.over && !through.shutDown) this.violation(`${what} reached ${through.id} through a session that is over`);
  }

  /** The bytes of a modify leave. */
  modifying(through: SignIn, change: BrokerChange): void {
    const venue = this.#world.venue(through.id);
    if (through.over) this.violation(`A modify was sent through a session that is over`);
    this.leaving.modify(venue, change);
    const order = venue.order(change.orderid, this.#world.now());
    const known = order?.tag ? this.truth.cases.get(order.tag) : undefined;
    if (known) known.quantity = Math.max(known.quantity, Number(change.quantity ?? 0));
  }

  /** Nothing of a send left the house. */
  notSent(tag: string): void {
    const known = this.truth.cases.get(tag);
    if (known) known.notSent = true;
  }

  /** The broker refused an order, and its answer arrived. */
  refused(tag: string): void {
    const known = this.truth.cases.get(tag);
    if (known) known.refused = true;
  }

  /** A person says what became of an order. */
  settled(key: string): void {
    this.truth.settled.add(key);
  }

  answered(ask: Ask, reply: PlaceReply): void {
    this.#exits.answered(ask, reply);
    this.#replays.answered(ask, reply);
    if (ask.key.startsWith('k:')) this.answers.keyed(ask.key, reply);
    else this.answers.unkeyed(reply);
  }

  /** Long after the last trouble: everything that could be learned is known, and no refused order lives. */
  close(brokers: readonly string[]): void {
    for (const { attempt, sentAt } of this.truth.cases.values()) {
      const { key, tag, state, broker } = attempt;
      const own = this.truth.orders.filter((order) => order.tag === tag);
      if (own.length > 1) this.violation(`${tag}: ${own.length} orders at the venue`);
      if (own.length > 0 && sentAt === null) this.violation(`${tag}: at the venue without a send`);
      if (isFinal(attempt) || !brokers.includes(broker)) continue;
      if (!this.#mayBeUnclear(attempt, own)) this.violation(`${key} (${tag}) is still ${state} at the end of the day`);
    }
    this.answers.close();
  }

  /** The order an attempt names must be its own. */
  #judgeOwner({ broker, orderId, key, tag }: Attempt): void {
    const orders = this.#world.venue(broker).orders.filter((one) => one.id === orderId);
    if (orders.length === 0) this.violation(`${key} names order ${orderId}, which the venue does not hold`);
    else if (!orders.some((order) => order.tag === tag)) this.violation(`${key} (${tag}) took ${orderId} of a stranger for its own`);
  }

  #judgePromptness(attempt: Attempt, answeredAt: number): void {
    const world = this.#world;
    const venue = world.venue(attempt.broker);
    const order = venue.orders.find((one) => one.tag === attempt.tag);
    if (!order || !venue.traits.showsTags) return;
    const readableAt = Math.max(
      order.visibleAt,
      Math.min(order.ackAt, order.end?.at ?? order.ackAt),
      world.troubleAt,
      order.receivedAt,
      answeredAt,
    );
    const slowMs = readableAt - attempt.startedAt > SEARCH_MS ? SLOW_EVERY_MS : 0;
    const lateMs = world.now() - readableAt - TRUTH_WITHIN_MS - slowMs;
    if (lateMs > order.averageLagMs) this.violation(`${attempt.key}: the truth came ${lateMs} ms too late`);
  }

  /** Rows that fit and cannot be told apart keep an attempt UNKNOWN, as they should; so does a session that has not come yet. */
  #mayBeUnclear(attempt: Attempt, own: readonly VenueOrder[]): boolean {
    const venue = this.#world.venue(attempt.broker);
    // Sent before midnight and taken after it: neither day's book settles it, and its id may be another's.
    if (own.some((order) => order.day !== dayOf(attempt.tradingDay))) return true;
    if (venue.traits.showsTags && own.length > 0) return false;
    if (own.length === 0 && this.#world.now() < dayBegins(dayOf(attempt.tradingDay)) + OPENS_MS) return true;
    const symbol = venue.instrument(attempt);
    return venue.orders.some(
      (order) =>
        (order.tag === null || !venue.traits.showsTags) &&
        order.symbol === symbol &&
        order.side === attempt.side &&
        order.versions.some((version) => version.quantity === attempt.quantity) &&
        Math.abs(order.receivedAt - attempt.startedAt) < 140_000,
    );
  }
}
