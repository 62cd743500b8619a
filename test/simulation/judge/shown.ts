import type { OrderRow } from '../../../server/brokers/broker.ts';
import { POLL_MS } from '../../../server/orders/fill.ts';
import type { Outside } from '../outside.ts';
import type { Venue } from '../venue.ts';

/** No order waits for its SENDING while more reads than these are heard. */
const KEPT = 100;
/** Two reads of an acknowledged order so far apart show that it rests. */
const RESTS_MS = 500;

/** When a read began and was heard, and the moment it shows, which may be before it began. Epoch ms. */
export interface Reading {
  beganAt: number;
  heardAt: number;
  asOf: number;
}

/** An order that was shown acknowledged: when first, whether again RESTS_MS later, and as of when last. */
interface Acknowledged {
  since: number;
  again: boolean;
  asOf: number;
}

/** What the living gateway has heard of the venues' books; a new process knows nothing of it. */
export class Shown {
  readonly #world: Outside;
  #life = 0;
  /** Whole reads of positions; the one begun last comes last. */
  readonly #positions = new Map<Venue, Reading[]>();
  /** By tag. */
  readonly #acknowledged = new Map<string, Acknowledged>();

  constructor(world: Outside) {
    this.#world = world;
  }

  positions(venue: Venue, reading: Reading): void {
    this.#renew();
    const before = this.#positions.get(venue) ?? [];
    const newest = before.at(-1);
    // Of two that run at once the one begun first may end last, and is not used.
    if (!newest || newest.beganAt <= reading.beganAt) this.#positions.set(venue, [...before.slice(-KEPT), reading]);
  }

  /** As of when the newest positions were that had been heard at an instant; before everything where none had. */
  positionsAt(venue: Venue, at: number): number {
    this.#renew();
    return this.#positions.get(venue)?.findLast(({ heardAt }) => heardAt <= at)?.asOf ?? Number.NEGATIVE_INFINITY;
  }

  orders(venue: Venue, rows: readonly OrderRow[], { heardAt, asOf }: Reading): void {
    this.#renew();
    for (const { order_id, state } of rows) {
      const tag = venue.order(order_id, asOf)?.tag;
      if (state !== 'OPEN' || !tag) continue;
      const known = this.#acknowledged.get(tag) ?? { since: heardAt, again: false, asOf };
      this.#acknowledged.set(tag, { since: known.since, again: known.again || heardAt - known.since >= RESTS_MS, asOf });
    }
  }

  /** As of when an order sent at an instant was last shown acknowledged, where the gateway may count it as resting by now: read so again, or to the end of its poll. Else null. */
  restingAt(tag: string, sentAt: number): number | null {
    this.#renew();
    const known = this.#acknowledged.get(tag);
    if (!known) return null;
    const pollEnds = Math.max(sentAt, this.#world.lifeBeganAt) + POLL_MS;
    return known.again || this.#world.now() >= pollEnds ? known.asOf : null;
  }

  #renew(): void {
    const { number } = this.#world.life;
    if (this.#life === number) return;
    this.#life = number;
    this.#positions.clear();
    this.#acknowledged.clear();
  }
}
