import type { JSONValue, Sql, TransactionSql } from 'postgres';
import { parseIst, tradingDay } from '../clock.ts';
import type { Big } from '../money.ts';
import type { SavedState } from './average-cost.ts';
import { among, type Execution, learn, moveCapital, type OpenPosition } from './fill.ts';
import { type AccountKey, lockText, type PositionKey } from './keys.ts';
import type { Columns, ReplayTrade } from './replay.ts';

/** A position row with its details, as it stands. */
export interface LoadedRow extends OpenPosition, PositionKey {
  status: string;
  exit_reason: string | null;
  exit_price: string | null;
  realized_pnl: string | null;
  ltp: string | null;
  entry_order_id: string | null;
  base: SavedState | null;
  token: string | null;
  /** Epoch ms. */
  opened_ms: number;
  closed_ms: number | null;
}

export interface Loaded {
  /** By id. */
  rows: LoadedRow[];
  /** By `exchange|symbol`. */
  multipliers: Map<string, string>;
}

export interface Writes {
  changed: (Columns & { id: number; ltp: string | null })[];
  made: (Columns & PositionKey & { id: number; token: string | null; ltp: string | null })[];
  gone: number[];
  /** Executions that stand with another row now. */
  moved: { id: number; positionId: number }[];
  added: { execution: Execution; positionId: number | null; frozen?: boolean }[];
  removed: readonly number[];
  deployed: Big;
  profit: Big;
}

/** Rows for a statement: one parameter, whatever their number. */
export function rowsOf(tx: Sql | TransactionSql, rows: readonly object[]) {
  return tx.json(rows as readonly JSONValue[]);
}

/** Takes the locks of positions in one order, so that whoever books several never waits in a circle. */
export async function lockPositions(tx: TransactionSql, broker: string, keys: readonly PositionKey[]): Promise<void> {
  if (keys.length === 0) return;
  const texts = keys.map((key) => lockText(broker, key));
  await tx`
    select pg_advisory_xact_lock(key) from (
      select distinct hashtextextended(name, 0) as key from jsonb_array_elements_text(${tx.json(texts)}) as t(name) order by key
    ) as keys`;
}

/** When the trading day of `now` began, epoch seconds: rows closed before are out of the books' reach. */
export function dayBegan(now: number): number {
  return (parseIst(`${tradingDay(now)} 00:00:00`) ?? now) / 1000;
}

/** The rows of positions, locked: the open one, and those of the account from the id `first` on that were closed today; without it none of these. */
export async function loadPositions(
  tx: TransactionSql,
  who: AccountKey,
  keys: readonly (PositionKey & { first?: number })[],
  now: number,
): Promise<Loaded> {
  const asked = rowsOf(
    tx,
    keys.map(({ exchange, symbol, style, first }) => ({ exchange, symbol, style, first })),
  );
  const [rows, facts] = await Promise.all([
    tx<LoadedRow[]>`
      select p.id, p.exchange, p.symbol, p.style, p.side, p.qty, p.entry_price, p.exit_price, p.realized_pnl, p.ltp, p.status, p.exit_reason,
        p.entry_order_id, round(extract(epoch from p.opened_at) * 1000)::float8 as opened_ms,
        round(extract(epoch from p.closed_at) * 1000)::float8 as closed_ms, d.account, d.token, d.multiplier, d.open_cost, d.closed_cost,
        d.closed_quantity, d.exit_value, d.base
      from jsonb_to_recordset(${asked}) as s(exchange text, symbol text, style text, first bigint)
      join tsm_positions p on p.broker = ${who.broker} and p.exchange = s.exchange and p.symbol = s.symbol and p.style = s.style
      join position_details d on d.position_id = p.id
      where p.status = 'OPEN' or (d.account = ${who.account} and p.id >= s.first and p.closed_at >= to_timestamp(${dayBegan(now)}))
      order by p.id for update of p`,
    tx<{ exchange: string; symbol: string; multiplier: string }[]>`
      select distinct m.exchange, m.symbol, m.multiplier from jsonb_to_recordset(${asked}) as s(exchange text, symbol text)
      join instrument_multipliers m on m.broker = ${who.broker} and m.exchange = s.exchange and m.symbol = s.symbol`,
  ]);
  return {
    rows: rows.map((row) => ({ ...row, base: row.base && inOneOrder(row.base) })),
    multipliers: new Map(facts.map((one) => [`${one.exchange}|${one.symbol}`, one.multiplier])),
  };
}

/** Executions that count in these position rows; `serial` is the id of their own row. */
export async function loadTrades(tx: TransactionSql, rows: readonly LoadedRow[]): Promise<(ReplayTrade & { positionId: number })[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  return await tx<(ReplayTrade & { positionId: number })[]>`
    select id as serial, order_id as "orderId", trade_id as "tradeId", side, quantity, price,
      round(extract(epoch from traded_at) * 1000)::float8 as at, derived, position_id as "positionId"
    from trade_history where not frozen and position_id in ${among(tx, ids)}`;
}

/** PostgreSQL keeps the members of JSON in an order of its own; two bases are compared as text. */
function inOneOrder({ side, qty, cost, entry, closedQuantity, exitValue, closedCost, fixed }: SavedState): SavedState {
  return { side, qty, cost, entry, closedQuantity, exitValue, closedCost, fixed };
}

/** Numbers for position rows to be made. */
export async function newIds(tx: TransactionSql, count: number): Promise<number[]> {
  if (count === 0) return [];
  const rows = await tx<{ id: number }[]>`
    select nextval(pg_get_serial_sequence('tsm_positions', 'id')) as id from generate_series(1, ${count}::int)`;
  return rows.map((row) => row.id);
}

/** Writes the difference. Rows that end closed go first, because a position has one open row at any moment. */
export async function writeBooks(tx: TransactionSql, who: AccountKey, writes: Writes, now: number): Promise<void> {
  const { changed, made, gone, moved, added, removed, deployed, profit } = writes;
  const statements: Promise<unknown>[] = [];
  const closed = changed.filter((row) => row.status === 'CLOSED');
  const open = changed.filter((row) => row.status === 'OPEN');
  if (gone.length > 0) statements.push(deleteRows(tx, gone));
  if (closed.length > 0) statements.push(updateRows(tx, closed, now));
  if (open.length > 0)
    statements.push(
      updateRows(tx, open, now),
      tx`delete from trade_learning where position_id in ${among(
        tx,
        open.map((row) => row.id),
      )}`,
    );
  if (made.length > 0) statements.push(insertRows(tx, who, made, now));
  if (removed.length > 0) statements.push(tx`delete from trade_history where id in ${among(tx, removed)}`);
  if (moved.length > 0) statements.push(moveTrades(tx, moved));
  if (added.length > 0) statements.push(insertTrades(tx, who, added));
  if (!deployed.eq(0) || !profit.eq(0)) statements.push(tx`${moveCapital(tx, deployed, profit)}`);
  const done = [...closed, ...made.filter((row) => row.status === 'CLOSED')];
  if (done.length > 0) statements.push(learn(tx, ...done.map((row) => row.id)));
  await Promise.all(statements);
}

function deleteRows(tx: TransactionSql, ids: readonly number[]): Promise<unknown> {
  return tx`
    with forgotten as (delete from trade_learning where position_id in ${among(tx, ids)})
    delete from tsm_positions where id in ${among(tx, ids)}`;
}

const COLUMNS =
  'id bigint, side text, qty bigint, entry_price numeric, exit_price numeric, realized_pnl numeric, status text, exit_reason text, opened_ms float8, ' +
  'closed_ms float8, entry_order_id text, multiplier numeric, open_cost numeric, closed_cost numeric, closed_quantity bigint, exit_value numeric, base jsonb, ltp numeric';

function updateRows(tx: TransactionSql, rows: Writes['changed'], now: number): Promise<unknown> {
  return tx`
    with given as (select * from jsonb_to_recordset(${rowsOf(tx, rows)}) as t(${tx.unsafe(COLUMNS)})),
    detailed as (
      update position_details d set multiplier = given.multiplier, open_cost = given.open_cost, closed_cost = given.closed_cost,
        closed_quantity = given.closed_quantity, exit_value = given.exit_value, base = nullif(given.base, 'null'::jsonb), touched_at = to_timestamp(${now / 1000})
      from given where d.position_id = given.id
    )
    update tsm_positions p set side = given.side, qty = given.qty, entry_price = given.entry_price, ltp = given.ltp, exit_price = given.exit_price,
      realized_pnl = given.realized_pnl, status = given.status, exit_reason = given.exit_reason, opened_at = to_timestamp(given.opened_ms / 1000),
      closed_at = to_timestamp(given.closed_ms / 1000), entry_order_id = given.entry_order_id, updated_at = now()
    from given where p.id = given.id`;
}

function insertRows(tx: TransactionSql, who: AccountKey, rows: Writes['made'], now: number): Promise<unknown> {
  return tx`
    with given as (
      select * from jsonb_to_recordset(${rowsOf(tx, rows)}) as t(${tx.unsafe(COLUMNS)}, exchange text, symbol text, style text, token text)
    ), inserted as (
      insert into tsm_positions (id, symbol, broker, exchange, style, side, qty, entry_price, ltp, status, exit_price, realized_pnl, exit_reason, mode,
        entry_order_id, opened_at, closed_at)
      select id, symbol, ${who.broker}, exchange, style, side, qty, entry_price, ltp, status, exit_price, realized_pnl, exit_reason, ${who.mode},
        entry_order_id, to_timestamp(opened_ms / 1000), to_timestamp(closed_ms / 1000) from given
    )
    insert into position_details (position_id, account, token, multiplier, open_cost, closed_cost, closed_quantity, exit_value, base, touched_at)
    select id, ${who.account}, token, multiplier, open_cost, closed_cost, closed_quantity, exit_value, nullif(base, 'null'::jsonb),
      to_timestamp(${now / 1000}) from given`;
}

function moveTrades(tx: TransactionSql, moved: Writes['moved']): Promise<unknown> {
  return tx`
    update trade_history t set position_id = given."positionId"
    from jsonb_to_recordset(${rowsOf(tx, moved)}) as given(id bigint, "positionId" bigint) where t.id = given.id`;
}

/** An execution known already is not written again. */
export function insertTrades(tx: TransactionSql, who: AccountKey, added: Writes['added']): Promise<unknown> {
  const rows = added.map(({ execution, positionId, frozen = false }) => ({ ...execution, positionId, frozen }));
  return tx`
    insert into trade_history (broker, account, trade_id, order_id, trading_day, symbol, exchange, side, product, quantity, price, traded_at, mode, position_id,
      derived, frozen)
    select ${who.broker}, ${who.account}, "tradeId", "orderId", "tradingDay", symbol, exchange, side, style, quantity, price, to_timestamp(at / 1000), ${who.mode},
      "positionId", derived, frozen
    from jsonb_to_recordset(${rowsOf(tx, rows)}) as t("tradeId" text, "orderId" text, "tradingDay" text, symbol text, exchange text, side text, style text, quantity bigint,
      price numeric, at float8, "positionId" bigint, derived boolean, frozen boolean)
    on conflict (broker, account, order_id, trading_day, trade_id) do nothing`;
}
