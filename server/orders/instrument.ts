import { heldQuantity } from '../brokers/broker.ts';
import type { InstrumentName } from '../brokers/instrument.ts';
import type { Clock } from '../clock.ts';
import { Belief, type Range, type Sides } from './belief.ts';
import type { Entry } from './entry.ts';
import type { Asked, Situation } from './guard.ts';
import { reduces } from './guard.ts';
import { EntryQueue } from './queue.ts';

const DELIVERY = 'DELIVERY';

/** How a broker tells positions and holdings, and what it last told. */
export interface PositionSource {
  /** How long positions may show a state from before our own fill, ms. */
  positionsLagMs: number;
  /** Holdings fall with today's sales; undefined: not known. */
  holdingsFall: boolean | undefined;
  /** Positions were read since this process began. */
  wasRead(): boolean;
  /** Shares of this name that are held and may be sold, as last read. */
  sellable(name: InstrumentName): number;
  /** The newest positions hold a row that cannot be read and may be this instrument's. */
  unread(name: InstrumentName): boolean;
  /**
   * What orders placed elsewhere were heard to fill on a side of this product since an instant (monotonic ms), or since it was known to be flat.
   * `unknown`: ours of that side and product, whose rows may look like another hand's.
   */
  filledElsewhere(name: InstrumentName, order: Pick<Asked, 'product' | 'side'>, instant: number, unknown: readonly Entry[]): number;
}

/** One instrument of one account: its queue of entries, our orders in it that may still fill, and what its net quantities must be. */
export class Instrument {
  /** One of its names. */
  readonly alias: InstrumentName;
  readonly queue: EntryQueue;
  /** The symbol under which our records hold it, whatever callers call it; null while they hold nothing. */
  name: string | null = null;
  readonly #orders = new Set<Entry>();
  readonly #beliefs = new Map<string, Belief>();
  readonly #clock: Clock;
  readonly #source: PositionSource;

  constructor(clock: Clock, { exchange, symbol, token }: InstrumentName, source: PositionSource) {
    this.alias = { exchange, symbol, token };
    this.#clock = clock;
    this.#source = source;
    this.queue = new EntryQueue(clock);
  }

  /** Orders of ours that may still fill. */
  get orders(): ReadonlySet<Entry> {
    return this.#orders;
  }

  /** The newest positions could not be read for it. */
  get unreadable(): boolean {
    return this.#source.unread(this.alias);
  }

  /** Nothing is held, and nothing can come. */
  get idle(): boolean {
    if (this.#orders.size > 0) return false;
    for (const { range } of this.#beliefs.values()) if (range.low !== 0 || range.high !== 0) return false;
    return true;
  }

  /** What is believed of each product that was ever held. */
  products(): Map<string, Range> {
    return new Map([...this.#beliefs].map(([product, { range }]) => [product, range]));
  }

  belief(product: string): Belief {
    let belief = this.#beliefs.get(product);
    if (!belief) {
      belief = new Belief(0, this.#source.positionsLagMs, !this.#source.wasRead());
      this.#beliefs.set(product, belief);
    }
    return belief;
  }

  /** The net of one of our own records, from before the first read: old ones may hold one instrument under two symbols. */
  recorded(product: string, net: number): void {
    const { low } = this.belief(product).range;
    this.#beliefs.set(product, new Belief(low + net, this.#source.positionsLagMs, !this.#source.wasRead()));
  }

  /** Takes on what was known of it under another key. */
  absorb(other: Instrument): void {
    this.name ??= other.name;
    for (const [product, belief] of other.#beliefs) if (!this.#beliefs.has(product)) this.#beliefs.set(product, belief);
  }

  add(entry: Entry): void {
    this.#orders.add(entry);
    this.belief(entry.product);
  }

  /** Lets go of orders that can do nothing any more. */
  sweep(): void {
    for (const entry of this.#orders) if (entry.stage === 'over') this.#orders.delete(entry);
    if (this.idle) this.name = null;
    this.queue.review();
  }

  /** A fill of ours that was seen just now. */
  filled(entry: Entry, quantity: number): void {
    this.belief(entry.product).filled(entry.name, entry.side, quantity, this.#clock.mono());
    this.queue.review();
  }

  /** Nets by product of positions read from `beganAt` on (monotonic ms); a product they do not name is flat, and where they cannot be read nothing is learned. */
  read(nets: ReadonlyMap<string, number>, beganAt: number): void {
    if (this.unreadable) return;
    for (const product of nets.keys()) this.belief(product);
    for (const [product, belief] of this.#beliefs) {
      const ours = [...this.#orders].filter((entry) => entry.product === product);
      const [unknown, resting] = [mayFill(ours, 'unknown'), mayFill(ours, 'resting')];
      belief.read(
        nets.get(product) ?? 0,
        { beganAt, at: this.#clock.mono() },
        { unknown, resting, names: new Set(ours.map((entry) => entry.name)) },
      );
    }
    this.queue.review();
  }

  /** Where an order stands in this instrument now. `except`: its own entry, once that counts. */
  situation(asked: Pick<Asked, 'product' | 'side' | 'positionAlone'>, read: boolean, except?: Entry): Situation {
    const others = [...this.#orders].filter((entry) => entry !== except && entry.side === asked.side);
    const unknown = others.filter((entry) => entry.stage === 'unknown');
    const inProduct = (entry: Entry) => entry.product === asked.product;
    const ours = unknown.filter(inProduct);
    const elsewhere = (instant: number) => this.#source.filledElsewhere(this.alias, asked, instant, ours);
    return {
      own: this.#net(asked.product, asked),
      sum: [...new Set([...this.#beliefs.keys(), asked.product])].map((product) => this.#net(product, asked)).reduce(plus),
      unknown: { own: openOf(ours), sum: openOf(unknown) },
      working: openOf(others.filter((entry) => entry.stage === 'resting' && inProduct(entry))),
      elsewhere: () => this.belief(asked.product).lacks(asked.side, elsewhere),
      read,
      unresolved: unknown.find((entry) => entry.open > 0)?.describe() ?? null,
    };
  }

  /** By the newest known positions the order only reduces its own product. */
  reduces(asked: Asked): boolean {
    return reduces(asked, this.situation(asked, false));
  }

  /**
   * Net of a product for an order. Shares sold for delivery come out of what is held, so that below zero there is nothing: such a sale is no
   * short position. For a delivery sell itself what is held counts too, once: where holdings do not fall with today's sales the net has them. Not
   * for one that is to reduce the position alone: two of those at once would sell what is held.
   */
  #net(product: string, order: Pick<Asked, 'product' | 'side' | 'positionAlone'>): Range {
    const { low, high } = this.#widest(product, order.side);
    if (product !== DELIVERY || order.positionAlone) return { low, high };
    const sells = order.product === DELIVERY && order.side === 'SELL';
    if (!sells) return { low: Math.max(0, low), high: Math.max(0, high) };
    const { holdingsFall } = this.#source;
    const shares = this.#source.sellable(this.alias);
    return { low: heldQuantity(shares, low, holdingsFall), high: heldQuantity(shares, high, holdingsFall) };
  }

  /** What is believed, its better end for a side with what unknown orders of the other side may still fill. */
  #widest(product: string, side: string): Range {
    const { low, high } = this.#beliefs.get(product)?.range ?? { low: 0, high: 0 };
    const { bought, sold } = mayFill(
      [...this.#orders].filter((entry) => entry.product === product),
      'unknown',
    );
    return side === 'SELL' ? { low, high: high + bought } : { low: low - sold, high };
  }
}

function openOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => sum + entry.open, 0);
}

function mayFill(entries: readonly Entry[], stage: 'unknown' | 'resting'): Sides {
  const of = (side: string) => openOf(entries.filter((entry) => entry.stage === stage && entry.side === side));
  return { bought: of('BUY'), sold: of('SELL') };
}

function plus(a: Range, b: Range): Range {
  return { low: a.low + b.low, high: a.high + b.high };
}
