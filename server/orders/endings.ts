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
  readonly #answered = new WeakMap<object, Answered[]>();
  /** Ends being written, by key. */
  readonly #ending = new Map<string, Promise<void>>();

  constructor(parts: { clock: Clock; journal: Journal; log: Log; stop: AbortSignal }) {
    this.#clock = parts.clock;
    this.#journal = parts.journal;
    this.#log = parts.log;
    this.#stop = parts.stop;
  }

  /** A fingerprint's order is done. Returns what is to be called once its caller has the whole answer. */
  sent({ key, tag, side }: Entry, instrument: object): () => void {
    if (!key.startsWith('f:')) return () => undefined;
    const endedBy = side === 'SELL' ? 'BUY' : 'SELL';
    const answered = this.#note(instrument, { key, tag, endedBy, deliveredAt: null, lifeMs: lifetimes.sentByFingerprintMs });
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
    const answered = this.#living(instrument);
    if (!answered) return;
    const ends = ({ endedBy, deliveredAt, key: own }: Answered) => {
      if (own === key || deliveredAt === null) return false;
      return endedBy === null || (endedBy === side && (begunAt ?? Number.NEGATIVE_INFINITY) > deliveredAt);
    };
    this.#answered.set(
      instrument,
      answered.filter((one) => !ends(one)),
    );
    this.#end(answered.filter(ends));
  }

  /** Resolves when no end of this key is being written. */
  async over(key: string): Promise<void> {
    while (this.#ending.has(key)) await this.#ending.get(key);
  }

  #note(instrument: object, { key, tag, endedBy, deliveredAt, lifeMs }: Omit<Answered, 'until'> & { lifeMs: number }): Answered {
    const answered: Answered = { key, tag, endedBy, deliveredAt, until: this.#clock.mono() + lifeMs };
    const others = this.#living(instrument)?.filter((one) => one.key !== key);
    this.#answered.set(instrument, others ? [...others, answered] : [answered]);
    return answered;
  }

  /** What has not ended by itself. */
  #living(instrument: object): Answered[] | undefined {
    const now = this.#clock.mono();
    return this.#answered.get(instrument)?.filter(({ until }) => until > now);
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
