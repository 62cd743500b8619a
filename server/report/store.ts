import { type Clock, within } from '../clock.ts';
import { DatabaseError, isOfConnection } from '../db/error.ts';
import type { Handle } from '../db/handle.ts';

/** Whoever asks is told by then that nothing can be read. */
const READ_MS = 5_000;
const PING_MS = 250;

/** What reports read: on connections of their own, and never longer than a caller waits. */
export class ReportStore {
  readonly #db: Handle;
  readonly #clock: Clock;
  /** A ping that is not answered yet: who asks meanwhile waits for the same. */
  #pinging: Promise<number> | null = null;

  constructor(db: Handle, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** What `work` reads, once more where its connection was lost. Rejects as the database does, and where it does not answer in time. */
  async read<Result>(work: (db: Handle) => Promise<Result>): Promise<Result> {
    const reading = work(this.#db).catch((error: unknown) => {
      if (!isOfConnection(error)) throw error;
      return work(this.#db);
    });
    const read = await within(
      this.#clock,
      READ_MS,
      reading.then((value) => ({ value })),
    );
    if (!read) throw new DatabaseError('The database does not answer');
    return read.value;
  }

  /** How long the database takes to answer, ms; null when it does not within a quarter of a second. Never rejects. */
  async ping(): Promise<number | null> {
    this.#pinging ??= this.#ping().finally(() => {
      this.#pinging = null;
    });
    return await within(
      this.#clock,
      PING_MS,
      this.#pinging.catch(() => null),
    );
  }

  async #ping(): Promise<number> {
    const from = this.#clock.mono();
    await this.#db.$client`select 1`;
    return this.#clock.mono() - from;
  }
}
