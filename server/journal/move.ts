import type { Standing } from '../books/order-record.ts';
import { orderRecorder, type StandingRow, standingFrom, standsIn } from '../books/record-fill.ts';
import type { StepText } from '../books/record-fill-text.ts';
import { madeAt } from '../books/tables.ts';
import type { Handle } from '../db/handle.ts';
import { type Ask, givenAs, run } from '../db/statement.ts';
import type { Attempt, AttemptChange, AttemptEvent, AttemptState, OrderTruth } from './attempt.ts';
import { eventValues, iso } from './rows.ts';

/** What a step may set; null leaves the column as it stands: the step's own attempt may be older than a step of the same state. */
const CHANGEABLE = {
  clock_offset_ms: 'integer',
  net_before: 'bigint',
  order_id: 'text',
  broker_answer: 'text',
  fill_status: 'text',
  filled_quantity: 'bigint',
  response: 'text',
  resolved_at: 'timestamptz',
  expires_at: 'timestamptz',
};

const COLUMNS = {
  ...{ key: 'text', tag: 'text', state: 'text', owner: 'text', epoch: 'integer', next: 'text', updated_at: 'timestamptz' },
  ...CHANGEABLE,
  ...{ kind: 'text', detail: 'text' },
};

/** The attempt is in the step and the hands its owner believes. */
const STANDS = 'r.key = g.key and r.tag = g.tag and r.state = g.state and r.owner = g.owner and r.epoch = g.epoch';

const CHANGES = `state = g.next, updated_at = g.updated_at, ${Object.keys(CHANGEABLE)
  .map((name) => `${name} = coalesce(g.${name}, r.${name})`)
  .join(', ')}`;

const MOVED = 'r.key, r.broker, r.account, r.symbol, r.order_id';

/** The event of a step; `moved` is the changed attempt. */
const NOTES = `
  insert into tsm_events (kind, broker, account, symbol, order_id, key, detail)
  select g.kind, moved.broker, moved.account, moved.symbol, nullif(moved.order_id, ''), moved.key, g.detail::jsonb from moved, given g`;

/** Prepared, as all that every order runs: a step, and the record of a new order where one is `ordered`, with what stands then in its position. Each table is joined with one row: its keys are all known. */
const MOVE = `
  with ${givenAs({ ...COLUMNS, ordered: 'text', instrument: 'text', mode: 'text' })}, moved as (
    update idempotency_records r set ${CHANGES} from given g where ${STANDS}
    returning ${MOVED}, r.trading_day, r.started_at, r.exchange, r.side, r.order_type, r.product, r.quantity, r.price, r.strategy, r.ai_confidence, g.ordered, g.instrument, g.mode
  ), known as (
    update order_details k set token = moved.instrument from moved
    where k.broker = moved.broker and k.order_id = moved.ordered and k.account = moved.account and k.trading_day = moved.trading_day
      and k.token is distinct from moved.instrument and moved.instrument is not null
  ), detailed as (
    insert into order_details (broker, order_id, account, trading_day, created_at, token)
    select broker, ordered, account, trading_day, ${madeAt('moved.broker', 'moved.ordered', 'moved.started_at')}, instrument from moved where ordered is not null
    on conflict (broker, order_id, account, trading_day) do nothing
    returning created_at
  ), placed as (
    insert into tsm_orders (order_id, broker, symbol, exchange, side, order_type, product, quantity, price, status, mode, strategy, ai_confidence, created_at)
    select ordered, broker, symbol, exchange, side, order_type, product, quantity, price, 'PLACED', mode, strategy, ai_confidence, created_at from moved, detailed
    returning xmin::text as record_version, created_at::text as made, status, filled_quantity, avg_price, broker, exchange, symbol, product
  ), noted as (${NOTES})
  select w.record_version, w.made, w.status, w.filled_quantity, w.avg_price, ${standsIn.columns} from moved left join placed w on true ${standsIn.join}`;

/** A step as a part of what books its fill. */
const STEP: StepText = {
  columns: COLUMNS,
  attempt: `
    select r.key, r.broker, r.account, r.trading_day, r.started_at, r.symbol, r.exchange, r.side, r.order_type, r.product, r.quantity, r.price, r.strategy, r.ai_confidence
    from given g join idempotency_records r on ${STANDS} for update of r`,
  change: `
    moved as (
      update idempotency_records r set ${CHANGES} from fits g where r.key = g.key returning ${MOVED}
    ), noted as (${NOTES})`,
};

const book = orderRecorder(STEP);

export interface Step {
  attempt: Attempt;
  to: AttemptState;
  change: AttemptChange;
  event: AttemptEvent;
  now: number;
  truth?: OrderTruth | undefined;
}

/** Takes a step with its event, its order record and what filled, all in one commit. Answers whether the attempt stood as its owner believes. */
export type Mover = (step: Step) => Promise<boolean>;

export function moverOf(db: Handle, ask: Ask, mode: string): Mover {
  /** What stood when an order was recorded as new, by its attempt's tag until the next step: the fill that mostly comes then need not read it. */
  const seen = new Map<string, Standing>();

  async function change(step: Step, newOrder?: OrderTruth): Promise<boolean> {
    const { attempt } = step;
    const order = newOrder && { ordered: newOrder.orderId, instrument: newOrder.token ?? attempt.token, mode };
    const [moved] = await run<StandingRow>(ask, MOVE, { ...valuesOf(step), ...order });
    if (moved?.record_version) seen.set(attempt.tag, standingFrom(moved));
    return moved !== undefined;
  }

  return (step) => {
    const { attempt, truth, now } = step;
    const stood = seen.get(attempt.tag);
    seen.delete(attempt.tag);
    if (!truth) return change(step);
    // A new order without a fill meets no books.
    if (truth.status === 'PLACED' && truth.filledQuantity === 0) return change(step, truth);
    const { broker, account, tradingDay, symbol, exchange, side, product } = attempt;
    const { token = attempt.token } = truth;
    const facts = { broker, account, tradingDay, mode, symbol, token, exchange, side, product };
    return book(db, ask, { facts, told: { ...truth, at: truth.past ? attempt.startedAt : now }, step: valuesOf(step), seen: stood });
  };
}

function valuesOf({ attempt, to, change, event, now }: Step): object {
  const { key, tag, state, owner, epoch } = attempt;
  const values: { [Name in keyof typeof COLUMNS]: string | number | undefined } = {
    ...{ key, tag, state, owner, epoch },
    next: to,
    updated_at: iso(now),
    clock_offset_ms: change.clockOffsetMs,
    net_before: change.netBefore,
    order_id: change.orderId,
    broker_answer: change.brokerAnswer,
    fill_status: change.fillStatus,
    filled_quantity: change.filledQuantity,
    response: change.response,
    resolved_at: change.resolvedAt === undefined ? undefined : iso(change.resolvedAt),
    expires_at: change.expiresAt === undefined ? undefined : iso(change.expiresAt),
    ...eventValues(event),
  };
  return values;
}
