import type { idempotencyRecords } from '../../drizzle/schema.ts';
import { type Ask, givenAs, run, type Underway } from '../db/statement.ts';
import type { Attempt, AttemptEvent } from './attempt.ts';
import { type AttemptRow, attemptOf, EVERYTHING, eventValues, FINAL, iso, wholeMs } from './rows.ts';

const COLUMNS = {
  key: 'text',
  state: 'text',
  owner: 'text',
  epoch: 'integer',
  request_hash: 'text',
  broker: 'text',
  account: 'text',
  trading_day: 'text',
  tag: 'text',
  symbol: 'text',
  token: 'text',
  exchange: 'text',
  side: 'text',
  order_type: 'text',
  product: 'text',
  quantity: 'bigint',
  price: 'numeric',
  strategy: 'text',
  ai_confidence: 'numeric',
  started_at: 'timestamptz',
  clock_offset_ms: 'integer',
  order_id: 'text',
  broker_answer: 'text',
  net_before: 'bigint',
  fill_status: 'text',
  filled_quantity: 'bigint',
  response: 'text',
  resolved_at: 'timestamptz',
  expires_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const satisfies Record<keyof typeof idempotencyRecords.$inferSelect, string>;

const COLUMN_NAMES = Object.keys(COLUMNS);
const NAMES = COLUMN_NAMES.join(', ');

/** An expired record is replaced whole. */
const OVERWRITTEN = COLUMN_NAMES.map((name) => `${name} = excluded.${name}`).join(', ');

const EXPIRED = `r.${FINAL} and r.expires_at <= (select moment from given)`;

/**
 * Prepared. One row: whether the attempt stands now, and what stood under its key. A standing record is only read: an insert that meets it would lock its row, and
 * the caller of a replay would wait for a write to the disk. Without a key nothing is done.
 */
const BEGIN = `
  with ${givenAs({ ...COLUMNS, moment: 'timestamptz', kind: 'text', detail: 'text', term: 'bigint' })}, leader as (
    select from given where term is null or exists (select from gateway_lease l where l.epoch = given.term)
  ), standing as (
    select ${EVERYTHING} from idempotency_records r where key = (select key from given) and (${EXPIRED}) is not true
  ), begun as (
    insert into idempotency_records as r (${NAMES})
    select ${NAMES} from given where key is not null and exists (select from leader) and not exists (select from standing)
    on conflict (key) do update set ${OVERWRITTEN} where ${EXPIRED}
    returning key, broker, account, symbol, order_id
  ), noted as (
    insert into tsm_events (kind, broker, account, symbol, order_id, key, detail)
    select given.kind, begun.broker, begun.account, begun.symbol, nullif(begun.order_id, ''), begun.key, given.detail::jsonb from begun, given
  )
  select exists (select from begun) as begun, exists (select from leader) as leads, standing.* from (select) one left join standing on true`;

type BegunRow = { begun: boolean; leads: boolean } & (AttemptRow | { [Name in keyof AttemptRow]: null });

/** Parameters with which the statement does nothing. */
export const NOTHING: readonly string[] = ['{}'];

export interface Begun {
  /** The attempt stands now. */
  begun: boolean;
  /** What stood under its key; also null where another came in between. */
  standing: Attempt | null;
}

/**
 * Writes an attempt unless a living record stands under its key. `term`: the epoch of the lease this process leads by, null without one; throws when another
 * has led since. `watch` is given the statement before it is sent.
 */
export async function begin(
  ask: Ask,
  attempt: Attempt,
  event: AttemptEvent,
  { now, term, watch }: { now: number; term: number | null; watch: (underway: Underway) => void },
): Promise<Begun> {
  const values = { ...columnsOf(attempt), ...eventValues(event), moment: iso(now), term };
  const [row] = await run<BegunRow>(ask, BEGIN, values, watch);
  if (row?.leads === false) throw new Error('Another gateway leads this database');
  if (!row) throw new Error('The journal did not say whether an attempt stands');
  return { begun: row.begun, standing: row.key === null ? null : attemptOf(row) };
}

function columnsOf(attempt: Attempt): { [Name in keyof typeof COLUMNS]: string | number | null } {
  const { key, state, owner, epoch, broker, account, tag, symbol, token, exchange, side, product, quantity, price, strategy, response } =
    attempt;
  return {
    ...{ key, state, owner, epoch, broker, account, tag, symbol, token, exchange, side, product, quantity, price, strategy, response },
    request_hash: attempt.requestHash,
    trading_day: attempt.tradingDay,
    order_type: attempt.orderType,
    ai_confidence: attempt.aiConfidence,
    started_at: iso(attempt.startedAt),
    clock_offset_ms: attempt.clockOffsetMs === null ? null : wholeMs(attempt.clockOffsetMs),
    order_id: attempt.orderId,
    broker_answer: attempt.brokerAnswer,
    net_before: attempt.netBefore,
    fill_status: attempt.fillStatus,
    filled_quantity: attempt.filledQuantity,
    resolved_at: attempt.resolvedAt === null ? null : iso(attempt.resolvedAt),
    expires_at: attempt.expiresAt === null ? null : iso(attempt.expiresAt),
    updated_at: iso(attempt.updatedAt),
  };
}
