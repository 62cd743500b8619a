import type { FeedInstrument } from '../brokers/feed.ts';

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

/** What the feed tells of an instrument to those who listen: rupees, and when the price came (epoch ms, UTC). What it does not tell is absent. */
export interface FeedQuote {
  lastPrice: number;
  at: number;
  bid?: number;
  ask?: number;
  open?: number;
  high?: number;
  low?: number;
  close?: number;
  /** The broker's own unit. */
  volume?: number;
}

/** The last price of each instrument, and which of them moved since they were last recorded. In memory alone. */
export class Prices {
  readonly #last = new Map<string, Last>();
  readonly #moved = new Map<string, FeedInstrument>();
  /** Those whose prices are for the records. */
  #recorded = new Set<string>();

  take(instrument: FeedInstrument, rupees: number, at: number): void {
    const name = nameOf(instrument);
    const known = this.#last.get(name);
    if (known?.rupees !== rupees && this.#recorded.has(name)) this.#moved.set(name, instrument);
    if (known) {
      known.rupees = rupees;
      known.at = at;
    } else this.#last.set(name, { rupees, at });
  }

  last(exchange: string, symbol: string): Readonly<Last> | null {
    return this.#last.get(`${exchange}:${symbol}`) ?? null;
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
