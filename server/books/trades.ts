import type { Sql, TransactionSql } from 'postgres';
import type { OrderStatus } from '../../contract/words.ts';
import type { TradeRow } from '../brokers/broker.ts';
import { tradingDay } from '../clock.ts';
import { transaction } from '../db/transaction.ts';
import { averagePrice, Big, exact } from '../money.ts';
import type { Execution } from './fill.ts';
import { type AccountKey, distinct, keyText, type PositionKey } from './keys.ts';
import { rebook } from './rebook.ts';
import { insertTrades, lockPositions, rowsOf, type Writes } from './rebook-store.ts';
import { stretchesOf } from './replay-window.ts';
import { nameOf, type OrderName, recordTraded, tradedAs } from './traded.ts';

interface OrderOfTrades extends OrderName {
  made: string;
  exchange: string;
  symbol: string;
  side: string;
  product: string;
  token: string | null;
  filled_quantity: number;
  status: OrderStatus;
}

interface Standing extends OrderName {
  id: number;
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
 * Puts the exchange's own trades of known orders for what the order book's cumulative fills told, once they cover all that is booked, and
 * books what they show beyond that. Prices, times and the order of fills are then the exchange's: positions, profit and capital are computed anew.
 * Returns how many orders changed; a second run changes none.
 */
export async function settleTrades(sql: Sql, who: AccountKey, trades: readonly TradeRow[], now: number): Promise<number> {
  // Nothing is locked where nothing changes: of a day's orders a few tell something new.
  const telling = await toldAnew(sql, who, trades);
  if (telling.size === 0) return 0;
  return await transaction(sql, async (tx) => {
    const orders = await ordersOf(tx, who, [...telling.values()]);
    const standing = Map.groupBy(await standingOf(tx, who, orders), nameOf);
    const told = (order: OrderOfTrades) => telling.get(nameOf(order))?.trades ?? [];
    const open = orders.filter((order) => pending(order, standing.get(nameOf(order)) ?? [], told(order)));
    const touched = distinct(open.map(keyOf));
    await lockPositions(tx, who.broker, touched);
    const stretches = await stretchesOf(tx, who, touched, { added: [] }, now);
    const live = new Map(stretches.map((stretch) => [keyText(stretch), stretch.live]));
    const changes = open.flatMap((order) =>
      exchange(who, order, standing.get(nameOf(order)) ?? [], told(order), live.get(keyText(keyOf(order))) ?? Infinity, now),
    );
    if (changes.length === 0) return 0;
    const history = changes.flatMap((change) => change.history);
    const keys = distinct(changes.map(({ order }) => keyOf(order)));
    const removed = changes.flatMap((change) => change.removed);
    await rebook(tx, who, { added: changes.flatMap((change) => change.added), removed, keys }, now);
    if (history.length > 0) await insertTrades(tx, who, history);
    await raiseOrders(tx, who, changes);
    return changes.length;
  });
}

/** Trades of orders nobody recorded, and not written down yet. */
export async function strayTrades(tx: TransactionSql, who: AccountKey, trades: readonly TradeRow[], now: number): Promise<Execution[]> {
  if (trades.length === 0) return [];
  const names = trades.map((trade, index) => ({ index, ...tradedAs(trade), trade_id: trade.trade_id }));
  const known = await tx<{ index: number }[]>`
    select g.index from jsonb_to_recordset(${rowsOf(tx, names)}) as g(index int, order_id text, day text, at float8, trade_id text)
    where exists (${recordTraded(tx, who)})
      or exists (select from trade_history t where t.broker = ${who.broker} and t.account = ${who.account} and t.order_id = g.order_id
        and t.trade_id = g.trade_id and (g.day is null or t.trading_day >= g.day))`;
  const seen = new Set(known.map((row) => row.index));
  const strays = trades.filter((_, index) => !seen.has(index));
  return strays.map((trade) => executionOf(who, trade, { token: trade.token, otherwise: now }));
}

/** Whether fills are booked that the exchange's trades have not confirmed yet: the newest such row, null when none. */
export async function newestDerived(sql: Sql, who: AccountKey): Promise<number | null> {
  const [row] = await sql<{ id: number | null }[]>`
    select max(id) as id from trade_history where derived and broker = ${who.broker} and account = ${who.account}`;
  return row?.id ?? null;
}

/** Orders whose trades, as they are told now, may be exchanged: what `pending` says, before anything is locked. */
async function toldAnew(sql: Sql, who: AccountKey, trades: readonly TradeRow[]): Promise<Map<string, OrderName & { trades: TradeRow[] }>> {
  if (trades.length === 0) return new Map();
  const groups = [...Map.groupBy(trades, (trade) => `${trade.order_id}|${tradedAs(trade).day}`).values()].flatMap((group) => {
    const [first] = group;
    return first ? [{ ...tradedAs(first), covered: sum(group), trades: group }] : [];
  });
  const told = groups.map(({ order_id, day, at, covered }, index) => ({ index, order_id, day, at, covered }));
  const rows = await sql<(OrderName & { index: number })[]>`
    select index, order_id, trading_day from (
      select g.index, g.order_id, r.trading_day, r.filled_quantity, sum(g.covered) over (partition by g.order_id, r.trading_day) as covered
      from jsonb_to_recordset(${rowsOf(sql, told)}) as g(index int, order_id text, day text, at float8, covered bigint)
      cross join lateral (${recordTraded(sql, who)}) r
    ) as told
    cross join lateral (
      select coalesce(sum(quantity), 0) as booked, coalesce(bool_or(derived), false) as derived from trade_history t
      where t.broker = ${who.broker} and t.account = ${who.account} and t.order_id = told.order_id and t.trading_day = told.trading_day
    ) as standing
    where told.filled_quantity <= told.covered and (told.covered > standing.booked or standing.derived)`;
  return new Map(
    [...Map.groupBy(rows, nameOf)].flatMap(([name, parts]) => {
      const [order] = parts;
      return order ? [[name, { ...order, trades: parts.flatMap(({ index }) => groups[index]?.trades ?? []) }]] : [];
    }),
  );
}

function ordersOf(tx: TransactionSql, who: AccountKey, names: readonly OrderName[]): Promise<OrderOfTrades[]> {
  return tx<OrderOfTrades[]>`
    select o.order_id, d.trading_day, o.created_at::text as made, o.exchange, o.symbol, o.side, o.product, d.token, o.filled_quantity, o.status
    from jsonb_to_recordset(${namesIn(tx, names)}) as g(order_id text, trading_day text)
    join order_details d on d.broker = ${who.broker} and d.order_id = g.order_id and d.account = ${who.account} and d.trading_day = g.trading_day
    join tsm_orders o on o.broker = ${who.broker} and o.order_id = d.order_id and o.created_at = d.created_at
    order by o.order_id, d.trading_day desc for update of o`;
}

function standingOf(tx: TransactionSql, who: AccountKey, orders: readonly OrderName[]): Promise<Standing[]> {
  return tx<Standing[]>`
    select t.id, t.order_id, t.trading_day, t.trade_id, t.quantity, round(extract(epoch from t.traded_at) * 1000)::float8 as at, t.derived, t.frozen,
      t.position_id
    from jsonb_to_recordset(${namesIn(tx, orders)}) as g(order_id text, trading_day text)
    join trade_history t on t.broker = ${who.broker} and t.account = ${who.account} and t.order_id = g.order_id and t.trading_day = g.trading_day
    order by t.id`;
}

function namesIn(tx: TransactionSql, names: readonly OrderName[]) {
  return rowsOf(
    tx,
    names.map(({ order_id, trading_day }) => ({ order_id, trading_day })),
  );
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
  who: AccountKey,
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
    .map((trade) => {
      const known = { token: trade.token ?? order.token, otherwise: stoodFrom ?? now, day: order.trading_day };
      return executionOf(who, { ...trade, ...namesOf(order) }, known);
    })
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

function keyOf({ exchange: market, symbol, product }: OrderOfTrades): PositionKey {
  return { exchange: market, symbol, style: product };
}

function namesOf({ exchange: market, symbol, product, side }: OrderOfTrades) {
  return { exchange: market, symbol, product_type: product, transaction_type: side };
}

/** `otherwise`: when it traded, where the trade does not say (epoch ms); `day`: its order's trading day, where that is known. */
function executionOf(
  who: AccountKey,
  trade: TradeRow,
  { token, otherwise, day }: { token: string | null; otherwise: number; day?: string },
): Execution {
  const at = trade.traded_at === null ? otherwise : Date.parse(trade.traded_at);
  const { order_id: orderId, trade_id: tradeId, exchange: market, symbol, product_type: style, transaction_type: side, quantity } = trade;
  const price = (exact(trade.price) ?? new Big(0)).toFixed(4);
  const names = { orderId, tradeId, tradingDay: day ?? tradingDay(at) };
  return { ...who, ...names, exchange: market, symbol, token, style, side, quantity, price, at, derived: false };
}

/** Trades that are ahead of the order book raise the order's record: a trade is a fill. */
async function raiseOrders(tx: TransactionSql, who: AccountKey, changes: readonly Exchanged[]): Promise<void> {
  const ahead = changes.filter(({ order, filled }) => filled > order.filled_quantity);
  if (ahead.length === 0) return;
  const rows = ahead.map(({ order, filled, average }) => {
    // Whether it is filled whole the order book knows: the quantity may have been modified.
    const status = order.status === 'PLACED' ? 'PARTIALLY_FILLED' : order.status;
    return { order_id: order.order_id, made: order.made, filled, average, status };
  });
  await tx`
    update tsm_orders o set filled_quantity = given.filled, avg_price = given.average, status = given.status, updated_at = now()
    from jsonb_to_recordset(${rowsOf(tx, rows)}) as given(order_id text, made timestamptz, filled bigint, average numeric, status text)
    where o.broker = ${who.broker} and o.order_id = given.order_id and o.created_at = given.made`;
}

function sum(rows: readonly { quantity: number }[]): number {
  return rows.reduce((total, row) => total + row.quantity, 0);
}
