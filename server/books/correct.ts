import { eq, sql } from 'drizzle-orm';
import { events, positionDetails, positions } from '../../drizzle/schema.ts';
import type { Tx } from '../db/handle.ts';
import { among, given, insertFrom, instant } from '../db/rows.ts';
import { Big, exact } from '../money.ts';
import { corrected, fixed, moneyOf, opening, type PositionState, savedState } from './average-cost.ts';
import { moveCapital } from './capital.ts';
import type { Difference } from './differences.ts';
import { type AccountKey, keyText, type PositionKey } from './keys.ts';
import { loadMultipliers, loadPositions, newIds, type OpenPosition, stateOfRow } from './position-rows.ts';
import { freezeTrades, learn } from './write-rows.ts';

export interface Correction extends PositionKey {
  /** explained: trades nobody had booked make the difference, and are booked. The others are set to what the broker holds. */
  kind: 'closed' | 'adopted' | 'corrected' | 'explained' | 'multiplier';
  /** Signed quantities, or the multipliers. */
  believed: number;
  held: number;
}

interface Setting {
  id: number;
  state: PositionState;
  multiplier: string;
}

/**
 * Sets rows to what the broker holds, where nobody knows the trades: one that is not held, or held the other way, is closed without exit price and
 * profit; a quantity changes at cost; a position we do not know is adopted at the broker's average. What was booked before stands as it is.
 */
export async function correctRows(tx: Tx, who: AccountKey, found: readonly Difference[], now: number): Promise<Correction[]> {
  if (found.length === 0) return [];
  const rows = await loadPositions(tx, who, found, now);
  const multipliers = await loadMultipliers(tx, who.broker, found);
  const openRows = rows.filter((row) => row.status === 'OPEN');
  const own = new Map(openRows.filter((row) => row.account === who.account).map((row) => [keyText(row), row]));
  const adopting = found.filter((one) => one.held !== 0 && (one.believed === 0 || Math.sign(one.held) !== Math.sign(one.believed)));
  const foreign = openRows.filter((row) => row.account !== who.account && adopting.some((one) => keyText(one) === keyText(row)));
  const closing = found.flatMap((one) =>
    one.believed !== 0 && Math.sign(one.held) !== Math.sign(one.believed) ? (own.get(keyText(one)) ?? []) : [],
  );
  const setting = found.flatMap((one): Setting[] => {
    const row = own.get(keyText(one));
    if (!row || one.held === 0 || Math.sign(one.held) !== Math.sign(one.believed)) return [];
    return [{ id: row.id, multiplier: row.multiplier, state: corrected(stateOfRow(row), Math.abs(one.held), costOf(one)) }];
  });
  await closeRows(tx, closing, 'NOT_HELD_AT_BROKER', now);
  await closeRows(tx, foreign, 'ACCOUNT_CHANGED', now);
  await setRows(tx, setting, openRows, now);
  await adopt(tx, who, adopting, multipliers, now);
  return [
    ...found
      .filter((one) => own.has(keyText(one)) && closing.some((row) => keyText(row) === keyText(one)))
      .map((one) => said('closed', one)),
    ...found.filter((one) => setting.some((set) => set.id === one.rowId)).map((one) => said('corrected', one)),
    ...adopting.map((one) => said('adopted', closing.some((row) => keyText(row) === keyText(one)) ? { ...one, believed: 0 } : one)),
  ];
}

/** What a unit cost by the broker's average. One of 0 tells nothing: nothing is booked at a cost of zero. */
function costOf({ position }: Difference): Big | null {
  const price = exact(position?.average_price ?? null);
  return price?.gt(0) ? price : null;
}

function said(kind: Correction['kind'], { exchange, symbol, style, believed, held }: Difference): Correction {
  return { kind, exchange, symbol, style, believed, held };
}

/** What the rows cost is free again; executions that made them are history. */
async function closeRows(tx: Tx, rows: readonly OpenPosition[], reason: string, now: number): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map((row) => row.id);
  const freed = rows.reduce((sum, row) => sum.plus(moneyOf(stateOfRow(row), row.multiplier).deployed), new Big(0));
  await moveCapital(tx, freed.times(-1), new Big(0));
  await tx
    .update(positionDetails)
    .set({ touched_at: instant(now) })
    .where(among(positionDetails.position_id, ids));
  await tx
    .update(positions)
    .set({ status: 'CLOSED', exit_reason: reason, closed_at: instant(now), updated_at: sql`now()` })
    .where(among(positions.id, ids));
  await freezeTrades(tx, ids);
  await learn(tx, ids);
}

async function setRows(tx: Tx, sets: readonly Setting[], before: readonly OpenPosition[], now: number): Promise<void> {
  if (sets.length === 0) return;
  const ids = sets.map((set) => set.id);
  const was = before
    .filter((row) => ids.includes(row.id))
    .reduce((sum, row) => sum.plus(moneyOf(stateOfRow(row), row.multiplier).deployed), new Big(0));
  const is = sets.reduce((sum, set) => sum.plus(moneyOf(set.state, set.multiplier).deployed), new Big(0));
  const rows = sets.map(({ id, state, multiplier }) => ({
    id,
    qty: state.qty,
    entry_price: moneyOf(state, multiplier).entry,
    open_cost: fixed(state.cost, 10),
    base: { ...savedState(state, true) },
  }));
  const { id, qty, entry_price } = positions;
  const set = given('given', { id, qty, entry_price, open_cost: positionDetails.open_cost, base: positionDetails.base }, rows);
  await moveCapital(tx, is.minus(was), new Big(0));
  await tx
    .update(positionDetails)
    .set({ open_cost: set.open_cost, base: set.base, touched_at: instant(now) })
    .from(set.table)
    .where(eq(positionDetails.position_id, set.id));
  await tx
    .update(positions)
    .set({ qty: set.qty, entry_price: set.entry_price, updated_at: sql`now()` })
    .from(set.table)
    .where(eq(id, set.id));
  await freezeTrades(tx, ids);
}

async function adopt(
  tx: Tx,
  who: AccountKey,
  adopting: readonly Difference[],
  multipliers: ReadonlyMap<string, string>,
  now: number,
): Promise<void> {
  if (adopting.length === 0) return;
  const ids = await newIds(tx, adopting.length);
  let deployed = new Big(0);
  const rows = adopting.map((one, index) => {
    const { exchange, symbol, style, held, position } = one;
    const state = opening(held > 0 ? 'BUY' : 'SELL', Math.abs(held), costOf(one)?.times(Math.abs(held)) ?? null);
    const multiplier = multipliers.get(`${exchange}|${symbol}`) ?? '1';
    deployed = deployed.plus(moneyOf(state, multiplier).deployed);
    const { side, qty } = state;
    const names = { id: ids[index] ?? 0, exchange, symbol, style, side, qty, multiplier, ltp: position?.last_price ?? null };
    const cost = fixed(state.cost, 10);
    return {
      ...names,
      token: position?.token ?? null,
      entry_price: moneyOf(state, multiplier).entry,
      open_cost: cost,
      base: { ...savedState(state, true) },
    };
  });
  await moveCapital(tx, deployed, new Big(0));
  const { id, exchange, symbol, style, side, qty, entry_price, ltp } = positions;
  const { token, multiplier, open_cost, base } = positionDetails;
  const columns = { id, exchange, symbol, style, side, qty, entry_price, ltp, token, multiplier, open_cost, base };
  const row = given('given', columns, rows);
  const position = {
    ...{ id: row.id, symbol: row.symbol, broker: who.broker, exchange: row.exchange, style: row.style, side: row.side, qty: row.qty },
    ...{ entry_price: row.entry_price, ltp: row.ltp, status: 'OPEN', mode: who.mode, opened_at: instant(now) },
  };
  const details = {
    ...{ position_id: row.id, account: who.account, token: row.token, multiplier: row.multiplier, open_cost: row.open_cost },
    ...{ base: row.base, touched_at: instant(now) },
  };
  await tx.execute(insertFrom(positions, position, row.table));
  await tx.execute(insertFrom(positionDetails, details, row.table));
}

/** One event a correction: what was believed, what the broker says, what was done. */
export async function noteCorrections(tx: Tx, who: AccountKey, corrections: readonly Correction[]): Promise<void> {
  if (corrections.length === 0) return;
  const rows = corrections.map(({ kind, symbol, ...detail }) => ({ kind: `position.${kind}`, symbol, detail }));
  const { table, ...event } = given('given', { kind: events.kind, symbol: events.symbol, detail: events.detail }, rows);
  await tx.execute(insertFrom(events, { ...event, broker: who.broker, account: who.account }, table));
}
