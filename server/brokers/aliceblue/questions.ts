import { depthFrame } from './wire.ts';

/** Rupees; `at` is when it was heard (epoch ms). What the feed leaves out is null. */
export interface Quote {
  price: number;
  tick: number | null;
  lower: number | null;
  upper: number | null;
  at: number;
  /** The frame that told it, where that was asked for. */
  frame?: unknown;
}

type Question = PromiseWithResolvers<Quote | null>;

/** Prices asked for and not yet told, by instrument (`NSE|22`). */
export class Questions {
  readonly #open = new Map<string, Question>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  keys(): Iterable<string> {
    return this.#open.keys();
  }

  /** The price of an instrument, null when there is none. Equal questions share one answer; `put` asks a new one. */
  about(key: string, put: (key: string) => void): Promise<Quote | null> {
    const before = this.#open.get(key);
    if (before) return before.promise;
    const question: Question = Promise.withResolvers();
    question.promise.catch(() => undefined);
    this.#open.set(key, question);
    put(key);
    return question.promise;
  }

  /** Answers from a frame of the market data socket: the key of the question it answers, else null. */
  take(frame: unknown): string | null {
    const { data } = depthFrame.safeParse(frame);
    const key = `${data?.e}|${data?.tk}`;
    const question = this.#open.get(key);
    if (!data || !question) return null;
    this.#open.delete(key);
    const { lp, ti = null, lc = null, uc = null } = data;
    question.resolve(lp === undefined || lp <= 0 ? null : { price: lp, tick: ti, lower: lc, upper: uc, at: this.#now(), frame });
    return key;
  }

  drop(key: string): void {
    this.#open.delete(key);
  }

  giveUp(why: string): void {
    for (const question of this.#open.values()) question.reject(new Error(why));
    this.#open.clear();
  }
}
