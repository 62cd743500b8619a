import type { BrokerOrder } from '../../server/brokers/broker.ts';
import type { PlaceReply } from '../../server/gateway.ts';
import type { Attempt } from '../../server/orders/attempt.ts';
import { ACCOUNT } from './broker.ts';
import { averageOf, EXCHANGE, filledBy, quantityOf, stateOf, type VenueOrder } from './venue.ts';
import type { World } from './world.ts';

/** The bound from visibility to truth, and what store and reads may add to it. */
const TRUTH_WITHIN_MS = 10_000 + 4000;
/** Fills we could not have been told of blind the guard no longer than this. */
const STRANGER_MS = 30_000;
const SEARCH_MS = 180_000;
const SLOW_EVERY_MS = 60_000;

/** What the judge knows of one attempt. */
interface Case {
  attempt: Attempt;
  sentAt: number | null;
  /** Nothing left the house. */
  notSent: boolean;
}

interface Answered {
  text: string;
  reply: PlaceReply;
}

/** Holds what the gateway does and says against what the venues hold. */
export class Judge {
  readonly violations: string[] = [];
  readonly #world: World;
  readonly #cases = new Map<string, Case>();
  /** The true answer of each caller's key, once one was given. */
  readonly #truths = new Map<string, Answered>();

  constructor(world: World) {
    this.#world = world;
  }

  violation(text: string): void {
    this.violations.push(text);
    this.#world.note(`VIOLATION ${text}`);
  }

  claimed(attempt: Attempt): void {
    this.#cases.set(attempt.tag, { attempt, sentAt: null, notSent: false });
  }

  /** A claim was taken back; `standing` is what is left under its key. */
  released(attempt: Attempt, standing: Attempt | null): void {
    const known = this.#cases.get(attempt.tag);
    if (!known || standing?.tag === attempt.tag) return;
    if (known.sentAt !== null) this.violation(`${attempt.key} (${attempt.tag}) was sent and then taken back`);
    this.#cases.delete(attempt.tag);
    this.#world.note(`${attempt.key} released`);
  }

  /** A state change that is durable. */
  moved(attempt: Attempt): void {
    const world = this.#world;
    const { tag, key, state, orderId } = attempt;
    const known = this.#cases.get(tag);
    if (!known) {
      this.violation(`${key} moved to ${state} without a claim`);
      return;
    }
    const before = known.attempt;
    known.attempt = attempt;
    world.note(`${key} ${before.state} -> ${state} ${orderId} ${attempt.fillStatus ?? ''} ${attempt.filledQuantity}`);
    if (isFinal(before)) this.violation(`${key} left the final state ${before.state} for ${state}`);
    if (attempt.filledQuantity < before.filledQuantity) this.violation(`${key}: filled quantity went down`);
    if (orderId !== '') this.#judgeOwner(attempt);
    if (state === 'DONE') this.#judgePromptness(attempt);
  }

  sent(broker: string, order: BrokerOrder, tag: string): void {
    const world = this.#world;
    const known = this.#cases.get(tag);
    if (!known) {
      this.violation(`${tag} was sent without a claim`);
      return;
    }
    if (known.sentAt !== null) this.violation(`${tag} was sent twice`);
    known.sentAt = world.now();
    const { key } = known.attempt;
    void world.journal.find(key, world.now()).then((record) => {
      if (record?.state !== 'SENDING' || record.tag !== tag) this.violation(`${tag} was sent without a durable SENDING: ${record?.state}`);
    });
    const where = { broker, account: ACCOUNT, exchange: EXCHANGE, symbol: order.symbol };
    void world.journal.exposure(where).then((open) => {
      const rival = open.find((other) => other.tag !== tag && other.side === order.transactiontype);
      if (rival) this.violation(`${tag} was sent beside ${rival.tag}, which is ${rival.state}`);
    });
    this.#judgeEarlierSends(known);
    this.#judgeEntry(broker, order, tag);
  }

  /** Nothing of a send left the house. */
  notSent(tag: string): void {
    const known = this.#cases.get(tag);
    if (known) known.notSent = true;
  }

  /** Answers that said they were not stored may change when the process dies. */
  crashed(): void {
    for (const [key, { reply }] of this.#truths) {
      const open = this.#casesOf(key).some(({ attempt, sentAt }) => sentAt !== null && !isFinal(attempt));
      if (open && reply.headers['Idempotency-Stored'] === 'false') this.#truths.delete(key);
    }
  }

  /** The answer to a request with a caller's key. */
  answered(key: string, reply: PlaceReply): void {
    const sends = this.#casesOf(key).filter((one) => one.sentAt !== null && !one.notSent);
    const { body } = reply;
    if (reply.status !== 200) {
      this.violation(`${key}: status ${reply.status}`);
      return;
    }
    if (sends.length === 0) {
      if (body.success) this.violation(`${key}: success without a send`);
      return;
    }
    if (body.fill_status === undefined) return;
    const truth = this.#truths.get(key);
    const text = JSON.stringify(body);
    if (truth && truth.text !== text) {
      this.violation(`${key}: the answer changed from ${truth.text} to ${text}`);
      return;
    }
    if (truth || body.fill_status === 'UNKNOWN') return;
    this.#truths.set(key, { text, reply });
    this.#judgeAnswer(key, reply, sends);
  }

  /** The answer to a request without a key: all that can be said without knowing which attempt it was. */
  answeredUnkeyed(reply: PlaceReply): void {
    const { body } = reply;
    if (reply.status !== 200) this.violation(`An unkeyed request: status ${reply.status}`);
    if (!body.success || !body.order_id || body.fill_status === 'UNKNOWN') return;
    const order = this.#orders().find((one) => one.id === body.order_id);
    if (!order) this.violation(`Unkeyed success names order ${body.order_id}, which no venue holds`);
    else this.#judgeFill('an unkeyed request', reply, order);
  }

  /** Long after the last trouble: everything that could be learned is known, and no refused order lives. */
  close(connected: string | null): void {
    const world = this.#world;
    for (const { attempt, sentAt } of this.#cases.values()) {
      const { key, tag, state, broker } = attempt;
      const own = this.#orders().filter((order) => order.tag === tag);
      if (own.length > 1) this.violation(`${tag}: ${own.length} orders at the venue`);
      if (own.length > 0 && sentAt === null) this.violation(`${tag}: at the venue without a send`);
      if (isFinal(attempt) || state === 'CLAIMED' || broker !== connected) continue;
      if (!this.#mayBeUnclear(attempt, own)) this.violation(`${key} (${tag}) is still ${state} at the end of the day`);
    }
    for (const [key, { reply }] of this.#truths) {
      if (reply.body.fill_status !== 'REJECTED') continue;
      const lives = this.#casesOf(key).flatMap(({ attempt }) =>
        this.#orders().filter((order) => order.tag === attempt.tag && alive(order, world.now())),
      );
      if (lives.length > 0) this.violation(`${key} was answered REJECTED and ${lives[0]?.id} lives`);
    }
  }

  #casesOf(key: string): Case[] {
    return [...this.#cases.values()].filter((one) => one.attempt.key === key);
  }

  #orders(): VenueOrder[] {
    return [...this.#world.venues.values()].flatMap((venue) => venue.orders);
  }

  /** The order an attempt names must be its own. */
  #judgeOwner(attempt: Attempt): void {
    const venue = this.#world.venue(attempt.broker);
    const order = venue.orders.find((one) => one.id === attempt.orderId);
    if (!order) {
      this.violation(`${attempt.key} names order ${attempt.orderId}, which the venue does not hold`);
      return;
    }
    if (order.tag !== attempt.tag)
      this.violation(`${attempt.key} (${attempt.tag}) took ${order.id} of ${order.tag ?? 'a stranger'} for its own`);
  }

  #judgePromptness(attempt: Attempt): void {
    const world = this.#world;
    const venue = world.venue(attempt.broker);
    const order = venue.orders.find((one) => one.tag === attempt.tag);
    if (!order || !venue.showsTags) return;
    const readableAt = Math.max(order.visibleAt, Math.min(order.ackAt, order.end?.at ?? order.ackAt), world.troubleAt, order.receivedAt);
    const slowMs = readableAt - attempt.startedAt > SEARCH_MS ? SLOW_EVERY_MS : 0;
    const lateMs = world.now() - readableAt - TRUTH_WITHIN_MS - slowMs;
    if (lateMs > order.averageLagMs) this.violation(`${attempt.key}: the truth came ${lateMs} ms too late`);
  }

  /** One key, one order: a caller's key for good, a fingerprint for 60 s. */
  #judgeEarlierSends(now: Case): void {
    for (const other of this.#casesOf(now.attempt.key)) {
      if (other === now || other.sentAt === null || other.notSent) continue;
      if (now.attempt.key.startsWith('k:')) this.violation(`${now.attempt.key} was sent again`);
      else if (!isFinal(other.attempt)) this.violation(`${now.attempt.key} was sent again while ${other.attempt.tag} is open`);
      else if (this.#world.now() - other.sentAt < 60_000) this.violation(`${now.attempt.key} was sent again within a minute`);
    }
  }

  /** No second entry: neither on the truth, nor on what the gateway could know of it. */
  #judgeEntry(broker: string, order: BrokerOrder, tag: string): void {
    const world = this.#world;
    const orders = world.venue(broker).orders.filter((one) => one.symbol === order.symbol);
    if (orders.some((one) => this.#moreThanTold(one, world.now() - STRANGER_MS))) return;
    // While positions cannot be read, our own records judge, and they know no stranger.
    if (world.now() < world.troubleAt + STRANGER_MS && orders.some((one) => this.#moreThanTold(one, 0))) return;
    const net = world.venue(broker).net(order.symbol, world.now());
    if ((net > 0 && order.transactiontype === 'BUY') || (net < 0 && order.transactiontype === 'SELL'))
      this.violation(`${tag}: ${order.transactiontype} ${order.symbol} was sent while ${net} are held`);
  }

  /** Fills since an instant of a stranger's order, or of one answered as resting: only the broker's positions can tell, and they lag. */
  #moreThanTold(order: VenueOrder, since: number): boolean {
    const fills = filledBy(order, this.#world.now());
    if ((fills.at(-1)?.at ?? 0) < since || fills.length === 0) return false;
    const own = order.tag === null ? undefined : this.#cases.get(order.tag)?.attempt;
    return own === undefined || (isFinal(own) && own.filledQuantity < quantityOf(fills));
  }

  #judgeAnswer(key: string, reply: PlaceReply, sends: readonly Case[]): void {
    const { body } = reply;
    const own = this.#orders().filter((order) => sends.some((one) => one.attempt.tag === order.tag));
    if (body.success) {
      const [order] = own;
      if (order && own.length === 1 && body.order_id === order.id) this.#judgeFill(key, reply, order);
      else this.violation(`${key}: success for ${body.order_id}, at the venue: ${own.map((one) => one.id)}`);
      return;
    }
    const living = own.find((order) => alive(order, this.#world.now()));
    if (living) this.violation(`${key}: ${JSON.stringify(body)}, and ${living.id} lives`);
  }

  #judgeFill(key: string, reply: PlaceReply, order: VenueOrder): void {
    const { body } = reply;
    const { fill_status, filled_quantity = 0, avg_fill_price = 0 } = body;
    const moments = [order.receivedAt - 1, ...filledBy(order, this.#world.now()).map((fill) => fill.at)];
    const wanted = moments.find((at) => quantityOf(filledBy(order, at)) === filled_quantity);
    if (wanted === undefined) {
      this.violation(`${key}: ${filled_quantity} filled was never true of ${order.id}`);
      return;
    }
    const average = averageOf(filledBy(order, wanted));
    if (Math.abs(average - avg_fill_price) > 1e-9) this.violation(`${key}: average ${avg_fill_price} of ${order.id} is ${average}`);
    if (fill_status === 'FILLED' && filled_quantity !== order.quantity)
      this.violation(`${key}: FILLED with ${filled_quantity} of ${order.quantity}`);
    if (fill_status === 'REJECTED' && alive(order, this.#world.now())) this.violation(`${key}: REJECTED while ${order.id} lives`);
  }

  /** Rows that fit and cannot be told apart keep an attempt UNKNOWN, as they should. */
  #mayBeUnclear(attempt: Attempt, own: readonly VenueOrder[]): boolean {
    const venue = this.#world.venue(attempt.broker);
    if (venue.showsTags && own.length > 0) return false;
    return venue.orders.some(
      (order) =>
        (order.tag === null || !venue.showsTags) &&
        order.symbol === attempt.symbol &&
        order.side === attempt.side &&
        order.quantity === attempt.quantity &&
        Math.abs(order.receivedAt - attempt.startedAt) < 140_000,
    );
  }
}

function isFinal(attempt: Attempt): boolean {
  return attempt.state === 'DONE' || attempt.state === 'NOT_SENT' || attempt.state === 'UNRESOLVED';
}

function alive(order: VenueOrder, at: number): boolean {
  const state = stateOf(order, at);
  return quantityOf(filledBy(order, at)) > 0 || state === 'OPEN' || state === 'TRANSIT';
}
