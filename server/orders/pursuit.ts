import type { OrderRow } from '../brokers/broker.ts';
import { statusOf } from '../brokers/broker.ts';
import { Bell, type Clock, type Random, tradingDay, within } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Accounts } from './account.ts';
import { acceptance, answerText, type BrokerAnswer, refusal, searched } from './answer.ts';
import { type Attempt, type Journal, lifetimeMs, type OrderTruth } from './attempt.ts';
import { type Fill, FillView, pollFill } from './fill.ts';
import { findOrder } from './find.ts';
import type { Guard } from './guard.ts';
import type { Settler, Step } from './settle.ts';

/** Absence needs this many successful full reads, the last at least this long after the send. */
const ABSENT_READS = 3;
const ABSENT_AFTER_MS = 120_000;
/** The search after the answer: quick at first, then every 5 s until 180 s, then with the reconciliation's pace. */
const LATER_READS_MS = [1000, 2000, 4000];
const LATER_EVERY_MS = 5000;
const LATER_UNTIL_MS = 180_000;
const SLOW_EVERY_MS = 60_000;

export interface PursuitParts {
  clock: Clock;
  random: Random;
  log: Log;
  journal: Journal;
  accounts: Accounts;
  settler: Settler;
  guard: Guard;
  stop: AbortSignal;
}

/**
 * Follows one order whose fate or fill is not known yet, by reading the broker's order book and nothing else.
 * `answer` runs the 8 s the caller waits; `continue` goes on until the truth is known or the trading day is over.
 */
export class Pursuit {
  readonly #parts: PursuitParts;
  readonly #view = new FillView();
  readonly #settled = Promise.withResolvers<void>();
  #attempt: Attempt;
  #stored = true;
  /** When the pursuit began, on the monotonic clock: the send was over by then. */
  readonly #beganAt: number;
  /** Its last write is under way: a read that comes in late changes nothing any more. */
  #closing = false;
  /** Successful reads without our order, and when the last of them began. */
  #absences = 0;
  #absentAt = 0;
  #candidates = '';
  readonly #news = new Bell();
  /** Taken before each read: news that come while one runs may tell of what it missed. */
  #heard = this.#news.signal;

  constructor(parts: PursuitParts, attempt: Attempt) {
    this.#parts = parts;
    this.#attempt = attempt;
    this.#beganAt = parts.clock.mono();
  }

  get attempt(): Attempt {
    return this.#attempt;
  }

  /** The last write reached the store. */
  get stored(): boolean {
    return this.#stored;
  }

  /** Reads until the fill is known, at most 8 s, and stores the answer; an UNKNOWN one leaves the record open. */
  async answer(): Promise<Attempt> {
    const { clock, random, stop } = this.#parts;
    const fill = await pollFill({ clock, random, view: this.#view, read: () => this.#read(), signal: stop, news: this.#news });
    if (!stop.aborted) await this.#store(fill, false);
    if (!this.#open()) this.#settled.resolve();
    return this.#attempt;
  }

  /** Goes on in the background until the attempt is final. Never sends, never throws. */
  async continue(): Promise<void> {
    const { clock, stop, log } = this.#parts;
    try {
      for (let reads = 0; this.#open() && !stop.aborted; reads += 1) {
        await this.#pause(reads, clock.now() - this.#attempt.startedAt);
        if (stop.aborted) return;
        await this.#step();
      }
    } catch (error) {
      log.error({ key: this.#attempt.key, error: String(error) }, 'Following an order stopped; it goes on with the next start');
    } finally {
      this.#settled.resolve();
    }
  }

  /** Reads now instead of at the next moment. */
  hurry(): void {
    this.#news.ring();
  }

  /** Resolves when the attempt is final, or after `waitMs`. */
  async wait(waitMs: number): Promise<Attempt> {
    await within(this.#parts.clock, waitMs, this.#settled.promise);
    return this.#attempt;
  }

  #open(): boolean {
    return this.#attempt.state === 'ACCEPTED' || this.#attempt.state === 'AMBIGUOUS';
  }

  async #pause(reads: number, ageMs: number): Promise<void> {
    const pauseMs = LATER_READS_MS[reads] ?? (ageMs < LATER_UNTIL_MS ? LATER_EVERY_MS : SLOW_EVERY_MS);
    await this.#parts.clock.sleep(pauseMs, AbortSignal.any([this.#heard, this.#parts.stop]));
    this.#heard = this.#news.signal;
  }

  async #step(): Promise<void> {
    const { clock } = this.#parts;
    if (this.#attempt.tradingDay !== tradingDay(clock.now())) return this.#giveUp();
    const row = await this.#read().catch(() => null);
    if (row) this.#view.see(row, clock.mono());
    const fill = this.#view.result(row !== null && clock.mono() - this.#beganAt > LATER_UNTIL_MS);
    // One read of an order the exchange has acknowledged does not show that it rests: it may be about to fill.
    const acknowledged = row?.state === 'OPEN' || row?.state === 'TRIGGER_PENDING';
    if (fill.status !== 'UNKNOWN' && (!acknowledged || this.#view.settled())) return this.#store(fill, true);
    if (this.#provenAbsent() && (await this.#absentByTag())) await this.#storeAbsent();
  }

  /** One look at the order book: our row, or null when it told nothing. */
  async #read(): Promise<OrderRow | null> {
    const account = this.#parts.accounts.of(this.#attempt.broker, this.#attempt.account);
    if (!account) return null;
    const beganAt = this.#parts.clock.mono();
    const book = await account.orderBook.next();
    if (!book.success) return null;
    const { orderId } = this.#attempt;
    if (orderId) return book.normalized.find((row) => row.order_id === orderId) ?? null;
    return await this.#search(book.normalized, beganAt);
  }

  async #search(rows: readonly OrderRow[], beganAt: number): Promise<OrderRow | null> {
    const { clock, journal, settler } = this.#parts;
    const attempt = this.#attempt;
    const ids = rows.map((row) => row.order_id);
    const owners = await journal.owners(attempt.broker, attempt.account, ids);
    const taken = new Set(ids.filter((id) => owners.has(id) && owners.get(id) !== attempt.key));
    const finding = findOrder({ attempt, rows, taken });
    // After midnight the book may be the new day's: it says nothing of ours.
    if (finding.kind === 'absent' && tradingDay(clock.now()) === attempt.tradingDay) {
      this.#absences += 1;
      this.#absentAt = beganAt;
    }
    if (finding.kind === 'unclear') await this.#noteCandidates(finding.candidates);
    if (finding.kind !== 'found') return null;
    const { row } = finding;
    const event = { kind: 'order.found', detail: { order_id: row.order_id } };
    if (!this.#closing && this.#attempt.orderId === '')
      await this.#write(settler, { to: this.#attempt.state, change: { orderId: row.order_id }, event, truth: truthOf(row) });
    return row;
  }

  async #noteCandidates(candidates: string[]): Promise<void> {
    this.#absences = 0;
    const text = candidates.join(',');
    if (text === this.#candidates) return;
    this.#candidates = text;
    const { broker, account, symbol, key } = this.#attempt;
    await this.#parts.journal
      .note({ kind: 'order.candidates', broker, account, symbol, key, detail: { candidates } })
      .catch(() => undefined);
  }

  #provenAbsent(): boolean {
    const lookedLongEnough = this.#absentAt - this.#beganAt >= ABSENT_AFTER_MS;
    return this.#attempt.orderId === '' && this.#absences >= ABSENT_READS && lookedLongEnough;
  }

  async #absentByTag(): Promise<boolean> {
    const account = this.#parts.accounts.of(this.#attempt.broker, this.#attempt.account);
    if (!account?.broker.ordersByTag) return account !== null;
    const found = await account.broker.ordersByTag(this.#attempt.tag).catch(() => null);
    return found?.success === true && found.normalized.length === 0;
  }

  /** Writes what the reads say. UNKNOWN keeps the record open; the truth closes it, replacing a stored UNKNOWN once. */
  async #store(fill: Fill, late: boolean): Promise<void> {
    const { clock, guard, settler } = this.#parts;
    const attempt = this.#attempt;
    const known = fill.status !== 'UNKNOWN';
    const now = clock.now();
    const response = known || attempt.response === null ? this.#responseText(fill) : attempt.response;
    guard.filled(attempt, fill.filledQuantity);
    await this.#write(settler, {
      to: known ? 'DONE' : attempt.state,
      change: {
        response,
        fillStatus: fill.status,
        filledQuantity: fill.filledQuantity,
        ...(known && { expiresAt: now + lifetimeMs(attempt.key, true) }),
        ...(late && known && { resolvedAt: now }),
      },
      event: {
        kind: late ? 'order.resolved' : known ? 'order.done' : 'order.unknown',
        detail: { fill_status: fill.status, filled: fill.filledQuantity },
      },
      ...(fill.row && { truth: truthOf(fill.row, fill) }),
    });
  }

  #responseText(fill: Fill): string {
    const attempt = this.#attempt;
    const broker: BrokerAnswer = JSON.parse(attempt.brokerAnswer ?? '{}');
    return answerText(attempt.state === 'ACCEPTED' ? acceptance(attempt.orderId, broker, fill) : searched(broker, fill));
  }

  async #storeAbsent(): Promise<void> {
    const now = this.#parts.clock.now();
    const { key } = this.#attempt;
    const message = 'The order did not reach the broker: its order book was read for two minutes and does not hold it';
    await this.#write(this.#parts.settler, {
      to: 'DONE',
      change: { response: answerText(refusal(message)), fillStatus: 'REJECTED', resolvedAt: now, expiresAt: now + lifetimeMs(key, true) },
      event: { kind: 'order.resolved', detail: { fill_status: 'REJECTED', absent: true } },
    });
  }

  /** The day's order book is gone: the order stays UNKNOWN and a person must look. */
  async #giveUp(): Promise<void> {
    const { log, settler } = this.#parts;
    const { key, tag, symbol, broker, tradingDay: day } = this.#attempt;
    const response = this.#attempt.response ?? this.#responseText(this.#view.result());
    await this.#write(settler, { to: 'UNRESOLVED', change: { response }, event: { kind: 'order.unresolved', detail: { tag, day } } });
    log.error({ key, tag, symbol, broker, day }, "An order's fate was never learned and its trading day is over: look it up at the broker");
  }

  async #write(settler: Settler, step: Step): Promise<void> {
    if (step.to !== this.#attempt.state) this.#closing = true;
    const { attempt, stored } = await settler.write(this.#attempt, step);
    this.#attempt = attempt;
    this.#stored = stored;
  }
}

/** What a row says of an order; a poll's view of the fill goes before a single row's. */
export function truthOf(row: OrderRow, fill?: Fill): OrderTruth {
  const filledQuantity = Math.max(row.filled_quantity, fill?.filledQuantity ?? 0);
  const averagePrice = fill && fill.averagePrice > 0 ? fill.averagePrice : row.average_price;
  const known = { orderId: row.order_id, ...(row.token !== null && { token: row.token }) };
  // A fill is booked with its price or not yet.
  if (filledQuantity > 0 && !averagePrice) return { ...known, status: 'PLACED', filledQuantity: 0, averagePrice: null };
  return {
    ...known,
    status: statusOf(row.state, filledQuantity),
    filledQuantity,
    averagePrice: filledQuantity > 0 ? averagePrice : null,
  };
}
