import type { ReadBudget } from './limiter.ts';

/**
 * One broker read shared by everyone who may use it. A caller gets a read that BEGAN after its call, never one already under way:
 * at most one read runs and at most one waits, however many callers there are.
 */
export class SharedRead<Answer> {
  readonly #read: () => Promise<Answer>;
  readonly #budget: ReadBudget;
  #running: Promise<unknown> | null = null;
  #waiting: Promise<Answer> | null = null;

  constructor(read: () => Promise<Answer>, budget: ReadBudget) {
    this.#read = read;
    this.#budget = budget;
  }

  /** Rejects as the read rejects. */
  next(): Promise<Answer> {
    this.#waiting ??= this.#begin(this.#running);
    return this.#waiting;
  }

  async #begin(before: Promise<unknown> | null): Promise<Answer> {
    await before;
    await this.#budget.take();
    const reading = this.#read();
    this.#running = reading.catch(() => undefined);
    this.#waiting = null;
    return await reading;
  }
}
