import { and, eq, gte, inArray, isNull, lt, or, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import { positionDetails, positions, tradeHistory } from '../../drizzle/schema.ts';
import type { SavedState } from '../books/average-cost.ts';
import type { AccountKey } from '../books/keys.ts';
import { detailed, isOpenPosition, positionsOf } from '../books/tables.ts';
import type { Db } from '../db/handle.ts';
import { among, instant, msOf } from '../db/rows.ts';
import type { Day } from './day.ts';

/** A position record as reports read it; decimals are exact text, instants epoch ms. */
export type PositionRow = Awaited<ReturnType<typeof readRows>>[number];

/** An execution as reports read it. */
export type TradeRow = Awaited<ReturnType<typeof readTrades>>[number];

/** The positions a day may have moved, each with the executions that made it, and the day's executions that no position of ours holds. */
export interface PositionDay {
  rows: PositionRow[];
  trades: Map<number, TradeRow[]>;
  /** By our books they traded before these began: they are in what was adopted then. */
  before: TradeRow[];
}

/**
 * Reads the positions of an account that a day may have moved, as they stand now; of a past day those alone that it traded or closed. One statement each, a second for what
 * older positions traded before. `since`: of today's, those alone that are open or were written since a horizon.
 */
export async function readPositionDay(db: Db, who: AccountKey, day: Day, since: string | null = null): Promise<PositionDay> {
  const reading = readRows(db, who, day, since);
  const [rows, today] = await Promise.all([reading, readTrades(db, who, day, since === null ? null : (await reading).map(({ id }) => id))]);
  const moved = new Set(today.map(({ positionId }) => positionId));
  const older = rows.filter(({ id, openedMs }) => openedMs < day.from && moved.has(id)).map(({ id }) => id);
  const history = older.length > 0 ? await readHistory(db, older) : [];
  const whole = new Set(older);
  const rest = today.filter(({ positionId }) => positionId === null || !whole.has(positionId));
  const known = [...history, ...rest].filter((trade): trade is TradeRow & { positionId: number } => trade.positionId !== null);
  return {
    rows,
    trades: Map.groupBy(known, ({ positionId }) => positionId),
    before: today.filter(({ positionId }) => positionId === null),
  };
}

async function readRows(db: Db, who: AccountKey, day: Day, since: string | null) {
  const { id, exchange, symbol, style, side, qty, entry_price, exit_price, ltp, status, realized_pnl, exit_reason, strategy } = positions;
  const { token, multiplier, open_cost, closed_cost, closed_quantity, exit_value, base } = positionDetails;
  const row = {
    ...{ id, exchange, symbol, style, side, qty, status, exit_reason, strategy, token, multiplier },
    ...{ entry: entry_price, exit: exit_price, ltp, realised: realized_pnl },
    ...{ openCost: open_cost, closedCost: closed_cost, closedQuantity: closed_quantity, exitValue: exit_value },
    base: base as typeof base & { _: { data: SavedState | null } },
    openedMs: msOf(positions.opened_at),
    closedMs: msOf(positions.closed_at).mapWith((ms: unknown) => (ms === null ? null : Number(ms))),
    updatedMs: msOf(positions.updated_at),
  };
  return await db
    .select(row)
    .from(positions)
    .innerJoin(positionDetails, detailed)
    .where(and(positionsOf(who), inArray(id, movedBy(db, who, day, since))));
}

/** The number of the oldest transaction that is open: what is read later and was not there before, it or a younger one wrote. */
export async function horizonOf(db: Db): Promise<string> {
  const [row] = await db.execute<{ xid: string }>(
    sql`select (pg_snapshot_xmin(pg_current_snapshot())::text::bigint & 4294967295)::text as xid`,
  );
  if (!row) throw new Error('The database does not tell which transactions are open');
  return row.xid;
}

/** How many positions of an account today may have moved. */
export async function countPositionDay(db: Db, who: AccountKey, day: Day): Promise<number> {
  return await db.$count(
    db
      .select({ id: positions.id })
      .from(positions)
      .innerJoin(positionDetails, detailed)
      .where(and(positionsOf(who), inArray(positions.id, movedBy(db, who, day, null))))
      .as('moved'),
  );
}

/** The numbers of what a day may have moved. Not one condition with `or`: that would walk all positions there ever were. */
function movedBy(db: Db, who: AccountKey, day: Day, since: string | null) {
  const ours = eq(positions.broker, who.broker);
  const isClosed = sql`${positions.status} = 'CLOSED'`;
  const onDay = and(gte(positions.closed_at, instant(day.from)), lt(positions.closed_at, instant(day.to)));
  const isNew = since === null ? undefined : sql`age(${positions}.xmin) <= age(${since}::xid)`;
  const number = sql<number>`${positions.id}`.as('number');
  const closed = db
    .select({ number })
    .from(positions)
    .where(and(ours, isClosed, onDay, isNew));
  const open = db.select({ number }).from(positions).where(and(ours, isOpenPosition));
  const traded = db
    .select({ number: sql<number>`${tradeHistory.position_id}`.as('number') })
    .from(tradeHistory)
    .where(ofDay(who, day));
  return unionAll(closed, day.isToday ? open : traded);
}

function ofDay({ broker, account }: AccountKey, day: Day) {
  return and(eq(tradeHistory.broker, broker), eq(tradeHistory.account, account), eq(tradeHistory.trading_day, day.name));
}

const { side, quantity, price, derived, frozen, trading_day, position_id, order_id, trade_id, product } = tradeHistory;
const trade = {
  ...{ side, quantity, price, derived, frozen, product, exchange: tradeHistory.exchange, symbol: tradeHistory.symbol },
  ...{
    serial: tradeHistory.id,
    orderId: order_id,
    tradeId: trade_id,
    day: trading_day,
    positionId: position_id,
    at: msOf(tradeHistory.traded_at),
  },
};

/** `ids`: of these positions alone, and those of none. */
async function readTrades(db: Db, who: AccountKey, day: Day, ids: readonly number[] | null) {
  const some = ids === null ? undefined : or(isNull(position_id), among(position_id, ids));
  return await db
    .select(trade)
    .from(tradeHistory)
    .where(and(ofDay(who, day), some));
}

async function readHistory(db: Db, ids: readonly number[]): Promise<TradeRow[]> {
  return await db.select(trade).from(tradeHistory).where(among(position_id, ids));
}
