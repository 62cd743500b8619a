import { PlaceOrderResult } from '../../contract/orders.ts';
import type { FillStatus } from '../../contract/words.ts';
import type { Sent } from '../brokers/broker.ts';
import type { Attempt } from '../journal/attempt.ts';
import { type Fill, rests } from './fill.ts';

/** What a place call answers with: the result and what HTTP says beside it. */
export interface PlaceReply {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: PlaceOrderResult;
  /** Called at most once: when the whole answer has been handed to the operating system. Not called when the connection closed before. */
  delivered?: (() => void) | undefined;
}

/** What we keep of the broker's place answer, for the answer to the caller. */
export type BrokerAnswer = Pick<Sent, 'message' | 'data'>;

/** The stored text of an answer. Parsed through the contract, so that a replay and the first answer are the same bytes. */
export function answerText(body: PlaceOrderResult): string {
  return JSON.stringify(PlaceOrderResult.parse(body));
}

function present<T extends object>(body: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

/** No poll ran: refused before or by the broker, or nothing left the house. */
export function refusal(message: string, extra: { status?: 'BLOCKED'; order_id?: string; data?: unknown } = {}): PlaceOrderResult {
  const { status, order_id, data } = extra;
  return present({ success: false as const, status, order_id, message, fill_status: 'REJECTED' as const, data }) as PlaceOrderResult;
}

/**
 * What is to be done about a MARKET order that rests: brokers give it a limit, and the price may leave that behind. Null for any other order.
 * An order for after hours rests as well.
 */
export function restingText({ orderType, side, quantity, netBefore }: Attempt, fill: Fill): string | null {
  if (orderType !== 'MARKET' || !rests(fill)) return null;
  const { filledQuantity: filled } = fill;
  const net = netBefore ?? 0;
  const isExit = quantity <= (side === 'SELL' ? net : -net);
  const done = filled > 0 ? `Only ${filled} of ${quantity} of this MARKET order have filled` : 'This MARKET order has not filled';
  const open = filled > 0 ? ', and the rest of the position is still open' : ', and the position is still open';
  return `${done}${isExit ? open : ''}: it rests at the exchange as a limit order by market protection, or waits for the market to open. Modify or cancel it`;
}

/** The broker took the order and a poll ran; `resting` goes before what anybody else says. */
export function acceptance(orderId: string, broker: BrokerAnswer, fill: Fill, resting: string | null = null): PlaceOrderResult {
  const reason = fill.status === 'REJECTED' || fill.status === 'PARTIALLY_FILLED' ? fill.row?.status_message : undefined;
  return present({
    success: true as const,
    order_id: orderId,
    message: resting ?? reason ?? broker.message,
    fill_status: fill.status,
    filled_quantity: fill.filledQuantity,
    avg_fill_price: fill.averagePrice,
    data: broker.data,
  }) as PlaceOrderResult;
}

const ALIVE: readonly FillStatus[] = ['FILLED', 'PARTIALLY_FILLED', 'PENDING'];

/** The send's fate was unclear and a search ran (rule 8): accepted exactly when the found order lives or traded. */
export function searched(broker: BrokerAnswer, fill: Fill, resting: string | null = null): PlaceOrderResult {
  const found = fill.status === 'UNKNOWN' ? null : fill.row;
  const success = ALIVE.includes(fill.status);
  const message = success
    ? (resting ?? broker.message)
    : (fill.row?.status_message ?? broker.message ?? 'The outcome of the order is not known yet');
  return present({
    success,
    order_id: found?.order_id ?? '',
    message,
    fill_status: fill.status,
    filled_quantity: fill.filledQuantity,
    avg_fill_price: fill.averagePrice,
    data: broker.data,
  }) as PlaceOrderResult;
}

export function replyOf(body: PlaceOrderResult, headers: Record<string, string> = {}, status = 200): PlaceReply {
  return { status, headers, body };
}

/** A refusal that is not stored: the same request may be sent again. */
export function retryLater(message: string, retryAfterMs = 1000): PlaceReply {
  return replyOf({ success: false, message }, { 'Retry-After': String(Math.ceil(retryAfterMs / 1000)) });
}

/** The record of a key cannot be read, and nobody can say that there is none. */
export function mayHaveBeenPlaced(): PlaceReply {
  const message = 'The order store does not answer: an order may have been placed under this key. Ask again';
  return replyOf({ success: false, order_id: '', message, fill_status: 'UNKNOWN' }, { 'Retry-After': '1' });
}

/** The head that says that a key stands for another order. */
export function mismatched(mismatch: boolean): Record<string, string> {
  return mismatch ? { 'Idempotency-Key-Mismatch': 'true' } : {};
}

/** What the first caller of a sent order is told; `stored`: it has reached the store. */
export function answerOf(attempt: Attempt, stored: boolean): PlaceReply {
  const body = attempt.response ? PlaceOrderResult.parse(JSON.parse(attempt.response)) : stoppedAnswer;
  return replyOf(body, stored ? {} : { 'Idempotency-Stored': 'false' });
}

/** The answer of a record, with the heads a replay carries; `stored`: it has reached the store. */
export function replay(attempt: Attempt, requestHash: string, stored: boolean): PlaceReply {
  const headers: Record<string, string> = { 'Idempotency-Replayed': 'true', ...mismatched(attempt.requestHash !== requestHash) };
  if (!stored) headers['Idempotency-Stored'] = 'false';
  if (attempt.resolvedAt !== null) headers['Order-Resolved-At'] = new Date(attempt.resolvedAt).toISOString();
  return replyOf(PlaceOrderResult.parse(JSON.parse(attempt.response ?? '{}')), headers);
}

/** A replay of an order that was looked for, by us or by a person, and is not at the broker: as much may be sent under another key. */
export function neverArrived({ headers, body }: PlaceReply): boolean {
  return body.fill_status === 'REJECTED' && !body.order_id && headers['Order-Resolved-At'] !== undefined;
}

/** An open order whose truth is not known after a look-up: the answer it was given before, where there is one. */
export function stillLooking(attempt: Attempt, requestHash: string): PlaceReply {
  if (attempt.response) return replay(attempt, requestHash, true);
  const message = 'The order with this key is still being looked up';
  return replyOf({ success: false, order_id: '', message, fill_status: 'UNKNOWN' }, { 'Idempotency-Replayed': 'true' });
}

/** The gateway stopped while the poll ran: the order is found again at the next start. */
const stoppedAnswer: PlaceOrderResult = {
  success: false,
  message: 'The gateway is stopping; the order is looked up again when it is back',
  fill_status: 'UNKNOWN',
};
