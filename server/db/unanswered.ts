import { systemClock } from '../clock.ts';

/** The statements that wait for the server's answer, so that a server that lives and answers nothing is noticed. */
export class Unanswered {
  /** Oldest first. */
  readonly #statements = new Set<{ since: number }>();

  /** What `work` comes to; until then it counts as waiting. */
  async during<Result>(work: PromiseLike<Result>): Promise<Result> {
    const statement = { since: systemClock.mono() };
    this.#statements.add(statement);
    try {
      return await work;
    } finally {
      this.#statements.delete(statement);
    }
  }

  /** How long the oldest has waited, ms; 0 where none waits. */
  longestMs(): number {
    for (const { since } of this.#statements) return systemClock.mono() - since;
    return 0;
  }
}
