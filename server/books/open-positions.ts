import { and, asc, eq, max, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import { capital, orderDetails, orders, positionDetails, positions } from '../../drizzle/schema.ts';
import type { Account } from '../brokers/account.ts';
import type { InstrumentName } from '../brokers/instrument.ts';
import type { Db } from '../db/handle.ts';
import { given } from '../db/rows.ts';
import type { AccountKey } from './keys.ts';
import { DETAILS, detail, detailed, isOpenOrder, isOpenPosition, ordersOf, positionsOf } from './tables.ts';

/** What a start finds in the records. Money is exact decimal text in rupees. */
export type Loaded = Awaited<ReturnType<typeof loadRecords>>;

/** Reads the open positions, the open orders and the capital record with id 1, making the latter at the first start. */
export async function loadRecords(db: Db) {
  await db.insert(capital).values({ id: 1, deployed_capital: '0' }).onConflictDoNothing({ target: capital.id });
  const { id, broker, exchange, symbol, style, side, qty, entry_price } = positions;
  const { order_id, quantity, filled_quantity, status, created_at } = orders;
  const { total_capital, available_capital, deployed_capital, realized_pnl } = capital;
  const order = { order_id, broker: orders.broker, symbol: orders.symbol, side: orders.side, quantity, filled_quantity, status };
  const [open, pending, [record]] = await Promise.all([
    db.select({ id, broker, exchange, symbol, style, side, qty, entry_price }).from(positions).where(isOpenPosition).orderBy(asc(id)),
    db.select(order).from(orders).where(isOpenOrder).orderBy(asc(created_at), asc(order_id)),
    db.select({ total_capital, available_capital, deployed_capital, realized_pnl }).from(capital).where(eq(capital.id, 1)),
  ]);
  if (!record) throw new Error('The capital record is missing');
  return { positions: open, orders: pending, capital: record };
}

/** An open position as money is computed of it; decimals are exact text, rupees. */
export type HeldPosition = Awaited<ReturnType<typeof heldPositions>>[number];

/** The open positions of one broker account. */
export async function heldPositions(db: Db, who: AccountKey) {
  const { id, exchange, symbol, style, side, qty, entry_price } = positions;
  const fields = { exchange, symbol, style, side, qty, entry_price, multiplier: positionDetails.multiplier };
  const held = db.select(fields).from(positions).innerJoin(positionDetails, detailed);
  return await held.where(and(isOpenPosition, positionsOf(who))).orderBy(asc(id));
}

export interface Watched {
  exchange: string;
  symbol: string;
  /** The broker's instrument token; null where neither order nor position told one. */
  token: string | null;
}

/** What a feed is to follow: the instruments of the open positions and open orders of one broker account, each once, in order of name. */
export async function watchedInstruments(db: Db, who: AccountKey): Promise<Watched[]> {
  const held = db
    .select({ exchange: positions.exchange, symbol: positions.symbol, token: positionDetails.token })
    .from(positions)
    .innerJoin(positionDetails, detailed)
    .where(and(isOpenPosition, positionsOf(who)));
  const pending = db
    .select({ exchange: orders.exchange, symbol: orders.symbol, token: detail(orderDetails.token) })
    .from(orders)
    .crossJoinLateral(DETAILS)
    .where(and(isOpenOrder, ordersOf(who)));
  const both = unionAll(held, pending).as('watched');
  const { exchange, symbol, token } = both;
  const watched = db.select({ exchange, symbol, token: max(token) }).from(both);
  return await watched.groupBy(exchange, symbol).orderBy(exchange, symbol);
}

export interface Price {
  exchange: string;
  symbol: string;
  /** Last traded price, rupees. */
  ltp: number | string;
}

/**
 * Writes last traded prices into the open positions of one broker account, in one statement; of several of one instrument the last counts. Returns how
 * many rows changed. A row whose price is unchanged is not written, and one that a fill holds at this moment is left for the next tick: prices wait for
 * nothing. Says nothing about fills: a row counts as freshly touched by position_details.touched_at, which this leaves alone.
 */
export async function writePrices(db: Db, who: AccountKey, prices: readonly Price[]): Promise<number> {
  if (prices.length === 0) return 0;
  const newest = new Map(prices.map(({ exchange, symbol, ltp }) => [`${exchange}|${symbol}`, { exchange, symbol, ltp }]));
  const told = given('told', { exchange: positions.exchange, symbol: positions.symbol, ltp: positions.ltp }, [...newest.values()]);
  const price = sql<string>`round(${told.ltp}, 4)`;
  const moved = db.$with('moved').as(
    db
      .select({ id: positions.id, price: price.as('price') })
      .from(positions)
      .innerJoin(told.table, and(eq(positions.exchange, told.exchange), eq(positions.symbol, told.symbol)))
      .innerJoin(positionDetails, detailed)
      .where(and(isOpenPosition, positionsOf(who), sql`${positions.ltp} is distinct from ${price}`))
      .for('no key update', { of: positions, skipLocked: true }),
  );
  const written = await db
    .with(moved)
    .update(positions)
    .set({ ltp: sql`${moved.price}`, updated_at: sql`now()` })
    .from(moved)
    .where(eq(positions.id, moved.id));
  return written.count;
}

/** Gives a broker's rows the symbol under which our records hold the same instrument. */
export type Renaming = <Row extends InstrumentName>(rows: readonly Row[]) => Row[];

/**
 * An order may spell its instrument as its caller likes (where a broker trades by token, SBIN for what its rows call SBIN-EQ), and our records say
 * what the caller said: rows that the broker trades as the same instrument then go by our symbol. Of several, the one of the oldest open position
 * counts.
 */
export async function ourNames(db: Db, who: AccountKey, account: Account): Promise<Renaming> {
  const { exchange, symbol, id } = positions;
  const held = db
    .select({ exchange, token: positionDetails.token, symbol, id: sql<number | null>`${id}`.as('id') })
    .from(positions)
    .innerJoin(positionDetails, detailed)
    .where(and(isOpenPosition, positionsOf(who)));
  const pending = db
    .select({
      exchange: orders.exchange,
      token: detail(orderDetails.token),
      symbol: orders.symbol,
      id: sql<number | null>`null::bigint`.as('id'),
    })
    .from(orders)
    .crossJoinLateral(DETAILS)
    .where(and(isOpenOrder, ordersOf(who), eq(orderDetails.external, false)));
  const known = await unionAll(held, pending).orderBy(sql`id desc nulls first`);
  const ours = new Map(known.flatMap((one) => keysOf(account, one).map((key) => [key, one.symbol])));
  return (rows) => rows.map((row) => ({ ...row, symbol: keysOf(account, row).flatMap((key) => ours.get(key) ?? [])[0] ?? row.symbol }));
}

/** None where the name lacks what the broker trades by. */
function keysOf(account: Account, name: InstrumentName): string[] {
  const text = account.broker.traits.tradedBy(name);
  return text === null ? [] : [`${name.exchange}|${text}`];
}
