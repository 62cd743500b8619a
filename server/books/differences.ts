import { and, gt, or, sql } from 'drizzle-orm';
import { positionDetails, positions } from '../../drizzle/schema.ts';
import type { HoldingRow, PositionRow, Unreadable } from '../brokers/broker.ts';
import { type InstrumentName, InstrumentNames, type TradedBy } from '../brokers/instrument.ts';
import type { Handle, Tx } from '../db/handle.ts';
import { instant } from '../db/rows.ts';
import { transaction } from '../db/transaction.ts';
import { type AccountKey, distinct, keyText, type PositionKey } from './keys.ts';
import { unresolvedAttempts } from './known-orders.ts';
import { detailed, isOpenPosition, openOrClosedSince, positionsOf } from './tables.ts';

/** Rows touched this recently may know a fill the broker's positions do not show yet. */
export const FRESH_MS = 5000;

/** What the broker said, each a fully parsed read. */
export interface BrokerTruth {
  positions: readonly PositionRow[];
  /** Null: not read. DELIVERY rows the positions do not show are left alone then. */
  holdings: readonly HoldingRow[] | null;
  /** Positions where a fill waits for its price: the broker's rows hold it, the books do not yet. */
  waiting: readonly PositionKey[];
  /** What of the reads could not be read. */
  doubt: Doubt;
}

/** A difference, with what is needed to settle it. */
export interface Difference extends PositionKey {
  rowId: number | null;
  believed: number;
  /** Signed quantity the books should show. */
  held: number;
  /** The broker's row, when it lists one. */
  position: PositionRow | null;
}

export interface Comparison {
  found: Difference[];
  /** Tells the positions where nothing is under way and books and broker agree. */
  agrees(key: PositionKey): boolean;
}

/** What the broker's reads leave open because some of their rows cannot be read. */
export interface Doubt {
  /** Whether a row that cannot be read may be one of this instrument. Rows without a readable name are not asked. */
  touches(name: InstrumentName): boolean;
  /** A row may be any instrument's. */
  nameless: boolean;
}

/** Everything was read. */
export const noDoubt: Doubt = { touches: () => false, nameless: false };

/** `known`: names of rows that were read. */
export function doubtOf(unreadable: readonly Unreadable[], known: readonly InstrumentName[], tradedBy: TradedBy): Doubt {
  if (unreadable.length === 0) return noDoubt;
  const names = new InstrumentNames(tradedBy);
  for (const name of known) names.learn(name);
  const named = unreadable.filter((row) => row.symbol !== null || row.token !== null);
  return { touches: (name) => named.some((row) => names.mayBeSame(row, name)), nameless: named.length < unreadable.length };
}

/** The positions where books and broker differ now, those aside where a fill may be under way. Reads only; what to read next depends on it. */
export async function differences(db: Handle, who: AccountKey, truth: BrokerTruth, now: number): Promise<Difference[]> {
  return await transaction(db, async (tx) => (await compare(tx, who, truth, now)).found);
}

/** `differences`, and where there is none, within a transaction. */
export async function compare(
  tx: Tx,
  who: AccountKey,
  { positions: listed, holdings, waiting, doubt }: BrokerTruth,
  now: number,
): Promise<Comparison> {
  const [rows, attempts] = await Promise.all([believedRows(tx, who, now), unresolvedAttempts(tx, who)]);
  const held = Map.groupBy(listed, (row) => keyText({ ...row, style: row.product_type }));
  const believed = Map.groupBy(rows, keyText);
  const fresh = new Set([...waiting, ...rows.filter((row) => row.fresh)].map(keyText));
  const traded = new Set(attempts.map((attempt) => `${attempt.exchange}|${attempt.symbol}`));
  const doubtful = new Set([...rows, ...listed].flatMap((name) => (doubt.touches(name) ? [`${name.exchange}|${name.symbol}`] : [])));
  const among = (names: ReadonlySet<string>, key: PositionKey) => names.has(`${key.exchange}|${key.symbol}`);
  const aside = (key: PositionKey) => fresh.has(keyText(key)) || among(traded, key) || among(doubtful, key);
  const keys = distinct([...rows, ...listed.map((row) => ({ ...row, style: row.product_type }))]);
  const found = keys.flatMap((key) => {
    if (aside(key)) return [];
    const row = believed.get(keyText(key))?.find((one) => one.open);
    const theirs = held.get(keyText(key)) ?? [];
    const net = theirs.reduce((sum, one) => sum + one.net_quantity, 0);
    const should = key.style === 'DELIVERY' ? withHoldings(key, row?.net ?? 0, net, holdings) : net;
    if (should === (row?.net ?? 0)) return [];
    return [{ ...key, rowId: row?.id ?? null, believed: row?.net ?? 0, held: should, position: theirs[0] ?? null }];
  });
  const differing = new Set(found.map(keyText));
  const closes = (one: Difference) => one.believed !== 0 && Math.sign(one.held) !== Math.sign(one.believed);
  return {
    found: doubt.nameless ? found.filter((one) => !closes(one)) : found,
    agrees: (key) => !aside(key) && !differing.has(keyText(key)),
  };
}

/** Open rows, and positions of which one was closed just now: reads that lag behind must not bring it back. */
async function believedRows(tx: Tx, who: AccountKey, now: number) {
  const { id, exchange, symbol, style, side, qty } = positions;
  const { touched_at, token } = positionDetails;
  const since = instant(now - FRESH_MS);
  const touched = gt(touched_at, since);
  const row = {
    ...{ id, exchange, symbol, style, token },
    net: sql<number>`case ${side} when 'BUY' then ${qty} else -${qty} end`,
    open: sql<boolean>`${isOpenPosition}`,
    fresh: sql<boolean>`coalesce(${touched}, false)`,
  };
  return await tx
    .select(row)
    .from(positions)
    .innerJoin(positionDetails, detailed)
    .where(and(positionsOf(who), openOrClosedSince(tx, who.broker, sql`${since} - interval '1 minute'`), or(isOpenPosition, touched)));
}

/**
 * Shares bought on earlier days stand in the holdings, and so may shares our books know nothing of: whatever lies between the positions alone and
 * both together agrees. Outside of that, the nearer end is what the books should show.
 */
function withHoldings(key: PositionKey, believed: number, net: number, holdings: readonly HoldingRow[] | null): number {
  const alike = holdings?.filter((one) => one.symbol === key.symbol) ?? [];
  const kept = (alike.find((one) => one.exchange === key.exchange) ?? alike[0])?.quantity ?? 0;
  const most = holdings === null ? Math.max(net, believed) : Math.max(net, 0) + kept;
  return Math.min(Math.max(believed, net), Math.max(most, net));
}
