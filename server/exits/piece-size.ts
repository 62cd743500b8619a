import type { Leg } from './plan.ts';

/** A refusal that speaks of how much was asked for. */
const OF_QUANTITY = /freeze|quantity|qty/i;
/** A sixty-fourth of what was asked for first. */
const HALVINGS = 6;

/**
 * How much one order of an exit may have: what the instrument file says and, where it says nothing or too much, what the exchange turns out to take. A
 * refusal is certain, so that half of it may be sent under the next key.
 */
export class PieceSize {
  readonly #lot: number | null;
  #most: number;
  #halvings = 0;

  constructor({ most, lot }: Pick<Leg, 'most' | 'lot'>) {
    this.#lot = lot;
    this.#most = most ?? Number.POSITIVE_INFINITY;
  }

  /** In the broker's own unit. */
  get most(): number {
    return this.#most;
  }

  /** Hears that an order of this quantity was refused in these words. False where a smaller one is not worth a try. */
  refused(quantity: number, words: string): boolean {
    if (this.#lot === null || this.#halvings >= HALVINGS || !OF_QUANTITY.test(words)) return false;
    const half = Math.floor(quantity / 2 / this.#lot) * this.#lot;
    if (half < this.#lot) return false;
    this.#most = half;
    this.#halvings += 1;
    return true;
  }
}
