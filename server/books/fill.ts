import type { TransactionSql } from 'postgres';
import { Big } from '../money.ts';

/** One execution of an order of ours, or the part of one that a read of the order book showed. */
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
}

export interface OpenPosition {
  id: number;
  side: string;
  qty: number;
  entry_price: string | null;
  realized_pnl: string | null;
  multiplier: string;
  closed_quantity: number;
  exit_value: string;
  account: string | null;
}

type Place = Pick<Execution, 'broker' | 'exchange' | 'symbol' | 'style'>;

/** The open position of a broker, exchange, symbol and style, whoever's it is; locked. */
export async function openPosition(tx: TransactionSql, { broker, exchange, symbol, style }: Place): Promise<OpenPosition | null> {
  const [row] = await tx<OpenPosition[]>`
    select p.id, p.side, p.qty, p.entry_price, p.realized_pnl, coalesce(d.multiplier, 1)::text as multiplier,
      coalesce(d.closed_quantity, 0) as closed_quantity, coalesce(d.exit_value, 0)::text as exit_value, d.account
    from tsm_positions p left join position_details d on d.position_id = p.id
    where p.broker = ${broker} and p.exchange = ${exchange} and p.symbol = ${symbol} and p.style = ${style} and p.status = 'OPEN'
    for update of p`;
  return row ?? null;
}

/**
 * Books one execution against the open position: trade row, position, capital, and what was learned from a closed one. Runs inside the
 * caller's transaction, which has made sure that the execution is new. Its statements depend on nothing but their order, so they go out together.
 */
export async function bookExecution(tx: TransactionSql, trade: Execution, open: OpenPosition | null): Promise<void> {
  const statements: Promise<unknown>[] = [insertTrade(tx, trade)];
  let left = trade.quantity;
  if (open && open.account !== trade.account) statements.push(closeForeign(tx, open, trade));
  else if (open && open.side === trade.side) {
    statements.push(grow(tx, open, trade));
    left = 0;
  } else if (open) {
    const closing = Math.min(open.qty, trade.quantity);
    statements.push(...reduce(tx, open, trade, closing));
    left -= closing;
  }
  if (left > 0) statements.push(openNew(tx, trade, left));
  await Promise.all(statements);
}

function seconds(trade: Execution): number {
  return trade.at / 1000;
}

function insertTrade(tx: TransactionSql, trade: Execution): Promise<unknown> {
  return tx`
    insert into trade_history (broker, account, trade_id, order_id, symbol, exchange, side, product, quantity, price, traded_at, mode)
    values (${trade.broker}, ${trade.account}, ${trade.tradeId}, ${trade.orderId}, ${trade.symbol}, ${trade.exchange}, ${trade.side},
      ${trade.style}, ${trade.quantity}, ${trade.price}, to_timestamp(${seconds(trade)}), ${trade.mode})
    on conflict (broker, account, order_id, trade_id) do nothing`;
}

/** Another account of the same broker held it: its row cannot be followed any more. */
function closeForeign(tx: TransactionSql, open: OpenPosition, trade: Execution): Promise<unknown> {
  return tx`
    update tsm_positions set status = 'CLOSED', exit_reason = 'ACCOUNT_CHANGED', closed_at = to_timestamp(${seconds(trade)}), updated_at = now()
    where id = ${open.id}`;
}

function openNew(tx: TransactionSql, trade: Execution, quantity: number): Promise<unknown> {
  const value = new Big(trade.price).times(quantity).toFixed(4);
  return tx`
    with opened as (
      insert into tsm_positions (symbol, broker, exchange, style, side, qty, entry_price, ltp, status, mode, entry_order_id, opened_at, updated_at)
      values (${trade.symbol}, ${trade.broker}, ${trade.exchange}, ${trade.style}, ${trade.side}, ${quantity}, ${trade.price}, ${trade.price},
        'OPEN', ${trade.mode}, ${trade.orderId}, to_timestamp(${seconds(trade)}), now())
      returning id
    ), moved as (${moveCapital(tx, value, '0')})
    insert into position_details (position_id, account, token) select id, ${trade.account}, ${trade.token} from opened`;
}

function grow(tx: TransactionSql, open: OpenPosition, trade: Execution): Promise<unknown> {
  const quantity = open.qty + trade.quantity;
  const added = new Big(trade.price).times(trade.quantity);
  const entry = new Big(open.entry_price ?? trade.price).times(open.qty).plus(added).div(quantity);
  return tx`
    with moved as (${moveCapital(tx, added.times(open.multiplier).toFixed(4), '0')})
    update tsm_positions set qty = ${quantity}, entry_price = ${entry.toFixed(4)}, ltp = ${trade.price}, updated_at = now() where id = ${open.id}`;
}

function reduce(tx: TransactionSql, open: OpenPosition, trade: Execution, closing: number): Promise<unknown>[] {
  const price = new Big(trade.price);
  const entry = open.entry_price === null ? null : new Big(open.entry_price);
  const direction = open.side === 'BUY' ? 1 : -1;
  const profit = entry ? price.minus(entry).times(closing).times(open.multiplier).times(direction) : null;
  const realized = profit ? new Big(open.realized_pnl ?? '0').plus(profit).toFixed(4) : null;
  const closedQuantity = open.closed_quantity + closing;
  const exitValue = new Big(open.exit_value).plus(price.times(closing));
  const left = open.qty - closing;
  const deployed = (entry ?? price).times(closing).times(open.multiplier).times(-1).toFixed(4);
  const closed = left === 0;
  const reduced = tx`
    with moved as (${moveCapital(tx, deployed, (profit ?? new Big(0)).toFixed(4))}),
    detailed as (update position_details set closed_quantity = ${closedQuantity}, exit_value = ${exitValue.toFixed(4)} where position_id = ${open.id})
    update tsm_positions set qty = ${left}, ltp = ${trade.price}, exit_price = ${exitValue.div(closedQuantity).toFixed(4)}, realized_pnl = ${realized},
      status = ${closed ? 'CLOSED' : 'OPEN'}, exit_reason = ${closed ? 'ORDER' : null},
      closed_at = ${closed ? tx`to_timestamp(${seconds(trade)})` : null}, updated_at = now()
    where id = ${open.id}`;
  return closed ? [reduced, learn(tx, open.id, closedQuantity)] : [reduced];
}

/** `deployed` and `profit` in rupees; totals that are not known stay unknown. */
function moveCapital(tx: TransactionSql, deployed: string, profit: string) {
  return tx`
    update tsm_capital set
      deployed_capital = greatest(0, coalesce(deployed_capital, 0) + ${deployed}::numeric),
      available_capital = available_capital - ${deployed}::numeric + ${profit}::numeric,
      total_capital = total_capital + ${profit}::numeric,
      realized_pnl = realized_pnl + ${profit}::numeric, updated_at = now()
    where id = 1`;
}

function learn(tx: TransactionSql, positionId: number, quantity: number): Promise<unknown> {
  return tx`
    insert into trade_learning (position_id, broker, symbol, exchange, style, side, quantity, entry_price, exit_price, realized_pnl, opened_at, closed_at, exit_reason, strategy, mode)
    select id, broker, symbol, exchange, style, side, ${quantity}, entry_price, exit_price, realized_pnl, opened_at, closed_at, exit_reason, strategy, mode
    from tsm_positions where id = ${positionId}
    on conflict (position_id) do nothing`;
}
