import { PlaceOrderResult } from '../../contract/orders.ts';
import { tradingDay } from '../clock.ts';
import type { PlaceReply } from '../gateway.ts';
import { replyOf } from './answer.ts';
import { type Attempt, isFinal } from './attempt.ts';
import { Pursuit, type PursuitParts } from './pursuit.ts';

/** How long a person is told of an order that was given up. */
const TOLD_MS = 7 * 86_400_000;

/** All orders being followed: those a caller waits for, those still unknown after the answer, those a dead process left open. */
export class Pursuits {
  readonly #parts: PursuitParts;
  readonly #owner: string;
  readonly #following = new Map<string, Pursuit>();
  /** Orders in their first 8 s, whose caller waits. */
  readonly #answering = new Map<string, Pursuit>();
  /** Orders whose day was over before their fate was known: only a person can tell. */
  readonly #givenUp = new Map<string, Attempt>();

  constructor(parts: PursuitParts, owner: string) {
    this.#parts = parts;
    this.#owner = owner;
  }

  /** Attempts whose truth is not known, those given up in the last week first. */
  get open(): Attempt[] {
    return [...this.#givenUp.values(), ...[...this.#following.values()].map((pursuit) => pursuit.attempt)];
  }

  /** Polls a sent order for at most 8 s and answers; an UNKNOWN one is followed on. */
  async answer(attempt: Attempt): Promise<PlaceReply> {
    const pursuit = new Pursuit(this.#parts, attempt);
    this.#answering.set(attempt.key, pursuit);
    const answered = await pursuit.answer().finally(() => this.#answering.delete(attempt.key));
    if (!isFinal(answered)) this.#follow(pursuit);
    const body = PlaceOrderResult.parse(JSON.parse(answered.response ?? JSON.stringify(stoppedAnswer)));
    return replyOf(body, pursuit.stored ? {} : { 'Idempotency-Stored': 'false' });
  }

  /** Waits for the truth of an open attempt, at most `waitMs`; returns its record as it then stands. */
  async lookUp(attempt: Attempt, waitMs: number): Promise<Attempt> {
    const { key } = attempt;
    const pursuit = this.#following.get(key) ?? this.#answering.get(key) ?? this.#follow(new Pursuit(this.#parts, attempt));
    pursuit.hurry();
    return await pursuit.wait(waitMs);
  }

  /** Takes over what a dead process left open: sends become ambiguous, another day's orders unresolved, the rest is looked up. */
  async recover(): Promise<number> {
    const { clock, journal } = this.#parts;
    await journal.dropClaims();
    for (const attempt of await journal.unresolved(clock.now() - TOLD_MS)) this.#givenUp.set(attempt.key, attempt);
    const open = await journal.open();
    for (const left of open) {
      let attempt = await journal.takeOver(left, this.#owner);
      if (attempt.state === 'SENDING') {
        attempt = await journal.move(
          attempt,
          'AMBIGUOUS',
          {},
          { kind: 'order.ambiguous', detail: { message: 'left by a restart' } },
          clock.now(),
        );
      }
      const pursuit = new Pursuit(this.#parts, attempt);
      const today = attempt.tradingDay === tradingDay(clock.now());
      this.#follow(pursuit, today && attempt.response === null);
    }
    return open.length;
  }

  /** A session came up: everything open is read now. */
  hurry(): void {
    for (const pursuit of this.#following.values()) pursuit.hurry();
  }

  /** The broker says an order changed, null when not which: whoever may be meant reads now. */
  news(orderId: string | null): void {
    for (const pursuit of [...this.#answering.values(), ...this.#following.values()]) {
      const { orderId: own } = pursuit.attempt;
      if (orderId === null || own === '' || own === orderId) pursuit.hurry();
    }
  }

  #follow(pursuit: Pursuit, answerFirst = false): Pursuit {
    const { key } = pursuit.attempt;
    this.#following.set(key, pursuit);
    const answered = answerFirst
      ? pursuit.answer().then(
          () => undefined,
          () => undefined,
        )
      : Promise.resolve();
    const ended = () => {
      this.#following.delete(key);
      if (pursuit.attempt.state === 'UNRESOLVED') this.#givenUp.set(key, pursuit.attempt);
    };
    void answered.then(() => pursuit.continue()).finally(ended);
    return pursuit;
  }
}

/** The gateway stopped while the poll ran: the order is found again at the next start. */
const stoppedAnswer: PlaceOrderResult = {
  success: false,
  message: 'The gateway is stopping; the order is looked up again when it is back',
  fill_status: 'UNKNOWN',
};
