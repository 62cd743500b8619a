import { type Clock, within } from '../clock.ts';

type Release = () => void;

/** One queue per name; waits are bounded. */
export class Mutexes {
  readonly #clock: Clock;
  readonly #tails = new Map<string, Promise<void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Nobody holds it or waits for it: whoever asks next holds it at once. */
  isFree(name: string): boolean {
    return !this.#tails.has(name);
  }

  /** Resolves with the release once every earlier holder released, or with null after `waitMs`. */
  async acquire(name: string, waitMs: number): Promise<Release | null> {
    const before = this.#tails.get(name) ?? Promise.resolve();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const tail = before.then(() => held);
    this.#tails.set(name, tail);
    void tail.then(() => {
      if (this.#tails.get(name) === tail) this.#tails.delete(name);
    });
    const won = await within(
      this.#clock,
      waitMs,
      before.then(() => true),
    );
    if (won) return release;
    release();
    return null;
  }
}
