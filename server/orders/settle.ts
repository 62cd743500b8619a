import { type Clock, within } from '../clock.ts';
import type { Log } from '../log.ts';
import {
  type Attempt,
  type AttemptChange,
  type AttemptEvent,
  type AttemptState,
  isFinal,
  type Journal,
  type OrderTruth,
  SupersededError,
} from './attempt.ts';

/** So often the store may refuse a step for what it holds: two that meet in one place refuse one another once. */
const REFUSALS = 5;
const PATIENCE_MS = 10_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

export interface Step {
  to: AttemptState;
  change?: AttemptChange;
  event: AttemptEvent;
  truth?: OrderTruth;
}

interface Pending {
  /** The attempt as the store last held it. */
  durable: Attempt;
  /** The newest step; later ones are merged into it while the store is away. */
  step: Step;
  /** Events of steps that were merged into later ones: each is written all the same. */
  earlier: AttemptEvent[];
  /** Writes in a row that failed for what they hold. */
  refusals: number;
  written: Promise<Attempt>;
}

/**
 * Writes what became of a sent order. Nothing here may be lost: a store that is down is tried for 10 s while the caller waits,
 * and in the background until it is back.
 */
export class Settler {
  readonly #clock: Clock;
  readonly #journal: Journal;
  readonly #log: Log;
  readonly #stop: AbortSignal;
  readonly #pending = new Map<string, Pending>();

  constructor(parts: { clock: Clock; journal: Journal; log: Log; stop: AbortSignal }) {
    this.#clock = parts.clock;
    this.#journal = parts.journal;
    this.#log = parts.log;
    this.#stop = parts.stop;
  }

  /** Attempts whose newest step waits for the store. */
  get late(): number {
    return this.#pending.size;
  }

  /** An attempt as its newest step leaves it, while the store does not hold that yet. */
  held(key: string): Attempt | undefined {
    const pending = this.#pending.get(key);
    return pending && { ...pending.durable, ...pending.step.change, state: pending.step.to };
  }

  /** The changed attempt, or `stored: false` when the store stayed away for 10 s: the step then goes on in the background. */
  async write(attempt: Attempt, step: Step): Promise<{ attempt: Attempt; stored: boolean }> {
    const written = this.#enqueue(attempt, step);
    const moved = await within(this.#clock, PATIENCE_MS, written);
    if (moved) return { attempt: moved, stored: true };
    this.#log.error({ key: attempt.key, to: step.to }, 'The order store is away; the result is kept in memory until it is back');
    return { attempt: { ...attempt, ...step.change, state: step.to }, stored: false };
  }

  #enqueue(attempt: Attempt, step: Step): Promise<Attempt> {
    const pending = this.#pending.get(attempt.key);
    if (pending) {
      const truth = step.truth ?? pending.step.truth;
      pending.earlier.push(pending.step.event);
      pending.step = { to: step.to, change: { ...pending.step.change, ...step.change }, event: step.event, ...(truth && { truth }) };
      return pending.written;
    }
    const { promise, resolve, reject } = Promise.withResolvers<Attempt>();
    const created: Pending = { durable: attempt, step, earlier: [], refusals: 0, written: promise };
    this.#pending.set(attempt.key, created);
    promise.catch(() => undefined);
    this.#run(created).then(resolve, reject);
    return promise;
  }

  /** Writes until the newest step stands. Rejects only when another owner has the attempt, when the store refuses what is to be written, or when the gateway stops. */
  async #run(pending: Pending): Promise<Attempt> {
    try {
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
        if (await this.#writeNewest(pending)) return pending.durable;
        await this.#clock.sleep(pauseMs, this.#stop);
      }
    } finally {
      if (this.#pending.get(pending.durable.key) === pending) this.#pending.delete(pending.durable.key);
    }
  }

  /** True when no newer step came in while this one was written. */
  async #writeNewest(pending: Pending): Promise<boolean> {
    const { durable, step } = pending;
    try {
      await this.#noteEarlier(pending);
      pending.durable = await this.#move(durable, step);
      pending.refusals = 0;
      // Written with its own step, although a later one came in meanwhile.
      pending.earlier = pending.earlier.filter((event) => event !== step.event);
    } catch (error) {
      if (error instanceof SupersededError || this.#stop.aborted) throw error;
      pending.refusals = isRefusal(error) ? pending.refusals + 1 : 0;
      if (pending.refusals >= REFUSALS) {
        this.#log.error(
          { key: durable.key, to: step.to, error: String(error) },
          'The order store refuses an order result for what it holds',
        );
        throw error;
      }
      this.#log.warn({ key: durable.key, to: step.to, error: String(error) }, 'Writing an order result failed; trying again');
      return false;
    }
    if (pending.step !== step) return this.#writeNewest(pending);
    // In the same turn as the comparison, so that no step slips in between and is lost.
    this.#pending.delete(durable.key);
    return true;
  }

  /** Written before the step they were merged into, one by one, so that a failure repeats none. */
  async #noteEarlier(pending: Pending): Promise<void> {
    const { broker, account, symbol, key } = pending.durable;
    for (let [event] = pending.earlier; event; [event] = pending.earlier) {
      await this.#journal.note({ ...event, broker, account, symbol, key });
      pending.earlier = pending.earlier.filter((one) => one !== event);
    }
  }

  /** A commit whose acknowledgement was lost looks like a miss: the record then stands where this or an earlier step of ours took it. */
  async #move(attempt: Attempt, step: Step): Promise<Attempt> {
    const move = (from: Attempt) => this.#journal.move(from, step.to, step.change ?? {}, step.event, this.#clock.now(), step.truth);
    try {
      return await move(attempt);
    } catch (error) {
      if (!(error instanceof SupersededError)) throw error;
      const standing = await this.#journal.find(attempt.key, this.#clock.now());
      if (!standing || standing.owner !== attempt.owner || standing.epoch !== attempt.epoch || standing.tag !== attempt.tag) throw error;
      if (!isFinal(standing) && standing.state !== attempt.state) return await move(standing);
      const response = step.change?.response ?? attempt.response;
      if (standing.state === step.to && standing.response === response) return standing;
      throw error;
    }
  }
}

/** Bad data and broken constraints (SQLSTATE classes 22 and 23): the store answers, and the same step will be refused again. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^2[23]/.test(String(error.code));
}
