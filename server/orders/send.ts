import type { PlaceOrderRequest, PlaceOrderResult } from '../../contract/orders.ts';
import type { BrokerOrder, Sent } from '../brokers/broker.ts';
import type { Clock } from '../clock.ts';
import type { PlaceReply } from '../gateway.ts';
import type { Log } from '../log.ts';
import { decimalText } from '../money.ts';
import type { Account, Accounts } from './account.ts';
import { answerText, refusal, replyOf, retryLater } from './answer.ts';
import { type Attempt, type Journal, lifetimeMs, lifetimes, SupersededError } from './attempt.ts';
import type { Guard } from './guard.ts';
import type { KillSwitch } from './kill-switch.ts';
import type { Pursuits } from './pursuits.ts';
import type { Settler } from './settle.ts';

export interface SendParts {
  clock: Clock;
  log: Log;
  journal: Journal;
  accounts: Accounts;
  settler: Settler;
  guard: Guard;
  killSwitch: KillSwitch;
  pursuits: Pursuits;
  stop: AbortSignal;
}

/** An order whose turn it is in its symbol. */
export interface Judged {
  account: Account;
  claimed: Attempt;
  /** Open attempts in its symbol as its claim found them; null when the symbol was not its own yet. */
  seen: readonly Attempt[] | null;
  order: BrokerOrder;
  /** Called once the send's fate is written: the symbol is free then. */
  fateKnown: () => Promise<void>;
}

const STORE_PAUSE_MS = 500;

/** Takes a claimed attempt through guard, budget and the one send to its answer. */
export class Sending {
  readonly #parts: SendParts;
  /** Attempts whose store went away before the send: provably not sent, being taken back. */
  readonly #unsent = new Map<string, Attempt>();

  constructor(parts: SendParts) {
    this.#parts = parts;
  }

  /** The attempt of a key that is known never to have left, while its record still stands. */
  unsent(key: string): Attempt | undefined {
    return this.#unsent.get(key);
  }

  /** Rejects only when nothing was sent. */
  async judgeAndSend({ account, claimed, seen, order, fateKnown }: Judged): Promise<PlaceReply> {
    const { accounts, clock, guard, journal, killSwitch, stop } = this.#parts;
    const verdict = await guard.judge(account, order, seen).catch(async (error: unknown) => {
      this.#abandon(claimed);
      throw error;
    });
    if (verdict.kind === 'blocked') {
      const lifeMs = verdict.unreadable ? lifetimes.unreadablePositionsMs : lifetimeMs(claimed.key, false);
      return await this.notSent(claimed, refusal(verdict.message, { status: 'BLOCKED' }), lifeMs);
    }
    const stopped = () => killSwitch.on && !verdict.reduces;
    const priority = verdict.reduces ? 'exit' : 'entry';
    const refused = stopped() ? null : await account.limiter.take(priority);
    if (refused)
      return await this.takeBack(claimed, 'Too many orders: the order budget of this account is used up for now', refused.retryAfterMs);
    // Asked once more after the wait for the budget.
    if (stopped()) return await this.takeBack(claimed, 'The kill switch is on: new entries are refused', 60_000);
    if (accounts.active() !== account) return await this.takeBack(claimed, 'The broker session changed before the order was sent', 1000);
    if (stop.aborted) return await this.takeBack(claimed, 'The gateway is stopping', 1000);
    let sending: Attempt;
    try {
      const event = { kind: 'order.sending', detail: { tag: claimed.tag, side: claimed.side, quantity: claimed.quantity } };
      sending = await journal.move(claimed, 'SENDING', { netBefore: verdict.net }, event, clock.now());
    } catch (error) {
      this.#abandon(claimed);
      throw error;
    }
    await account.limiter.pace(priority);
    return await this.#send(account, sending, order, fateKnown);
  }

  /** From here on the order may live: every path ends in an answer that says what is known. */
  async #send(account: Account, sending: Attempt, order: BrokerOrder, fateKnown: () => Promise<void>): Promise<PlaceReply> {
    const { log, pursuits } = this.#parts;
    const sent = await account.broker.placeOrder(order, sending.tag).catch((error: unknown): Sent => {
      log.error({ key: sending.key, error: String(error) }, 'The adapter failed while an order was being sent');
      return { fate: 'unknown', order_id: '', message: 'The outcome of the order is not known' };
    });
    try {
      const { attempt, stored, body } = await this.#recordFate(sending, sent);
      await fateKnown();
      if (body) return replyOf(body, stored ? {} : { 'Idempotency-Stored': 'false' });
      return await pursuits.answer(attempt);
    } catch (error) {
      const superseded = error instanceof SupersededError;
      log.error(
        { key: sending.key, superseded, error: String(error) },
        'An order was sent and its result could not be written; it is looked up again',
      );
      const message = 'The order was sent and its outcome is not known yet';
      return replyOf({ success: false, order_id: '', message, fill_status: 'UNKNOWN' }, { 'Idempotency-Stored': 'false' });
    }
  }

  /** Writes the send's fate. `body` is the final answer where no poll follows. */
  async #recordFate(sending: Attempt, sent: Sent): Promise<{ attempt: Attempt; stored: boolean; body?: PlaceOrderResult }> {
    const { clock, settler } = this.#parts;
    const { fate, message, data } = sent;
    const event = { kind: `order.${fateEvents[fate]}`, detail: { message: message ?? null, order_id: sent.order_id } };
    const brokerAnswer = JSON.stringify({ message, data });
    const change = {
      brokerAnswer,
      orderId: sent.order_id,
      ...(sent.clockOffsetMs !== undefined && { clockOffsetMs: Math.round(sent.clockOffsetMs) }),
    };
    if (fate === 'accepted') {
      const truth = { orderId: sent.order_id, status: 'PLACED' as const, filledQuantity: 0, averagePrice: null };
      return await settler.write(sending, { to: 'ACCEPTED', change, event, truth });
    }
    if (fate === 'unknown') return await settler.write(sending, { to: 'AMBIGUOUS', change: { ...change, orderId: '' }, event });
    const body = refusal(message ?? 'The broker rejected the order', { order_id: '', data });
    const expiresAt = clock.now() + lifetimeMs(sending.key, fate === 'rejected');
    const to = fate === 'rejected' ? 'DONE' : 'NOT_SENT';
    const written = await settler.write(sending, { to, change: { ...change, orderId: '', response: answerText(body), expiresAt }, event });
    return { ...written, body };
  }

  /** Rules 3 and 4: nothing was sent, and the answer is stored. */
  async notSent(claimed: Attempt, body: PlaceOrderResult, lifeMs: number): Promise<PlaceReply> {
    const { clock, journal } = this.#parts;
    const now = clock.now();
    const event = { kind: 'order.not_sent', detail: { message: body.message ?? null } };
    try {
      await journal.move(claimed, 'NOT_SENT', { response: answerText(body), expiresAt: now + lifeMs }, event, now);
    } catch (error) {
      this.#abandon(claimed);
      throw error;
    }
    return replyOf(body);
  }

  /** A refusal that is not stored: the claim goes, the same request may come again. */
  async takeBack(claimed: Attempt, message: string, retryAfterMs: number): Promise<PlaceReply> {
    await this.#parts.journal.release(claimed, { kind: 'order.refused', detail: { message } }).catch(() => this.#abandon(claimed));
    return retryLater(message, retryAfterMs);
  }

  #abandon(attempt: Attempt): void {
    this.#unsent.set(attempt.key, attempt);
    void this.#release(attempt);
  }

  /** The claim must go as soon as the store is back: a retry of its caller may then run, and the symbol is free. */
  async #release(attempt: Attempt): Promise<void> {
    const { clock, journal, stop } = this.#parts;
    // A newer attempt under the key takes this one's place: its claim shows that this one is gone.
    while (!stop.aborted && this.#unsent.get(attempt.key) === attempt) {
      await clock.sleep(STORE_PAUSE_MS, stop);
      const event = { kind: 'order.released', detail: { reason: 'not sent' } };
      const gone = await journal.release(attempt, event).then(
        () => true,
        () => false,
      );
      if (gone && this.#unsent.get(attempt.key) === attempt) this.#unsent.delete(attempt.key);
    }
  }
}

const fateEvents: Record<Sent['fate'], string> = { accepted: 'accepted', rejected: 'rejected', unknown: 'ambiguous', not_sent: 'not_sent' };

/** Rule 5's members, numbers as plain decimal text. */
export function brokerOrder(request: PlaceOrderRequest): BrokerOrder {
  return {
    symbol: request.symbol,
    token: request.token,
    exchange: request.exchange,
    transactiontype: request.transaction_type,
    ordertype: request.order_type,
    producttype: request.product_type,
    quantity: String(request.quantity),
    price: decimalText(request.price),
    triggerprice: decimalText(request.trigger_price),
    variety: request.variety,
    duration: 'DAY',
    tradingsymbol: request.symbol,
  };
}
