import { type Bell, type Clock, within } from '../clock.ts';
import type { Db } from '../db/handle.ts';
import type { Attempt } from '../journal/attempt.ts';
import type { Log } from '../log.ts';
import type { OrderService } from '../orders/order-service.ts';
import { type Outcome, UnknownKeyError } from '../orders/outcome.ts';
import { type Answer, Asked, answerRequest, type Listed, takeRequest } from './requests.ts';

/** Also without a knock: less than a request waits to be taken. */
const LOOK_EVERY_MS = 10_000;
/** After a look that failed. */
const RETRY_MS = 500;
const STOP_WAIT_MS = 500;

export interface ServeParts {
  db: Db;
  clock: Clock;
  log: Log;
  /** Rings when a request may have been written. */
  knocked: Bell;
  /** Names this process. */
  owner: string;
  orders: Pick<OrderService, 'unresolved' | 'candidates' | 'resolve'>;
}

/** Carries out what a person asks of the running gateway about orders of unknown fate, one request at a time, each once. Lasts over a database that goes away. */
export class PersonRequests {
  readonly #parts: ServeParts;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  /** Carried out, and its answer not written yet. */
  #unwritten: { id: string; answer: Answer } | null = null;

  constructor(parts: ServeParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Takes no more. What is being carried out gets a moment; its command says when no answer comes. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await within(this.#parts.clock, STOP_WAIT_MS, this.#running);
  }

  async #run(): Promise<void> {
    const { clock, log, knocked } = this.#parts;
    const { signal } = this.#stop;
    for (let told = false; !signal.aborted; ) {
      // Taken before the look: a knock that comes while it runs may tell of what it missed.
      const heard = AbortSignal.any([signal, knocked.signal]);
      try {
        while (!signal.aborted && (await this.#next())) told = false;
        told = false;
      } catch (error) {
        if (!told) log.warn({ error: String(error) }, 'Requests of npm run orders cannot be read or answered; it is tried again');
        told = true;
      }
      await (told ? clock.sleep(RETRY_MS, signal) : clock.sleep(LOOK_EVERY_MS, heard));
    }
  }

  /** False when none waits. */
  async #next(): Promise<boolean> {
    const { db, owner } = this.#parts;
    if (!this.#unwritten) {
      const request = await takeRequest(db, owner);
      if (!request) return false;
      this.#unwritten = { id: request.id, answer: await this.#answer(request.asked) };
    }
    await answerRequest(db, this.#unwritten.id, this.#unwritten.answer);
    this.#unwritten = null;
    return true;
  }

  async #answer(text: string): Promise<Answer> {
    try {
      const asked = Asked.parse(JSON.parse(text));
      if (asked.command === 'list') return { orders: await this.#list() };
      return { told: await this.#settle(asked) };
    } catch (error) {
      return { refused: error instanceof Error ? error.message : String(error) };
    }
  }

  async #list(): Promise<Listed[]> {
    const { orders } = this.#parts;
    return await Promise.all(
      orders.unresolved().map(async (attempt) => {
        const { key, state, startedAt, tradingDay, broker, account, exchange, symbol, product, side, quantity } = attempt;
        const { orderType, price, tag, orderId, response } = attempt;
        const candidates = [...(await orders.candidates(attempt))];
        const listed = { key, state, startedAt, tradingDay, broker, account, exchange, symbol, product, side, quantity };
        return { ...listed, orderType, price, tag, orderId, candidates, response };
      }),
    );
  }

  async #settle(asked: Exclude<Asked, { command: 'list' }>): Promise<string> {
    const { log } = this.#parts;
    const settled = await this.#resolve(asked.key, outcomeOf(asked));
    const { key, side, quantity, symbol, orderId, tag, filledQuantity } = settled;
    log.warn(
      { key, tag, by: asked.by, reason: asked.reason, filled: filledQuantity },
      'A person settled an order whose fate was not known',
    );
    const order = `${side} ${quantity} ${symbol} under ${key}`;
    if (asked.command === 'absent') return `Settled: ${order} is REJECTED, nothing of it was filled.`;
    const named = orderId === tag ? `its tag ${tag} stands for its order id, which nobody knows` : `order id ${orderId}`;
    return `Settled: ${order} is ${settled.fillStatus}, ${filledQuantity} at ${asked.price}; ${named}.`;
  }

  /** A key as it is listed, or the caller's own, which is listed with `k:` before it. */
  async #resolve(key: string, outcome: Outcome): Promise<Attempt> {
    const { orders } = this.#parts;
    const names = [key, `k:${key}`];
    const listed = new Set(orders.unresolved().flatMap((attempt) => (names.includes(attempt.key) ? [attempt.key] : [])));
    const [only] = listed;
    if (listed.size > 1)
      throw new Error(`Both ${names.join(' and ')} are listed: name the one you mean as it is listed (k:${key} is "k:" and "${key}")`);
    if (only !== undefined) return await orders.resolve(only, outcome);
    // It says why none of them can be settled.
    try {
      return await orders.resolve(`k:${key}`, outcome);
    } catch (error) {
      if (!(error instanceof UnknownKeyError)) throw error;
    }
    return await orders.resolve(key, outcome);
  }
}

function outcomeOf(asked: Exclude<Asked, { command: 'list' }>): Outcome {
  const { by, reason } = asked;
  if (asked.command === 'absent') return { kind: 'absent', by, reason };
  const { quantity, price, orderId } = asked;
  return { kind: 'filled', quantity, price: Number(price), orderId, by, reason };
}
