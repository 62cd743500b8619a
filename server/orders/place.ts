import type { PlaceOrderRequest } from '../../contract/orders.ts';
import type { Accounts } from '../brokers/account.ts';
import { within } from '../clock.ts';
import { type Attempt, isFinal } from '../journal/attempt.ts';
import type { Log } from '../log.ts';
import { Admission, type AdmissionParts } from './admission.ts';
import type { PlaceReply } from './answer.ts';
import { mayHaveBeenPlaced, mismatched, replay, replyOf, retryLater, stillLooking } from './answer.ts';
import type { Entry } from './entry.ts';
import { POLL_MS } from './fill.ts';
import type { Following } from './following.ts';
import { recordKey, requestHash } from './key.ts';
import { inTime, STORE_DEADLINE_MS } from './send.ts';
import { QUEUE_WAIT_MS } from './turn.ts';

const CONNECT_WAIT_MS = 5000;
const STORE_DOWN = 'Order store unavailable';
/**
 * The longest an attempt may take: session, look-up, queue, positions read as an exit's and then as an entry's, budget, SENDING, pace, the adapter's own
 * read and its send, search, store; plus 2 s.
 */
const TWIN_WAIT_MS =
  CONNECT_WAIT_MS + STORE_DEADLINE_MS + QUEUE_WAIT_MS + 10_000 + 1000 + STORE_DEADLINE_MS + 2000 + 14_000 + POLL_MS + 10_000 + 2000;

/** `replayOnly`: only what is known under the key is told. `positionAlone`: a delivery sell takes nothing of what is held from earlier days. */
export interface PlaceOptions {
  replayOnly: boolean;
  positionAlone?: boolean;
}

export interface PlaceParts extends AdmissionParts {
  log: Log;
  accounts: Accounts;
  following: Following;
}

/** Places orders, each exactly once. The order of things is the whole point: see docs/architecture.md. */
export class Placing {
  readonly #parts: PlaceParts;
  readonly #admission: Admission;
  #stopping = false;

  constructor(parts: PlaceParts) {
    this.#parts = parts;
    this.#admission = new Admission(parts);
  }

  async place(request: PlaceOrderRequest, options: PlaceOptions): Promise<PlaceReply> {
    if (this.#stopping) return retryLater('The gateway is stopping');
    const { accounts, book } = this.#parts;
    if (!request.idempotency_key) await accounts.settled(CONNECT_WAIT_MS);
    const key = recordKey(request, accounts.activeName());
    const hash = requestHash(request);
    const known = book.entry(key);
    if (known) return await this.#meet(known, options.replayOnly ? known.requestHash : hash);
    if (options.replayOnly) return await this.#replayOnly(key);
    const entry = book.claim(key, hash);
    entry.positionAlone = options.positionAlone ?? false;
    const reply = this.#answerOnce(entry, request);
    entry.reply = reply;
    return await reply;
  }

  /** Refuses new orders and waits for those in flight, at most `waitMs`; the rest is found again at the next start. */
  async stop(waitMs: number): Promise<void> {
    this.#stopping = true;
    const replies = this.#parts.book.entries().map(({ reply }) => reply);
    await within(this.#parts.clock, waitMs, Promise.allSettled(replies));
  }

  /** The order is in the book: its first caller's answer is shared, an open one is looked up for at most 8 s, never sent again. */
  async #meet(entry: Entry, hash: string): Promise<PlaceReply> {
    if (entry.withdrawing !== null)
      return retryLater(`The request before with this key was not sent (${entry.withdrawing}) and is being removed`);
    const { reply, tracker, attempt } = entry;
    // What nobody follows yet is still being answered.
    if (reply || !tracker || !attempt) return await this.#join(entry, Promise.resolve(reply), hash);
    if (entry.requestHash !== hash) this.#noteMismatch(attempt);
    tracker.wake();
    await tracker.wait(POLL_MS);
    const newest = entry.attempt ?? attempt;
    return isFinal(newest) ? replay(newest, hash, tracker.stored) : stillLooking(newest, hash);
  }

  /** A twin in flight gets the first one's bytes. */
  async #join(entry: Entry, first: Promise<PlaceReply | null>, hash: string): Promise<PlaceReply> {
    const reply = await within(this.#parts.clock, TWIN_WAIT_MS, first);
    if (!reply)
      return replyOf(
        { success: false, message: 'The first request with this key is still running; ask again' },
        { 'Retry-After': '1' },
        409,
      );
    const { delivered: _, ...shared } = reply;
    return { ...shared, headers: { ...reply.headers, 'Idempotency-Replayed': 'true', ...mismatched(entry.requestHash !== hash) } };
  }

  /** Was this key placed? Places nothing, and compares nothing but the key. */
  async #replayOnly(key: string): Promise<PlaceReply> {
    try {
      const standing = await this.#find(key);
      if (standing) return await this.#answerStanding(standing, standing.requestHash);
      return replyOf(
        { success: false, message: 'No order is known under this idempotency key; nothing was placed' },
        { 'Idempotency-Key-Known': 'false' },
      );
    } catch (error) {
      return this.#storeDown(key, error);
    }
  }

  /** Answers the first caller of a key. What is left of the order afterwards is followed, or withdrawn; else its key is free, or the store's. */
  async #answerOnce(entry: Entry, request: PlaceOrderRequest): Promise<PlaceReply> {
    try {
      return await this.#lookUpAndPlace(entry, request);
    } catch (error) {
      // Only the time before the send can end here: what happens after it is answered by Sending itself.
      return this.#storeDown(entry.key, error);
    } finally {
      entry.reply = null;
      if (entry.tracker === null && entry.withdrawing === null) this.#parts.book.release(entry);
    }
  }

  async #lookUpAndPlace(entry: Entry, request: PlaceOrderRequest): Promise<PlaceReply> {
    const { accounts, book } = this.#parts;
    // Most orders bring a new key: theirs is looked up while positions are read.
    const lookUp = this.#find(entry.key);
    lookUp.catch(() => undefined);
    if (book.mayStand(entry.key) || !accounts.active()) {
      const standing = await lookUp;
      if (standing) return await this.#answerStanding(standing, entry.requestHash, entry);
    }
    if (!accounts.active()) await accounts.settled(CONNECT_WAIT_MS);
    // A session that came up meanwhile gives an order without a key another fingerprint.
    if (recordKey(request, accounts.activeName()) !== entry.key) {
      book.release(entry);
      return await this.place(request, { replayOnly: false, positionAlone: entry.positionAlone });
    }
    const account = accounts.active();
    const answer = account
      ? await this.#admission.admit({ entry, request, account, lookUp })
      : await this.#admission.notConnected(entry, request);
    return 'standing' in answer ? await this.#answerStanding(answer.standing, entry.requestHash, entry) : answer;
  }

  /** A stored answer is replayed. An open record that nobody follows is taken up again, and looked up; `own` was claimed for the same key meanwhile. */
  async #answerStanding(standing: Attempt, hash: string, own?: Entry): Promise<PlaceReply> {
    this.#parts.book.stands(standing.key);
    if (isFinal(standing)) {
      if (standing.requestHash !== hash) this.#noteMismatch(standing);
      return replay(standing, hash, true);
    }
    if (own) this.#parts.book.release(own);
    const adopted = await this.#parts.following.adopt(standing);
    if (adopted) return await this.#meet(adopted, hash);
    const ended = await this.#find(standing.key);
    return ended && isFinal(ended) ? replay(ended, hash, true) : retryLater('The order with this key has just ended');
  }

  #noteMismatch({ key, symbol, broker, account }: Attempt): void {
    this.#parts.journal.note({ kind: 'order.key_mismatch', key, symbol, broker, account }).catch(() => undefined);
  }

  /** The record of a key, once an end of it that is under way stands. */
  async #find(key: string): Promise<Attempt | null> {
    const { journal, clock, book } = this.#parts;
    return await inTime(
      clock,
      book.endings.over(key).then(() => journal.find(key, clock.now())),
    );
  }

  #storeDown(key: string, error: unknown): PlaceReply {
    const { log, book } = this.#parts;
    log.error({ key, error: String(error) }, 'An order was refused because the order store failed');
    return book.mayStand(key) ? mayHaveBeenPlaced() : retryLater(STORE_DOWN);
  }
}
