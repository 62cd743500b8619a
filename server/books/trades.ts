import { and, desc, eq, max, sql } from 'drizzle-orm';
import { orderDetails, orders, tradeHistory } from '../../drizzle/schema.ts';
import type { TradeRow } from '../brokers/broker.ts';
import { tradingDay } from '../clock.ts';
import type { Db, Handle, Tx } from '../db/handle.ts';
import { given, msOf } from '../db/rows.ts';
import { transaction } from '../db/transaction.ts';
import { averagePrice, Big, exact } from '../money.ts';
import { type AccountKey, distinct, keyText, type PositionKey } from './keys.ts';
import { nameOf, type OrderName, recordTraded, tradedAs, tradedColumns } from './known-orders.ts';
import { type Execution, loadHeaders, lockPositions } from './position-rows.ts';
import { rebook } from './rebook.ts';
import { liveFrom } from './replay-window.ts';
import { insertTrades, type Writes } from './write-rows.ts';

type OrderOfTrades = Awaited<ReturnType<typeof ordersOf>>[number];
type Standing = Awaited<ReturnType<typeof standingOf>>[number];

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
export async function settleTrades(db: Handle, who: AccountKey, trades: readonly TradeRow[], now: number): Promise<number> {
  // Nothing is locked where nothing changes: of a day's orders a few tell something new.
  const telling = await toldAnew(db, who, trades);
  if (telling.size === 0) return 0;
  return await transaction(db, async (tx) => {
    const orders = await ordersOf(tx, who, [...telling.values()]);
    const standing = Map.groupBy(await standingOf(tx, who, orders), nameOf);
    const told = (order: OrderOfTrades) => telling.get(nameOf(order))?.trades ?? [];
    const open = orders.filter((order) => pending(order, standing.get(nameOf(order)) ?? [], told(order)));
    const touched = distinct(open.map(keyOf));
    await lockPositions(tx, who.broker, touched);
    const headers = await loadHeaders(tx, who, touched, now);
    const live = (order: OrderOfTrades) => liveFrom(headers.get(keyText(keyOf(order))) ?? []);
    const changes = open.flatMap((order) => exchange(who, order, standing.get(nameOf(order)) ?? [], told(order), live(order), now));
    if (changes.length === 0) return 0;
    const history = changes.flatMap((change) => change.history);
    const keys = distinct(changes.map(({ order }) => keyOf(order)));
    const removed = changes.flatMap((change) => change.removed);
    await rebook(tx, who, { added: changes.flatMap((change) => change.added), removed, keys, headers }, now);
    await insertTrades(tx, who, history);
    await raiseOrders(tx, who, changes);
    return changes.length;
  });
}

/** Trades of orders nobody recorded, and not written down yet. */
export async function strayTrades(tx: Tx, who: AccountKey, trades: readonly TradeRow[], now: number): Promise<Execution[]> {
  if (trades.length === 0) return [];
  const names = trades.map((trade, index) => ({ index, ...tradedAs(trade), trade_id: trade.trade_id }));
  const asked = given('asked', { ...tradedColumns, index: 'integer', trade_id: tradeHistory.trade_id }, names);
  const { broker, account, order_id, trade_id, trading_day } = tradeHistory;
  const written = tx
    .select({ trade_id })
    .from(tradeHistory)
    .where(
      and(
        ...[eq(broker, who.broker), eq(account, who.account), eq(order_id, asked.order_id), eq(trade_id, asked.trade_id)],
        sql`(${asked.day} is null or ${trading_day} >= ${asked.day})`,
      ),
    );
  const known = await tx
    .select({ index: asked.index })
    .from(asked.table)
    .where(sql`exists ${recordTraded(tx, who, asked)} or exists ${written}`);
  const seen = new Set(known.map((row) => row.index));
  const strays = trades.filter((_, index) => !seen.has(index));
  return strays.map((trade) => executionOf(who, trade, { token: trade.token, otherwise: now }));
}

/** Whether fills are booked that the exchange's trades have not confirmed yet: the newest such row, null when none. */
export async function newestDerived(db: Db, who: AccountKey): Promise<number | null> {
  const { id, derived, broker, account } = tradeHistory;
  const [row] = await db
    .select({ id: max(id) })
    .from(tradeHistory)
    .where(and(derived, eq(broker, who.broker), eq(account, who.account)));
  return row?.id ?? null;
}

/** Orders whose trades, as they are told now, may be exchanged: what `pending` says, before anything is locked. */
async function toldAnew(db: Db, who: AccountKey, trades: readonly TradeRow[]): Promise<Map<string, OrderName & { trades: TradeRow[] }>> {
  if (trades.length === 0) return new Map();
  const groups = [...Map.groupBy(trades, (trade) => `${trade.order_id}|${tradedAs(trade).day}`).values()].flatMap((group) => {
    const [first] = group;
    return first ? [{ ...tradedAs(first), covered: sum(group), trades: group }] : [];
  });
  const rows = await tellingGroups(
    db,
    who,
    groups.map(({ order_id, day, at, covered }, index) => ({ index, order_id, day, at, covered })),
  );
  return new Map(
    [...Map.groupBy(rows, nameOf)].flatMap(([name, parts]) => {
      const [order] = parts;
      return order ? [[name, { ...order, trades: parts.flatMap(({ index }) => groups[index]?.trades ?? []) }]] : [];
    }),
  );
}

/** Of groups of one order's trades of one day (`covered`: their quantity) those whose order they cover, and tell something new of. */
async function tellingGroups(db: Db, who: AccountKey, groups: readonly object[]): Promise<(OrderName & { index: number })[]> {
  const { quantity, derived, broker, account } = tradeHistory;
  const asked = given('asked', { ...tradedColumns, index: 'integer', covered: tradeHistory.quantity }, groups);
  const record = recordTraded(db, who, asked).as('record');
  const covered = sql<number>`sum(${asked.covered}) over (partition by ${asked.order_id}, ${record.trading_day})`;
  const told = db
    .select({
      index: sql<number>`${asked.index}`.as('index'),
      order_id: sql<string>`${asked.order_id}`.as('order_id'),
      ...{ trading_day: record.trading_day, filled_quantity: record.filled_quantity, covered: covered.as('covered') },
    })
    .from(asked.table)
    .crossJoinLateral(record)
    .as('told');
  const booked = sql<number>`coalesce(sum(${quantity}), 0)`.as('booked');
  const standing = db
    .select({ booked, unconfirmed: sql<boolean>`coalesce(bool_or(${derived}), false)`.as('unconfirmed') })
    .from(tradeHistory)
    .where(
      and(
        ...[eq(broker, who.broker), eq(account, who.account), eq(tradeHistory.order_id, sql`told.order_id`)],
        eq(tradeHistory.trading_day, told.trading_day),
      ),
    )
    .as('standing');
  return await db
    .select({ index: told.index, order_id: told.order_id, trading_day: told.trading_day })
    .from(told)
    .crossJoinLateral(standing)
    .where(sql`${told.filled_quantity} <= ${told.covered} and (${told.covered} > ${standing.booked} or ${standing.unconfirmed})`);
}

const nameColumns = { order_id: orderDetails.order_id, trading_day: orderDetails.trading_day };

/** The records of orders, locked. */
async function ordersOf(tx: Tx, who: AccountKey, names: readonly OrderName[]) {
  const { exchange, symbol, side, product, filled_quantity, status, created_at } = orders;
  const { order_id, trading_day, token, broker, account } = orderDetails;
  const asked = given('asked', nameColumns, names);
  const order = { exchange, symbol, side, product: sql<string>`${product}`, token, filled_quantity, status };
  return await tx
    .select({ order_id: orders.order_id, trading_day, made: sql<string>`${created_at}::text`, ...order })
    .from(orders)
    .innerJoin(
      orderDetails,
      and(eq(orders.broker, broker), eq(orders.order_id, order_id), eq(created_at, orderDetails.created_at), eq(broker, who.broker)),
    )
    .innerJoin(asked.table, and(eq(order_id, asked.order_id), eq(trading_day, asked.trading_day)))
    .where(and(eq(orders.broker, who.broker), eq(account, who.account)))
    .orderBy(orders.order_id, desc(trading_day))
    .for('update', { of: orders });
}

/** What is booked of orders. */
async function standingOf(tx: Tx, who: AccountKey, names: readonly OrderName[]) {
  const { id, order_id, trading_day, trade_id, quantity, traded_at, derived, frozen, position_id, broker, account } = tradeHistory;
  const asked = given('asked', nameColumns, names);
  return await tx
    .select({ id, order_id, trading_day, trade_id, quantity, at: msOf(traded_at), derived, frozen, position_id })
    .from(tradeHistory)
    .innerJoin(asked.table, and(eq(order_id, asked.order_id), eq(trading_day, asked.trading_day)))
    .where(and(eq(broker, who.broker), eq(account, who.account)))
    .orderBy(id);
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
async function raiseOrders(tx: Tx, who: AccountKey, changes: readonly Exchanged[]): Promise<void> {
  const ahead = changes.filter(({ order, filled }) => filled > order.filled_quantity);
  if (ahead.length === 0) return;
  const rows = ahead.map(({ order, filled, average }) => {
    // Whether it is filled whole the order book knows: the quantity may have been modified.
    const status = order.status === 'PLACED' ? 'PARTIALLY_FILLED' : order.status;
    return { order_id: order.order_id, made: order.made, filled_quantity: filled, avg_price: average, status };
  });
  const { broker, order_id, created_at, filled_quantity, avg_price, status } = orders;
  const raised = given('raised', { order_id, made: created_at, filled_quantity, avg_price, status }, rows);
  await tx
    .update(orders)
    .set({ filled_quantity: raised.filled_quantity, avg_price: raised.avg_price, status: raised.status, updated_at: sql`now()` })
    .from(raised.table)
    .where(and(eq(broker, who.broker), eq(order_id, raised.order_id), eq(created_at, raised.made)));
}

function sum(rows: readonly { quantity: number }[]): number {
  return rows.reduce((total, row) => total + row.quantity, 0);
}
