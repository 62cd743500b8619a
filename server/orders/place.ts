import type { PlaceOrderRequest } from '../../contract/orders.ts';
import { type Clock, type Random, tradingDay, within } from '../clock.ts';
import type { PlaceReply } from '../gateway.ts';
import type { Log } from '../log.ts';
import { decimalText } from '../money.ts';
import type { Account, Accounts } from './account.ts';
import { refusal, replay, replyOf, retryLater } from './answer.ts';
import { type Attempt, type Claim, isFinal, type Journal, lifetimeMs } from './attempt.ts';
import { POLL_MS } from './fill.ts';
import { symbolName } from './guard.ts';
import { newTag, recordKey, requestHash } from './key.ts';
import type { Mutexes } from './mutex.ts';
import type { Pursuits } from './pursuits.ts';
import { brokerOrder, type Sending } from './send.ts';
import type { Settler } from './settle.ts';

const MUTEX_WAIT_MS = 10_000;
const CONNECT_WAIT_MS = 5000;
/** The longest an attempt may take (session, mutex, two position reads that each wait for one under way, limiter, send, store, search, store), plus 2 s. */
const TWIN_WAIT_MS = CONNECT_WAIT_MS + MUTEX_WAIT_MS + 28_000 + 1000 + 7000 + 10_000 + POLL_MS + 10_000 + 2000;
const STORE_DOWN = 'Order store unavailable';

export interface PlaceParts {
  clock: Clock;
  random: Random;
  log: Log;
  journal: Journal;
  accounts: Accounts;
  sending: Sending;
  settler: Settler;
  mutexes: Mutexes;
  pursuits: Pursuits;
  /** Names this process in the journal. */
  owner: string;
}

interface Running {
  hash: string;
  reply: Promise<PlaceReply>;
}

/** Places orders, each exactly once. The order of things is the whole point: see docs/architecture.md. */
export class Placing {
  readonly #parts: PlaceParts;
  readonly #running = new Map<string, Running>();
  #stopping = false;

  constructor(parts: PlaceParts) {
    this.#parts = parts;
  }

  async place(request: PlaceOrderRequest, options: { replayOnly: boolean }): Promise<PlaceReply> {
    if (this.#stopping) return retryLater('The gateway is stopping');
    const { accounts } = this.#parts;
    if (!request.idempotency_key) await accounts.settled(CONNECT_WAIT_MS);
    const key = recordKey(request, accounts.activeName());
    const hash = requestHash(request);
    const twin = this.#running.get(key);
    if (options.replayOnly) return twin ? await this.#join(twin, twin.hash) : await this.#replayOnly(key);
    if (twin) return await this.#join(twin, hash);
    const reply = this.#attemptOrReplay(request, key, hash);
    this.#running.set(key, { hash, reply });
    return await reply.finally(() => this.#running.delete(key));
  }

  /** Refuses new orders and waits for those in flight, at most `waitMs`; the rest is found again at the next start. */
  async stop(waitMs: number): Promise<void> {
    this.#stopping = true;
    const replies = [...this.#running.values()].map((running) => running.reply.catch(() => undefined));
    await within(this.#parts.clock, waitMs, Promise.all(replies));
  }

  /** A twin in flight gets the first one's bytes. */
  async #join(twin: Running, hash: string): Promise<PlaceReply> {
    const reply = await within(this.#parts.clock, TWIN_WAIT_MS, twin.reply);
    if (!reply)
      return replyOf(
        { success: false, message: 'The first request with this key is still running; ask again' },
        { 'Retry-After': '1' },
        409,
      );
    const mismatch = twin.hash !== hash && { 'Idempotency-Key-Mismatch': 'true' };
    return { ...reply, headers: { ...reply.headers, 'Idempotency-Replayed': 'true', ...mismatch } };
  }

  /** Was this key placed? Places nothing, and compares nothing but the key. */
  async #replayOnly(key: string): Promise<PlaceReply> {
    const { clock, journal, log, settler } = this.#parts;
    try {
      const standing = settler.held(key) ?? (await journal.find(key, clock.now()));
      if (standing && standing.state !== 'CLAIMED') return await this.#answerStanding(standing, standing.requestHash);
      return replyOf(
        { success: false, message: 'No order is known under this idempotency key; nothing was placed' },
        { 'Idempotency-Key-Known': 'false' },
      );
    } catch (error) {
      log.error({ key, error: String(error) }, 'A key could not be looked up because the order store failed');
      return retryLater(STORE_DOWN);
    }
  }

  async #attemptOrReplay(request: PlaceOrderRequest, key: string, hash: string): Promise<PlaceReply> {
    const { accounts, journal, clock, log, settler } = this.#parts;
    try {
      const held = settler.held(key);
      if (held) return await this.#answerStanding(held, hash);
      if (accounts.active() === null) {
        const standing = await journal.find(key, clock.now());
        if (standing && standing.state !== 'CLAIMED') return await this.#answerStanding(standing, hash);
        await accounts.settled(CONNECT_WAIT_MS);
        // A session that came up meanwhile gives an order without a key another fingerprint.
        if (recordKey(request, accounts.activeName()) !== key) return await this.place(request, { replayOnly: false });
      }
      return await this.#claimAndPlace(request, key, hash);
    } catch (error) {
      // Only the time before the send can end here: what happens after it is answered by Sending itself.
      log.error({ key, error: String(error) }, 'An order was refused because the order store failed');
      return retryLater(STORE_DOWN);
    }
  }

  async #claimAndPlace(request: PlaceOrderRequest, key: string, hash: string): Promise<PlaceReply> {
    const { accounts, mutexes, sending } = this.#parts;
    const account = accounts.active();
    const attempt = this.#newAttempt(request, key, hash, account);
    const symbol = symbolName(attempt.broker, attempt.account, attempt.exchange, attempt.symbol);
    // Where the symbol is ours before the claim is sent, what the claim finds open in it stays so until the send.
    const first = mutexes.isFree(symbol);
    // The claim and the wait for the symbol run side by side; a twin never waits for its twin while it holds the symbol.
    const mutex = account ? mutexes.acquire(symbol, MUTEX_WAIT_MS) : null;
    try {
      const { standing, open } = await this.#claim(attempt);
      if (standing) {
        void mutex?.then((release) => release?.());
        return await this.#answerStanding(standing, hash);
      }
      if (!account) return await sending.notSent(attempt, refusal('Broker Not Connected'), lifetimeMs(key, false));
      if (!(await mutex)) return await sending.takeBack(attempt, `Another order in ${attempt.symbol} is still being placed`, 1000);
      const fateKnown = async () => (await mutex)?.();
      return await sending.judgeAndSend({ account, claimed: attempt, seen: first ? open : null, order: brokerOrder(request), fateKnown });
    } finally {
      void mutex?.then((release) => release?.());
    }
  }

  /** A standing claim that is known not to be sent is taken back first. */
  async #claim(attempt: Attempt): Promise<Claim> {
    const { clock, journal, sending } = this.#parts;
    const claim = await journal.claim(attempt, clock.now());
    const { standing } = claim;
    // One gateway holds the database and no twin runs here: a claim that still stands was given up before its send, by us or by a dead process.
    const unsent = sending.unsent(attempt.key) ?? (standing?.state === 'CLAIMED' ? standing : null);
    if (!standing || !unsent) return claim;
    await journal.release(unsent, { kind: 'order.released', detail: { reason: 'not sent' } });
    return await journal.claim(attempt, clock.now());
  }

  #newAttempt(request: PlaceOrderRequest, key: string, hash: string, account: Account | null): Attempt {
    const { clock, random, owner } = this.#parts;
    const now = clock.now();
    return {
      key,
      state: 'CLAIMED',
      owner,
      epoch: 1,
      requestHash: hash,
      broker: account?.broker.id ?? 'unknown',
      account: account?.id ?? '',
      tradingDay: tradingDay(now),
      tag: newTag(random),
      symbol: request.symbol,
      token: account?.broker.traits.tradesByToken ? request.token : null,
      exchange: request.exchange,
      side: request.transaction_type,
      orderType: request.order_type,
      product: request.product_type,
      quantity: request.quantity,
      price: decimalText(request.price),
      startedAt: now,
      clockOffsetMs: null,
      netBefore: null,
      orderId: '',
      brokerAnswer: null,
      fillStatus: null,
      filledQuantity: 0,
      response: null,
      resolvedAt: null,
      expiresAt: null,
      updatedAt: now,
    };
  }

  /** A stored answer is replayed; an open attempt is looked up for at most 8 s, never sent again. */
  async #answerStanding(standing: Attempt, hash: string): Promise<PlaceReply> {
    const { journal, settler } = this.#parts;
    if (standing.requestHash !== hash) {
      const { key, symbol, broker, account } = standing;
      await journal.note({ kind: 'order.key_mismatch', key, symbol, broker, account });
    }
    const newest = settler.held(standing.key) ?? standing;
    const settled = isFinal(newest) ? newest : await this.#lookUp(newest);
    if (settled.response !== null) return replay(settled, hash, settler.held(standing.key) === undefined);
    const message = 'The order with this key is still being looked up';
    return replyOf({ success: false, order_id: '', message, fill_status: 'UNKNOWN' }, { 'Idempotency-Replayed': 'true' });
  }

  /** The attempt after a look-up of at most 8 s; what another request has ended meanwhile counts. */
  async #lookUp(attempt: Attempt): Promise<Attempt> {
    const { clock, journal, pursuits } = this.#parts;
    const seen = await pursuits.lookUp(attempt, POLL_MS);
    return isFinal(seen) ? seen : ((await journal.find(attempt.key, clock.now())) ?? seen);
  }
}
