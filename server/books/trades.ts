import type { Sql, TransactionSql } from 'postgres';
import type { OrderStatus } from '../../contract/words.ts';
import type { TradeRow } from '../brokers/broker.ts';
import { transaction } from '../db/transaction.ts';
import { averagePrice, Big, exact } from '../money.ts';
import type { Execution } from './fill.ts';
import { rebook } from './rebook.ts';
import { insertTrades, lockScopes, rowsOf, type Writes } from './rebook-store.ts';
import { distinct, type Held, type Scope, scopeKey } from './scope.ts';
import { stretchesOf } from './stretch.ts';

interface OrderOfTrades {
  order_id: string;
  exchange: string;
  symbol: string;
  side: string;
  product: string;
  token: string | null;
  filled_quantity: number;
  status: OrderStatus;
}

interface Standing {
  id: number;
  order_id: string;
  trade_id: string;
  quantity: number;
  at: number;
  derived: boolean;
  frozen: boolean;
  position_id: number | null;
}

/** What one order's own trades change: rows they replace, rows that count, rows that are only history. */
interface Exchanged {
  removed: number[];
  added: Execution[];
  history: Writes['added'];
  order: OrderOfTrades;
  filled: number;
  average: number;
}

/**
 * Puts the exchange's own trades of known orders in the place of what the order book's cumulative fills told, once they cover all that is booked, and
 * books what they show beyond that. Prices, times and the order of fills are then the exchange's: positions, profit and capital are computed anew.
 * Returns how many orders changed; a second run changes none.
 */
export async function settleTrades(sql: Sql, who: Held, trades: readonly TradeRow[], now: number): Promise<number> {
  const byOrder = Map.groupBy(trades, (trade) => trade.order_id);
  // Nothing is locked where nothing changes: of a day's orders a few tell something new.
  const telling = await toldAnew(sql, who, byOrder);
  if (telling.length === 0) return 0;
  return await transaction(sql, async (tx) => {
    const orders = await ordersOf(tx, who, telling);
    const standing = Map.groupBy(await standingOf(tx, who, orders), (row) => row.order_id);
    const open = orders.filter((order) => pending(order, standing.get(order.order_id) ?? [], byOrder.get(order.order_id) ?? []));
    const places = distinct(open.map(placeOf));
    await lockScopes(tx, who.broker, places);
    const stretches = await stretchesOf(tx, who, places, { added: [] }, now);
    const live = new Map(stretches.map((stretch) => [scopeKey(stretch), stretch.live]));
    const changes = open.flatMap((order) =>
      exchange(
        who,
        order,
        standing.get(order.order_id) ?? [],
        byOrder.get(order.order_id) ?? [],
        live.get(scopeKey(placeOf(order))) ?? Infinity,
        now,
      ),
    );
    if (changes.length === 0) return 0;
    const history = changes.flatMap((change) => change.history);
    const scopes = distinct(changes.map(({ order }) => placeOf(order)));
    const removed = changes.flatMap((change) => change.removed);
    await rebook(tx, who, { added: changes.flatMap((change) => change.added), removed, scopes }, now);
    if (history.length > 0) await insertTrades(tx, who, history);
    await raiseOrders(tx, who, changes);
    return changes.length;
  });
}

/** Trades of orders nobody recorded, and not written down yet. */
export async function strayTrades(tx: TransactionSql, who: Held, trades: readonly TradeRow[], now: number): Promise<Execution[]> {
  if (trades.length === 0) return [];
  const names = rowsOf(
    tx,
    trades.map(({ order_id, trade_id }) => ({ order_id, trade_id })),
  );
  const known = await tx<{ order_id: string; trade_id: string }[]>`
    select g.order_id, g.trade_id from jsonb_to_recordset(${names}) as g(order_id text, trade_id text)
    where exists (select 1 from tsm_orders o where o.broker = ${who.broker} and o.order_id = g.order_id)
      or exists (select 1 from trade_history t where t.broker = ${who.broker} and t.account = ${who.account} and t.order_id = g.order_id and t.trade_id = g.trade_id)`;
  const seen = new Set(known.map((row) => `${row.order_id}|${row.trade_id}`));
  return trades
    .filter((trade) => !seen.has(`${trade.order_id}|${trade.trade_id}`))
    .map((trade) => executionOf(who, trade, trade.token, now));
}

/** Whether fills are booked that the exchange's trades have not confirmed yet: the newest such row, null when none. */
export async function newestDerived(sql: Sql, who: Held): Promise<number | null> {
  const [row] = await sql<{ id: number | null }[]>`
    select max(id) as id from trade_history where derived and broker = ${who.broker} and account = ${who.account}`;
  return row?.id ?? null;
}

/** Orders of ours whose trades, as they are told now, may be exchanged: what `pending` says, before anything is locked. */
async function toldAnew(sql: Sql, who: Held, byOrder: ReadonlyMap<string, readonly TradeRow[]>): Promise<string[]> {
  if (byOrder.size === 0) return [];
  const told = [...byOrder].map(([id, trades]) => ({ id, covered: sum(trades) }));
  const rows = await sql<{ id: string }[]>`
    select g.id from jsonb_to_recordset(${rowsOf(sql, told)}) as g(id text, covered bigint)
    join tsm_orders o on o.broker = ${who.broker} and o.order_id = g.id and o.filled_quantity <= g.covered
    join order_details d on d.broker = o.broker and d.order_id = o.order_id and d.account = ${who.account}
    cross join lateral (
      select coalesce(sum(quantity), 0) as booked, coalesce(bool_or(derived), false) as derived from trade_history t
      where t.broker = ${who.broker} and t.account = ${who.account} and t.order_id = g.id
    ) as standing
    where g.covered > standing.booked or standing.derived`;
  return rows.map((row) => row.id);
}

function ordersOf(tx: TransactionSql, who: Held, ids: readonly string[]): Promise<OrderOfTrades[]> {
  return tx<OrderOfTrades[]>`
    select o.order_id, o.exchange, o.symbol, o.side, o.product, d.token, o.filled_quantity, o.status
    from tsm_orders o join order_details d on d.broker = o.broker and d.order_id = o.order_id
    where o.broker = ${who.broker} and d.account = ${who.account} and o.order_id in (select jsonb_array_elements_text(${tx.json([...ids])}))
    order by o.order_id for update of o`;
}

function standingOf(tx: TransactionSql, who: Held, orders: readonly OrderOfTrades[]): Promise<Standing[]> {
  return tx<Standing[]>`
    select id, order_id, trade_id, quantity, round(extract(epoch from traded_at) * 1000)::float8 as at, derived, frozen, position_id from trade_history
    where broker = ${who.broker} and account = ${who.account}
      and order_id in (select jsonb_array_elements_text(${tx.json(orders.map((order) => order.order_id))}))
    order by id`;
}

/** The trades tell something new, and cover all that is booked. */
function pending(order: OrderOfTrades, standing: readonly Standing[], trades: readonly TradeRow[]): boolean {
  const covered = sum(trades);
  if (covered < order.filled_quantity) return false;
  return covered > sum(standing) || standing.some((row) => row.derived);
}

/**
 * Divides an order's trades, oldest first: those from before our books began, those whose position has been set by a reconciliation since
 * (history only, both), and those that count: their position's id is `live` or higher. Where a trade lies across such a border nothing is exchanged.
 */
function exchange(
  who: Held,
  order: OrderOfTrades,
  standing: readonly Standing[],
  trades: readonly TradeRow[],
  live: number,
  now: number,
): Exchanged[] {
  const counts = (row: Standing) => !row.frozen && row.position_id !== null && row.position_id >= live;
  const settled = standing.filter((row) => !counts(row));
  const before = order.filled_quantity - sum(standing);
  const border = Math.max(0, before) + sum(settled);
  const firstSeen = new Map(standing.map((row) => [row.trade_id, row]));
  const [stoodFrom] = standing.filter((row) => row.derived).map((row) => row.at);
  const sorted = trades
    .map((trade) => executionOf(who, { ...trade, ...namesOf(order) }, trade.token ?? order.token, stoodFrom ?? now))
    .sort((a, b) => a.at - b.at || (a.tradeId.padStart(40, '0') < b.tradeId.padStart(40, '0') ? -1 : 1));
  let passed = 0;
  const [history, added]: [Writes['added'], Execution[]] = [[], []];
  for (const execution of sorted) {
    const known = firstSeen.get(execution.tradeId);
    if (passed < border && passed + execution.quantity > border) return [];
    const old = passed < border;
    passed += execution.quantity;
    if (known && !known.derived) continue;
    if (old) history.push({ execution, positionId: settled.at(-1)?.position_id ?? null, frozen: true });
    else added.push(execution);
  }
  const removed = standing.filter((row) => row.derived).map((row) => row.id);
  return [{ removed, added, history, order, filled: passed, average: averagePrice(sorted) }];
}

function placeOf({ exchange: market, symbol, product }: OrderOfTrades): Scope {
  return { exchange: market, symbol, style: product };
}

function namesOf({ exchange: market, symbol, product, side }: OrderOfTrades) {
  return { exchange: market, symbol, product_type: product, transaction_type: side };
}

function executionOf(who: Held, trade: TradeRow, token: string | null, otherwise: number): Execution {
  const at = trade.traded_at === null ? otherwise : Date.parse(trade.traded_at);
  const { order_id: orderId, trade_id: tradeId, exchange: market, symbol, product_type: style, transaction_type: side, quantity } = trade;
  const price = (exact(trade.price) ?? new Big(0)).toFixed(4);
  return { ...who, orderId, tradeId, exchange: market, symbol, token, style, side, quantity, price, at, derived: false };
}

/** Trades that are ahead of the order book raise the order's record: a trade is a fill. */
async function raiseOrders(tx: TransactionSql, who: Held, changes: readonly Exchanged[]): Promise<void> {
  const ahead = changes.filter(({ order, filled }) => filled > order.filled_quantity);
  if (ahead.length === 0) return;
  const rows = ahead.map(({ order, filled, average }) => {
    // Whether it is filled whole the order book knows: the quantity may have been modified.
    const status = order.status === 'PLACED' ? 'PARTIALLY_FILLED' : order.status;
    return { order_id: order.order_id, filled, average, status };
  });
  await tx`
    update tsm_orders o set filled_quantity = given.filled, avg_price = given.average, status = given.status, updated_at = now()
    from jsonb_to_recordset(${rowsOf(tx, rows)}) as given(order_id text, filled bigint, average numeric, status text)
    where o.broker = ${who.broker} and o.order_id = given.order_id`;
}

function sum(rows: readonly { quantity: number }[]): number {
  return rows.reduce((total, row) => total + row.quantity, 0);
}
