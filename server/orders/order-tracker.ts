import type { Account, Accounts } from '../brokers/account.ts';
import type { Listing, OrderRow } from '../brokers/broker.ts';
import { Bell, type Clock, type Random, tradingDay, within } from '../clock.ts';
import { type Attempt, isFinal } from '../journal/attempt.ts';
import type { Journal } from '../journal/journal.ts';
import type { Log } from '../log.ts';
import type { Entry, Tracker } from './entry.ts';
import { FillView, pollFill, rests } from './fill.ts';
import { fittingRows, rowById, taggedRows } from './find.ts';
import type { LiveBook } from './live-book.ts';
import { outcomeStep, type Settled } from './outcome.ts';
import { absentStep, fillStep, foundStep, gaveUpStep } from './steps.ts';
import { PendingWrite, type Step } from './writer.ts';

/** Absence needs this many successful full reads, the last at least this long after the send. */
const ABSENT_READS = 3;
const ABSENT_AFTER_MS = 120_000;
/** The search after the answer: quick at first, then every 5 s until 180 s, then with the reconciliation's pace. */
const LATER_READS_MS = [1000, 2000, 4000];
const LATER_EVERY_MS = 5000;
const LATER_UNTIL_MS = 180_000;
const SLOW_EVERY_MS = 60_000;

export interface TrackerParts {
  clock: Clock;
  random: Random;
  log: Log;
  journal: Journal;
  accounts: Accounts;
  book: LiveBook;
  /** When the first session of an exchange on a trading day opens, epoch ms. */
  opensAt(exchange: string, day: string): number;
  stop: AbortSignal;
}

/**
 * Follows one order whose fate or fill is not known yet, by reading the broker's order book and nothing else. `answer` runs the 8 s the caller
 * waits; `follow` goes on until the truth is known or the trading day is over, whatever fails meanwhile.
 */
export class OrderTracker implements Tracker {
  readonly #parts: TrackerParts;
  readonly #entry: Entry;
  attempt: Attempt;
  readonly #write: PendingWrite;
  readonly #view = new FillView();
  readonly #ended = Promise.withResolvers<void>();
  /** When the tracker began, on the monotonic clock: the send was over by then. */
  readonly #beganAt: number;
  /** Its last step is taken: a read that comes in late changes nothing any more. */
  #closed = false;
  /** Successful reads without our order, and when the last of them began. */
  #absences = 0;
  #absentAt = 0;
  candidates: readonly string[] = [];
  readonly #news = new Bell();
  /** Taken before each read: news that come while one runs may tell of what it missed. */
  #heard = this.#news.signal;

  constructor(parts: TrackerParts, entry: Entry, durable: Attempt) {
    this.#parts = parts;
    this.#entry = entry;
    this.attempt = durable;
    this.#write = new PendingWrite(parts, durable);
    this.#beganAt = parts.clock.mono();
    entry.tracker = this;
  }

  /** Every step stands in the store. */
  get stored(): boolean {
    return this.#write.stored;
  }

  /** The attempt was changed by another hand: nothing of what was taken here is written. */
  get superseded(): boolean {
    return this.#write.superseded;
  }

  /** Takes a step: it counts at once, and is being written. `resting`: the exchange holds what is left of the order. */
  take(step: Step, resting = false): void {
    if (this.#closed) return;
    const entry = this.#entry;
    this.#stands({ ...this.attempt, ...step.change, state: step.to, updatedAt: this.#parts.clock.now() });
    entry.orderId = this.attempt.orderId;
    if (isFinal(this.attempt)) {
      this.#closed = true;
      entry.stage = resting ? 'resting' : 'over';
      this.#ended.resolve();
    }
    this.#write.take(step);
    entry.home?.settle(entry);
  }

  /** Reads until the fill is known, at most 8 s, and takes the step of the answer; an UNKNOWN one leaves the record open. Waits for the store. */
  async answer(): Promise<void> {
    const { clock, random, stop } = this.#parts;
    const fill = await pollFill({ clock, random, view: this.#view, read: () => this.#read(), signal: stop, news: this.#news });
    if (!stop.aborted) this.take(fillStep(this.attempt, fill, { now: clock.now(), late: false }), rests(fill));
    await this.#write.settled();
  }

  /** Goes on until the attempt is final and stands in the store. Never sends, never throws. */
  async follow(): Promise<void> {
    const { stop, log } = this.#parts;
    for (let reads = 0; !this.#over; reads += 1) {
      await this.#pause(reads);
      if (this.#over) break;
      const { acknowledged } = this.#view;
      await this.#look().catch((error: unknown) =>
        log.error({ key: this.#entry.key, error: String(error) }, 'Following an order failed; it is tried again'),
      );
      // A second read shows whether it rests: that is not left to a pace of minutes.
      if (!acknowledged && this.#view.acknowledged) reads = -1;
    }
    this.#ended.resolve();
    while (!this.#write.stored && !this.#write.superseded && !stop.aborted) await this.#write.settled();
    if (this.#write.superseded) await this.#takeTheirs();
  }

  /** Reads now instead of at the next moment. */
  wake(): void {
    this.#news.ring();
  }

  /** Resolves when the attempt is final, or after `waitMs`. */
  async wait(waitMs: number): Promise<void> {
    await within(this.#parts.clock, waitMs, this.#ended.promise);
  }

  /** Waits until every step stands in the store, at most 10 s. */
  settled(): Promise<boolean> {
    return this.#write.settled();
  }

  /** What a person found out at the broker. */
  resolve(outcome: Settled): void {
    if (this.#closed) return;
    const entry = this.#entry;
    const step = outcomeStep(this.attempt, outcome, this.#parts.clock.now());
    const added = (step.truth?.filledQuantity ?? 0) - entry.filled;
    // An order given up has no home any more: positions have shown since what became of it.
    if (added > 0) {
      entry.filled += added;
      entry.home?.filled(entry, added);
    }
    this.take(step);
    this.wake();
  }

  /** Nothing more is to be read. */
  get #over(): boolean {
    return this.#closed || this.#write.superseded || this.#parts.stop.aborted;
  }

  #stands(attempt: Attempt): void {
    this.attempt = attempt;
    this.#entry.attempt = attempt;
  }

  #account(): Account | null {
    const account = this.#parts.accounts.of(this.attempt.broker, this.attempt.account);
    // What is read of a new sign-in of the account is heard by its book from the first read on.
    if (account) this.#parts.book.of(account);
    return account;
  }

  async #pause(reads: number): Promise<void> {
    const { clock, stop } = this.#parts;
    const ageMs = clock.now() - this.attempt.startedAt;
    const pauseMs = LATER_READS_MS[reads] ?? (ageMs < LATER_UNTIL_MS ? LATER_EVERY_MS : SLOW_EVERY_MS);
    await clock.sleep(pauseMs, AbortSignal.any([this.#heard, stop]));
    this.#heard = this.#news.signal;
  }

  async #look(): Promise<void> {
    const { clock } = this.#parts;
    if (this.attempt.tradingDay < tradingDay(clock.now())) return this.#giveUp();
    const row = await this.#read().catch(() => null);
    if (row) this.#view.see(row, clock.mono());
    const unpriced = row !== null && clock.mono() - this.#beganAt > LATER_UNTIL_MS;
    const fill = this.#view.result(unpriced);
    // One read of an order the exchange has acknowledged does not show that it rests: it may be about to fill.
    const acknowledged = row?.state === 'OPEN' || row?.state === 'TRIGGER_PENDING';
    if (fill.status !== 'UNKNOWN' && (!acknowledged || this.#view.settled(unpriced)))
      return this.take(fillStep(this.attempt, fill, { now: clock.now(), late: true }), rests(fill));
    if (this.#provenAbsent() && (await this.#absentByTag())) this.take(absentStep(this.attempt, clock.now()));
  }

  /** One look at the order book: our row, or null when it told nothing. */
  async #read(): Promise<OrderRow | null> {
    const account = this.#account();
    if (!account) return null;
    const beganAt = this.#parts.clock.mono();
    const listing = await account.orderBook.next('orders');
    if (!listing.success) return null;
    return this.attempt.orderId ? rowById(this.attempt, listing.normalized) : await this.#search(account, listing, beganAt);
  }

  async #search(account: Account, listing: Extract<Listing<OrderRow>, { success: true }>, beganAt: number): Promise<OrderRow | null> {
    const { attempt } = this;
    const [row, ...others] = taggedRows(attempt, listing.normalized);
    if (row && others.length === 0) {
      this.take(foundStep(attempt, row));
      return row;
    }
    const candidates = row ? [row, ...others] : await this.#fitting(account, attempt, listing.normalized);
    if (candidates.length > 0) await this.#noteCandidates(attempt, candidates);
    else if (!listing.unreadable?.length) this.#missed(attempt, beganAt);
    return null;
  }

  async #fitting(account: Account, attempt: Attempt, rows: readonly OrderRow[]): Promise<OrderRow[]> {
    const { journal, book } = this.#parts;
    const fitting = fittingRows(attempt, rows, book.of(account).names);
    if (fitting.length === 0) return [];
    const owners = await journal.owners(
      attempt.broker,
      attempt.account,
      tradingDay(attempt.startedAt),
      fitting.map((row) => row.order_id),
    );
    return fitting.filter(({ order_id }) => !owners.has(order_id) || owners.get(order_id) === attempt.key);
  }

  /** Only the book of its own trading day says that an order is not there: after midnight it may be the new day's, and an AMO order waits for its session. */
  #missed(attempt: Attempt, beganAt: number): void {
    const now = this.#parts.clock.now();
    if (tradingDay(now) !== attempt.tradingDay) return;
    if (tradingDay(attempt.startedAt) < attempt.tradingDay && now < this.#parts.opensAt(attempt.exchange, attempt.tradingDay)) return;
    this.#absences += 1;
    this.#absentAt = beganAt;
  }

  async #noteCandidates(attempt: Attempt, rows: readonly OrderRow[]): Promise<void> {
    this.#absences = 0;
    const candidates = rows.map((row) => row.order_id);
    if (candidates.join(',') === this.candidates.join(',')) return;
    this.candidates = candidates;
    const { broker, account, symbol, key, tag } = attempt;
    const note = { kind: 'order.candidates', broker, account, symbol, key, detail: { candidates, tag } };
    await this.#parts.journal.note(note).catch(() => undefined);
  }

  #provenAbsent(): boolean {
    const lookedLongEnough = this.#absentAt - this.#beganAt >= ABSENT_AFTER_MS;
    return this.attempt.orderId === '' && this.#absences >= ABSENT_READS && lookedLongEnough;
  }

  async #absentByTag(): Promise<boolean> {
    const account = this.#account();
    if (!account) return false;
    if (!account.broker.ordersByTag) return true;
    const found = await account.broker.ordersByTag(this.attempt.tag).catch(() => undefined);
    return found?.success === true && found.normalized.length === 0 && !found.unreadable?.length;
  }

  /** The day's order book is gone: the order stays UNKNOWN and a person must look. */
  #giveUp(): void {
    const { key, tag, symbol, broker, tradingDay: day } = this.attempt;
    this.take(gaveUpStep(this.attempt, this.#view.result(), this.#parts.clock.now()));
    const message = "An order's fate was never learned and its trading day is over: look it up at the broker";
    this.#parts.log.error({ key, tag, symbol, broker, day }, message);
  }

  /** Another hand has changed the record: what it says counts. */
  async #takeTheirs(): Promise<void> {
    const { journal, log, clock } = this.#parts;
    const { key } = this.#entry;
    log.error({ key }, "An order's record was changed by another hand; it is followed no more");
    const standing = await journal.find(key, clock.now()).catch(() => undefined);
    if (standing) this.#stands(standing);
    this.#entry.stage = 'over';
    this.#entry.home?.settle(this.#entry);
  }
}
