import { and, eq, isNull, ne, notInArray, sql } from 'drizzle-orm';
import { unitExchanges } from '../../contract/words.ts';
import { multipliers, positionDetails, positions } from '../../drizzle/schema.ts';
import type { PositionRow, TradeRow } from '../brokers/broker.ts';
import type { Db, Handle, Tx } from '../db/handle.ts';
import { given, insertFrom, instant } from '../db/rows.ts';
import { transaction } from '../db/transaction.ts';
import { exact } from '../money.ts';
import { beginAccount } from './capital.ts';
import { type Correction, correctRows, noteCorrections } from './correct.ts';
import { type BrokerTruth, type Comparison, compare, type Difference, FRESH_MS } from './differences.ts';
import { type AccountKey, distinct, keyText } from './keys.ts';
import { lockPositions } from './position-rows.ts';
import { rebook } from './rebook.ts';
import { detailed, isOpenPosition, openOrClosedSince, positionsOf } from './tables.ts';
import { strayTrades } from './trades.ts';
import { insertTrades } from './write-rows.ts';

/**
 * Makes the broker's positions ours (epoch ms `now`, UTC). A difference is first explained by trades that were not booked: these are booked, with
 * their prices. What stays is set: rows the broker no longer holds are closed, positions we do not know adopted, quantities corrected. Each with an
 * event that says what was believed, what the broker says and what was done. Only rows of this broker and account; rows touched in the last 5 s, and
 * symbols with an order of ours under way, are left alone; so are positions that a row which could not be read may belong to, and with one that has no
 * readable name nothing is closed. `trades`: null when they were not read. Sends nothing; a second run writes nothing.
 */
export async function reconcilePositions(
  db: Handle,
  who: AccountKey,
  truth: BrokerTruth & { trades: readonly TradeRow[] | null },
  now: number,
): Promise<Correction[]> {
  return await transaction(db, async (tx) => {
    const listed = distinct(truth.positions.map((row) => ({ ...row, style: row.product_type })));
    const { exchange, symbol, style } = positions;
    const open = await tx
      .select({ exchange, symbol, style })
      .from(positions)
      .innerJoin(positionDetails, detailed)
      .where(and(isOpenPosition, positionsOf(who)));
    await lockPositions(tx, who.broker, distinct([...listed, ...open]));
    await beginAccount(tx, who, now);
    const multiplied = await learnMultipliers(tx, who, truth.positions, now);
    const { found, agrees } = await compare(tx, who, truth, now);
    const explained = await explain(tx, who, found, agrees, truth.trades ?? [], now);
    const left = found.filter((one) => !explained.some((other) => keyText(one) === keyText(other)));
    const corrected = await correctRows(tx, who, left, now);
    const corrections = [...multiplied, ...explained, ...corrected];
    await noteCorrections(tx, who, corrections);
    return corrections;
  });
}

/** Whether a position is open in an instrument whose multiplier no position has told. */
export async function lacksMultiplier(db: Db, who: AccountKey): Promise<boolean> {
  const same = and(
    eq(multipliers.broker, positions.broker),
    eq(multipliers.exchange, positions.exchange),
    eq(multipliers.symbol, positions.symbol),
  );
  const rows = await db
    .select({ id: positions.id })
    .from(positions)
    .innerJoin(positionDetails, detailed)
    .leftJoin(multipliers, same)
    .where(and(isOpenPosition, positionsOf(who), notInArray(positions.exchange, [...unitExchanges]), isNull(multipliers.multiplier)))
    .limit(1);
  return rows.length > 0;
}

/** The multiplier of money, as the positions tell it; positions booked with another one are computed anew. */
async function learnMultipliers(tx: Tx, who: AccountKey, listed: readonly PositionRow[], now: number): Promise<Correction[]> {
  const rows = listed.map(({ exchange, symbol, multiplier }) => ({ exchange, symbol, multiplier: exact(multiplier)?.toFixed() ?? '1' }));
  if (rows.length === 0) return [];
  const { exchange, symbol, multiplier } = multipliers;
  const told = given('told', { exchange, symbol, multiplier }, [
    ...new Map(rows.map((row) => [`${row.exchange}|${row.symbol}`, row])).values(),
  ]);
  const known = tx
    .select({ multiplier })
    .from(multipliers)
    .where(and(eq(multipliers.broker, who.broker), eq(exchange, told.exchange), eq(symbol, told.symbol)));
  const learned = { broker: who.broker, exchange: told.exchange, symbol: told.symbol, multiplier: told.multiplier };
  await tx.execute(sql`${insertFrom(multipliers, learned, told.table)}
    where ${told.multiplier} > 0 and ${told.multiplier} is distinct from ${known}
    on conflict (broker, exchange, symbol) do update set multiplier = excluded.multiplier`);
  const { style } = positions;
  const key = { exchange: positions.exchange, symbol: positions.symbol, style };
  const wrong = await tx
    .selectDistinct({ ...key, was: positionDetails.multiplier, is: multiplier })
    .from(positions)
    .innerJoin(positionDetails, detailed)
    .innerJoin(told.table, and(eq(key.exchange, told.exchange), eq(key.symbol, told.symbol)))
    .innerJoin(multipliers, and(eq(multipliers.broker, positions.broker), eq(exchange, key.exchange), eq(symbol, key.symbol)))
    .where(
      and(
        ...[positionsOf(who), ne(positionDetails.multiplier, multiplier)],
        openOrClosedSince(tx, who.broker, sql`${instant(now)} - interval '1 day'`),
      ),
    );
  if (wrong.length === 0) return [];
  const written = await rebook(tx, who, { added: [], keys: wrong }, now);
  if (written === 0) return [];
  return wrong.map(({ was, is, ...one }) => ({ kind: 'multiplier', ...one, believed: Number(was), held: Number(is) }));
}

/** Books trades of nobody's orders where they make the whole difference; where books and broker agree they are history. Young ones may yet be told of. */
async function explain(
  tx: Tx,
  who: AccountKey,
  found: readonly Difference[],
  agrees: Comparison['agrees'],
  trades: readonly TradeRow[],
  now: number,
): Promise<Correction[]> {
  const strays = (await strayTrades(tx, who, trades, now)).filter((trade) => trade.at <= now - FRESH_MS);
  const byKey = Map.groupBy(strays, keyText);
  const explained = found.filter((one) => {
    const signed = (byKey.get(keyText(one)) ?? []).reduce(
      (sum, trade) => sum + (trade.side === 'BUY' ? trade.quantity : -trade.quantity),
      0,
    );
    return signed !== 0 && signed === one.held - one.believed;
  });
  const keys = new Set(explained.map(keyText));
  await rebook(tx, who, { added: strays.filter((trade) => keys.has(keyText(trade))) }, now);
  const left = found.filter((one) => !keys.has(keyText(one)));
  const history = strays.filter((trade) => agrees(trade) || left.some((one) => keyText(one) === keyText(trade)));
  const frozen = history.map((execution) => ({ execution, positionId: null, frozen: true }));
  await insertTrades(tx, who, frozen);
  return explained.map(({ exchange, symbol, style, believed, held }) => ({ kind: 'explained', exchange, symbol, style, believed, held }));
}
