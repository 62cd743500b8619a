import { getTableColumns } from 'drizzle-orm';
import { idempotencyRecords } from '../../drizzle/schema.ts';
import { standsIn } from '../books/booking.ts';
import type { StepText } from '../books/record-text.ts';
import { givenAs } from './statement.ts';

/** Words and not parameters: only then does a prepared statement know that a partial index serves. */
export const OPEN = "state in ('SENDING', 'ACCEPTED', 'AMBIGUOUS')";

/** All columns, and the instants as epoch ms beside them. */
export const EVERYTHING = `*, extract(epoch from started_at)::float8 * 1000 as started_ms, extract(epoch from resolved_at)::float8 * 1000 as resolved_ms,
  extract(epoch from expires_at)::float8 * 1000 as expires_ms, extract(epoch from updated_at)::float8 * 1000 as updated_ms`;

const CLAIM_COLUMNS = {
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
  started_at: 'timestamptz',
  updated_at: 'timestamptz',
};

/** What a claim overwrites in an expired record: with its own values, and with the defaults of those it does not give. */
const overwritten = Object.keys(getTableColumns(idempotencyRecords))
  .filter((name) => name !== 'key')
  .map((name) => `${name} = excluded.${name}`)
  .join(', ');

const EXPIRED = "r.state in ('DONE', 'NOT_SENT') and r.expires_at <= (select moment from given)";

/** The rows after a claim: what stands under its key, what is open in its symbol, or one without anything. */
export const CLAIM = `
  with ${givenAs({ ...CLAIM_COLUMNS, moment: 'timestamptz' })}, standing as (
    select ${EVERYTHING} from idempotency_records r where key = (select key from given) and (${EXPIRED}) is not true
  ), exposed as (
    select ${EVERYTHING} from idempotency_records r where ${OPEN} and key <> (select key from given) and broker = (select broker from given)
      and account = (select account from given) and exchange = (select exchange from given) and symbol = (select symbol from given)
  ), claimed as (
    insert into idempotency_records as r (${Object.keys(CLAIM_COLUMNS).join(', ')})
    select ${Object.keys(CLAIM_COLUMNS).join(', ')} from given where not exists (select from standing)
    on conflict (key) do update set ${overwritten} where ${EXPIRED}
    returning key, broker, account, symbol, side, quantity, exchange
  ), noted as (
    insert into tsm_events (kind, broker, account, symbol, key, detail)
    select 'order.claimed', broker, account, symbol, key, jsonb_build_object('side', side, 'quantity', quantity, 'exchange', exchange) from claimed
  )
  select exists (select from claimed) as claimed, known.*
  from (select) one left join (select * from standing union all select * from exposed) known on true
  order by known.started_at`;

const STEP_COLUMNS = {
  key: 'text',
  state: 'text',
  owner: 'text',
  epoch: 'integer',
  next: 'text',
  updated_at: 'timestamptz',
  clock_offset_ms: 'integer',
  net_before: 'bigint',
  order_id: 'text',
  broker_answer: 'text',
  fill_status: 'text',
  filled_quantity: 'bigint',
  response: 'text',
  resolved_at: 'timestamptz',
  expires_at: 'timestamptz',
  kind: 'text',
  detail: 'text',
};

/** The attempt is in the step and the hands its owner believes. */
const STANDS = 'r.key = g.key and r.state = g.state and r.owner = g.owner and r.epoch = g.epoch';

/** What a step does not set stays as it stands: its own attempt may be older than a step of the same state. */
const CHANGES = `state = g.next, updated_at = g.updated_at, ${[
  'clock_offset_ms',
  'net_before',
  'order_id',
  'broker_answer',
  'fill_status',
  'filled_quantity',
  'response',
  'resolved_at',
  'expires_at',
]
  .map((name) => `${name} = coalesce(g.${name}, r.${name})`)
  .join(', ')}`;

/** The event of a step; `moved` is the changed attempt. */
const NOTES = `
  insert into tsm_events (kind, broker, account, symbol, order_id, key, detail)
  select g.kind, moved.broker, moved.account, moved.symbol, nullif(moved.order_id, ''), moved.key, g.detail::jsonb from moved, given g`;

const MOVED = 'r.key, r.broker, r.account, r.symbol, r.order_id';

/** A step, and the record of a new order where one is `ordered`, with what stands then in its place. */
export const MOVE = `
  with ${givenAs({ ...STEP_COLUMNS, ordered: 'text', instrument: 'text', mode: 'text' })}, moved as (
    update idempotency_records r set ${CHANGES} from given g where ${STANDS}
    returning ${MOVED}, r.exchange, r.side, r.order_type, r.product, r.quantity, r.price
  ), placed as (
    insert into tsm_orders (order_id, broker, symbol, exchange, side, order_type, product, quantity, price, status, mode, created_at)
    select ordered, broker, symbol, exchange, side, order_type, product, quantity, price, 'PLACED', mode, given.updated_at
    from moved, given where ordered is not null
    on conflict (broker, order_id) do nothing
    returning xmin::text as record_version, status, filled_quantity, avg_price, broker, exchange, symbol, product
  ), detailed as (
    insert into order_details as known (broker, order_id, account, token)
    select broker, ordered, account, instrument from moved, given where ordered is not null
    on conflict (broker, order_id) do update set token = excluded.token where excluded.token is distinct from known.token and excluded.token is not null
  ), noted as (${NOTES})
  select w.record_version, w.status, w.filled_quantity, w.avg_price, ${standsIn.columns} from moved left join placed w on true ${standsIn.join}`;

/** A step as a part of what books its fill. */
export const STEP: StepText = {
  columns: STEP_COLUMNS,
  attempt: `
    select r.key, r.broker, r.account, r.symbol, r.exchange, r.side, r.order_type, r.product, r.quantity, r.price
    from given g join idempotency_records r on ${STANDS} for update of r`,
  change: `
    moved as (
      update idempotency_records r set ${CHANGES} from fits g where r.key = g.key returning ${MOVED}
    ), noted as (${NOTES})`,
};
