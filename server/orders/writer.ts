import { type Clock, within } from '../clock.ts';
import {
  type Attempt,
  type AttemptChange,
  type AttemptEvent,
  type AttemptState,
  isFinal,
  type OrderTruth,
  SupersededError,
} from '../journal/attempt.ts';
import type { Journal } from '../journal/journal.ts';
import type { Log } from '../log.ts';

/** How long a caller waits for the store; the write goes on. */
const PATIENCE_MS = 10_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;
/** A store that refuses a step for what it holds may do so for good: it is tried again this often, and the order is followed from memory. */
const REFUSED_PAUSE_MS = 30_000;
/** Two that meet in one place refuse one another once. */
const REFUSALS = 5;

export interface Step {
  to: AttemptState;
  change: AttemptChange;
  event: AttemptEvent;
  truth?: OrderTruth;
}

export interface WriterParts {
  clock: Clock;
  log: Log;
  journal: Journal;
  stop: AbortSignal;
}

/**
 * Writes what became of one sent order, step by step. Nothing here may be lost: while the store is away newer steps are merged into the one that
 * waits, and it is written when the store is back. It ends early only when another owner has the attempt, or when the gateway stops.
 */
export class PendingWrite {
  readonly #parts: WriterParts;
  /** The attempt as the store last held it. */
  #durable: Attempt;
  /** The newest step that is not written; null when all are. */
  #step: Step | null = null;
  /** Events of steps that were merged into later ones: each is written all the same. */
  #earlier: AttemptEvent[] = [];
  #refusals = 0;
  #running: Promise<void> = Promise.resolve();
  /** Another owner has the attempt, or its record is gone. */
  superseded = false;

  constructor(parts: WriterParts, durable: Attempt) {
    this.#parts = parts;
    this.#durable = durable;
  }

  /** Every step stands in the store. */
  get stored(): boolean {
    return this.#step === null;
  }

  /** Takes a step; it is being written when this returns. */
  take(step: Step): void {
    const waiting = this.#step;
    if (!waiting) {
      this.#step = step;
      this.#running = this.#run();
      this.#running.catch(() => undefined);
      return;
    }
    const truth = step.truth ?? waiting.truth;
    this.#earlier.push(waiting.event);
    this.#step = { to: step.to, change: { ...waiting.change, ...step.change }, event: step.event, ...(truth && { truth }) };
  }

  /** Waits until every step stands, at most 10 s. False when they do not yet. */
  async settled(): Promise<boolean> {
    const done = await within(
      this.#parts.clock,
      PATIENCE_MS,
      this.#running.then(
        () => true,
        () => undefined,
      ),
    );
    if (!done && !this.superseded)
      this.#parts.log.error({ key: this.#durable.key }, 'The order store is away; the result is kept in memory until it is back');
    return this.stored;
  }

  async #run(): Promise<void> {
    const { clock, stop } = this.#parts;
    let pauseMs = FIRST_PAUSE_MS;
    for (let step = this.#step; step; step = this.#step) {
      if (await this.#written(step)) {
        // In the same turn as the comparison, so that no step slips in between and is lost.
        if (this.#step === step) this.#step = null;
      } else {
        await clock.sleep(this.#refusals >= REFUSALS ? REFUSED_PAUSE_MS : pauseMs, stop);
        pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
      }
    }
  }

  /** False when it is to be tried again. */
  async #written(step: Step): Promise<boolean> {
    const { stop, log } = this.#parts;
    const { key } = this.#durable;
    try {
      await this.#noteEarlier();
      this.#durable = await this.#move(step);
      this.#refusals = 0;
      // Written with its own step, although a later one came in meanwhile.
      this.#earlier = this.#earlier.filter((event) => event !== step.event);
      return true;
    } catch (error) {
      this.superseded = error instanceof SupersededError;
      if (this.superseded || stop.aborted) throw error;
      this.#refusals = isRefusal(error) ? this.#refusals + 1 : 0;
      const refused = this.#refusals >= REFUSALS;
      const message = refused
        ? 'The order store refuses an order result for what it holds'
        : 'Writing an order result failed; trying again';
      log[refused ? 'error' : 'warn']({ key, to: step.to, error: String(error) }, message);
      return false;
    }
  }

  /** Written before the step they were merged into, one by one, so that a failure repeats none. */
  async #noteEarlier(): Promise<void> {
    const { broker, account, symbol, key } = this.#durable;
    for (let [event] = this.#earlier; event; [event] = this.#earlier) {
      await this.#parts.journal.note({ ...event, broker, account, symbol, key });
      this.#earlier = this.#earlier.filter((one) => one !== event);
    }
  }

  /** A commit whose acknowledgement was lost looks like a miss: the record then stands where this or an earlier step of ours took it. */
  async #move(step: Step): Promise<Attempt> {
    const { journal, clock } = this.#parts;
    const attempt = this.#durable;
    const move = (from: Attempt) => journal.move(from, step.to, step.change, step.event, clock.now(), step.truth);
    try {
      return await move(attempt);
    } catch (error) {
      if (!(error instanceof SupersededError)) throw error;
      const standing = await journal.find(attempt.key, clock.now());
      if (!standing || standing.owner !== attempt.owner || standing.epoch !== attempt.epoch || standing.tag !== attempt.tag) throw error;
      if (!isFinal(standing)) return await move(standing);
      const response = step.change.response ?? attempt.response;
      if (standing.state === step.to && standing.response === response) return standing;
      throw error;
    }
  }
}

/** Bad data and broken constraints (SQLSTATE classes 22 and 23): the store answers, and the same step will be refused again. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^2[23]/.test(String(error.code));
}
