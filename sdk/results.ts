import { GatewayError, type GatewayErrorCode, type GatewayErrorDetails, type Issue } from './errors.ts';
import type { FilledOptions, OrderNews } from './filled.ts';
import type { FillStatus, OrderAccepted, PlaceOrderResult } from './generated/types.gen.ts';
import { type Answer, memberOf, type Outcome, retryAfterMs } from './transport.ts';
import type { OrderRow } from './words.ts';

/** An order the broker has taken: it lives, rests or traded. */
export type PlacedOrder = OrderAccepted & {
  /** Broker order id, never empty. */
  order_id: string;
  /** FILLED, PARTIALLY_FILLED, PENDING, or UNKNOWN: taken, its fill not seen yet, follow the order. */
  fill_status: Exclude<FillStatus, 'REJECTED'>;
  /** The key it was placed with. */
  idempotencyKey: string;
  /** The gateway gave the stored answer of an earlier call with this key; this call placed nothing. */
  replayed: boolean;
  /**
   * The order's row once all of it has traded, as soon as the gateway's stream tells. Throws `rejected` when it ends otherwise (the row is the error's
   * `answer`), and `aborted` with the signal.
   */
  filled(options?: FilledOptions): Promise<OrderRow>;
};

type Succeeded<Body> = Exclude<Body, { success: false }>;
type Unserved = Exclude<Answer<unknown>, { kind: 'served' }>;

const NOT_CONNECTED = /^(Broker Not Connected$|No broker connected\.)/;

const codeOfStatus: Readonly<Record<number, GatewayErrorCode>> = { 401: 'unauthenticated', 409: 'busy', 429: 'rate_limited', 503: 'busy' };

/** The success body of a read; throws otherwise. */
export function readResult<Body>({ answer }: Outcome<Body>): Succeeded<Body> {
  if (answer.kind !== 'served') throw refusal(answer);
  const { body } = answer;
  if (succeeded(body)) return body;
  const message = messageOf(body) ?? 'The operation failed';
  const code = NOT_CONNECTED.test(message) ? 'not_connected' : /^Order .* not found$/s.test(message) ? 'not_found' : 'failed';
  throw new GatewayError(code, message, detailsOf(answer));
}

/** The success body of a call that changes something and is sent once; without an answer its outcome is `unknown`. */
export function changeResult<Body>(outcome: Outcome<Body>, what: string): Succeeded<Body> {
  const { answer, inDoubt } = outcome;
  if (inDoubt && answer.kind !== 'served') throw unsettled(answer, `Whether the ${what} was done is not known`);
  return readResult(outcome);
}

/** The placed order, when there is one to follow; throws otherwise. */
export function placeResult({ answer, inDoubt }: Outcome<PlaceOrderResult>, idempotencyKey: string, news: OrderNews): PlacedOrder {
  const doubt = `The order may exist: look up its key ${idempotencyKey}`;
  if (answer.kind !== 'served') throw inDoubt ? unsettled(answer, doubt, { idempotencyKey }) : refusal(answer, { idempotencyKey });
  const { headers, body } = answer;
  const { success, order_id, fill_status } = body;
  const fail = (code: GatewayErrorCode, message: string) =>
    new GatewayError(code, message, { ...detailsOf(answer), idempotencyKey, order_id: order_id || undefined });
  if (headers.get('Idempotency-Key-Mismatch') === 'true') throw fail('key_mismatch', `The key ${idempotencyKey} belongs to another order`);
  if (fill_status === 'REJECTED') throw fail(codeOfRefusedOrder(body), body.message ?? 'The order was rejected');
  if (success && order_id && fill_status)
    return {
      ...body,
      order_id,
      fill_status,
      idempotencyKey,
      replayed: headers.get('Idempotency-Replayed') === 'true',
      filled: (options) => news.filled(order_id, options),
    };
  if (fill_status || inDoubt) throw fail('unknown', body.message ?? doubt);
  throw fail('busy', body.message ?? 'The gateway refused for now');
}

/** The stored answer of a key, or null when the gateway never placed an order with it. */
export function lookupResult({ answer }: Outcome<PlaceOrderResult>, idempotencyKey: string): PlaceOrderResult | null {
  if (answer.kind !== 'served') throw refusal(answer, { idempotencyKey });
  const { body, headers } = answer;
  if (body.success || body.fill_status) return body;
  if (headers.get('Idempotency-Key-Known') === 'false') return null;
  throw new GatewayError('busy', body.message ?? 'The gateway refused for now', { ...detailsOf(answer), idempotencyKey });
}

function codeOfRefusedOrder({ status, message }: PlaceOrderResult): GatewayErrorCode {
  if (status === 'BLOCKED') return 'blocked';
  return NOT_CONNECTED.test(message ?? '') ? 'not_connected' : 'rejected';
}

/** The error of a call that was not served. */
function refusal(answer: Unserved, more: GatewayErrorDetails = {}): GatewayError {
  const details = { ...detailsOf(answer), ...more };
  if (answer.kind === 'silence')
    return answer.aborted
      ? new GatewayError('aborted', 'The call was aborted', details)
      : new GatewayError('unavailable', 'The gateway gave no usable answer', details);
  const code = codeOfStatus[answer.status] ?? (answer.status < 500 ? 'invalid' : 'unavailable');
  return new GatewayError(code, messageOf(answer.body) ?? `The gateway answered with status ${answer.status}`, details);
}

/** The error of a call that may have been carried out, with why that is not known as its cause. */
function unsettled(answer: Unserved, message: string, more: GatewayErrorDetails = {}): GatewayError {
  return new GatewayError('unknown', message, { ...detailsOf(answer), ...more, cause: refusal(answer) });
}

function detailsOf(answer: Answer<unknown>): GatewayErrorDetails {
  if (answer.kind === 'silence') return { cause: answer.cause };
  return { status: answer.status, answer: answer.body, issues: issuesOf(answer.body), retryAfterMs: retryAfterMs(answer) };
}

function messageOf(body: unknown): string | undefined {
  const message = memberOf(body, 'message');
  return typeof message === 'string' ? message : undefined;
}

function issuesOf(body: unknown): Issue[] | undefined {
  const issues = memberOf(body, 'issues');
  return Array.isArray(issues) ? issues.filter((issue) => typeof memberOf(issue, 'path') === 'string') : undefined;
}

function succeeded<Body>(body: Body): body is Succeeded<Body> {
  return memberOf(body, 'success') !== false;
}
