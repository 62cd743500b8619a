import type { PlaceOrderRequest } from '../../contract/orders.ts';
import type { Account } from '../brokers/account.ts';
import type { BrokerOrder, Sent } from '../brokers/broker.ts';
import { goesByToken } from '../brokers/instrument.ts';
import { type Clock, within } from '../clock.ts';
import type { Attempt } from '../journal/attempt.ts';
import { type Meters, timed } from '../meters.ts';
import { decimalText } from '../money.ts';
import type { PlaceReply } from './answer.ts';
import { answerOf, retryLater } from './answer.ts';
import type { Entry } from './entry.ts';
import type { Following } from './following.ts';
import { type Asked, onlyReduces } from './guard.ts';
import type { Instrument } from './instrument.ts';
import { newTag } from './key.ts';
import type { KillSwitch } from './kill-switch.ts';
import { OrderTracker, type TrackerParts } from './order-tracker.ts';
import { fateStep, type Timing } from './steps.ts';

/** No statement before the send is waited for any longer. */
export const STORE_DEADLINE_MS = 5000;
/** A MARKET order is not sent later than this after its request: its caller saw another market. */
const MARKET_LIMIT_MS = 10_000;
const KILLED_RETRY_MS = 60_000;
/** With a slow store, turns of the budget taken apart come together; so long an order waits to leave. */
const PACE_LIMIT_MS = 3000;
/** How long a caller waits for the trace of what was not sent to go, so that its retry may run. */
const WITHDRAWN_WAIT_MS = 1000;
const WITHDRAW_PAUSE_MS = 500;

export interface SendParts extends TrackerParts {
  following: Following;
  killSwitch: KillSwitch;
  /** Names this process in the journal. */
  owner: string;
  /** Trading day (`YYYY-MM-DD`, IST) of the session an order is for that is sent at an instant (epoch ms). */
  sessionDay(variety: string, exchange: string, at: number): string;
  meters?: Meters | undefined;
}

/** An order whose account and instrument are known. */
export interface Placement {
  entry: Entry;
  request: PlaceOrderRequest;
  account: Account;
  instrument: Instrument;
  asked: Asked;
  /** Gives the turn in the instrument back; nothing where it holds none. */
  release(): void;
}

/** Why an order is not sent, and when to ask again. */
interface Withheld {
  message: string;
  retryAfterMs: number;
}

/** Takes an order that may be sent through the journal and the one send to its answer. */
export class Sending {
  readonly #parts: SendParts;

  constructor(parts: SendParts) {
    this.#parts = parts;
  }

  /** A new attempt of this order, as it stands now. */
  attempt({ entry, request, account, instrument }: Placement, net: number): Attempt {
    const { clock, random, owner, sessionDay } = this.#parts;
    const now = clock.now();
    const { traits, id: broker } = account.broker;
    const tradedBy = (name: { exchange: string; symbol: string; token: string | null }) => traits.tradedBy(name);
    return {
      ...blankAttempt(request, { key: entry.key, requestHash: entry.requestHash, owner, tag: newTag(random), now }),
      broker,
      account: account.id,
      tradingDay: sessionDay(request.variety, request.exchange, now),
      // Whatever the caller calls it, our records hold one instrument under one symbol.
      symbol: instrument.name ?? request.symbol,
      token: goesByToken(tradedBy, request) ? tradedBy(request) : null,
      netBefore: net,
    };
  }

  /** Why nothing may leave now; null when this order may. Asked before SENDING, and in the turn of the event loop that writes its bytes. */
  withheld({ entry, request, account, instrument, asked }: Placement): Withheld | null {
    const { clock, killSwitch, stop, sessionDay } = this.#parts;
    if (stop.aborted) return { message: 'The gateway is stopping', retryAfterMs: 1000 };
    // Its record says for which session it is, and is looked for there alone.
    if (entry.day !== '' && entry.day !== sessionDay(request.variety, request.exchange, clock.now()))
      return { message: 'The trading day ended before the order was sent', retryAfterMs: 1000 };
    if (account.door.isShut) return { message: 'The broker session changed before the order was sent', retryAfterMs: 1000 };
    if (account.door.held !== null) return { message: account.door.held, retryAfterMs: 1000 };
    if (killSwitch.on && !onlyReduces(asked, instrument.situation(asked, true, entry)))
      return {
        message: 'The kill switch is on: only orders that can do nothing but reduce a position are sent',
        retryAfterMs: KILLED_RETRY_MS,
      };
    if (request.order_type === 'MARKET' && this.#ageMs(entry) > MARKET_LIMIT_MS)
      return { message: 'The MARKET order waited for 10 s and was not sent: the market has moved on', retryAfterMs: 1000 };
    return null;
  }

  /** Writes SENDING, sends once, and answers. The entry counts in its instrument already. A record that stands under the key is returned instead. */
  async send(placement: Placement, attempt: Attempt, priority: 'exit' | 'entry'): Promise<PlaceReply | { standing: Attempt }> {
    const { entry, account } = placement;
    const { journal, clock, log, meters } = this.#parts;
    const event = {
      kind: 'order.sending',
      detail: { tag: attempt.tag, ...toldOf(placement.request), waited_ms: tenths(this.#ageMs(entry)) },
    };
    const begun = journal.begin(attempt, event, clock.now()).then((standing) => ({ standing }));
    const written = await within(clock, STORE_DEADLINE_MS, begun).catch((error: unknown) => {
      log.error({ key: entry.key, error: String(error) }, 'An order was not sent because the order store failed');
      return null;
    });
    if (written === null) return await this.#withdraw(placement, attempt, { message: 'Order store unavailable', retryAfterMs: 1000 });
    if (written.standing) {
      this.#forget(placement);
      return { standing: written.standing };
    }
    this.#parts.book.stands(entry.key);
    const paced = await within(
      clock,
      PACE_LIMIT_MS,
      account.budget.pace(priority).then(() => true),
    );
    const early = paced
      ? this.withheld(placement)
      : { message: 'Too many orders: no more may leave within this second', retryAfterMs: 1000 };
    if (early) return await this.#withdraw(placement, attempt, early);
    const leave = () => this.withheld(placement)?.message ?? null;
    let sent_after_ms = 0;
    const place = () => {
      sent_after_ms = tenths(this.#ageMs(entry));
      return account.broker.placeOrder(brokerOrder(placement.request), attempt.tag);
    };
    const sending = account.door.send(leave, place).catch((error: unknown): Sent => {
      log.error({ key: entry.key, error: String(error) }, 'The adapter failed while an order was being sent');
      return { fate: 'unknown', order_id: '', message: 'The outcome of the order is not known' };
    });
    const sent = await timed(clock, sending, (ms) => meters?.step('send', ms));
    // What was stopped at the door did not leave, and may be asked for again.
    const stopped = sent.fate === 'not_sent' ? this.withheld(placement) : null;
    if (stopped) return await this.#withdraw(placement, attempt, stopped);
    return await this.#answer(placement, attempt, sent, { sent_after_ms, took_ms: tenths(this.#ageMs(entry) - sent_after_ms) });
  }

  /** How long ago the order was asked for, ms. */
  #ageMs({ begunAt }: Entry): number {
    const now = this.#parts.clock.mono();
    return now - (begunAt ?? now);
  }

  /** From here on the order may live: what is known is said, and written as soon as the store takes it. */
  async #answer({ entry, release }: Placement, attempt: Attempt, sent: Sent, timing: Timing): Promise<PlaceReply> {
    const { clock, following, meters } = this.#parts;
    const tracker = new OrderTracker(this.#parts, entry, attempt);
    const step = fateStep(attempt, sent, clock.now(), timing);
    tracker.take(step);
    release();
    if (step.body) await tracker.settled();
    else await timed(clock, tracker.answer(), (ms) => meters?.step('fill', ms));
    const { stored } = tracker;
    void following.follow(entry, tracker);
    return answerOf(tracker.attempt, stored);
  }

  /** The order did not leave: nothing counts any more, and the trace of it goes. Until that is sure its key is not free. */
  async #withdraw(placement: Placement, attempt: Attempt, { message, retryAfterMs }: Withheld): Promise<PlaceReply> {
    const { entry } = placement;
    this.#forget(placement);
    entry.withdrawing = message;
    placement.release();
    const gone = this.#untilGone(entry, attempt, message);
    await within(this.#parts.clock, WITHDRAWN_WAIT_MS, gone);
    return retryLater(message, retryAfterMs);
  }

  async #untilGone(entry: Entry, attempt: Attempt, message: string): Promise<void> {
    const { journal, clock, stop, log, book } = this.#parts;
    const event = { kind: 'order.refused', detail: { message } };
    for (;;) {
      try {
        await journal.withdraw(attempt, event);
        break;
      } catch (error) {
        if (stop.aborted) return;
        log.warn(
          { key: entry.key, error: String(error) },
          'The trace of an order that was not sent could not be removed; it is tried again',
        );
        await clock.sleep(WITHDRAW_PAUSE_MS, stop);
      }
    }
    entry.withdrawing = null;
    book.release(entry);
  }

  #forget({ entry, account }: Placement): void {
    entry.stage = 'over';
    this.#parts.book.of(account).settle(entry);
  }
}

/** What a statement before the send answers. Rejects when it takes too long, or fails: nothing was sent then. */
export async function inTime<Value>(clock: Clock, work: Promise<Value>): Promise<Value> {
  const done = await within(
    clock,
    STORE_DEADLINE_MS,
    work.then((value) => ({ value })),
  );
  if (!done) throw new Error('The order store did not answer in time');
  return done.value;
}

/** What an attempt has before its account and instrument are known. */
export function blankAttempt(
  request: PlaceOrderRequest,
  { key, requestHash, owner, tag, now }: { key: string; requestHash: string; owner: string; tag: string; now: number },
): Omit<Attempt, 'broker' | 'account' | 'tradingDay' | 'symbol' | 'token' | 'netBefore'> {
  return {
    key,
    state: 'SENDING',
    owner,
    epoch: 1,
    requestHash,
    tag,
    exchange: request.exchange,
    side: request.transaction_type,
    orderType: request.order_type,
    product: request.product_type,
    quantity: request.quantity,
    price: decimalText(request.price),
    strategy: request.strategy ?? null,
    aiConfidence: typeof request.ai_confidence === 'number' ? decimalText(request.ai_confidence) : null,
    startedAt: now,
    clockOffsetMs: null,
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

/** What was asked for, for the events that tell of it. */
export function toldOf(request: PlaceOrderRequest) {
  const { transaction_type: side, quantity, exchange, order_type, product_type, price, trigger_price, strategy } = request;
  return { side, quantity, exchange, order_type, product_type, price, trigger_price, ...(strategy && { strategy }) };
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

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
