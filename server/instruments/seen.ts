import type { Clock } from '../clock.ts';

/** Answers that are remembered; what comes first goes first. */
const MOST = 20_000;
/** What names nothing is asked for again: somebody corrects a name, or a broker lists it. */
const NOTHING_MS = 30_000;

/** What look-ups in one load came to, so that none is asked for twice. */
export class Seen<Row> {
  readonly #clock: Clock;
  readonly #answers = new Map<string, { rows: readonly Row[]; until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string): readonly Row[] | undefined {
    const answer = this.#answers.get(key);
    if (!answer || answer.until <= this.#clock.mono()) return undefined;
    return answer.rows;
  }

  set(key: string, rows: readonly Row[]): void {
    const until = rows.length > 0 ? Number.POSITIVE_INFINITY : this.#clock.mono() + NOTHING_MS;
    this.#answers.delete(key);
    this.#answers.set(key, { rows, until });
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= MOST) break;
      this.#answers.delete(oldest);
    }
  }
}
