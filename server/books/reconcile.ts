import type { Sql, TransactionSql } from 'postgres';
import type { HoldingRow, PositionRow, TradeRow } from '../brokers/broker.ts';
import { transaction } from '../db/transaction.ts';
import { exact } from '../money.ts';
import { beginAccount } from './capital.ts';
import { correctRows, noteCorrections } from './correct.ts';
import type { Doubt } from './doubt.ts';
import { type AccountKey, distinct, keyText, type PositionKey } from './keys.ts';
import { rebook } from './rebook.ts';
import { insertTrades, lockPositions, rowsOf } from './rebook-store.ts';
import { strayTrades } from './trades.ts';
import { unresolvedAttempts } from './unresolved.ts';

/** Rows touched this recently may know a fill the broker's positions do not show yet. */
const FRESH_MS = 5000;

export interface Correction extends PositionKey {
  /** explained: trades nobody had booked make the difference, and are booked. The others are set to what the broker holds. */
  kind: 'closed' | 'adopted' | 'corrected' | 'explained' | 'multiplier';
  /** Signed quantities, or the multipliers. */
  believed: number;
  held: number;
}

/** What the broker said, each a fully parsed read. */
export interface BrokerTruth {
  positions: readonly PositionRow[];
  /** Null: not read. DELIVERY rows the positions do not show are left alone then. */
  holdings: readonly HoldingRow[] | null;
  /** Positions where a fill waits for its price: the positions hold it, the books do not yet. */
  waiting: readonly PositionKey[];
  /** Null: not read. */
  trades: readonly TradeRow[] | null;
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

interface Believed extends PositionKey {
  id: number;
  net: number;
  open: boolean;
  fresh: boolean;
  token: string | null;
}

/** The positions where books and broker differ now, those aside where a fill may be under way. Reads only; what to read next depends on it. */
export async function differences(sql: Sql, who: AccountKey, truth: Omit<BrokerTruth, 'trades'>, now: number): Promise<Difference[]> {
  return await transaction(sql, async (tx) => (await compare(tx, who, truth, now)).found);
}

/**
 * Makes the broker's positions ours (epoch ms `now`, UTC). A difference is first explained by trades that were not booked: these are booked, with
 * their prices. What stays is set: rows the broker no longer holds are closed, positions we do not know adopted, quantities corrected. Each with an
 * event that says what was believed, what the broker says and what was done. Only rows of this broker and account; rows touched in the last 5 s, and
 * symbols with an order of ours under way, are left alone; so are positions that a row which could not be read may belong to, and with one that has no
 * readable name nothing is closed. Sends nothing; a second run writes nothing.
 */
export async function reconcilePositions(sql: Sql, who: AccountKey, truth: BrokerTruth, now: number): Promise<Correction[]> {
  return await transaction(sql, async (tx) => {
    const listed = distinct(truth.positions.map((row) => ({ ...row, style: row.product_type })));
    const open = await tx<PositionKey[]>`
      select p.exchange, p.symbol, p.style from tsm_positions p join position_details d on d.position_id = p.id
      where p.status = 'OPEN' and p.broker = ${who.broker} and d.account = ${who.account}`;
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

interface Comparison {
  found: Difference[];
  /** Tells the positions where nothing is under way and books and broker agree. */
  agrees(key: PositionKey): boolean;
}

async function compare(
  tx: TransactionSql,
  who: AccountKey,
  { positions, holdings, waiting, doubt }: Omit<BrokerTruth, 'trades'>,
  now: number,
): Promise<Comparison> {
  const [rows, attempts] = await Promise.all([believedRows(tx, who, now), unresolvedAttempts(tx, who)]);
  const held = Map.groupBy(positions, (row) => keyText({ ...row, style: row.product_type }));
  const believed = Map.groupBy(rows, keyText);
  const fresh = new Set([...waiting, ...rows.filter((row) => row.fresh)].map(keyText));
  const traded = new Set(attempts.map((attempt) => `${attempt.exchange}|${attempt.symbol}`));
  const doubtful = new Set([...rows, ...positions].flatMap((name) => (doubt.touches(name) ? [`${name.exchange}|${name.symbol}`] : [])));
  const among = (names: ReadonlySet<string>, key: PositionKey) => names.has(`${key.exchange}|${key.symbol}`);
  const aside = (key: PositionKey) => fresh.has(keyText(key)) || among(traded, key) || among(doubtful, key);
  const keys = distinct([...rows, ...positions.map((row) => ({ ...row, style: row.product_type }))]);
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

/** Open rows, and positions of which one was closed just now: positions that lag behind must not bring it back. */
function believedRows(tx: TransactionSql, who: AccountKey, now: number): Promise<Believed[]> {
  const since = (now - FRESH_MS) / 1000;
  return tx<Believed[]>`
    select p.id, p.exchange, p.symbol, p.style, case p.side when 'BUY' then p.qty else -p.qty end as net, p.status = 'OPEN' as open,
      coalesce(d.touched_at > to_timestamp(${since}), false) as fresh, d.token
    from tsm_positions p join position_details d on d.position_id = p.id
    where p.broker = ${who.broker} and d.account = ${who.account}
      and (p.status = 'OPEN' or (p.closed_at > to_timestamp(${since}) - interval '1 minute' and d.touched_at > to_timestamp(${since})))`;
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

/** The multiplier of money, as the positions tell it; positions booked with another one are computed anew. */
async function learnMultipliers(
  tx: TransactionSql,
  who: AccountKey,
  positions: readonly PositionRow[],
  now: number,
): Promise<Correction[]> {
  const told = positions.map(({ exchange, symbol, multiplier }) => ({ exchange, symbol, multiplier: exact(multiplier)?.toFixed() ?? '1' }));
  if (told.length === 0) return [];
  await tx`
    insert into instrument_multipliers as known (broker, exchange, symbol, multiplier)
    select distinct on (exchange, symbol) ${who.broker}, exchange, symbol, multiplier
    from jsonb_to_recordset(${rowsOf(tx, told)}) as t(exchange text, symbol text, multiplier numeric)
    where multiplier > 0 and multiplier is distinct from (select m.multiplier from instrument_multipliers m
      where m.broker = ${who.broker} and m.exchange = t.exchange and m.symbol = t.symbol)
    on conflict (broker, exchange, symbol) do update set multiplier = excluded.multiplier`;
  const wrong = await tx<(PositionKey & { was: string; is: string })[]>`
    select distinct p.exchange, p.symbol, p.style, d.multiplier as was, m.multiplier as is
    from tsm_positions p join position_details d on d.position_id = p.id
    join instrument_multipliers m on m.broker = p.broker and m.exchange = p.exchange and m.symbol = p.symbol
    where p.broker = ${who.broker} and d.account = ${who.account} and d.multiplier <> m.multiplier
      and (p.status = 'OPEN' or p.closed_at > to_timestamp(${now / 1000}) - interval '1 day')
      and (p.exchange, p.symbol) in (select exchange, symbol from jsonb_to_recordset(${rowsOf(tx, told)}) as t(exchange text, symbol text))`;
  if (wrong.length === 0) return [];
  const written = await rebook(tx, who, { added: [], keys: wrong }, now);
  if (written === 0) return [];
  return wrong.map(({ was, is, ...key }) => ({ kind: 'multiplier', ...key, believed: Number(was), held: Number(is) }));
}

/** Books trades of nobody's orders where they make the whole difference; where books and broker agree they are history. Young ones may yet be told of. */
async function explain(
  tx: TransactionSql,
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
  if (frozen.length > 0) await insertTrades(tx, who, frozen);
  return explained.map(({ exchange, symbol, style, believed, held }) => ({ kind: 'explained', exchange, symbol, style, believed, held }));
}
