import type { PlaceReply } from '../../../server/orders/answer.ts';
import type { Outside } from '../outside.ts';
import { alive, averageOf, filledBy, quantityOf, type VenueOrder } from '../venue-order.ts';
import { type Case, isFinal, wasSent } from './case.ts';
import type { Truth } from './truth.ts';

/** A statement is waited for no longer. */
const UNREAD_MS = 6000;

interface Answered {
  text: string;
  reply: PlaceReply;
}

/** What callers are told against what the venues hold. */
export class Answers {
  readonly #world: Outside;
  readonly #truth: Truth;
  readonly #violation: (text: string) => void;
  /** The true answer of each caller's key, once one was given. */
  readonly #told = new Map<string, Answered>();

  constructor(world: Outside, truth: Truth, violation: (text: string) => void) {
    this.#world = world;
    this.#truth = truth;
    this.#violation = violation;
  }

  /** Answers that said they were not stored may change when the process dies. */
  crashed(): void {
    for (const [key, { reply }] of this.#told) {
      const open = this.#truth.casesOf(key).some(({ attempt, sentAt }) => sentAt !== null && !isFinal(attempt));
      if (open && reply.headers['Idempotency-Stored'] === 'false') this.#told.delete(key);
    }
  }

  /** The answer to a request with a caller's key. */
  keyed(key: string, reply: PlaceReply): void {
    const sends = this.#truth.casesOf(key).filter(wasSent);
    const { body } = reply;
    if (reply.status !== 200) {
      this.#violation(`${key}: status ${reply.status}`);
      return;
    }
    if (sends.length === 0 && body.success) this.#violation(`${key}: success without a send`);
    if (sends.length === 0 || body.fill_status === undefined) return;
    const told = this.#told.get(key);
    const text = JSON.stringify(body);
    // While its record cannot be read nobody can say more.
    if (body.fill_status === 'UNKNOWN' && reply.headers['Retry-After'] && this.#world.now() < this.#world.storeTroubleAt + UNREAD_MS)
      return;
    if (told && told.text !== text) {
      this.#violation(`${key}: the answer changed from ${told.text} to ${text}`);
      return;
    }
    if (told || body.fill_status === 'UNKNOWN') return;
    this.#told.set(key, { text, reply });
    this.#judge(key, reply, sends);
  }

  /** The answer to a request without a key: all that can be said without knowing which attempt it was. */
  unkeyed({ status, body }: PlaceReply): void {
    if (status !== 200) this.#violation(`An unkeyed request: status ${status}`);
    if (!body.success || !body.order_id || body.fill_status === 'UNKNOWN') return;
    // Ids begin anew every day.
    const orders = this.#truth.orders.filter((one) => one.id === body.order_id && one.tag !== null);
    const wrong = orders.map((order) => this.#wrong(body, order));
    if (orders.length === 0) this.#violation(`Unkeyed success names order ${body.order_id}, which no venue holds`);
    else if (!wrong.includes(null)) this.#violation(`An unkeyed request: ${wrong[0]}`);
  }

  /** What was answered REJECTED is not there at the end. */
  close(): void {
    for (const [key, { reply }] of this.#told) {
      if (reply.body.fill_status !== 'REJECTED') continue;
      const tags = this.#truth.casesOf(key).map(({ attempt }) => attempt.tag);
      const living = this.#truth.orders.find((order) => order.tag !== null && tags.includes(order.tag) && alive(order, this.#world.now()));
      if (living) this.#violation(`${key} was answered REJECTED and ${living.id} lives`);
    }
  }

  #judge(key: string, { body }: PlaceReply, sends: readonly Case[]): void {
    const own = this.#truth.orders.filter((order) => sends.some((one) => one.attempt.tag === order.tag));
    if (body.success) {
      const [order] = own;
      const wrong = order && own.length === 1 && body.order_id === order.id ? this.#wrong(body, order) : null;
      if (wrong !== null) this.#violation(`${key}: ${wrong}`);
      if (!order || own.length !== 1 || body.order_id !== order.id)
        this.#violation(`${key}: success for ${body.order_id}, at the venue: ${own.map((one) => one.id)}`);
      return;
    }
    const living = own.find((order) => alive(order, this.#world.now()));
    if (living) this.#violation(`${key}: ${JSON.stringify(body)}, and ${living.id} lives`);
  }

  /** What an answer says of an order that was never true of it; null when all was. */
  #wrong({ fill_status, filled_quantity = 0, avg_fill_price = 0 }: PlaceReply['body'], order: VenueOrder): string | null {
    const now = this.#world.now();
    const moments = [order.receivedAt - 1, ...filledBy(order, now).map((fill) => fill.at)];
    const wanted = moments.find((at) => quantityOf(filledBy(order, at)) === filled_quantity);
    if (wanted === undefined) return `${filled_quantity} filled was never true of ${order.id}`;
    const average = averageOf(filledBy(order, wanted));
    if (Math.abs(average - avg_fill_price) > 1e-9) return `average ${avg_fill_price} of ${order.id} is ${average}`;
    const whole = order.versions.some((version) => version.quantity === filled_quantity);
    if (fill_status === 'FILLED' && !whole) return `FILLED with ${filled_quantity} of ${order.id}`;
    if (fill_status === 'REJECTED' && alive(order, now)) return `REJECTED while ${order.id} lives`;
    return null;
  }
}
