import { hash } from 'node:crypto';
import type { ExitReport } from '../../../contract/exits.ts';
import type { ExitReply } from '../../../server/exits/exits.ts';
import { products } from '../instruments.ts';
import type { Outside } from '../outside.ts';
import type { Venue } from '../venue.ts';
import { filledBy, openOf, quantityOf } from '../venue-order.ts';
import { type Case, isFinal } from './case.ts';
import type { Truth } from './truth.ts';

/** What an exit waits for: a session, and then 45 s for its answer. */
const ANSWERED_WITHIN_MS = 46_000;

type Reported = ExitReport['positions'][number];

/** What exits as one operation say of themselves, and that they get everybody out. */
export class Reports {
  readonly #world: Outside;
  readonly #truth: Truth;
  readonly #violation: (text: string) => void;
  /** Reports of which nothing can change any more, by key. */
  readonly #kept = new Map<string, string>();

  constructor(world: Outside, truth: Truth, violation: (text: string) => void) {
    this.#world = world;
    this.#truth = truth;
    this.#violation = violation;
  }

  answered(key: string, { body, headers }: ExitReply, since: number): void {
    const tookMs = this.#world.now() - since;
    if (tookMs > ANSWERED_WITHIN_MS) this.#violation(`exit ${key}: the answer took ${tookMs} ms`);
    if (!body.success || !body.finished) return;
    const text = JSON.stringify(body);
    const kept = this.#kept.get(key);
    if (kept && kept !== text) this.#violation(`exit ${key}: ${kept} was replayed as ${text}`);
    const [settled, stored] = [isSettled(body), headers['Idempotency-Stored'] === undefined];
    if (settled && stored) this.#kept.set(key, text);
    for (const [index, leg] of body.positions.entries()) this.#judge(key, body, leg, index);
  }

  #judge(key: string, report: ExitReport, leg: Reported, index: number): void {
    const world = this.#world;
    const venue = world.venue(report.broker);
    const symbol = venue.instrument(leg);
    const own = [...this.#truth.cases.values()].filter(({ attempt }) => attempt.key.startsWith(`k:exit:${shortOf(key)}:${index}:`));
    const filled = own.reduce((sum, one) => sum + this.#filledOf(one), 0);
    if (leg.filled_quantity > filled)
      this.#violation(`exit ${key}: ${leg.filled_quantity} of ${symbol} ${leg.product_type} are told as filled, and ${filled} did`);
    const raised = own.reduce((sum, { quantity, attempt }) => sum + quantity - attempt.quantity, 0);
    if (filled > Math.abs(leg.net_quantity) + raised && !this.#truth.blind(venue, symbol))
      this.#violation(`exit ${key}: ${filled} of ${symbol} ${leg.product_type} filled, of ${leg.net_quantity}`);
    if (leg.outcome !== 'FLAT' || !this.#isAlone(venue, symbol, leg, report)) return;
    const net = venue.net(symbol, leg.product_type, world.now());
    if (net * leg.net_quantity > 0) this.#violation(`exit ${key}: ${symbol} ${leg.product_type} is told as flat, and ${net} are open`);
  }

  #filledOf({ attempt }: Case): number {
    const order = this.#truth.orderOf(attempt.tag);
    return order ? quantityOf(filledBy(order, this.#world.now())) : 0;
  }

  /** Nobody else's order moved it since the exit began, nor one of ours whose end is not known. */
  #isAlone(venue: Venue, symbol: string, { product_type: product, side }: Reported, { at }: ExitReport): boolean {
    const now = this.#world.now();
    if (this.#truth.hasStranger(venue, symbol) || this.#truth.blind(venue, symbol)) return false;
    return venue.orders
      .filter((order) => order.symbol === symbol && order.product === product)
      .every((order) => {
        const own = order.tag === null ? undefined : this.#truth.cases.get(order.tag);
        if (!own || !isFinal(own.attempt) || this.#truth.mayBeMissed(order)) return false;
        const filled = filledBy(order, now);
        if (own.attempt.filledQuantity !== quantityOf(filled)) return false;
        const isKnown = (own.fillKnownAt ?? 0) < Date.parse(at) && filled.every((fill) => fill.at < Date.parse(at));
        return order.side === side || (openOf(order, now) === 0 && isKnown);
      });
  }

  /** Whether nothing is open at a venue but what nobody can know of, or may be sold only by name. */
  isLeft(venue: Venue): boolean {
    return this.#open(venue).length === 0;
  }

  /** In calm, after exits enough. */
  close(venue: Venue): void {
    for (const { symbol, product, net } of this.#open(venue))
      this.#violation(`${net} of ${symbol} ${product} are open at ${venue.broker} after every exit in calm`);
  }

  #open(venue: Venue): { symbol: string; product: string; net: number }[] {
    const now = this.#world.now();
    const symbols = new Set(venue.orders.map(({ symbol }) => symbol));
    const cases = [...this.#truth.cases.values()].filter(({ attempt }) => attempt.broker === venue.broker);
    return [...symbols].flatMap((symbol) => {
      const isClear = cases.every((one) => one.symbol !== symbol || isFinal(one.attempt));
      if (!isClear) return [];
      return products
        .map((product) => ({ symbol, product, net: venue.net(symbol, product, now) }))
        .filter(({ product, net }) => (product === 'DELIVERY' ? net > 0 && venue.holding(symbol, now) >= 0 : net !== 0));
    });
  }
}

/** Something was asked of the broker, and all of it is known. */
function isSettled({ positions }: ExitReport): boolean {
  const acted = positions.some(
    ({ orders, cancels }) => orders.length > 0 || cancels.some(({ message }) => message !== '' && !message.includes('nothing was sent')),
  );
  return acted && positions.every(({ orders }) => orders.every(({ answer }) => answer.fill_status !== 'UNKNOWN'));
}

/** As an exit's orders are named. */
function shortOf(key: string): string {
  return hash('sha256', key).slice(0, 40);
}
