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

/** The last price of each instrument, and which of them moved since they were last recorded. In memory alone. */
export class Prices {
  readonly #last = new Map<string, Last>();
  readonly #moved = new Map<string, FeedInstrument>();

  take(instrument: FeedInstrument, rupees: number, at: number): void {
    const name = nameOf(instrument);
    const known = this.#last.get(name);
    if (known?.rupees !== rupees) this.#moved.set(name, instrument);
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

  /** Forgets instruments that are not watched any more. */
  keep(instruments: readonly FeedInstrument[]): void {
    const names = new Set(instruments.map(nameOf));
    for (const name of this.#last.keys()) if (!names.has(name)) this.#last.delete(name);
    for (const name of this.#moved.keys()) if (!names.has(name)) this.#moved.delete(name);
  }
}

function nameOf({ exchange, symbol }: Pick<FeedInstrument, 'exchange' | 'symbol'>): string {
  return `${exchange}:${symbol}`;
}
