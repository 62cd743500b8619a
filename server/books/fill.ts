import type { TransactionSql } from 'postgres';
import { Big } from '../money.ts';
import { moneyOf, type PositionState, type Side, stateOf } from './average-cost.ts';

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

/** Another account of the same broker held it: its row cannot be followed any more. What it cost is free again. */
export async function closeForeign(tx: TransactionSql, open: OpenPosition, at: number): Promise<void> {
  const { deployed } = moneyOf(stateOfRow(open), open.multiplier);
  await Promise.all([
    tx`
      with moved as (${moveCapital(tx, deployed.times(-1), new Big(0))})
      update tsm_positions set status = 'CLOSED', exit_reason = 'ACCOUNT_CHANGED', closed_at = to_timestamp(${at / 1000}), updated_at = now() where id = ${open.id}`,
    learn(tx, open.id),
  ]);
}

/** What changes hands, in rupees: see docs/decisions/books.md. Totals that are not known stay unknown. Text that goes on with `from ... as change`. */
export const CAPITAL_MOVES = `
  update tsm_capital set
    deployed_capital = coalesce(deployed_capital, 0) + change.deployed,
    available_capital = available_capital - change.deployed + change.profit,
    total_capital = total_capital + change.profit,
    realized_pnl = realized_pnl + change.profit, updated_at = now()`;

export function moveCapital(tx: TransactionSql, deployed: Big, profit: Big) {
  return tx`${tx.unsafe(CAPITAL_MOVES)}
    from (select ${deployed.toFixed(4)}::numeric as deployed, ${profit.toFixed(4)}::numeric as profit) as change where id = 1`;
}

/** A list of numbers for `in`: one parameter, so that lists of all lengths are one statement. */
export function among(tx: TransactionSql, ids: readonly number[]) {
  return tx`(select value::bigint from jsonb_array_elements_text(${tx.json([...ids])}))`;
}

/** What a strategy learns from a closed position. Text that goes on with what selects it, and with LEARNED_ANEW. */
export const LEARNS = `
  insert into trade_learning as known
    (position_id, broker, symbol, exchange, style, side, quantity, entry_price, exit_price, realized_pnl, opened_at, closed_at, exit_reason, strategy, mode)`;

/** A position computed anew is learned anew. */
export const LEARNED_ANEW = `
  on conflict (position_id) do update set side = excluded.side, quantity = excluded.quantity, entry_price = excluded.entry_price,
    exit_price = excluded.exit_price, realized_pnl = excluded.realized_pnl, opened_at = excluded.opened_at, closed_at = excluded.closed_at,
    exit_reason = excluded.exit_reason`;

export function learn(tx: TransactionSql, ...positionIds: number[]): Promise<unknown> {
  return tx`${tx.unsafe(LEARNS)}
    select p.id, p.broker, p.symbol, p.exchange, p.style, p.side, p.qty + d.closed_quantity, p.entry_price, p.exit_price, p.realized_pnl, p.opened_at,
      coalesce(p.closed_at, now()), p.exit_reason, p.strategy, p.mode
    from tsm_positions p join position_details d on d.position_id = p.id where p.id in ${among(tx, positionIds)} and p.status = 'CLOSED'
    ${tx.unsafe(LEARNED_ANEW)}`;
}
