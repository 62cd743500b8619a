import type { TransactionSql } from 'postgres';
import { Big } from '../money.ts';
import { baseOf, fixed, type Holding, holdingOf, moneyOf, type Side, step } from './fold.ts';

/** One execution of an order, or the part of one that a read of the order book showed. */
export interface Execution {
  broker: string;
  account: string;
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

export type Place = Pick<Execution, 'broker' | 'exchange' | 'symbol' | 'style'>;

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

/** The one position row of a place is changed by one transaction at a time, also while there is none to lock. */
export function lockKey({ broker, exchange, symbol, style }: Place): string {
  return `${broker}|${exchange}|${symbol}|${style}`;
}

/** The open position of a broker, exchange, symbol and style, whoever's it is; locked until the transaction ends, and so is its absence. */
export async function openPosition(tx: TransactionSql, place: Place): Promise<OpenPosition | null> {
  const { broker, exchange, symbol, style } = place;
  const [, [row]] = await Promise.all([
    tx`select pg_advisory_xact_lock(hashtextextended(${lockKey(place)}, 0))`,
    tx<OpenPosition[]>`
      select p.id, p.side, p.qty, p.entry_price, d.multiplier, d.open_cost, d.closed_quantity, d.closed_cost, d.exit_value, d.account
      from tsm_positions p join position_details d on d.position_id = p.id
      where p.broker = ${broker} and p.exchange = ${exchange} and p.symbol = ${symbol} and p.style = ${style} and p.status = 'OPEN'
      for update of p`,
  ]);
  return row ?? null;
}

export function holdingOfRow(row: OpenPosition): Holding {
  const { side, qty, open_cost, entry_price, closed_quantity, exit_value, closed_cost } = row;
  return holdingOf({
    side,
    qty,
    cost: open_cost,
    entry: entry_price,
    closedQuantity: closed_quantity,
    exitValue: exit_value,
    closedCost: closed_cost,
  });
}

/**
 * Books one execution against the open position: trade row, position, capital, and what was learned from a closed one. Runs inside the
 * caller's transaction, which has made sure that the execution is new. Its statements depend on nothing but their order, so they go out together.
 */
export async function bookExecution(tx: TransactionSql, trade: Execution, open: OpenPosition | null): Promise<void> {
  const statements: Promise<unknown>[] = [];
  const foreign = open !== null && open.account !== trade.account;
  if (open && foreign) statements.push(closeForeign(tx, open, trade.at));
  const before = open && !foreign ? holdingOfRow(open) : null;
  const { row, opened } = step(before, {
    side: trade.side === 'BUY' ? 'BUY' : 'SELL',
    quantity: trade.quantity,
    price: new Big(trade.price),
  });
  if (open && before && row) statements.push(changeRow(tx, trade, open, before, row));
  if (open && row?.qty === 0) statements.push(learn(tx, open.id));
  if (opened) statements.push(openRow(tx, trade, opened, row === null ? null : (open?.id ?? null)));
  await Promise.all(statements);
}

/** Another account of the same broker held it: its row cannot be followed any more. What it cost is free again. */
export async function closeForeign(tx: TransactionSql, open: OpenPosition, at: number): Promise<void> {
  const { deployed } = moneyOf(holdingOfRow(open), open.multiplier);
  await Promise.all([
    tx`
      with moved as (${moveCapital(tx, deployed.times(-1), new Big(0))})
      update tsm_positions set status = 'CLOSED', exit_reason = 'ACCOUNT_CHANGED', closed_at = to_timestamp(${at / 1000}), updated_at = now() where id = ${open.id}`,
    learn(tx, open.id),
  ]);
}

function changeRow(tx: TransactionSql, trade: Execution, open: OpenPosition, before: Holding, row: Holding): Promise<unknown> {
  const [was, is] = [moneyOf(before, open.multiplier), moneyOf(row, open.multiplier)];
  const profit = (is.realized ?? new Big(0)).minus(was.realized ?? 0);
  const closed = row.qty === 0;
  return tx`
    with moved as (${moveCapital(tx, is.deployed.minus(was.deployed), profit)}),
    traded as (${insertTrade(tx, trade, tx`values (${open.id}::bigint)`)}),
    detailed as (
      update position_details set open_cost = ${fixed(row.cost, 10)}, closed_cost = ${fixed(row.closedCost, 10)},
        closed_quantity = ${row.closedQuantity}, exit_value = ${row.exitValue.toFixed(4)}, touched_at = to_timestamp(${trade.at / 1000}) where position_id = ${open.id}
    )
    update tsm_positions set qty = ${row.qty}, entry_price = ${is.entry}, ltp = ${trade.price}, exit_price = ${is.exit},
      realized_pnl = ${fixed(is.realized, 4)}, status = ${closed ? 'CLOSED' : 'OPEN'}, exit_reason = ${closed ? 'ORDER' : null},
      closed_at = to_timestamp(${closed ? trade.at / 1000 : null}), updated_at = now()
    where id = ${open.id}`;
}

/** `flipped`: the row the same execution closed; its trade row stands with that one. */
function openRow(tx: TransactionSql, trade: Execution, row: Holding, flipped: number | null): Promise<unknown> {
  const { broker, exchange, symbol } = trade;
  return tx`
    with facts as (
      select coalesce((select multiplier from instrument_multipliers where broker = ${broker} and exchange = ${exchange} and symbol = ${symbol}), 1) as multiplier
    ), opened as (
      insert into tsm_positions (symbol, broker, exchange, style, side, qty, entry_price, ltp, status, mode, entry_order_id, opened_at, updated_at)
      values (${symbol}, ${broker}, ${exchange}, ${trade.style}, ${row.side}, ${row.qty}, ${trade.price}, ${trade.price},
        'OPEN', ${trade.mode}, ${trade.orderId}, to_timestamp(${trade.at / 1000}), now())
      returning id
    ), moved as (
      ${moveCapital(tx, tx`round(${(row.cost ?? new Big(0)).toFixed(4)}::numeric * (select multiplier from facts), 4)`, new Big(0))}
    )${flipped === null ? tx`, traded as (${insertTrade(tx, trade, tx`select id from opened`)})` : tx``}
    insert into position_details (position_id, account, token, multiplier, open_cost, base, touched_at)
    select opened.id, ${trade.account}, ${trade.token}, facts.multiplier, ${(row.cost ?? new Big(0)).toFixed(10)}::numeric,
      ${flipped === null ? null : JSON.stringify(baseOf(row, false))}::text::jsonb, to_timestamp(${trade.at / 1000})
    from opened, facts`;
}

function insertTrade(tx: TransactionSql, trade: Execution, positionId: ReturnType<TransactionSql>) {
  return tx`
    insert into trade_history (broker, account, trade_id, order_id, symbol, exchange, side, product, quantity, price, traded_at, mode, derived, position_id)
    select ${trade.broker}, ${trade.account}, ${trade.tradeId}, ${trade.orderId}, ${trade.symbol}, ${trade.exchange}, ${trade.side},
      ${trade.style}, ${trade.quantity}::bigint, ${trade.price}::numeric, to_timestamp(${trade.at / 1000}), ${trade.mode}, ${trade.derived}::boolean, touched.id
    from (${positionId}) as touched(id)
    on conflict (broker, account, order_id, trade_id) do nothing`;
}

/** What changes hands, in rupees: see docs/decisions/books.md. Totals that are not known stay unknown. */
export function moveCapital(tx: TransactionSql, deployed: Big | ReturnType<TransactionSql>, profit: Big) {
  return tx`
    update tsm_capital set
      deployed_capital = coalesce(deployed_capital, 0) + change.deployed,
      available_capital = available_capital - change.deployed + change.profit,
      total_capital = total_capital + change.profit,
      realized_pnl = realized_pnl + change.profit, updated_at = now()
    from (select (${deployed instanceof Big ? deployed.toFixed(4) : deployed})::numeric as deployed, ${profit.toFixed(4)}::numeric as profit) as change
    where id = 1`;
}

/** A list of numbers for `in`: one parameter, so that lists of all lengths are one statement. */
export function among(tx: TransactionSql, ids: readonly number[]) {
  return tx`(select value::bigint from jsonb_array_elements_text(${tx.json([...ids])}))`;
}

/** What a strategy learns from a closed position; written anew when the position was computed anew. */
export function learn(tx: TransactionSql, ...positionIds: number[]): Promise<unknown> {
  return tx`
    insert into trade_learning as known
      (position_id, broker, symbol, exchange, style, side, quantity, entry_price, exit_price, realized_pnl, opened_at, closed_at, exit_reason, strategy, mode)
    select p.id, p.broker, p.symbol, p.exchange, p.style, p.side, p.qty + d.closed_quantity, p.entry_price, p.exit_price, p.realized_pnl, p.opened_at,
      coalesce(p.closed_at, now()), p.exit_reason, p.strategy, p.mode
    from tsm_positions p join position_details d on d.position_id = p.id where p.id in ${among(tx, positionIds)} and p.status = 'CLOSED'
    on conflict (position_id) do update set side = excluded.side, quantity = excluded.quantity, entry_price = excluded.entry_price,
      exit_price = excluded.exit_price, realized_pnl = excluded.realized_pnl, opened_at = excluded.opened_at, closed_at = excluded.closed_at,
      exit_reason = excluded.exit_reason`;
}
