import type { FeedInstrument } from '../brokers/feed.ts';
import { type FeedQuote, nameOf } from './prices.ts';

/** Hears of the instruments it asked for, whichever session is active. */
export interface Listener {
  price(instrument: FeedInstrument, quote: FeedQuote): void;
  /** The broker's feed does not carry it, or no more of them. Told once, until it does. */
  leftOut(instrument: FeedInstrument): void;
}

interface Listened {
  instrument: FeedInstrument;
  listeners: Set<Listener>;
  left: boolean;
}

/** Who listens to what: an instrument is wanted as long as somebody does. */
export class Listeners {
  readonly #listened = new Map<string, Listened>();

  /** A listener of its own for each call. Returns what takes it away again. */
  add(instruments: readonly FeedInstrument[], { price, leftOut }: Listener): () => void {
    const own: Listener = { price, leftOut };
    for (const instrument of instruments) {
      const known = this.#listened.get(nameOf(instrument));
      if (known?.left) own.leftOut(instrument);
      if (known) {
        known.listeners.add(own);
        // Of two sessions the newer one's token counts.
        known.instrument = instrument;
      } else this.#listened.set(nameOf(instrument), { instrument, listeners: new Set([own]), left: false });
    }
    return () => {
      for (const name of new Set(instruments.map(nameOf))) {
        const known = this.#listened.get(name);
        known?.listeners.delete(own);
        if (known?.listeners.size === 0) this.#listened.delete(name);
      }
    };
  }

  instruments(): FeedInstrument[] {
    return [...this.#listened.values()].map(({ instrument }) => instrument);
  }

  tell(instrument: FeedInstrument, quote: FeedQuote): void {
    const known = this.#listened.get(nameOf(instrument));
    if (known) for (const listener of known.listeners) listener.price(known.instrument, quote);
  }

  /** Those that the feed does not carry now; all others it does. */
  leftOut(instruments: readonly FeedInstrument[]): void {
    const names = new Set(instruments.map(nameOf));
    for (const [name, known] of this.#listened) {
      const left = names.has(name);
      if (left && !known.left) for (const listener of known.listeners) listener.leftOut(known.instrument);
      known.left = left;
    }
  }
}
