import type { TransactionSql } from 'postgres';
import { Big, exact } from '../money.ts';
import { corrected, fixed, moneyOf, opening, type PositionState, savedState } from './average-cost.ts';
import { among, learn, moveCapital, type OpenPosition, stateOfRow } from './fill.ts';
import { type AccountKey, keyText } from './keys.ts';
import { loadPositions, newIds, rowsOf } from './rebook-store.ts';
import type { Correction, Difference } from './reconcile.ts';

interface Setting {
  id: number;
  state: PositionState;
  multiplier: string;
}

/**
 * Sets rows to what the broker holds, where nobody knows the trades: one that is not held, or held the other way, is closed without exit price and
 * profit; a quantity changes at cost; a position we do not know is adopted at the broker's average. What was booked before stands as it is.
 */
export async function correctRows(tx: TransactionSql, who: AccountKey, found: readonly Difference[], now: number): Promise<Correction[]> {
  if (found.length === 0) return [];
  const { rows, multipliers } = await loadPositions(tx, who, found, now);
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
    const price = one.position?.average_price ?? null;
    return [{ id: row.id, multiplier: row.multiplier, state: corrected(stateOfRow(row), Math.abs(one.held), exact(price)) }];
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

function said(kind: Correction['kind'], { exchange, symbol, style, believed, held }: Difference): Correction {
  return { kind, exchange, symbol, style, believed, held };
}

/** What the rows cost is free again; executions that made them are history. */
async function closeRows(tx: TransactionSql, rows: readonly OpenPosition[], reason: string, now: number): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map((row) => row.id);
  const freed = rows.reduce((sum, row) => sum.plus(moneyOf(stateOfRow(row), row.multiplier).deployed), new Big(0));
  await Promise.all([
    tx`
      with moved as (${moveCapital(tx, freed.times(-1), new Big(0))}),
      touched as (update position_details set touched_at = to_timestamp(${now / 1000}) where position_id in ${among(tx, ids)})
      update tsm_positions set status = 'CLOSED', exit_reason = ${reason}, closed_at = to_timestamp(${now / 1000}), updated_at = now() where id in ${among(tx, ids)}`,
    tx`update trade_history set frozen = true where position_id in ${among(tx, ids)} and not frozen`,
    learn(tx, ...ids),
  ]);
}

async function setRows(tx: TransactionSql, sets: readonly Setting[], before: readonly OpenPosition[], now: number): Promise<void> {
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
  await Promise.all([
    tx`
      with given as (
        select * from jsonb_to_recordset(${rowsOf(tx, rows)}) as t(id bigint, qty bigint, entry_price numeric, open_cost numeric, base jsonb)
      ), moved as (${moveCapital(tx, is.minus(was), new Big(0))}),
      detailed as (
        update position_details d set open_cost = given.open_cost, base = given.base, touched_at = to_timestamp(${now / 1000})
        from given where d.position_id = given.id
      )
      update tsm_positions p set qty = given.qty, entry_price = given.entry_price, updated_at = now() from given where p.id = given.id`,
    tx`update trade_history set frozen = true where position_id in ${among(tx, ids)} and not frozen`,
  ]);
}

async function adopt(
  tx: TransactionSql,
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
    const price = exact(position?.average_price ?? null);
    const state = opening(held > 0 ? 'BUY' : 'SELL', Math.abs(held), price?.times(Math.abs(held)) ?? null);
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
  await tx`
    with given as (
      select * from jsonb_to_recordset(${rowsOf(tx, rows)}) as t(id bigint, exchange text, symbol text, style text, side text, qty bigint, entry_price numeric,
        ltp numeric, token text, multiplier numeric, open_cost numeric, base jsonb)
    ), moved as (${moveCapital(tx, deployed, new Big(0))}),
    adopted as (
      insert into tsm_positions (id, symbol, broker, exchange, style, side, qty, entry_price, ltp, status, mode, opened_at)
      select id, symbol, ${who.broker}, exchange, style, side, qty, entry_price, ltp, 'OPEN', ${who.mode}, to_timestamp(${now / 1000}) from given
    )
    insert into position_details (position_id, account, token, multiplier, open_cost, base, touched_at)
    select id, ${who.account}, token, multiplier, open_cost, base, to_timestamp(${now / 1000}) from given`;
}

/** One event a correction: what was believed, what the broker says, what was done. */
export async function noteCorrections(tx: TransactionSql, who: AccountKey, corrections: readonly Correction[]): Promise<void> {
  if (corrections.length === 0) return;
  await tx`
    insert into tsm_events (kind, broker, account, symbol, detail)
    select 'position.' || (value ->> 'kind'), ${who.broker}, ${who.account}, value ->> 'symbol', value - 'kind' - 'symbol'
    from jsonb_array_elements(${rowsOf(tx, corrections)})`;
}
