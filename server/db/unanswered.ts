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

  /** The one that waits longest; null where none does. In a long queue it is another one all the time: only one that stays was forgotten. */
  oldest(): object | null {
    for (const statement of this.#statements) return statement;
    return null;
  }

  /** How many wait, and how long the oldest has, ms; 0 where none does. */
  state(): { waiting: number; oldestMs: number } {
    const [oldest] = this.#statements;
    return { waiting: this.#statements.size, oldestMs: oldest ? systemClock.mono() - oldest.since : 0 };
  }
}
