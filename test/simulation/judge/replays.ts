import type { Attempt } from '../../../server/journal/attempt.ts';
import type { PlaceReply } from '../../../server/orders/answer.ts';
import type { Outside } from '../outside.ts';
import { filledBy } from '../venue-order.ts';
import { type Case, isFinal, wasSent } from './case.ts';
import type { Ask } from './exits.ts';
import { STRANGER_MS, type Truth } from './truth.ts';

/** How soon a fill that is known has ended what it ends. */
const ENDED_WITHIN_MS = 5000;
const FINGERPRINT_MS = 60_000;
/** What could not be read may be kept for so long. */
const BRIEFLY_MS = 5000;

interface Blocked {
  tag: string;
  at: number;
  life: number;
  broker: string;
  symbol: string;
}

/** How long answers stand: one key, one order; a fingerprint for a minute or until an opposite fill; what a position blocked until a fill. */
export class Replays {
  readonly #world: Outside;
  readonly #truth: Truth;
  readonly #violation: (text: string) => void;
  /** When the answer of an attempt, by its tag, was handed over whole. */
  readonly #delivered = new Map<string, number>();
  readonly #blocked = new Map<string, Blocked>();
  /** When each attempt was done, by tag. */
  readonly #done = new Map<string, number>();
  /** Tags of attempts whose day was over before their fate was known: their fingerprints name new orders, whatever a person says later. */
  readonly #givenUp = new Set<string>();

  constructor(world: Outside, truth: Truth, violation: (text: string) => void) {
    this.#world = world;
    this.#truth = truth;
    this.#violation = violation;
  }

  done({ tag, state }: Attempt): void {
    if (state === 'UNRESOLVED') this.#givenUp.add(tag);
    if (!this.#done.has(tag)) this.#done.set(tag, this.#world.now());
  }

  /** A refusal was stored: only an open position is a reason to, not an order whose fate may be known in a moment. */
  stored(attempt: Attempt, symbol: string): void {
    const { key, tag, broker, response, expiresAt } = attempt;
    const now = this.#world.now();
    this.#blocked.delete(key);
    if (response === null || !response.includes('"BLOCKED"') || (expiresAt ?? 0) - now <= BRIEFLY_MS) return;
    this.#blocked.set(key, { tag, at: now, life: this.#world.life.number, broker, symbol });
    const venue = this.#world.venue(broker);
    const { product, side, quantity } = attempt;
    const move = { venue, symbol, product, side, quantity };
    const moments = venue.orders.filter((one) => one.symbol === symbol).flatMap((one) => filledBy(one, now).map((fill) => fill.at - 1));
    const recent = [now, ...moments.filter((at) => at > now - STRANGER_MS)];
    if (this.#truth.blind(venue, symbol) || recent.some((at) => this.#truth.roomOfAll(move, at) < 0)) return;
    this.#violation(`${key}: a refusal was stored, and no position blocks it: ${response}`);
  }

  /** One key, one order: a caller's key for good, a fingerprint for a minute or until an opposite order of ours has filled. */
  sent(now: Case): void {
    for (const other of this.#truth.casesOf(now.attempt.key)) {
      if (other === now || !wasSent(other)) continue;
      const { key, tag, state } = other.attempt;
      // Where the store was away it was done before that was written down.
      const isPrompt = this.#world.storeTroubleAt < (other.sentAt ?? 0);
      const doneAt = (isPrompt ? this.#done.get(tag) : other.sentAt) ?? this.#world.now();
      if (key.startsWith('k:')) this.#violation(`${key} was sent again`);
      else if (!isFinal(other.attempt)) this.#violation(`${key} was sent again while ${tag} is open`);
      else if (state === 'DONE' && !this.#givenUp.has(tag) && this.#world.now() - doneAt < FINGERPRINT_MS && !this.#wasLeft(other))
        this.#violation(`${key} was sent again within a minute`);
    }
  }

  answered({ key, hash, at, life }: Ask, { headers, body, delivered }: PlaceReply): void {
    // The session that came up while a request waited is part of its fingerprint.
    const own = (one: Case) =>
      one.attempt.key === key || (key.startsWith('f:') && one.attempt.key.startsWith('f:') && one.attempt.requestHash === hash);
    const last = [...this.#truth.cases.values()].findLast(own);
    if (delivered && last) this.#delivered.set(last.attempt.tag, this.#world.now());
    delivered?.();
    // What is not stored is no replay of the store's, but a twin's answer.
    if (!headers['Idempotency-Replayed'] || headers['Retry-After'] || body.fill_status === undefined) return;
    const blocked = this.#blocked.get(key);
    if (body.status === 'BLOCKED' && blocked?.life === life && this.#endedBefore(at, blocked.at, blocked))
      this.#violation(`${key}: what a position blocked is replayed after a fill`);
    if (!last || !key.startsWith('f:') || body.status === 'BLOCKED' || last.life !== life || last.attempt.state !== 'DONE') return;
    // Rule 3's answer is of another request, that met no session.
    if (body.order_id === undefined) return;
    const ends = this.#opposites(last).some((one) => one.life === life && this.#isOld(one.fillKnownAt, at));
    if (ends && headers['Idempotency-Stored'] === undefined) this.#violation(`${key}: a fingerprint is replayed after an opposite fill`);
  }

  #endedBefore(asked: number, since: number, { broker, symbol }: Blocked): boolean {
    return [...this.#truth.cases.values()].some(({ attempt, symbol: its, fillKnownAt }) => {
      if (attempt.broker !== broker || its !== symbol || !this.#isOld(fillKnownAt, asked)) return false;
      // What blocked it may have been written down after it.
      return this.#truth.orderOf(attempt.tag)?.fills.some((fill) => fill.at > since && fill.at <= (fillKnownAt ?? 0)) ?? false;
    });
  }

  /** The fill was known long enough before a request for its consequences to stand in the store. */
  #isOld(fillKnownAt: number | null, asked: number): boolean {
    return fillKnownAt !== null && fillKnownAt < asked - ENDED_WITHIN_MS && this.#world.storeTroubleAt < fillKnownAt;
  }

  /** By the venue's truth an opposite order of ours, begun after this one's answer was delivered, has filled. */
  #wasLeft(one: Case): boolean {
    return this.#opposites(one).some(({ attempt }) => {
      const order = this.#truth.orderOf(attempt.tag);
      return order !== undefined && filledBy(order, this.#world.now()).length > 0;
    });
  }

  #opposites({ attempt, symbol }: Case): Case[] {
    const deliveredAt = this.#delivered.get(attempt.tag);
    if (deliveredAt === undefined) return [];
    return [...this.#truth.cases.values()].filter(
      (one) =>
        one.attempt.broker === attempt.broker && one.symbol === symbol && one.attempt.side !== attempt.side && one.askedAt > deliveredAt,
    );
  }
}
