import postgres, { type Sql, type TransactionSql } from 'postgres';
import { type Columns, groupsGiven, run } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import { type Booking, bookingOf, type Standing } from './booking.ts';
import { CAPITAL_MOVES, closeForeign, LEARNED_ANEW, LEARNS, lockKey, type Place } from './fill.ts';
import { type OrderFacts, type OrderProgress, priced } from './order-record.ts';
import { lockScopes } from './rebook-store.ts';

/** Others write a place a few times a minute: met so often in a row, something is wrong. */
const ROUNDS = 10;

/** The caller's part of the statement: texts, and the columns of its values. */
export interface StepText {
  columns: Columns;
  /** Selects and locks its row of the journal, with what its order never changes, from `step`. Without that row nothing is written. */
  attempt: string;
  /** Common table expressions that change it, from `step` and `fits`. */
  change: string;
}

export interface Recording {
  facts: OrderFacts;
  told: OrderProgress;
  /** The values of the caller's columns. */
  step: object;
}

/**
 * Makes what brings an order record up to what is known, books what filled since, and takes the caller's step, all in one statement or nothing of it.
 * A fill is never taken back, a final state never left, and a fill without its price waits for it, the order staying open until then. An order that
 * proves ours is external no more. False when the caller's own row is not there as it says.
 *
 * What stands is read first, without a lock; the statement writes only if it still stands so, else it is read again. It locks the attempt, the order
 * record, the place and its row, in the order everybody does. A multiplier learned within these milliseconds is set right by the next reconciliation.
 */
export function orderRecorder(step: StepText): (sql: Sql, recording: Recording) => Promise<boolean> {
  const text = textOf(step);
  return async (sql, recording) => {
    const { facts, told } = recording;
    const now = priced(told);
    const place = { broker: facts.broker, exchange: facts.exchange, symbol: facts.symbol, style: facts.product };
    for (let round = 0; round < ROUNDS; round += 1) {
      const standing = await standingOf(sql, place, now.orderId);
      const booking = bookingOf(facts, now, standing);
      if (booking.trade && standing.open && standing.open.account !== facts.account) {
        await leaveForeign(sql, place, facts.account, now);
        continue;
      }
      const values = { step: recording.step, booking: valuesOf(facts, place, now, standing, booking) };
      const [wrote] = await run<Wrote>(sql, text, values).catch(takenMeanwhile);
      if (wrote?.written) return true;
      if (wrote && !wrote.found) return false;
    }
    throw new Error(`The books of ${facts.symbol} changed ${ROUNDS} times while a fill was to be written`);
  };
}

type StandingRow = Standing['record'] & Standing['open'] & { record_version: string | null; multiplier_then: string };

async function standingOf(sql: Sql | TransactionSql, { broker, exchange, symbol, style }: Place, orderId: string): Promise<Standing> {
  const [row] = await sql<[StandingRow]>`
    select o.xmin::text as record_version, o.status, o.filled_quantity, o.avg_price, p.xmin::text as version,
      p.id, p.side, p.qty, p.entry_price, d.multiplier, d.open_cost, d.closed_quantity, d.closed_cost, d.exit_value, d.account,
      coalesce((select multiplier from instrument_multipliers where broker = ${broker} and exchange = ${exchange} and symbol = ${symbol}), 1) as multiplier_then
    from (select) as one
    left join tsm_orders o on o.broker = ${broker} and o.order_id = ${orderId}
    left join (tsm_positions p join position_details d on d.position_id = p.id)
      on p.broker = ${broker} and p.exchange = ${exchange} and p.symbol = ${symbol} and p.style = ${style} and p.status = 'OPEN'`;
  return {
    record: row.record_version === null ? null : { ...row, version: row.record_version },
    open: row.version === null ? null : row,
    multiplier: row.multiplier_then,
  };
}

/** `found`: the caller's row was there. `written`: so was the rest as it had been read. */
interface Wrote {
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
  place_version: 'text',
  record_status: 'text',
  record_filled: 'bigint',
  record_average: 'numeric',
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
function valuesOf(facts: OrderFacts, place: Place, now: OrderProgress, { record, open }: Standing, booking: Booking): object {
  const { trade, row, opened } = booking;
  return {
    ordered: now.orderId,
    mode: facts.mode,
    instrument: facts.token,
    at: new Date(now.at).toISOString(),
    lock: lockKey(place),
    record_version: record?.version,
    place_version: open?.version,
    record_status: booking.record.status,
    record_filled: booking.record.filledQuantity,
    record_average: booking.record.averagePrice,
    trade_id: trade?.tradeId,
    trade_quantity: trade?.quantity,
    trade_price: trade?.price,
    deployed: booking.deployed.toFixed(4),
    profit: booking.profit.toFixed(4),
    row_id: row?.id,
    row_qty: row?.qty,
    row_entry: row?.entry,
    row_exit: row?.exit,
    row_realized: row?.realized,
    row_status: row?.status,
    row_reason: row?.reason,
    row_open_cost: row?.openCost,
    row_closed_cost: row?.closedCost,
    row_closed_quantity: row?.closedQuantity,
    row_exit_value: row?.exitValue,
    opened_side: opened?.side,
    opened_qty: opened?.qty,
    opened_multiplier: opened?.multiplier,
    opened_cost: opened?.cost,
    opened_base: opened?.base,
  };
}

/** One text for every booking: what there is none of selects nothing. */
function textOf({ columns, attempt, change }: StepText): string {
  return `
    with ${groupsGiven({ step: columns, booking: BOOKING })}, attempt as (${attempt}),
    record as (
      select o.xmin::text as version from attempt join tsm_orders o on o.broker = attempt.broker and o.order_id = (select ordered from booking) for update of o
    ), locked as materialized (
      select attempt.*, record.version, pg_advisory_xact_lock(hashtextextended((select lock from booking), 0))::text as taken
      from attempt left join record on true
    ), place as (
      select p.xmin::text as version from locked join tsm_positions p on p.broker = locked.broker and p.exchange = locked.exchange
        and p.symbol = locked.symbol and p.style = locked.product and p.status = 'OPEN' for update of p
    ), fits as (
      select booking.*, locked.key, locked.broker, locked.account, locked.exchange, locked.symbol, locked.product, locked.side, locked.order_type,
        locked.quantity, locked.price
      from booking, locked left join place on true
      where locked.version is not distinct from record_version and place.version is not distinct from place_version
    ), ${change}, recorded as (
      update tsm_orders o set status = record_status, filled_quantity = record_filled, avg_price = record_average, updated_at = now()
      from fits where o.broker = fits.broker and o.order_id = ordered
    ), added as (
      insert into tsm_orders (order_id, broker, symbol, exchange, side, order_type, product, quantity, price, filled_quantity, avg_price, status, mode, created_at)
      select ordered, broker, symbol, exchange, side, order_type, product, quantity, price, record_filled, record_average, record_status, mode, at
      from fits where record_version is null
    ), detailed as (
      insert into order_details as known (broker, order_id, account, token, external)
      select broker, ordered, account, instrument, false from fits
      on conflict (broker, order_id) do update set external = false, token = coalesce(excluded.token, known.token)
      where known.external or known.token is distinct from coalesce(excluded.token, known.token)
    ), positioned as (
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
      select id, broker, symbol, exchange, product, held, row_closed_quantity, row_entry, row_exit, row_realized, opened_at, at, row_reason, strategy, mode
      from fits, positioned where row_status = 'CLOSED'
      ${LEARNED_ANEW}
    ), opened as (
      insert into tsm_positions (symbol, broker, exchange, style, side, qty, entry_price, ltp, status, mode, entry_order_id, opened_at, updated_at)
      select symbol, broker, exchange, product, opened_side, opened_qty, trade_price, trade_price, 'OPEN', mode, ordered, at, now()
      from fits left join positioned on true where opened_side is not null
      returning id
    ), begun as (
      insert into position_details (position_id, account, token, multiplier, open_cost, base, touched_at)
      select id, account, instrument, opened_multiplier, opened_cost, opened_base::jsonb, at from opened, fits
    ), executed as (
      insert into trade_history (broker, account, trade_id, order_id, symbol, exchange, side, product, quantity, price, traded_at, mode, derived, position_id)
      select broker, account, trade_id, ordered, symbol, exchange, side, product, trade_quantity, trade_price, at, mode, true, coalesce(row_id, id)
      from fits left join opened on true where trade_id is not null
      on conflict (broker, account, order_id, trade_id) do nothing
    ), capital as (
      ${CAPITAL_MOVES} from (select deployed, profit from fits where trade_id is not null) as change where id = 1
    )
    select exists (select from attempt) as found, exists (select from fits) as written`;
}

/** A row came in between where there was none: nothing is written, and what stands is read again. */
function takenMeanwhile(error: unknown): never[] {
  const taken = error instanceof postgres.PostgresError && error.code === '23505';
  if (taken && (error.table_name === 'tsm_orders' || error.table_name === 'tsm_positions')) return [];
  throw error;
}

/** Closes what another account of the broker holds in the place; nothing when it is gone meanwhile. */
async function leaveForeign(sql: Sql, place: Place, account: string, { orderId, at }: OrderProgress): Promise<void> {
  await transaction(sql, async (tx) => {
    await lockScopes(tx, place.broker, [place]);
    const { open } = await standingOf(tx, place, orderId);
    if (open && open.account !== account) await closeForeign(tx, open, at);
  });
}
