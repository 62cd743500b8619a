import type { PlaceOrderRequest } from '../../contract/orders.ts';
import type { Account } from '../brokers/account.ts';
import { type Random, tradingDay } from '../clock.ts';
import { type Attempt, lifetimeMs, lifetimes } from '../journal/attempt.ts';
import type { Journal } from '../journal/journal.ts';
import type { PlaceReply } from './answer.ts';
import { answerText, refusal, replyOf, retryLater } from './answer.ts';
import type { Entry } from './entry.ts';
import type { Asked, Verdict } from './guard.ts';
import { newTag } from './key.ts';
import type { LiveBook } from './live-book.ts';
import { misfitOf, type NamingParts, named } from './naming.ts';
import { blankAttempt, inTime, type Placement, type Sending, toldOf } from './send.ts';
import { type HeldTurn, type TurnParts, Turns } from './turn.ts';

export interface AdmissionParts extends TurnParts, NamingParts {
  random: Random;
  journal: Journal;
  book: LiveBook;
  sending: Sending;
  /** Names this process in the journal. */
  owner: string;
}

/** An order whose account is known, and the look-up of its key that runs meanwhile. */
export interface Asking {
  entry: Entry;
  request: PlaceOrderRequest;
  account: Account;
  lookUp: Promise<Attempt | null>;
}

/** The order's answer, or the record that was found to stand under its key. */
export type Admitted = PlaceReply | { standing: Attempt };

/** Takes a new order through its turn, the guard and the order budget to its send, or refuses it. Rejects where the store fails before the send. */
export class Admission {
  readonly #parts: AdmissionParts;
  readonly #turns: Turns;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
    this.#turns = new Turns(parts);
  }

  /** `lookUp`: what stands under the order's key; a record there goes before everything. */
  async admit(asking: Asking): Promise<Admitted> {
    const { entry, account, lookUp } = asking;
    const name = await named(this.#parts, account, asking.request);
    if ('refused' in name) return await this.#turnDown(asking, name.refused);
    const { request } = name;
    const instrument = this.#parts.book.of(account).instrument(request);
    const turn: HeldTurn = { release: () => undefined };
    const placement: Placement = { entry, request, account, instrument, asked: askedOf(request, entry), release: () => turn.release() };
    try {
      const judged = await this.#turns.take(placement, turn, lookUp);
      if (!judged) {
        const standing = await lookUp;
        return standing ? { standing } : this.#refuse(placement, `Another order in ${request.symbol} is still being placed`, 1000);
      }
      if ('standing' in judged) return judged;
      // From here on the look-up is over: nothing stands under the key.
      const { verdict, read } = judged;
      if (verdict.kind === 'blocked') return await this.#blocked(placement, verdict, read);
      // What only reduces always leaves: its broker and the exchange may know better.
      const misfit = verdict.onlyReduces ? null : misfitOf(this.#parts, account, name);
      if (misfit) return await this.#turnDown(asking, misfit);
      const withheld = this.#parts.sending.withheld(placement);
      if (withheld) return this.#refuse(placement, withheld.message, withheld.retryAfterMs);
      const priority = verdict.onlyReduces ? 'exit' : 'entry';
      const refused = await account.budget.take(priority);
      if (refused)
        return this.#refuse(placement, 'Too many orders: the order budget of this account is used up for now', refused.retryAfterMs);
      return await this.#sendIfStill(placement, read, priority);
    } finally {
      turn.release();
    }
  }

  /** What was learned while the order waited for its budget counts too; from the same moment on it counts itself. */
  async #sendIfStill(placement: Placement, read: boolean, priority: 'exit' | 'entry'): Promise<Admitted> {
    const { entry, instrument, account } = placement;
    const { sending, book } = this.#parts;
    const withheld = sending.withheld(placement);
    if (withheld) return this.#refuse(placement, withheld.message, withheld.retryAfterMs);
    const verdict = this.#turns.judge(placement, read);
    if (verdict.kind === 'blocked') return await this.#blocked(placement, verdict, read);
    const attempt = this.#attempt(placement, read);
    entry.hold(attempt);
    instrument.name ??= attempt.symbol;
    book.of(account).add(entry, instrument);
    const answer = await sending.send(placement, attempt, priority);
    // Where a record stood in its way it never became more than SENDING.
    const fingerprint = entry.attempt?.state === 'DONE' && entry.key.startsWith('f:');
    return fingerprint ? { ...answer, delivered: book.endings.sent(entry, instrument) } : answer;
  }

  /** Rule 3: nothing was sent, and the answer is stored. */
  async notConnected(entry: Entry, request: PlaceOrderRequest): Promise<Admitted> {
    const { clock, random, owner } = this.#parts;
    const now = clock.now();
    const names = { key: entry.key, requestHash: entry.requestHash, owner, tag: newTag(random), now };
    const where = { broker: 'unknown', account: '', tradingDay: tradingDay(now), symbol: request.symbol, token: null, netBefore: null };
    return await this.#storeRefusal(
      { entry, request },
      { ...blankAttempt(request, names), ...where },
      refusal('Broker Not Connected'),
      lifetimeMs(entry.key, false),
    );
  }

  /** With the net that it meets, at the worse end for its side. */
  #attempt(placement: Placement, read: boolean): Attempt {
    const { instrument, asked } = placement;
    const { sum } = instrument.situation(asked, read);
    return this.#parts.sending.attempt(placement, asked.side === 'SELL' ? sum.low : sum.high);
  }

  async #blocked(placement: Placement, verdict: Extract<Verdict, { kind: 'blocked' }>, read: boolean): Promise<Admitted> {
    const { entry, instrument } = placement;
    const body = refusal(verdict.message, { status: 'BLOCKED' });
    if (verdict.keep === 'not') {
      this.#noteRefusal(placement, verdict.message);
      return replyOf(body, { 'Retry-After': '1' });
    }
    const lifeMs = verdict.keep === 'briefly' ? lifetimes.unreadablePositionsMs : lifetimeMs(entry.key, false);
    const attempt = this.#attempt(placement, read);
    const stands = verdict.keep === 'stored' ? this.#parts.book.endings.blocked(instrument, attempt, lifeMs) : null;
    const answer = await this.#storeRefusal(placement, attempt, body, lifeMs);
    // A fill that came while it was being written found nothing to end.
    stands?.();
    return answer;
  }

  async #storeRefusal(
    { entry, request }: Pick<Asking, 'entry' | 'request'>,
    attempt: Attempt,
    body: ReturnType<typeof refusal>,
    lifeMs: number,
  ): Promise<Admitted> {
    const { journal, clock, book } = this.#parts;
    const now = clock.now();
    const event = { kind: 'order.not_sent', detail: { message: body.message ?? null, ...toldOf(request) } };
    const refused: Attempt = { ...attempt, state: 'NOT_SENT', response: answerText(body), expiresAt: now + lifeMs };
    const standing = await inTime(clock, journal.begin(refused, event, now));
    book.stands(entry.key);
    return standing ? { standing } : replyOf(body);
  }

  /** A refusal that is not stored: the same request may come again. */
  #refuse(placement: Placement, message: string, retryAfterMs: number): PlaceReply {
    this.#noteRefusal(placement, message);
    return retryLater(message, retryAfterMs);
  }

  /** It is wrong as it stands: asked for again it would be refused again. Nothing is stored, so that it may be mended under the same key. */
  async #turnDown(asking: Asking, message: string): Promise<Admitted> {
    const standing = await asking.lookUp;
    if (standing) return { standing };
    this.#noteRefusal(asking, message);
    return replyOf(refusal(message));
  }

  #noteRefusal({ entry, account, request }: Pick<Asking, 'entry' | 'account' | 'request'>, message: string): void {
    const note = {
      kind: 'order.refused',
      broker: account.broker.id,
      account: account.id,
      symbol: request.symbol,
      key: entry.key,
      detail: { message, ...toldOf(request) },
    };
    this.#parts.journal.note(note).catch(() => undefined);
  }
}

function askedOf({ symbol, exchange, product_type, transaction_type, quantity }: PlaceOrderRequest, { positionAlone }: Entry): Asked {
  return { symbol, exchange, product: product_type, side: transaction_type, quantity, positionAlone };
}
