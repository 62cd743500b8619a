import type { FillStatus } from '../../contract/words.ts';
import type { Attempt, AttemptState } from './attempt.ts';

/** Words and not parameters: only then does a prepared statement know that a partial index serves. */
export const OPEN = "state in ('SENDING', 'ACCEPTED', 'AMBIGUOUS')";
export const FINAL = "state in ('DONE', 'NOT_SENT', 'UNRESOLVED')";

/** All columns, and the instants as epoch ms beside them. */
export const EVERYTHING = `*, extract(epoch from started_at)::float8 * 1000 as started_ms, extract(epoch from resolved_at)::float8 * 1000 as resolved_ms,
  extract(epoch from expires_at)::float8 * 1000 as expires_ms, extract(epoch from updated_at)::float8 * 1000 as updated_ms`;

/** A row of EVERYTHING; bigint is text where a number would not be exact. */
export interface AttemptRow {
  key: string;
  state: AttemptState;
  owner: string;
  epoch: number;
  request_hash: string;
  broker: string;
  account: string;
  trading_day: string;
  tag: string;
  symbol: string;
  token: string | null;
  exchange: string;
  side: string;
  order_type: string;
  product: string;
  quantity: number | string;
  price: string;
  strategy: string | null;
  ai_confidence: string | null;
  started_ms: number;
  clock_offset_ms: number | null;
  net_before: number | string | null;
  order_id: string;
  broker_answer: string | null;
  fill_status: FillStatus | null;
  filled_quantity: number | string;
  response: string | null;
  resolved_ms: number | null;
  expires_ms: number | null;
  updated_ms: number;
}

export function attemptOf(row: AttemptRow): Attempt {
  return {
    key: row.key,
    state: row.state,
    owner: row.owner,
    epoch: row.epoch,
    requestHash: row.request_hash,
    broker: row.broker,
    account: row.account,
    tradingDay: row.trading_day,
    tag: row.tag,
    symbol: row.symbol,
    token: row.token,
    exchange: row.exchange,
    side: row.side,
    orderType: row.order_type,
    product: row.product,
    quantity: Number(row.quantity),
    price: row.price,
    strategy: row.strategy,
    aiConfidence: row.ai_confidence,
    startedAt: Math.round(row.started_ms),
    clockOffsetMs: row.clock_offset_ms,
    netBefore: row.net_before === null ? null : Number(row.net_before),
    orderId: row.order_id,
    brokerAnswer: row.broker_answer,
    fillStatus: row.fill_status,
    filledQuantity: Number(row.filled_quantity),
    response: row.response,
    resolvedAt: row.resolved_ms === null ? null : Math.round(row.resolved_ms),
    expiresAt: row.expires_ms === null ? null : Math.round(row.expires_ms),
    updatedAt: Math.round(row.updated_ms),
  };
}

/** Values of an event's columns; the detail is JSON text. */
export function eventValues(event: { kind: string; detail?: object | undefined }): { kind: string; detail: string } {
  return { kind: event.kind, detail: JSON.stringify(event.detail ?? {}, storable) };
}

/** PostgreSQL refuses JSON with characters that it cannot keep: a broker's message must not keep a step from being written. */
function storable(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value;
}

export function iso(at: number): string {
  return new Date(at).toISOString();
}

/** Clocks tell parts of a millisecond, the column keeps whole ones. */
export function wholeMs(offset: number): number {
  // Without the negative zero that rounding makes.
  return Math.round(offset) + 0;
}
