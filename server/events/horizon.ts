import type { Clock } from '../clock.ts';
import type { Db } from '../db/handle.ts';
import { newestNumber, writers } from './read-events.ts';

/** A number that was the newest at some moment, and who was writing then and is not over yet. */
interface Mark {
  newest: number;
  writing: readonly string[];
}

export interface Seen {
  /** Every event up to this number is committed and readable, or will never be. */
  through: number;
  /** The newest number given to an event when this look began. */
  newest: number;
}

/** Marks kept at once; while so many wait no new one is made. */
const MOST_MARKS = 32;
const PAUSE_MS = { first: 2, most: 50 };

/**
 * How far the events are settled. Numbers are drawn from a sequence and transactions commit in another order: the newest number is remembered first, then
 * who writes; once those are over, no event up to that number can still appear.
 */
export class Horizon {
  readonly #db: Db;
  readonly #clock: Clock;
  #marks: Mark[] = [];
  #through = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Looks once; looks run one after the other. Rejects when the database does. */
  look(): Promise<Seen> {
    const seen = this.#turn.then(() => this.#look());
    this.#turn = seen.catch(() => undefined);
    return seen;
  }

  /** Waits until what was written before the call is settled. Null when that takes longer than `patienceMs`. Rejects when the database does. */
  async settled(patienceMs: number): Promise<Seen | null> {
    const until = this.#clock.mono() + patienceMs;
    const first = await this.look();
    let { through } = first;
    for (let pauseMs = PAUSE_MS.first; through < first.newest; pauseMs = Math.min(2 * pauseMs, PAUSE_MS.most)) {
      if (this.#clock.mono() >= until) return null;
      await this.#clock.sleep(pauseMs);
      ({ through } = await this.look());
    }
    return { through, newest: first.newest };
  }

  async #look(): Promise<Seen> {
    const newest = await newestNumber(this.#db);
    const writing = await writers(this.#db);
    this.#marks = this.#marks.map((mark) => ({ ...mark, writing: mark.writing.filter((one) => writing.has(one)) }));
    if (this.#marks.length < MOST_MARKS) this.#marks.push({ newest, writing: [...writing] });
    const over = this.#marks.findLastIndex((mark) => mark.writing.length === 0);
    this.#through = Math.max(this.#through, this.#marks[over]?.newest ?? 0);
    this.#marks = this.#marks.slice(over + 1);
    return { through: this.#through, newest };
  }
}
