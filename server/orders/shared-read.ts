import type { ReadBudget } from './limiter.ts';

/**
 * One broker read shared by everyone who may use it. A caller gets a read that BEGAN after its call, never one already under way:
 * at most two reads run and at most one waits, however many callers there are. Two, because whoever comes right after a read began
 * would else wait for nearly two of them: with 16 callers an order took a quarter longer.
 */
export class SharedRead<Answer> {
  readonly #read: () => Promise<Answer>;
  readonly #budget: ReadBudget;
  /** The two reads that began last, settled or not: the next begins when the older one is over. */
  #older: Promise<unknown> | null = null;
  #newer: Promise<unknown> | null = null;
  #waiting: Promise<Answer> | null = null;

  constructor(read: () => Promise<Answer>, budget: ReadBudget) {
    this.#read = read;
    this.#budget = budget;
  }

  /** Rejects as the read rejects. */
  next(): Promise<Answer> {
    this.#waiting ??= this.#begin(this.#older);
    return this.#waiting;
  }

  async #begin(before: Promise<unknown> | null): Promise<Answer> {
    await before;
    await this.#budget.take();
    const reading = this.#read();
    this.#older = this.#newer;
    const over = () => undefined;
    this.#newer = reading.then(over, over);
    this.#waiting = null;
    return await reading;
  }
}
