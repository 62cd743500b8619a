import type { Failure } from './broker.ts';
import type { Turn } from './budget.ts';
import { betterRank, inTime, type PatientRank, type ReadBudget, type ReadRank, readRefused } from './read-budget.ts';

/** An answer, and when its read began (monotonic ms). */
export interface Seen<Answer> {
  answer: Answer;
  beganAt: number;
}

/** A method, not a function: a shared read of a narrower answer still is one of a wider. */
interface Listener<Answer> {
  hear(answer: Answer, beganAt: number): void;
}

/** A read that has not begun. `begun` never rejects. */
interface Coming<Answer> {
  rank: ReadRank;
  turn: Turn<ReadRank> | null;
  begun: Promise<{ answer: Promise<Answer> }>;
}

/**
 * One broker read shared by everyone who may use it. A caller gets a read that BEGAN after its call, never one already under way:
 * at most two reads run and at most one waits, however many callers there are. Two, because whoever comes right after a read began
 * would else wait for nearly two of them: with 16 callers an order took a quarter longer.
 */
export class SharedRead<Answer> {
  readonly #read: () => Promise<Answer>;
  readonly #budget: ReadBudget;
  readonly #listeners = new Set<Listener<Answer>>();
  /** The two reads that began last, settled or not: the next begins when the older one is over. */
  #older: Promise<unknown> | null = null;
  #newer: Promise<unknown> | null = null;
  #coming: Coming<Answer> | null = null;
  #newest: Seen<Answer> | null = null;

  constructor(read: () => Promise<Answer>, budget: ReadBudget) {
    this.#read = read;
    this.#budget = budget;
  }

  /** The answer of the last read, by its beginning, that succeeded: it resolved, and with no `success: false`. */
  get newest(): Seen<Answer> | null {
    return this.#newest;
  }

  /** Rejects as the read rejects. A waiting read takes the best rank of those who wait for it; a caller or self-test is refused when it has not begun within 10 s. */
  next(rank: PatientRank): Promise<Answer>;
  next(rank: ReadRank): Promise<Answer | Failure>;
  async next(rank: ReadRank): Promise<Answer | Failure> {
    const coming = this.#join(rank);
    const begun = await inTime(this.#budget.clock, rank, coming.begun);
    return begun ? await begun.answer : readRefused;
  }

  /** Tells every answer that resolved, and when its read began (monotonic ms), before those who wait for it go on. Returns what ends it. `listener` must not throw. */
  listen(listener: (answer: Answer, beganAt: number) => void): () => void {
    const added = { hear: listener };
    this.#listeners.add(added);
    return () => void this.#listeners.delete(added);
  }

  #join(rank: ReadRank): Coming<Answer> {
    const waiting = this.#coming;
    if (!waiting) {
      const coming: Coming<Answer> = { rank, turn: null, begun: Promise.resolve(this.#older).then(() => this.#begin(coming)) };
      this.#coming = coming;
      return coming;
    }
    waiting.rank = betterRank(waiting.rank, rank);
    waiting.turn?.raise(waiting.rank);
    return waiting;
  }

  async #begin(coming: Coming<Answer>): Promise<{ answer: Promise<Answer> }> {
    coming.turn = this.#budget.turn(coming.rank);
    await coming.turn.granted;
    this.#coming = null;
    const answer = this.#run();
    this.#older = this.#newer;
    const over = () => undefined;
    this.#newer = answer.then(over, over);
    return { answer };
  }

  async #run(): Promise<Answer> {
    const beganAt = this.#budget.clock.mono();
    const answer = await this.#read();
    if (!failed(answer) && beganAt >= (this.#newest?.beganAt ?? beganAt)) this.#newest = { answer, beganAt };
    for (const listener of this.#listeners) listener.hear(answer, beganAt);
    return answer;
  }
}

function failed(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'success' in answer && answer.success === false;
}
