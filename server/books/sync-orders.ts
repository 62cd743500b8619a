import { and, eq, sql } from 'drizzle-orm';
import type { OrderStatus } from '../../contract/words.ts';
import { events, orderDetails, orders } from '../../drizzle/schema.ts';
import type { OrderRow } from '../brokers/broker.ts';
import { tradingDay } from '../clock.ts';
import type { Db, Handle, Tx } from '../db/handle.ts';
import { given, insertFrom } from '../db/rows.ts';
import { transaction } from '../db/transaction.ts';
import { exact } from '../money.ts';
import type { AccountKey } from './keys.ts';
import { dayOf, type KnownOrder, type Matched, matchOrders, mayBeOurs, unresolvedAttempts } from './known-orders.ts';
import { newFill, priced, reasonOf } from './order-record.ts';
import type { Execution } from './position-rows.ts';
import { rebook } from './rebook.ts';
import { DETAILS, isOpenOrder, madeAt, ordersOf } from './tables.ts';

/** What an order record is to say now. */
interface Followed {
  order_id: string;
  made: string;
  status: OrderStatus;
  filled_quantity: number;
  avg_price: string | null;
  reason: string | null;
  quantity: number;
  price: string | null;
  was: string;
}

const OPEN: readonly string[] = ['PLACED', 'PARTIALLY_FILLED'];

/**
 * Brings our order records (epoch ms `now`, UTC) up to one read of the broker's whole order book, and books what filled since: our orders to their
 * final state, and orders placed elsewhere, which are recorded as external and never touched. `first`: the books of this account begin here, so
 * that what external orders filled before is in its positions already. Not `whole`: some rows could not be read, so that no order is missing. Returns how many records changed; a second run changes none.
 */
export async function syncOrders(
  db: Handle,
  who: AccountKey,
  book: readonly OrderRow[],
  now: number,
  { first = false, whole = true }: { first?: boolean; whole?: boolean } = {},
): Promise<number> {
  const today = tradingDay(now);
  const followedIn = ({ known, rows }: Matched) => known.flatMap((order) => follow(order, rows.get(order), { whole, today }));
  // Nothing is locked where nothing changes, which is nearly always.
  const standing = await matchOrders(db, who, book, now);
  if (standing.strangers.length === 0 && followedIn(standing).length === 0) return 0;
  return await transaction(db, async (tx) => {
    // Attempts first: the record of one that has ended by then is there when the records are read.
    const attempts = await unresolvedAttempts(tx, who);
    const matched = await matchOrders(tx, who, book, now, true);
    const { known, rows } = matched;
    const strangers = matched.strangers.filter((row) => !mayBeOurs(row, attempts)).map((row) => ({ row, order: unseen(row, now) }));
    const followed = followedIn(matched);
    const recorded = strangers.length > 0 ? await insertExternal(tx, who, strangers) : new Set<string>();
    if (followed.length > 0) await updateOrders(tx, who, followed);
    const added = known.flatMap((order) => fillOf(who, order, rows.get(order), now));
    const theirs = first
      ? []
      : strangers.filter(({ order }) => recorded.has(nameOf(order))).flatMap(({ row, order }) => fillOf(who, order, row, now));
    await rebook(tx, who, { added: [...added, ...theirs] }, now);
    return recorded.size + followed.length;
  });
}

/** An order that left the book with its day was never seen to end: what became of it is not known. */
function follow(order: KnownOrder, row: OrderRow | undefined, { whole, today }: { whole: boolean; today: string }): Followed[] {
  const { order_id, made, status, filled_quantity, avg_price, reason, quantity, price } = order;
  const open = OPEN.includes(status);
  if (!row) {
    if (!open || order.tradingDay >= today || !whole) return [];
    return [{ order_id, made, status: 'UNKNOWN', filled_quantity, avg_price, reason, quantity, price, was: status }];
  }
  const told = toldBy(row, filled_quantity);
  const fills = told.filledQuantity > filled_quantity;
  const now = (open || status === 'UNKNOWN') && row.status !== 'UNKNOWN' ? statusOf(order, told) : status;
  const next: Followed = {
    order_id,
    made,
    status: now,
    filled_quantity: fills ? told.filledQuantity : filled_quantity,
    avg_price: fills ? text(told.averagePrice) : avg_price,
    // Some brokers say it only after the state.
    reason: reason ?? (row.status === now ? reasonOf(now, row.status_message) : null),
    quantity: open ? row.quantity : quantity,
    // Brokers turn MARKET into LIMIT: the price of ours stays as it was asked for.
    price: open && Number(price ?? 0) !== 0 && row.price && Number(price) !== row.price ? text(row.price) : price,
    was: status,
  };
  const same = next.status === status && !fills && next.quantity === quantity && next.price === price && next.reason === reason;
  return same ? [] : [next];
}

/** A fill whose price is not told yet keeps the order open as it is. */
function statusOf(order: KnownOrder, told: ReturnType<typeof toldBy>): OrderStatus {
  return told.unpriced ? (order.status === 'UNKNOWN' ? 'PLACED' : order.status) : told.status;
}

/** What a row tells beyond a quantity that is booked: nothing of more, while its price is not known. */
function toldBy(row: OrderRow, booked = 0) {
  const told = { status: row.status, filledQuantity: row.filled_quantity, averagePrice: row.average_price };
  const usable = told.filledQuantity > booked ? priced(told) : told;
  return { ...usable, unpriced: usable !== told };
}

function fillOf(who: AccountKey, order: KnownOrder, row: OrderRow | undefined, at: number): Execution[] {
  if (!row) return [];
  const { filledQuantity, averagePrice } = toldBy(row, order.filled_quantity);
  if (filledQuantity <= order.filled_quantity || averagePrice === null) return [];
  return [
    newFill({ ...who, ...order, token: row.token ?? order.token }, { orderId: order.order_id, filledQuantity, at }, order, averagePrice),
  ];
}

/** A stranger's order as if it had been known before it filled. */
function unseen(row: OrderRow, now: number): KnownOrder {
  const { order_id, symbol, exchange, quantity, token } = row;
  const made_ms = row.placed_at === null ? now : Date.parse(row.placed_at);
  const made = { tradingDay: dayOf(row, now), made: new Date(made_ms).toISOString(), made_ms };
  const known = { order_id, symbol, exchange, quantity, token, side: row.transaction_type, product: row.product_type };
  return { ...made, ...known, price: null, status: 'PLACED', filled_quantity: 0, avg_price: null, reason: null };
}

function nameOf({ order_id, tradingDay: day }: Pick<KnownOrder, 'order_id' | 'tradingDay'>): string {
  return `${order_id}|${day}`;
}

const { broker, order_id, symbol, exchange, side, order_type, product, quantity, price, filled_quantity, avg_price, status, reason } =
  orders;
const orderColumns = {
  ...{ broker, order_id, symbol, exchange, side, order_type, product, quantity, price, filled_quantity, avg_price, status, reason },
};

/** Returns the names of those recorded here: one that was recorded as ours meanwhile is ours. */
async function insertExternal(tx: Tx, who: AccountKey, strangers: readonly { row: OrderRow; order: KnownOrder }[]): Promise<Set<string>> {
  const { account, mode } = who;
  const rows = strangers.map(({ row, order }) => {
    const { status, filledQuantity, averagePrice } = toldBy(row);
    const told = {
      order_type: row.order_type,
      price: text(row.price),
      status,
      filled_quantity: filledQuantity,
      avg_price: text(averagePrice),
      reason: reasonOf(status, row.status_message),
    };
    return { ...order, ...told, broker: who.broker, trading_day: order.tradingDay };
  });
  const { trading_day, token } = orderDetails;
  const { table, made, ...order } = given('given', { ...orderColumns, trading_day, token, made: orders.created_at }, rows);
  // Two who record one order at once: the details decide, and the rest is written only where these are new.
  const isNew = sql`given join detailed using (order_id, trading_day)`;
  const created_at = sql.raw(madeAt('given.broker', 'given.order_id', 'given.made'));
  const details = {
    broker: order.broker,
    order_id: order.order_id,
    account,
    trading_day: order.trading_day,
    created_at,
    token: order.token,
  };
  const { broker, symbol, exchange, side, order_type, product, quantity, price, filled_quantity, avg_price, status, reason } = order;
  const facts = {
    order_id: sql`order_id`,
    broker,
    symbol,
    exchange,
    side,
    order_type,
    product,
    quantity,
    price,
    filled_quantity,
    avg_price,
    status,
    reason,
  };
  const detail = sql`jsonb_build_object('exchange', ${exchange}, 'side', ${side}, 'quantity', ${quantity}, 'status', ${status}, 'filled', ${filled_quantity})`;
  const event = { kind: 'order.external', broker, account, symbol, order_id: sql`order_id`, detail };
  const recorded = await tx.execute<{ order_id: string; tradingDay: string }>(sql`
    with given as (select * from ${table}), detailed as (
      ${insertFrom(orderDetails, { ...details, external: true }, sql`given`)}
      on conflict (broker, order_id, account, trading_day) do nothing returning order_id, trading_day, created_at
    ), recorded as (${insertFrom(orders, { ...facts, mode, created_at: sql`detailed.created_at` }, isNew)}),
    noted as (${insertFrom(events, event, isNew)})
    select order_id, trading_day as "tradingDay" from detailed`);
  return new Set(recorded.map(nameOf));
}

async function updateOrders(tx: Tx, who: AccountKey, followed: readonly Followed[]): Promise<void> {
  const { broker, order_id, created_at, symbol, status, filled_quantity, avg_price, reason, quantity, price } = orders;
  const { table, ...told } = given(
    'told',
    { order_id, made: created_at, status, filled_quantity, avg_price, reason, quantity, price, was: 'text' },
    followed,
  );
  const changed = tx
    .update(orders)
    .set({
      ...{
        status: told.status,
        filled_quantity: told.filled_quantity,
        avg_price: told.avg_price,
        reason: told.reason,
        quantity: told.quantity,
        price: told.price,
      },
      updated_at: sql`now()`,
    })
    .from(table)
    .where(and(eq(broker, who.broker), eq(order_id, told.order_id), eq(created_at, told.made)))
    .returning({ order_id, symbol, status, filled_quantity, was: told.was });
  const event = {
    ...{ kind: 'order.followed', broker: who.broker, account: who.account, symbol: sql`symbol`, order_id: sql`order_id` },
    detail: sql`jsonb_build_object('was', was, 'status', status, 'filled', filled_quantity)`,
  };
  await tx.execute(sql`with changed as ${changed} ${insertFrom(events, event, sql`changed`)}`);
}

function text(price: number | null): string | null {
  return price === null ? null : (exact(price)?.toFixed() ?? null);
}

/** Whether any order of this account is open in our records: nobody reads an order book for nothing. */
export async function hasOpenOrders(db: Db, who: AccountKey): Promise<boolean> {
  const pending = db.select({ order_id: orders.order_id }).from(orders).crossJoinLateral(DETAILS);
  const rows = await pending.where(and(isOpenOrder, ordersOf(who))).limit(1);
  return rows.length > 0;
}
