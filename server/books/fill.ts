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

interface OpenPosition {
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

/** Books one execution: trade row, position, capital. A trade that is booked already changes nothing. Runs inside the caller's transaction. */
export async function bookExecution(tx: TransactionSql, trade: Execution): Promise<void> {
  const booked = await tx`
    insert into trade_history (broker, account, trade_id, order_id, symbol, exchange, side, product, quantity, price, traded_at, mode)
    values (${trade.broker}, ${trade.account}, ${trade.tradeId}, ${trade.orderId}, ${trade.symbol}, ${trade.exchange}, ${trade.side},
      ${trade.style}, ${trade.quantity}, ${trade.price}, to_timestamp(${trade.at / 1000}), ${trade.mode})
    on conflict (broker, account, order_id, trade_id) do nothing returning id`;
  if (booked.length === 0) return;
  const open = await openPosition(tx, trade);
  if (!open) return await openNew(tx, trade, trade.quantity);
  if (open.side === trade.side) return await grow(tx, open, trade);
  const closing = Math.min(open.qty, trade.quantity);
  await reduce(tx, open, trade, closing);
  if (trade.quantity > closing) await openNew(tx, trade, trade.quantity - closing);
}

async function openPosition(tx: TransactionSql, trade: Execution): Promise<OpenPosition | null> {
  const [row] = await tx<OpenPosition[]>`
    select p.id, p.side, p.qty, p.entry_price, p.realized_pnl, coalesce(d.multiplier, 1)::text as multiplier,
      coalesce(d.closed_quantity, 0) as closed_quantity, coalesce(d.exit_value, 0)::text as exit_value, d.account
    from tsm_positions p left join position_details d on d.position_id = p.id
    where p.broker = ${trade.broker} and p.exchange = ${trade.exchange} and p.symbol = ${trade.symbol} and p.style = ${trade.style} and p.status = 'OPEN'
    for update of p`;
  if (!row || row.account === trade.account) return row ?? null;
  // Another account of the same broker held it: its row cannot be followed any more.
  await tx`update tsm_positions set status = 'CLOSED', exit_reason = 'ACCOUNT_CHANGED', closed_at = to_timestamp(${trade.at / 1000}), updated_at = now() where id = ${row.id}`;
  return null;
}

async function openNew(tx: TransactionSql, trade: Execution, quantity: number): Promise<void> {
  const [row] = await tx<{ id: number }[]>`
    insert into tsm_positions (symbol, broker, exchange, style, side, qty, entry_price, ltp, status, mode, entry_order_id, opened_at, updated_at)
    values (${trade.symbol}, ${trade.broker}, ${trade.exchange}, ${trade.style}, ${trade.side}, ${quantity}, ${trade.price}, ${trade.price},
      'OPEN', ${trade.mode}, ${trade.orderId}, to_timestamp(${trade.at / 1000}), now())
    returning id`;
  if (!row) throw new Error('A position row was not written');
  await tx`insert into position_details (position_id, account, token) values (${row.id}, ${trade.account}, ${trade.token})`;
  await moveCapital(tx, new Big(trade.price).times(quantity), new Big(0));
}

async function grow(tx: TransactionSql, open: OpenPosition, trade: Execution): Promise<void> {
  const quantity = open.qty + trade.quantity;
  const entry = new Big(open.entry_price ?? trade.price).times(open.qty).plus(new Big(trade.price).times(trade.quantity)).div(quantity);
  await tx`update tsm_positions set qty = ${quantity}, entry_price = ${entry.toFixed(4)}, ltp = ${trade.price}, updated_at = now() where id = ${open.id}`;
  await moveCapital(tx, new Big(trade.price).times(trade.quantity).times(open.multiplier), new Big(0));
}

async function reduce(tx: TransactionSql, open: OpenPosition, trade: Execution, closing: number): Promise<void> {
  const entry = open.entry_price === null ? null : new Big(open.entry_price);
  const price = new Big(trade.price);
  const direction = open.side === 'BUY' ? 1 : -1;
  const profit = entry ? price.minus(entry).times(closing).times(open.multiplier).times(direction) : null;
  const realized = profit ? new Big(open.realized_pnl ?? '0').plus(profit) : null;
  const closedQuantity = open.closed_quantity + closing;
  const exitValue = new Big(open.exit_value).plus(price.times(closing));
  const left = open.qty - closing;
  const exitPrice = exitValue.div(closedQuantity).toFixed(4);
  await tx`update position_details set closed_quantity = ${closedQuantity}, exit_value = ${exitValue.toFixed(4)} where position_id = ${open.id}`;
  await tx`
    update tsm_positions set qty = ${left}, ltp = ${trade.price}, exit_price = ${exitPrice}, realized_pnl = ${realized?.toFixed(4) ?? null},
      status = ${left === 0 ? 'CLOSED' : 'OPEN'}, exit_reason = ${left === 0 ? 'ORDER' : null},
      closed_at = ${left === 0 ? tx`to_timestamp(${trade.at / 1000})` : null}, updated_at = now()
    where id = ${open.id}`;
  await moveCapital(tx, (entry ?? price).times(closing).times(open.multiplier).times(-1), profit ?? new Big(0));
  if (left === 0) await learn(tx, open.id, closedQuantity);
}

/** `deployed` and `profit` in rupees; totals that are not known stay unknown. */
async function moveCapital(tx: TransactionSql, deployed: Big, profit: Big): Promise<void> {
  const [deployedText, profitText] = [deployed.toFixed(4), profit.toFixed(4)];
  await tx`
    update tsm_capital set
      deployed_capital = greatest(0, coalesce(deployed_capital, 0) + ${deployedText}),
      available_capital = available_capital - ${deployedText} + ${profitText},
      total_capital = total_capital + ${profitText},
      realized_pnl = realized_pnl + ${profitText}, updated_at = now()
    where id = 1`;
}

async function learn(tx: TransactionSql, positionId: number, quantity: number): Promise<void> {
  await tx`
    insert into trade_learning (position_id, broker, symbol, exchange, style, side, quantity, entry_price, exit_price, realized_pnl, opened_at, closed_at, exit_reason, strategy, mode)
    select id, broker, symbol, exchange, style, side, ${quantity}, entry_price, exit_price, realized_pnl, opened_at, closed_at, exit_reason, strategy, mode
    from tsm_positions where id = ${positionId}
    on conflict (position_id) do nothing`;
}
