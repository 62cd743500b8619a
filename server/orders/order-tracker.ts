import type { Account, Accounts } from '../brokers/account.ts';
import type { Listing, OrderRow } from '../brokers/broker.ts';
import { Bell, type Clock, type Random, tradingDay, within } from '../clock.ts';
import type { Attempt } from '../journal/attempt.ts';
import type { Journal } from '../journal/journal.ts';
import type { Log } from '../log.ts';
import type { Entry, Tracker } from './entry.ts';
import { type Fill, FillView, pollFill, rests } from './fill.ts';
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
    const entry = this.#entry;
    const { attempt } = entry;
    if (!attempt || this.#closed) return;
    this.#closed = step.to !== 'ACCEPTED' && step.to !== 'AMBIGUOUS';
    entry.attempt = { ...attempt, ...step.change, state: step.to, updatedAt: this.#parts.clock.now() };
    entry.orderId = entry.attempt.orderId;
    if (this.#closed) entry.stage = resting ? 'resting' : 'over';
    this.#write.take(step);
    entry.home?.settle(entry);
  }

  /** Reads until the fill is known, at most 8 s, and takes the step of the answer; an UNKNOWN one leaves the record open. Waits for the store. */
  async answer(): Promise<void> {
    const { clock, random, stop } = this.#parts;
    const fill = await pollFill({ clock, random, view: this.#view, read: () => this.#read(), signal: stop, news: this.#news });
    const { attempt } = this.#entry;
    if (attempt && !stop.aborted && !this.#closed) this.take(fillStep(attempt, fill, { now: clock.now(), late: false }), rests(fill));
    if (this.#closed) this.#ended.resolve();
    await this.#write.settled();
  }

  /** Goes on until the attempt is final and stands in the store. Never sends, never throws. */
  async follow(): Promise<void> {
    const { clock, stop, log } = this.#parts;
    for (let reads = 0; !this.#closed && !stop.aborted && !this.#write.superseded; reads += 1) {
      await this.#pause(reads, clock.now() - (this.#entry.attempt?.startedAt ?? 0));
      if (stop.aborted) break;
      const acknowledged = this.#view.acknowledged;
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
    const entry = this.#entry;
    const { attempt } = entry;
    if (!attempt || this.#closed) return;
    const added = outcome.kind === 'filled' ? outcome.quantity - entry.filled : 0;
    // An order given up counts no more: positions have shown since what became of it.
    if (entry.stage === 'unknown' && added > 0) {
      entry.filled += added;
      entry.home?.filled(entry, added);
    }
    this.take(outcomeStep(attempt, outcome, this.#parts.clock.now()));
    this.#ended.resolve();
    this.wake();
  }

  #account(): Account | null {
    const { attempt } = this.#entry;
    const account = attempt && this.#parts.accounts.of(attempt.broker, attempt.account);
    // What is read of a new sign-in of the account is heard by its book from the first read on.
    if (account) this.#parts.book.of(account);
    return account;
  }

  async #pause(reads: number, ageMs: number): Promise<void> {
    const pauseMs = LATER_READS_MS[reads] ?? (ageMs < LATER_UNTIL_MS ? LATER_EVERY_MS : SLOW_EVERY_MS);
    await this.#parts.clock.sleep(pauseMs, AbortSignal.any([this.#heard, this.#parts.stop]));
    this.#heard = this.#news.signal;
  }

  async #look(): Promise<void> {
    const { clock } = this.#parts;
    const { attempt } = this.#entry;
    if (!attempt || this.#closed) return;
    if (attempt.tradingDay < tradingDay(clock.now())) return this.#giveUp(attempt);
    const row = await this.#read().catch(() => null);
    if (row) this.#view.see(row, clock.mono());
    const fill = this.#view.result(row !== null && clock.mono() - this.#beganAt > LATER_UNTIL_MS);
    // One read of an order the exchange has acknowledged does not show that it rests: it may be about to fill.
    const acknowledged = row?.state === 'OPEN' || row?.state === 'TRIGGER_PENDING';
    if (fill.status !== 'UNKNOWN' && (!acknowledged || this.#view.settled())) return this.#learned(fill);
    if (this.#provenAbsent() && (await this.#absentByTag())) this.take(absentStep(attempt, clock.now()));
  }

  #learned(fill: Fill): void {
    const { attempt } = this.#entry;
    if (attempt) this.take(fillStep(attempt, fill, { now: this.#parts.clock.now(), late: true }), rests(fill));
  }

  /** One look at the order book: our row, or null when it told nothing. */
  async #read(): Promise<OrderRow | null> {
    const account = this.#account();
    if (!account) return null;
    const beganAt = this.#parts.clock.mono();
    const listing = await account.orderBook.next('orders');
    if (!listing.success) return null;
    const { attempt } = this.#entry;
    if (attempt?.orderId) return rowById(attempt, listing.normalized);
    return await this.#search(account, listing, beganAt);
  }

  async #search(account: Account, listing: Extract<Listing<OrderRow>, { success: true }>, beganAt: number): Promise<OrderRow | null> {
    const { attempt } = this.#entry;
    if (!attempt) return null;
    const [row, ...others] = taggedRows(attempt, listing.normalized);
    if (row && others.length === 0) return this.#found(row);
    const candidates = row ? [row, ...others] : await this.#fitting(account, attempt, listing.normalized);
    if (candidates.length > 0) await this.#noteCandidates(attempt, candidates);
    else if (!listing.unreadable?.length) this.#missed(attempt, beganAt);
    return null;
  }

  #found(row: OrderRow): OrderRow {
    const { attempt } = this.#entry;
    if (attempt && !this.#closed && attempt.orderId === '') this.take(foundStep(attempt, row));
    return row;
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
    return this.#entry.attempt?.orderId === '' && this.#absences >= ABSENT_READS && lookedLongEnough;
  }

  async #absentByTag(): Promise<boolean> {
    const [account, tag] = [this.#account(), this.#entry.attempt?.tag];
    if (!account || !tag) return false;
    if (!account.broker.ordersByTag) return true;
    const found = await account.broker.ordersByTag(tag).catch(() => null);
    return found?.success === true && found.normalized.length === 0 && !found.unreadable?.length;
  }

  /** The day's order book is gone: the order stays UNKNOWN and a person must look. */
  #giveUp(attempt: Attempt): void {
    const { key, tag, symbol, broker, tradingDay: day } = attempt;
    this.take(gaveUpStep(attempt, this.#view.result(), this.#parts.clock.now()));
    const message = "An order's fate was never learned and its trading day is over: look it up at the broker";
    this.#parts.log.error({ key, tag, symbol, broker, day }, message);
  }

  /** Another hand has changed the record: what it says counts. */
  async #takeTheirs(): Promise<void> {
    const { journal, log, clock } = this.#parts;
    const { key } = this.#entry;
    log.error({ key }, "An order's record was changed by another hand; it is followed no more");
    const standing = await journal.find(key, clock.now()).catch(() => null);
    if (standing) this.#entry.attempt = standing;
    this.#entry.stage = 'over';
    this.#entry.home?.settle(this.#entry);
  }
}
