import { type Columns, givenAs } from '../db/statement.ts';
import { CAPITAL_MOVES } from './capital.ts';
import { lockText, type PositionKey } from './keys.ts';
import type { Booking, OrderFacts, OrderProgress, Standing } from './order-record.ts';
import { madeAt } from './tables.ts';
import { LEARNED_ANEW, LEARNS } from './write-rows.ts';

/** The caller's part of the statement: texts, and the columns of its values. */
export interface StepText {
  columns: Columns;
  /** Selects and locks its row of the journal, with what its order never changes, from `given`. Without that row nothing is written. */
  attempt: string;
  /** Common table expressions that change it, from `fits`, which has the values too. */
  change: string;
}

/** `found`: the caller's row was there. `written`: so was the rest as it had been read. */
export interface Wrote {
  found: boolean;
  written: boolean;
}

const BOOKING: Columns = {
  ordered: 'text',
  mode: 'text',
  instrument: 'text',
  at: 'timestamptz',
  lock: 'text',
  record_version: 'text',
  record_made: 'timestamptz',
  position_version: 'text',
  record_status: 'text',
  record_filled: 'bigint',
  record_average: 'numeric',
  record_reason: 'text',
  trade_id: 'text',
  trade_quantity: 'bigint',
  trade_price: 'numeric',
  deployed: 'numeric',
  profit: 'numeric',
  row_id: 'bigint',
  row_qty: 'bigint',
  row_entry: 'numeric',
  row_exit: 'numeric',
  row_realized: 'numeric',
  row_status: 'text',
  row_reason: 'text',
  row_open_cost: 'numeric',
  row_closed_cost: 'numeric',
  row_closed_quantity: 'bigint',
  row_exit_value: 'numeric',
  opened_side: 'text',
  opened_qty: 'bigint',
  opened_multiplier: 'numeric',
  opened_cost: 'numeric',
  opened_base: 'text',
};

/** Values of BOOKING; what a booking does not have is not named, and reads as null. */
export function valuesOf(facts: OrderFacts, key: PositionKey, now: OrderProgress, { record, open }: Standing, booking: Booking): object {
  const { trade, row, opened } = booking;
  return {
    ordered: now.orderId,
    mode: facts.mode,
    instrument: facts.token,
    at: new Date(now.at).toISOString(),
    lock: lockText(facts.broker, key),
    record_version: record?.version,
    record_made: record?.made,
    position_version: open?.version,
    record_status: booking.record.status,
    record_filled: booking.record.filledQuantity,
    record_average: booking.record.averagePrice,
    record_reason: booking.record.reason,
    trade_id: trade?.tradeId,
    trade_quantity: trade?.quantity,
    trade_price: trade?.price,
    deployed: booking.deployed.toFixed(4),
    profit: booking.profit.toFixed(4),
    row_id: row?.id,
    row_qty: row?.qty,
    row_entry: row?.entry_price,
    row_exit: row?.exit_price,
    row_realized: row?.realized_pnl,
    row_status: row?.status,
    row_reason: row?.exit_reason,
    row_open_cost: row?.open_cost,
    row_closed_cost: row?.closed_cost,
    row_closed_quantity: row?.closed_quantity,
    row_exit_value: row?.exit_value,
    opened_side: opened?.side,
    opened_qty: opened?.qty,
    opened_multiplier: opened?.multiplier,
    opened_cost: opened?.cost,
    opened_base: opened?.base,
  };
}

/** Locks the order record, the position and its open row, in the order everybody does; `fits` has the values where all stand as they were read. */
const STANDS = `
  record as (
    select o.xmin::text as version from attempt join tsm_orders o on o.broker = attempt.broker and o.order_id = (select ordered from given)
      and o.created_at = (select record_made from given) for update of o
  ), locked as materialized (
    select attempt.*, record.version, pg_advisory_xact_lock(hashtextextended((select lock from given), 0))::text as taken
    from attempt left join record on true
  ), position as (
    select p.xmin::text as version from locked join tsm_positions p on p.broker = locked.broker and p.exchange = locked.exchange
      and p.symbol = locked.symbol and p.style = locked.product and p.status = 'OPEN' for update of p
  ), fits as (
    select given.*, locked.broker, locked.account, locked.trading_day, locked.started_at, locked.exchange, locked.symbol, locked.product, locked.side, locked.order_type,
      locked.quantity, locked.price, locked.strategy, locked.ai_confidence
    from given, locked left join position on true
    where locked.version is not distinct from record_version and position.version is not distinct from position_version
  )`;

/** The order record and its details, brought up to what is known or made. */
const RECORDS = `
  recorded as (
    update tsm_orders o set status = record_status, filled_quantity = record_filled, avg_price = record_average, updated_at = now(),
      strategy = coalesce(o.strategy, fits.strategy), ai_confidence = coalesce(o.ai_confidence, fits.ai_confidence), reason = coalesce(o.reason, record_reason)
    from fits where o.broker = fits.broker and o.order_id = ordered and o.created_at = record_made
  ), known as (
    update order_details k set external = false, token = coalesce(instrument, k.token) from fits
    where record_version is not null and k.broker = fits.broker and k.order_id = ordered and k.account = fits.account
      and k.trading_day = fits.trading_day and (k.external or k.token is distinct from coalesce(instrument, k.token))
  ), detailed as (
    insert into order_details (broker, order_id, account, trading_day, created_at, token)
    select broker, ordered, account, trading_day, ${madeAt('fits.broker', 'ordered', 'started_at')}, instrument from fits where record_version is null
    returning created_at
  ), added as (
    insert into tsm_orders (order_id, broker, symbol, exchange, side, order_type, product, quantity, price, filled_quantity, avg_price, status, mode,
      strategy, ai_confidence, reason, created_at)
    select ordered, broker, symbol, exchange, side, order_type, product, quantity, price, record_filled, record_average, record_status, mode,
      strategy, ai_confidence, record_reason, created_at
    from fits, detailed
  )`;

/** What the execution makes of the open row, and the row it opens. A position has the strategy of the order that opened it, whoever adds to it or closes it. */
const POSITIONS = `
  positioned as (
    update tsm_positions p set qty = row_qty, entry_price = row_entry, ltp = trade_price, exit_price = row_exit, realized_pnl = row_realized,
      status = row_status, exit_reason = row_reason, closed_at = case row_status when 'CLOSED' then at end, updated_at = now()
    from fits where p.id = row_id
    returning p.id, p.side as held, p.opened_at, p.strategy
  ), costed as (
    update position_details d set open_cost = row_open_cost, closed_cost = row_closed_cost, closed_quantity = row_closed_quantity,
      exit_value = row_exit_value, touched_at = at
    from fits where d.position_id = row_id
  ), learned as (
    ${LEARNS}
    select id, broker, symbol, exchange, product, held, row_closed_quantity, row_entry, row_exit, row_realized, opened_at, at, row_reason, positioned.strategy, mode
    from fits, positioned where row_status = 'CLOSED'
    ${LEARNED_ANEW}
  ), opened as (
    insert into tsm_positions (symbol, broker, exchange, style, side, qty, entry_price, ltp, status, mode, entry_order_id, strategy, ai_confidence, opened_at, updated_at)
    select symbol, broker, exchange, product, opened_side, opened_qty, trade_price, trade_price, 'OPEN', mode, ordered, fits.strategy, ai_confidence, at, now()
    from fits left join positioned on true where opened_side is not null
    returning id
  ), begun as (
    insert into position_details (position_id, account, token, multiplier, open_cost, base, touched_at)
    select id, account, instrument, opened_multiplier, opened_cost, opened_base::jsonb, at from opened, fits
  )`;

/** The execution, and what it moves of the capital. */
const EXECUTES = `
  executed as (
    insert into trade_history (broker, account, trade_id, order_id, trading_day, symbol, exchange, side, product, quantity, price, traded_at, mode, derived,
      position_id, frozen)
    select broker, account, trade_id, ordered, trading_day, symbol, exchange, side, product, trade_quantity, trade_price, at, mode, true, coalesce(row_id, id),
      coalesce(row_id, id) is null
    from fits left join opened on true where trade_id is not null
    on conflict (broker, account, order_id, trading_day, trade_id) do nothing
  ), capital as (
    ${CAPITAL_MOVES} from (select deployed, profit from fits where trade_id is not null) as change where id = 1
  )`;

/** One text for every booking: what there is none of selects nothing. A prepared statement of the order path, and text for that reason. */
export function textOf({ columns, attempt, change }: StepText): string {
  return `
  with ${givenAs({ ...columns, ...BOOKING })}, attempt as (${attempt}), ${STANDS}, ${change}, ${RECORDS}, ${POSITIONS}, ${EXECUTES}
  select exists (select from attempt) as found, exists (select from fits) as written`;
}
