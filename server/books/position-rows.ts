import { and, eq, gte, inArray, isNotNull, max, min, not, or, sql } from 'drizzle-orm';
import { multipliers, positionDetails, positions, tradeHistory } from '../../drizzle/schema.ts';
import { parseIst, tradingDay } from '../clock.ts';
import type { Tx } from '../db/handle.ts';
import { among, type Given, given, instant, msOf } from '../db/rows.ts';
import { type PositionState, type SavedState, type Side, stateOf } from './average-cost.ts';
import { type AccountKey, keyText, lockText, type PositionKey } from './keys.ts';
import type { ReplayTrade } from './replay.ts';
import type { RowHeader } from './replay-window.ts';
import { detailed, isOpenPosition, openOrClosedSince } from './tables.ts';

/** One execution of an order, or the part of one that a read of the order book showed. */
export interface Execution {
  broker: string;
  account: string;
  /** Its order's, `YYYY-MM-DD`, IST. */
  tradingDay: string;
  mode: string;
  tradeId: string;
  orderId: string;
  exchange: string;
  symbol: string;
  token: string | null;
  /** Product word; a position row is one broker, exchange, symbol and style. */
  style: string;
  side: string;
  quantity: number;
  /** Rupees, exact decimal text. */
  price: string;
  /** Epoch ms, UTC. */
  at: number;
  /** Made of the order book's cumulative fill; false for a trade of the exchange. */
  derived: boolean;
}

/** What of an open row, with its details, decides what an execution makes of it. */
export interface OpenPosition {
  id: number;
  side: Side;
  qty: number;
  entry_price: string | null;
  multiplier: string;
  open_cost: string | null;
  closed_quantity: number;
  closed_cost: string | null;
  exit_value: string;
  account: string;
}

export function stateOfRow(row: OpenPosition): PositionState {
  const { side, qty, open_cost, entry_price, closed_quantity, exit_value, closed_cost } = row;
  return stateOf({
    side,
    qty,
    cost: open_cost,
    entry: entry_price,
    closedQuantity: closed_quantity,
    exitValue: exit_value,
    closedCost: closed_cost,
  });
}

/** A position row with its details, as it stands. */
export type LoadedRow = Awaited<ReturnType<typeof loadPositions>>[number];

const keyColumns = { exchange: positions.exchange, symbol: positions.symbol, style: positions.style };

/** The rows of the positions asked for. */
function ofToday({ broker }: AccountKey, asked: Given<typeof keyColumns>) {
  const { exchange, symbol, style } = positions;
  return and(eq(positions.broker, broker), eq(exchange, asked.exchange), eq(symbol, asked.symbol), eq(style, asked.style));
}

/** When the trading day of `now` began: rows closed before are out of the books' reach. */
function dayBegan(now: number) {
  return instant(parseIst(`${tradingDay(now)} 00:00:00`) ?? now);
}

/** Takes the locks of positions in one order, so that whoever books several never waits in a circle. */
export async function lockPositions(tx: Tx, broker: string, keys: readonly PositionKey[]): Promise<void> {
  if (keys.length === 0) return;
  const texts = keys.map((key) => lockText(broker, key));
  await tx.execute(sql`
    select pg_advisory_xact_lock(key) from (
      select distinct hashtextextended(name, 0) as key from jsonb_array_elements_text(${JSON.stringify(texts)}::jsonb) as t(name) order by key
    ) as keys`);
}

/** The multipliers that are known, by `exchange|symbol`. */
export async function loadMultipliers(tx: Tx, broker: string, keys: readonly PositionKey[]): Promise<Map<string, string>> {
  const { exchange, symbol, multiplier } = multipliers;
  const asked = given('asked', { exchange, symbol }, keys);
  const rows = await tx
    .selectDistinct({ exchange, symbol, multiplier })
    .from(multipliers)
    .innerJoin(asked.table, and(eq(exchange, asked.exchange), eq(symbol, asked.symbol)))
    .where(eq(multipliers.broker, broker));
  return new Map(rows.map((row) => [`${row.exchange}|${row.symbol}`, row.multiplier]));
}

/** Row headers by `keyText` of their position, in order of id. */
export type Headers = ReadonlyMap<string, readonly RowHeader[]>;

/** The headers of the day's rows of an account, of each position in order of id, by `keyText`. */
export async function loadHeaders(tx: Tx, who: AccountKey, keys: readonly PositionKey[], now: number): Promise<Headers> {
  const asked = given('asked', keyColumns, keys);
  const { frozen, derived, position_id, traded_at } = tradeHistory;
  const unconfirmed = tx
    .select({ position_id })
    .from(tradeHistory)
    .innerJoin(
      asked.table,
      and(eq(tradeHistory.exchange, asked.exchange), eq(tradeHistory.symbol, asked.symbol), eq(tradeHistory.product, asked.style)),
    )
    .where(and(derived, not(frozen), eq(tradeHistory.broker, who.broker), eq(tradeHistory.account, who.account), isNotNull(position_id)));
  const header = {
    ...{ ...keyColumns, id: positions.id, multiplier: positionDetails.multiplier },
    open: sql<boolean>`${isOpenPosition}`,
    barred: sql<boolean>`${positions.status} = 'CLOSED' and ${positions.exit_reason} is distinct from 'ORDER'`,
    fixed: sql<boolean>`coalesce((${positionDetails.base} ->> 'fixed')::boolean, false)`,
    began: msOf(positions.opened_at),
    ended: sql<number | null>`${msOf(positions.closed_at)}`,
  };
  const [rows, spans] = await Promise.all([
    tx
      .select(header)
      .from(positions)
      .innerJoin(asked.table, ofToday(who, asked))
      .innerJoin(positionDetails, and(detailed, eq(positionDetails.account, who.account)))
      .where(openOrClosedSince(tx, who.broker, dayBegan(now)))
      .orderBy(positions.id),
    tx
      .select({ id: position_id, began: msOf(min(traded_at)), ended: msOf(max(traded_at)) })
      .from(tradeHistory)
      .where(and(not(frozen), inArray(position_id, unconfirmed)))
      .groupBy(position_id),
  ]);
  const traded = new Map(spans.map(({ id, began, ended }) => [id, { began, ended }]));
  return Map.groupBy(
    rows.map((row) => ({ ...row, ...traded.get(row.id) })),
    keyText,
  );
}

/** The rows of positions, locked: the open one, and those of the account from the id `first` on that were closed today; without it none of these. */
export async function loadPositions(tx: Tx, who: AccountKey, keys: readonly (PositionKey & { first?: number })[], now: number) {
  const named = keys.map(({ exchange, symbol, style, first }) => ({ exchange, symbol, style, first }));
  const asked = given('asked', { ...keyColumns, first: positions.id }, named);
  const { id, exchange, symbol, style, side, qty, entry_price, exit_price, realized_pnl, ltp, status, exit_reason, entry_order_id } =
    positions;
  const { account, token, multiplier, open_cost, closed_cost, closed_quantity, exit_value, base } = positionDetails;
  const row = {
    ...{ id, exchange, symbol, style, side, qty, entry_price, exit_price, realized_pnl, ltp, status, exit_reason, entry_order_id },
    ...{ account, token, multiplier, open_cost, closed_cost, closed_quantity, exit_value },
    opened_ms: msOf(positions.opened_at),
    closed_ms: sql<number | null>`${msOf(positions.closed_at)}`,
    base: sql<SavedState | null>`${base}`,
  };
  const rows = await tx
    .select(row)
    .from(positions)
    .innerJoin(asked.table, ofToday(who, asked))
    .innerJoin(positionDetails, detailed)
    .where(and(openOrClosedSince(tx, who.broker, dayBegan(now)), or(isOpenPosition, and(eq(account, who.account), gte(id, asked.first)))))
    .orderBy(id)
    .for('update', { of: positions });
  return rows.map((one) => ({ ...one, base: one.base && inOneOrder(one.base) }));
}

/** Executions that count in these position rows; `serial` is the id of their own row. */
export async function loadTrades(tx: Tx, rows: readonly LoadedRow[]): Promise<(ReplayTrade & { positionId: number })[]> {
  if (rows.length === 0) return [];
  const { id, order_id, trade_id, side, quantity, price, traded_at, derived, frozen, position_id } = tradeHistory;
  const ids = rows.map((row) => row.id);
  const trade = { serial: id, orderId: order_id, tradeId: trade_id, side, quantity, price, at: msOf(traded_at), derived };
  return await tx
    .select({ ...trade, positionId: sql<number>`${position_id}` })
    .from(tradeHistory)
    .where(and(not(frozen), among(position_id, ids)));
}

/** The position rows with which these trade_history rows stand. */
export async function rowsOfTrades(tx: Tx, tradeIds: readonly number[]): Promise<Set<number>> {
  if (tradeIds.length === 0) return new Set();
  const { id, position_id } = tradeHistory;
  const rows = await tx
    .select({ position_id: sql<number>`${position_id}` })
    .from(tradeHistory)
    .where(and(among(id, tradeIds), isNotNull(position_id)));
  return new Set(rows.map((row) => row.position_id));
}

/** PostgreSQL keeps the members of JSON in an order of its own; two saved states are compared as text. */
function inOneOrder({ side, qty, cost, entry, closedQuantity, exitValue, closedCost, fixed }: SavedState): SavedState {
  return { side, qty, cost, entry, closedQuantity, exitValue, closedCost, fixed };
}

/** Numbers for position rows to be made. */
export async function newIds(tx: Tx, count: number): Promise<number[]> {
  if (count === 0) return [];
  const next = sql<number>`nextval(pg_get_serial_sequence('tsm_positions', 'id'))`;
  const rows = await tx.select({ id: next }).from(sql`generate_series(1, ${count}::int)`);
  return rows.map((row) => row.id);
}
