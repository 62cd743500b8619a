import type { PlaceOrderRequest } from '../../../contract/orders.ts';
import type { PlaceReply } from '../../../server/orders/answer.ts';
import { requestHash } from '../../../server/orders/key.ts';
import { instrumentAt } from '../instruments.ts';
import type { Outside } from '../outside.ts';
import type { Venue } from '../venue.ts';
import { dayBegins, dayNumber, filledBy, openOf } from '../venue-order.ts';
import { isFinal } from './case.ts';
import type { Move, Truth } from './truth.ts';

const LEAVES_WITHIN_MS = 3000;
/** What happened longer ago than this every read shows. */
const CALM_MS = 35_000;
/** Answers that say something else than other orders being in the way. */
const OUTSIDE = /session|Not Connected|stopping|store unavailable|being removed/i;

/** A request that is being answered. */
export interface Ask {
  key: string;
  request: PlaceOrderRequest;
  hash: string;
  at: number;
  life: number;
  move: Move | null;
  /** The first request with its key. */
  isFirst: boolean;
  /** How the gateway can know that it only reduces, whatever else is under way; null: it cannot. */
  reducesBy: 'records' | 'reads' | null;
  /** The room it was asked in, and what may fill in it beside, orders asked for since included. */
  room: number;
  most: number;
  sentAt: number | null;
}

/** An order that only reduces its product, as far as the gateway can know, leaves within 3 s and is never refused. */
export class Exits {
  readonly #world: Outside;
  readonly #truth: Truth;
  readonly #violation: (text: string) => void;
  readonly #asks = new Set<Ask>();
  readonly #keys = new Set<string>();

  constructor(world: Outside, truth: Truth, violation: (text: string) => void) {
    this.#world = world;
    this.#truth = truth;
    this.#violation = violation;
  }

  asked(key: string, request: PlaceOrderRequest, venue: Venue | null): Ask {
    const { symbol, token, product_type: product, transaction_type: side, quantity } = request;
    const move = venue && { venue, symbol: venue.instrument({ symbol, token }), product, side, quantity };
    const isFirst = !this.#keys.has(key);
    this.#keys.add(key);
    const ask: Ask = {
      key,
      request,
      hash: requestHash(request),
      at: this.#world.now(),
      life: this.#world.life.number,
      move,
      isFirst,
      reducesBy: null,
      room: 0,
      most: 0,
      sentAt: null,
    };
    for (const other of this.#asks) if (isBeside(other.request, request)) other.most += quantity;
    if (move && isFirst) this.#measure(ask, move);
    this.#asks.add(ask);
    return ask;
  }

  /** The request an attempt was begun for. */
  askOf(key: string, hash: string): Ask | undefined {
    const living = [...this.#asks].filter((ask) => ask.life === this.#world.life.number && ask.hash === hash);
    // A session that came up while a request without a key waited gave it another fingerprint.
    return living.find((ask) => ask.key === key) ?? living.find((ask) => ask.key.startsWith('f:'));
  }

  sent(key: string, hash: string): void {
    const ask = this.askOf(key, hash);
    if (!ask) return;
    ask.sentAt = this.#world.now();
    const tookMs = ask.sentAt - ask.at;
    if (tookMs > LEAVES_WITHIN_MS && this.#holds(ask)) this.#violation(`${key}: an exit left after ${tookMs} ms`);
  }

  answered(ask: Ask, { body, headers }: PlaceReply): void {
    this.#asks.delete(ask);
    if (ask.sentAt !== null || body.success || headers['Idempotency-Replayed'] || !this.#holds(ask)) return;
    const message = body.message ?? '';
    if (!OUTSIDE.test(message)) this.#violation(`${ask.key}: an exit (by ${ask.reducesBy}) was refused: ${message}`);
  }

  /** Store, login and, where it takes them, reads have worked since. */
  #holds({ reducesBy, at, move, room, most }: Ask): boolean {
    const { storeTroubleAt, sessionTroubleAt, troubleAt, exitsRanUntil } = this.#world;
    if (!reducesBy || !move || most > room || Math.max(storeTroubleAt, sessionTroubleAt, exitsRanUntil) >= at) return false;
    if (dayNumber(at) !== dayNumber(this.#world.now())) return false;
    if (reducesBy === 'records') return !this.#truth.hasStranger(move.venue, move.symbol);
    return troubleAt < at - CALM_MS && !this.#truth.filledAtRest(move) && this.#leastRoom(move, at) >= most;
  }

  #measure(ask: Ask, move: Move): void {
    ask.most = this.#most(ask, move);
    const settled = this.#truth.settledRoom(move);
    const calm = this.#world.troubleAt < ask.at - CALM_MS;
    if (settled !== null && ask.most <= settled) [ask.reducesBy, ask.room] = ['records', settled];
    else if (calm) [ask.reducesBy, ask.room] = ['reads', this.#leastRoom(move, ask.at)];
  }

  /** The order and everything beside it that may fill, or count as if it might. */
  #most({ request }: Ask, move: Move): number {
    const now = this.#world.now();
    const { venue, symbol, product, side } = move;
    let most = move.quantity;
    const ours = this.#truth.others(move, '').filter((one) => one.attempt.product === product);
    for (const { attempt, quantity } of ours) {
      // One that was answered as resting may have ended since, and nobody has seen it.
      const isResting = attempt.fillStatus === 'PENDING' || attempt.fillStatus === 'PARTIALLY_FILLED';
      if (!isFinal(attempt)) most += quantity;
      else if (isResting) most += Math.max(0, quantity - attempt.filledQuantity);
    }
    for (const order of venue.orders) {
      if (order.symbol !== symbol || order.product !== product || order.side !== side) continue;
      const own = order.tag === null ? undefined : this.#truth.cases.get(order.tag);
      if (!own || isFinal(own.attempt)) most += openOf(order, now);
    }
    for (const other of this.#asks) if (isBeside(other.request, request)) most += other.request.quantity;
    return most;
  }

  /** The least room any read since shortly before `at` could show: fills change it, and midnight, which ends positions. */
  #leastRoom(move: Move, at: number): number {
    const { venue, symbol, product } = move;
    const from = at - CALM_MS;
    const now = this.#world.now();
    const fills = venue.orders
      .filter((order) => order.symbol === symbol && order.product === product)
      .flatMap((order) => filledBy(order, now).map((fill) => fill.at));
    const moments = [dayBegins(dayNumber(now)), ...fills].filter((moment) => moment > from);
    return Math.min(...[from, now, ...moments].map((moment) => this.#truth.room(move, product, moment)));
  }
}

/** Wherever they go: which broker it is may not be known yet. */
function isBeside(a: PlaceOrderRequest, b: PlaceOrderRequest): boolean {
  return (
    instrumentAt(false, a) === instrumentAt(false, b) && a.product_type === b.product_type && a.transaction_type === b.transaction_type
  );
}
