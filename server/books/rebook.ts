import type { Tx } from '../db/handle.ts';
import { Big } from '../money.ts';
import { type AccountKey, distinct, keyText, type PositionKey } from './keys.ts';
import {
  type Execution,
  type Headers,
  type LoadedRow,
  loadHeaders,
  loadMultipliers,
  loadPositions,
  loadTrades,
  lockPositions,
  newIds,
  rowsOfTrades,
} from './position-rows.ts';
import { columnsOf, type ReplayTrade, replay, type Segment, type Start } from './replay.ts';
import { replayFrom } from './replay-window.ts';
import { closeForeign, type Writes, writeBooks } from './write-rows.ts';

/** What is to change in the books of an account. */
export interface Rebooking {
  added: readonly Execution[];
  /** Ids of trade_history rows that others replace. */
  removed?: readonly number[];
  /** Positions to compute anew for another reason. */
  keys?: readonly PositionKey[];
  /** Of all these positions, where they were read since their locks were taken. */
  headers?: Headers;
}

/** A position computed anew: its rows as they stand, and as its executions make them. */
interface Plan {
  key: PositionKey;
  rows: readonly LoadedRow[];
  segments: Segment[];
  multiplier: string;
  token: string | null;
}

/**
 * Computes every position touched anew from its executions, in the exchange's order, as far back as the change reaches, and writes what came out
 * different: positions, capital, trade rows, what was learned. A few statements whatever their number. Runs inside the caller's transaction, which has locked the
 * order records concerned. Returns how many position rows were written.
 */
export async function rebook(tx: Tx, who: AccountKey, change: Rebooking, now: number): Promise<number> {
  const { added, removed = [], keys = [] } = change;
  if (added.length + removed.length + keys.length === 0) return 0;
  const touched = distinct([...added, ...keys]);
  await lockPositions(tx, who.broker, touched);
  const multipliers = await loadMultipliers(tx, who.broker, touched);
  const rows = await loadPositions(tx, who, await windowsOf(tx, who, touched, change, multipliers, now), now);
  const trades = await loadTrades(tx, rows);
  const entered = new Set(added.map(keyText));
  const foreign = rows.filter((row) => row.account !== who.account && row.status === 'OPEN' && entered.has(keyText(row)));
  for (const row of foreign) await closeForeign(tx, row, now);
  const fresh = new Map(added.map((execution, index) => [freshTrade(execution, index), execution]));
  const gone = new Set(removed);
  const own = Map.groupBy(
    rows.filter((row) => row.account === who.account),
    keyText,
  );
  const standing = Map.groupBy(
    trades.filter((trade) => !gone.has(trade.serial)),
    (trade) => trade.positionId,
  );
  const coming = Map.groupBy(fresh, ([, execution]) => keyText(execution));
  const plans = touched.map((key): Plan => {
    const mine = own.get(keyText(key)) ?? [];
    const kept = mine.flatMap((row) => standing.get(row.id) ?? []);
    const come = coming.get(keyText(key)) ?? [];
    const segments = replay(startOf(mine[0]), [...kept, ...come.map(([trade]) => trade)]);
    const multiplier = multipliers.get(`${key.exchange}|${key.symbol}`) ?? mine.at(-1)?.multiplier ?? '1';
    return { key, rows: mine, segments, multiplier, token: come.find(([, { token }]) => token !== null)?.[1].token ?? null };
  });
  const makes = plans.reduce((sum, plan) => sum + Math.max(0, plan.segments.length - plan.rows.length), 0);
  const writes = flatten(plans, await newIds(tx, makes), fresh);
  await writeBooks(tx, who, { ...writes, removed }, now);
  return writes.changed.length + writes.made.length + writes.gone.length;
}

/** From which row on each position is replayed. */
async function windowsOf(
  tx: Tx,
  who: AccountKey,
  keys: readonly PositionKey[],
  { added, removed = [], headers: read }: Rebooking,
  multipliers: ReadonlyMap<string, string>,
  now: number,
): Promise<(PositionKey & { first: number })[]> {
  const headers = read ?? (await loadHeaders(tx, who, keys, now));
  const emptied = await rowsOfTrades(tx, removed);
  const coming = Map.groupBy(added, keyText);
  return keys.map((key) => {
    const times = coming.get(keyText(key))?.map(({ at }) => at) ?? [];
    const change = {
      emptied,
      added: times.reduce((a, b) => Math.min(a, b), Infinity),
      multiplier: multipliers.get(`${key.exchange}|${key.symbol}`),
    };
    return { ...key, first: replayFrom(headers.get(keyText(key)) ?? [], change) };
  });
}

function startOf(row: LoadedRow | undefined): Start | null {
  return row?.base ? { base: row.base, openedAt: row.opened_ms, entryOrderId: row.entry_order_id } : null;
}

/** Executions not yet written come after those that are, where nothing else decides. */
function freshTrade({ orderId, tradeId, side, quantity, price, at, derived }: Execution, index: number): ReplayTrade {
  return { orderId, tradeId, side, quantity, price, at, derived, serial: Number.MAX_SAFE_INTEGER / 2 + index, positionId: null };
}

function flatten(plans: readonly Plan[], ids: number[], fresh: ReadonlyMap<ReplayTrade, Execution>): Omit<Writes, 'removed'> {
  const writes: Omit<Writes, 'removed'> = {
    changed: [],
    made: [],
    gone: [],
    moved: [],
    added: [],
    deployed: new Big(0),
    profit: new Big(0),
  };
  for (const { key, rows, segments, multiplier, token } of plans) {
    for (const [index, segment] of segments.entries()) {
      const row = rows[index];
      const columns = columnsOf(segment, multiplier);
      const id = row?.id ?? ids.shift() ?? 0;
      for (const trade of segment.trades) {
        const execution = fresh.get(trade);
        if (execution) writes.added.push({ execution, positionId: id });
        else if (trade.positionId !== id) writes.moved.push({ id: trade.serial, positionId: id });
      }
      // What stays as it is would be counted in and out again.
      if (row && !differs(row, columns)) continue;
      count(writes, columns, 1);
      if (row) count(writes, row, -1);
      if (row) writes.changed.push({ id, ltp: segment.lastPrice ?? row.ltp, ...columns });
      else writes.made.push({ id, ...key, token, ltp: segment.lastPrice, ...columns });
    }
    for (const row of rows.slice(segments.length)) {
      writes.gone.push(row.id);
      count(writes, row, -1);
    }
  }
  return writes;
}

function differs(row: LoadedRow, columns: object): boolean {
  return Object.entries(columns).some(([name, value]) => {
    const stands = row[name as keyof LoadedRow] ?? null;
    return stands !== value && JSON.stringify(stands) !== JSON.stringify(value);
  });
}

interface Counted {
  status: string;
  open_cost: string | null;
  multiplier: string;
  realized_pnl: string | null;
}

/** Adds what a row stands for in the capital record, `sign` times. */
function count(writes: Pick<Writes, 'deployed' | 'profit'>, row: Counted, sign: 1 | -1): void {
  const cost = row.status === 'OPEN' ? new Big(row.open_cost ?? 0).times(row.multiplier).round(4, Big.roundHalfUp) : new Big(0);
  writes.deployed = writes.deployed.plus(cost.times(sign));
  writes.profit = writes.profit.plus(new Big(row.realized_pnl ?? 0).times(sign));
}
