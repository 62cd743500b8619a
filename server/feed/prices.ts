import type { FeedInstrument, FrameQuote } from '../brokers/feed.ts';

/** A price on its way to the records, rupees. */
export interface PriceRecord {
  exchange: string;
  symbol: string;
  ltp: number;
}

interface Last {
  rupees: number;
  /** When it came, epoch ms, UTC. */
  at: number;
}

/** What the feed has told of an instrument: rupees, volume in the broker's unit; `at` is when the last price came (epoch ms). Absent is what it has not told. */
export interface FeedQuote extends FrameQuote {
  lastPrice: number;
  at: number;
}

/** The last price of an instrument: rupees, and when it came (epoch ms). */
export interface PricePoint extends Readonly<Last> {
  /** What prices go by: `nameOf`. */
  name: string;
}

/** The last price of each instrument, and which of them moved since they were last recorded. In memory alone. */
export class Prices {
  readonly #last = new Map<string, Last>();
  readonly #told = new Map<string, FrameQuote>();
  readonly #moved = new Map<string, FeedInstrument>();
  /** Those whose prices are for the records. */
  #recorded = new Set<string>();

  /** When the last price of any came, epoch ms; null when none did. */
  lastAt: number | null = null;

  take(instrument: FeedInstrument, rupees: number, at: number): void {
    this.lastAt = at;
    const name = nameOf(instrument);
    const known = this.#last.get(name);
    if (known?.rupees !== rupees && this.#recorded.has(name)) this.#moved.set(name, instrument);
    if (known) {
      known.rupees = rupees;
      known.at = at;
    } else this.#last.set(name, { rupees, at });
  }

  *all(): Iterable<PricePoint> {
    for (const [name, { rupees, at }] of this.#last) yield { name, rupees, at };
  }

  last(exchange: string, symbol: string): Readonly<Last> | null {
    return this.#last.get(`${exchange}:${symbol}`) ?? null;
  }

  /** Takes what a frame tells beside the last price. */
  tell(instrument: FeedInstrument, quote: FrameQuote): void {
    const name = nameOf(instrument);
    const known = this.#told.get(name);
    if (known) Object.assign(known, quote);
    else this.#told.set(name, { ...quote });
  }

  /** The last price and what was told beside it; null before there is one. */
  quote(exchange: string, symbol: string): FeedQuote | null {
    const last = this.last(exchange, symbol);
    return last && { ...this.#told.get(`${exchange}:${symbol}`), lastPrice: last.rupees, at: last.at };
  }

  /** What moved since the last call. */
  moved(): PriceRecord[] {
    const records = [...this.#moved].map(([name, { exchange, symbol }]) => ({ exchange, symbol, ltp: this.#last.get(name)?.rupees ?? 0 }));
    this.#moved.clear();
    return records;
  }

  /** Forgets instruments that nobody watches any more: those for the records, and those that somebody listens to. */
  keep(recorded: readonly FeedInstrument[], listened: readonly FeedInstrument[] = []): void {
    const before = this.#recorded;
    this.#recorded = new Set(recorded.map(nameOf));
    const names = new Set([...recorded, ...listened].map(nameOf));
    for (const name of this.#last.keys()) if (!names.has(name)) this.#last.delete(name);
    for (const name of this.#told.keys()) if (!names.has(name)) this.#told.delete(name);
    for (const name of this.#moved.keys()) if (!this.#recorded.has(name)) this.#moved.delete(name);
    // One that was only listened to has a price that no record has.
    for (const instrument of recorded) {
      const name = nameOf(instrument);
      if (!before.has(name) && this.#last.has(name)) this.#moved.set(name, instrument);
    }
  }
}

/** What prices go by, in memory and in the records. */
export function nameOf({ exchange, symbol }: Pick<FeedInstrument, 'exchange' | 'symbol'>): string {
  return `${exchange}:${symbol}`;
}
