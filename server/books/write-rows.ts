import { eq, type SQL, sql } from 'drizzle-orm';
import { positionDetails, positions, tradeHistory, tradeLearning } from '../../drizzle/schema.ts';
import type { Tx } from '../db/handle.ts';
import { among, given, insertFrom, instant } from '../db/rows.ts';
import { Big } from '../money.ts';
import { moneyOf } from './average-cost.ts';
import { moveCapital } from './capital.ts';
import type { AccountKey, PositionKey } from './keys.ts';
import { type Execution, type OpenPosition, stateOfRow } from './position-rows.ts';
import type { Columns } from './replay.ts';

/** What is to be written of positions computed anew. */
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

/** Writes the difference. Rows that end closed go first, because a position has one open row at any moment. */
export async function writeBooks(tx: Tx, who: AccountKey, writes: Writes, now: number): Promise<void> {
  const { changed, made, gone, moved, added, removed, deployed, profit } = writes;
  const closed = changed.filter((row) => row.status === 'CLOSED');
  const open = changed.filter((row) => row.status === 'OPEN');
  await deleteRows(tx, gone);
  await updateRows(tx, who, closed, now);
  await updateRows(tx, who, open, now);
  await forget(
    tx,
    open.map((row) => row.id),
  );
  await insertRows(tx, who, made, now);
  if (removed.length > 0) await tx.delete(tradeHistory).where(among(tradeHistory.id, removed));
  await moveTrades(tx, moved);
  await insertTrades(tx, who, added);
  if (!deployed.eq(0) || !profit.eq(0)) await moveCapital(tx, deployed, profit);
  const done = [...closed, ...made.filter((row) => row.status === 'CLOSED')];
  await learn(
    tx,
    done.map((row) => row.id),
  );
}

async function deleteRows(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await forget(tx, ids);
  await tx.delete(positions).where(among(positions.id, ids));
}

/** What was learned from rows that are open again, or gone. */
async function forget(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await tx.delete(tradeLearning).where(among(tradeLearning.position_id, ids));
}

const { id, side, qty, entry_price, exit_price, realized_pnl, ltp, status, exit_reason, entry_order_id } = positions;
const { multiplier, open_cost, closed_cost, closed_quantity, exit_value, base } = positionDetails;

/** A row of `Columns`, as a statement takes it. */
const rowColumns = {
  ...{ id, side, qty, entry_price, exit_price, realized_pnl, ltp, status, exit_reason, entry_order_id },
  ...{ multiplier, open_cost, closed_cost, closed_quantity, exit_value, base },
  ...({ opened_ms: 'float8', closed_ms: 'float8' } as const),
};

/** What the order that opens a row told of itself; nothing where it was placed elsewhere, or a reconciliation made the row. Ids come again: the newest record is meant. */
function ofOpener(who: AccountKey, openedBy: SQL, column: 'strategy' | 'ai_confidence'): SQL {
  return sql`(
    select o.${sql.identifier(column)} from order_details k join tsm_orders o on o.broker = k.broker and o.order_id = k.order_id and o.created_at = k.created_at
    where k.broker = ${who.broker} and k.order_id = ${openedBy} and k.account = ${who.account} order by k.trading_day desc limit 1)`;
}

async function updateRows(tx: Tx, who: AccountKey, rows: Writes['changed'], now: number): Promise<void> {
  if (rows.length === 0) return;
  const row = given('given', rowColumns, rows);
  const opener = (column: 'strategy' | 'ai_confidence') =>
    sql`case when ${entry_order_id} is distinct from ${row.entry_order_id} then ${ofOpener(who, row.entry_order_id, column)} else ${positions[column]} end`;
  await tx
    .update(positionDetails)
    .set({
      ...{ multiplier: row.multiplier, open_cost: row.open_cost, closed_cost: row.closed_cost },
      ...{ closed_quantity: row.closed_quantity, exit_value: row.exit_value },
      base: sql`nullif(${row.base}, 'null'::jsonb)`,
      touched_at: instant(now),
    })
    .from(row.table)
    .where(eq(positionDetails.position_id, row.id));
  await tx
    .update(positions)
    .set({
      ...{ side: row.side, qty: row.qty, entry_price: row.entry_price, ltp: row.ltp, exit_price: row.exit_price },
      ...{ realized_pnl: row.realized_pnl, status: row.status, exit_reason: row.exit_reason, entry_order_id: row.entry_order_id },
      ...{ strategy: opener('strategy'), ai_confidence: opener('ai_confidence') },
      opened_at: sql`to_timestamp(${row.opened_ms} / 1000)`,
      closed_at: sql`to_timestamp(${row.closed_ms} / 1000)`,
      updated_at: sql`now()`,
    })
    .from(row.table)
    .where(eq(positions.id, row.id));
}

async function insertRows(tx: Tx, who: AccountKey, rows: Writes['made'], now: number): Promise<void> {
  if (rows.length === 0) return;
  const { exchange, symbol, style } = positions;
  const row = given('given', { ...rowColumns, exchange, symbol, style, token: positionDetails.token }, rows);
  const position = {
    ...{ id: row.id, symbol: row.symbol, broker: who.broker, exchange: row.exchange, style: row.style, side: row.side, qty: row.qty },
    ...{ entry_price: row.entry_price, ltp: row.ltp, status: row.status, exit_price: row.exit_price, realized_pnl: row.realized_pnl },
    ...{ exit_reason: row.exit_reason, mode: who.mode, entry_order_id: row.entry_order_id },
    ...{ strategy: ofOpener(who, row.entry_order_id, 'strategy'), ai_confidence: ofOpener(who, row.entry_order_id, 'ai_confidence') },
    opened_at: sql`to_timestamp(${row.opened_ms} / 1000)`,
    closed_at: sql`to_timestamp(${row.closed_ms} / 1000)`,
  };
  const details = {
    ...{ position_id: row.id, account: who.account, token: row.token, multiplier: row.multiplier, open_cost: row.open_cost },
    ...{ closed_cost: row.closed_cost, closed_quantity: row.closed_quantity, exit_value: row.exit_value },
    base: sql`nullif(${row.base}, 'null'::jsonb)`,
    touched_at: instant(now),
  };
  await tx.execute(insertFrom(positions, position, row.table));
  await tx.execute(insertFrom(positionDetails, details, row.table));
}

async function moveTrades(tx: Tx, moved: Writes['moved']): Promise<void> {
  if (moved.length === 0) return;
  const row = given('given', { id: tradeHistory.id, positionId: tradeHistory.position_id }, moved);
  await tx.update(tradeHistory).set({ position_id: row.positionId }).from(row.table).where(eq(tradeHistory.id, row.id));
}

/** An execution known already is not written again. */
export async function insertTrades(tx: Tx, who: AccountKey, added: Writes['added']): Promise<void> {
  if (added.length === 0) return;
  const rows = added.map(({ execution: { tradeId, orderId, tradingDay, style, at, ...names }, positionId, frozen = false }) => {
    const { exchange, symbol, side, quantity, price, derived } = names;
    const trade = {
      trade_id: tradeId,
      order_id: orderId,
      trading_day: tradingDay,
      product: style,
      exchange,
      symbol,
      side,
      quantity,
      price,
    };
    return { ...trade, at, position_id: positionId, derived, frozen };
  });
  const { trade_id, order_id, trading_day, symbol, exchange, product, quantity, price, position_id, derived, frozen } = tradeHistory;
  const columns = {
    trade_id,
    order_id,
    trading_day,
    symbol,
    exchange,
    side: tradeHistory.side,
    product,
    quantity,
    price,
    position_id,
    derived,
    frozen,
  };
  const { table, at, ...row } = given('given', { ...columns, at: 'float8' }, rows);
  const trade = { broker: who.broker, account: who.account, ...row, traded_at: sql`to_timestamp(${at} / 1000)`, mode: who.mode };
  await tx.execute(
    sql`${insertFrom(tradeHistory, trade, table)} on conflict (broker, account, order_id, trading_day, trade_id) do nothing`,
  );
}

/** Executions of rows that were set to what the broker holds are history: they count no more. */
export async function freezeTrades(tx: Tx, positionIds: readonly number[]): Promise<void> {
  const { position_id, frozen } = tradeHistory;
  await tx
    .update(tradeHistory)
    .set({ frozen: true })
    .where(sql`${among(position_id, positionIds)} and not ${frozen}`);
}

/** Another account of the same broker held it: its row cannot be followed any more. What it cost is free again. */
export async function closeForeign(tx: Tx, open: OpenPosition, at: number): Promise<void> {
  const { deployed } = moneyOf(stateOfRow(open), open.multiplier);
  await moveCapital(tx, deployed.times(-1), new Big(0));
  await tx
    .update(positions)
    .set({ status: 'CLOSED', exit_reason: 'ACCOUNT_CHANGED', closed_at: instant(at), updated_at: sql`now()` })
    .where(eq(positions.id, open.id));
  await learn(tx, [open.id]);
}

/** What a strategy learns from a closed position. Text that goes on with what selects it, and with LEARNED_ANEW, because the prepared statement that books a fill (record-fill.ts) has it too. */
export const LEARNS = `
  insert into trade_learning as known
    (position_id, broker, symbol, exchange, style, side, quantity, entry_price, exit_price, realized_pnl, opened_at, closed_at, exit_reason, strategy, mode)`;

/** A position computed anew is learned anew. */
export const LEARNED_ANEW = `
  on conflict (position_id) do update set side = excluded.side, quantity = excluded.quantity, entry_price = excluded.entry_price,
    exit_price = excluded.exit_price, realized_pnl = excluded.realized_pnl, opened_at = excluded.opened_at, closed_at = excluded.closed_at,
    exit_reason = excluded.exit_reason, strategy = excluded.strategy`;

export async function learn(tx: Tx, positionIds: readonly number[]): Promise<void> {
  if (positionIds.length === 0) return;
  const { broker, symbol, exchange, style, opened_at, closed_at, strategy, mode } = positions;
  const closed = tx
    .select({
      ...{
        id,
        broker,
        symbol,
        exchange,
        style,
        side,
        quantity: sql`${qty} + ${closed_quantity}`,
        entry_price,
        exit_price,
        realized_pnl,
        opened_at,
      },
      ...{ closed_at: sql`coalesce(${closed_at}, now())`, exit_reason, strategy, mode },
    })
    .from(positions)
    .innerJoin(positionDetails, eq(positionDetails.position_id, id))
    .where(sql`${among(id, positionIds)} and ${status} = 'CLOSED'`);
  await tx.execute(sql`${sql.raw(LEARNS)} ${closed.getSQL()} ${sql.raw(LEARNED_ANEW)}`);
}
