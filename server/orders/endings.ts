import type { Clock } from '../clock.ts';
import { lifetimes } from '../journal/attempt.ts';
import type { AnswerName, Journal } from '../journal/journal.ts';
import type { Log } from '../log.ts';
import type { Entry } from './entry.ts';

const PAUSE_MS = 500;

interface Answered extends AnswerName {
  /** The side that ends it; null where either does. */
  endedBy: string | null;
  /** When it was fully written to its caller, monotonic ms; null: not yet. */
  deliveredAt: number | null;
  /** It ends by itself then, monotonic ms. */
  until: number;
}

/**
 * Stored answers that a fill of ours ends before their time: an order's own fingerprint once an opposite order in its instrument, begun after
 * its answer was delivered, has filled, and what an open position blocked once anything has.
 */
export class Endings {
  readonly #clock: Clock;
  readonly #journal: Journal;
  readonly #log: Log;
  readonly #stop: AbortSignal;
  /** By instrument. */
  readonly #answered = new Map<object, Answered[]>();
  /** Ends being written, by key. */
  readonly #ending = new Map<string, Promise<void>>();

  constructor(parts: { clock: Clock; journal: Journal; log: Log; stop: AbortSignal }) {
    this.#clock = parts.clock;
    this.#journal = parts.journal;
    this.#log = parts.log;
    this.#stop = parts.stop;
  }

  /** A fingerprint's order is done. Returns what is to be called once its caller has the whole answer. */
  sent({ attempt }: Entry, instrument: object): () => void {
    if (!attempt?.key.startsWith('f:')) return () => undefined;
    const endedBy = attempt.side === 'SELL' ? 'BUY' : 'SELL';
    const answered = this.#note(instrument, { ...attempt, endedBy, deliveredAt: null, lifeMs: lifetimes.sentByFingerprintMs });
    return () => {
      answered.deliveredAt ??= this.#clock.mono();
    };
  }

  /** An open position blocked an order, and its answer is being stored for `lifeMs`. Returns what is to be called once it stands: a fill may have ended it before. */
  blocked(instrument: object, { key, tag }: AnswerName, lifeMs: number): () => void {
    const answered = this.#note(instrument, { key, tag, endedBy: null, deliveredAt: Number.NEGATIVE_INFINITY, lifeMs });
    return () => {
      if (!this.#answered.get(instrument)?.includes(answered)) this.#end([answered]);
    };
  }

  /** An order of ours has filled. */
  filled({ side, begunAt, key }: Entry, instrument: object): void {
    const answered = this.#answered.get(instrument);
    if (!answered) return;
    const now = this.#clock.mono();
    const ends = ({ endedBy, deliveredAt, until, key: own }: Answered) => {
      if (own === key || until <= now || deliveredAt === null) return false;
      return endedBy === null || (endedBy === side && begunAt !== null && begunAt > deliveredAt);
    };
    const ended = answered.filter(ends);
    this.#keep(
      instrument,
      answered.filter((one) => !ends(one) && one.until > now),
    );
    if (ended.length > 0) this.#end(ended);
  }

  /** Resolves when an end of this key that is being written stands. */
  async over(key: string): Promise<void> {
    await this.#ending.get(key);
  }

  #note(instrument: object, { key, tag, endedBy, deliveredAt, lifeMs }: Omit<Answered, 'until'> & { lifeMs: number }): Answered {
    const now = this.#clock.mono();
    const answered: Answered = { key, tag, endedBy, deliveredAt, until: now + lifeMs };
    this.#keep(instrument, [...(this.#answered.get(instrument) ?? []).filter((one) => one.until > now && one.key !== key), answered]);
    return answered;
  }

  #keep(instrument: object, answered: Answered[]): void {
    if (answered.length === 0) this.#answered.delete(instrument);
    else this.#answered.set(instrument, answered);
  }

  #end(answers: readonly Answered[]): void {
    const names = answers.map(({ key, tag }) => ({ key, tag }));
    const until = Math.max(...answers.map((one) => one.until));
    const written = this.#write(names, until).finally(() => {
      for (const { key } of names) if (this.#ending.get(key) === written) this.#ending.delete(key);
    });
    for (const { key } of names) this.#ending.set(key, written);
  }

  /** Until it stands, or the answers have ended by themselves. */
  async #write(names: readonly AnswerName[], until: number): Promise<void> {
    while (this.#clock.mono() < until && !this.#stop.aborted) {
      try {
        return await this.#journal.end(names, this.#clock.now(), {
          kind: 'order.answer_ended',
          detail: { reason: 'an order of ours filled' },
        });
      } catch (error) {
        this.#log.warn({ error: String(error) }, 'The end of a stored answer could not be written; it is tried again');
        await this.#clock.sleep(PAUSE_MS, this.#stop);
      }
    }
  }
}
