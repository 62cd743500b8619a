/**
 * What went wrong, as one word.
 *
 * About the order: `rejected` (no order lives), `blocked` (an open position or unresolved order in the symbol; nothing was sent),
 * `unknown` (it may have happened; settle it before acting), `key_mismatch` (this key placed another order earlier),
 * `busy` (the gateway refused for now; nothing was sent).
 * About the account: `not_connected` (no broker is connected), `not_found` (no such order), `failed` (the broker said no; see message).
 * About the call: `unauthenticated`, `invalid` (see issues), `rate_limited`, `unavailable` (no usable answer to a read), `aborted`.
 */
export type GatewayErrorCode =
  | 'rejected'
  | 'blocked'
  | 'unknown'
  | 'key_mismatch'
  | 'busy'
  | 'not_connected'
  | 'not_found'
  | 'failed'
  | 'unauthenticated'
  | 'invalid'
  | 'rate_limited'
  | 'unavailable'
  | 'aborted';

export interface Issue {
  /** The field, dotted. */
  path: string;
  message: string;
}

export interface GatewayErrorDetails {
  status?: number | undefined;
  answer?: unknown;
  issues?: readonly Issue[] | undefined;
  retryAfterMs?: number | undefined;
  idempotencyKey?: string | undefined;
  order_id?: string | undefined;
  cause?: unknown;
}

/** Every failure of a call. `code` says which; the rest is there when the answer had it. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: GatewayErrorCode;
  /** HTTP status, when an answer came. */
  readonly status: number | undefined;
  /** The answer's body as it came. */
  readonly answer: unknown;
  /** The bad fields of an `invalid` request. */
  readonly issues: readonly Issue[];
  /** How long the gateway asks to wait, milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The key of the order a place was about: `lookup(key)` tells what became of it. */
  readonly idempotencyKey: string | undefined;
  /** Broker order id, when one is known. */
  readonly order_id: string | undefined;

  constructor(code: GatewayErrorCode, message: string, details: GatewayErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.answer = details.answer;
    this.issues = details.issues ?? [];
    this.retryAfterMs = details.retryAfterMs;
    this.idempotencyKey = details.idempotencyKey;
    this.order_id = details.order_id;
  }
}
