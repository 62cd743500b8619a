import type { Sql, TransactionSql } from 'postgres';
import type { OrderStatus } from '../../contract/words.ts';
import type { OrderRow } from '../brokers/broker.ts';
import { transaction } from '../db/transaction.ts';
import { exact } from '../money.ts';
import type { Execution } from './fill.ts';
import { newFill, priced } from './order-record.ts';
import { rebook } from './rebook.ts';
import { rowsOf } from './rebook-store.ts';
import type { Held } from './scope.ts';
import { mayBeOurs, unresolvedAttempts } from './unresolved.ts';

interface Known {
  order_id: string;
  symbol: string;
  exchange: string;
  side: string;
  product: string;
  quantity: number;
  price: string | null;
  token: string | null;
  status: OrderStatus;
  filled_quantity: number;
  avg_price: string | null;
  today: boolean;
}

/** What an order record is to say now. */
interface Followed {
  order_id: string;
  status: OrderStatus;
  filled_quantity: number;
  avg_price: string | null;
  quantity: number;
  price: string | null;
  was: string;
}

const OPEN: readonly string[] = ['PLACED', 'PARTIALLY_FILLED'];

/**
 * Brings our order records (epoch ms `now`, UTC) up to one read of the broker's whole order book, and books what filled since: our orders to their
 * final state, and orders placed elsewhere, which are recorded as external and never touched. `first`: the books of this account begin here, so
 * that what external orders filled before is in its positions already. Returns how many records changed; a second run changes none.
 */
export async function syncOrders(sql: Sql, who: Held, book: readonly OrderRow[], now: number, first = false): Promise<number> {
  const rows = new Map(book.map((row) => [row.order_id, row]));
  // Nothing is locked where nothing changes, which is nearly always.
  const standing = await knownOrders(sql, who, book, now);
  const ids = new Set(standing.map((order) => order.order_id));
  if (book.every((row) => ids.has(row.order_id)) && standing.every((order) => follow(order, rows.get(order.order_id)).length === 0))
    return 0;
  return await transaction(sql, async (tx) => {
    const [known, attempts] = await Promise.all([knownOrders(tx, who, book, now, true), unresolvedAttempts(tx, who)]);
    const byId = new Map(known.map((order) => [order.order_id, order]));
    const strangers = [...rows.values()].filter((row) => !byId.has(row.order_id) && !mayBeOurs(row, attempts));
    const followed = known.flatMap((order) => follow(order, rows.get(order.order_id)));
    const recorded = strangers.length > 0 ? await insertExternal(tx, who, strangers, now) : new Set<string>();
    if (followed.length > 0) await updateOrders(tx, who, followed);
    const added = known.flatMap((order) => fillOf(who, order, rows.get(order.order_id), now));
    const theirs = first ? [] : strangers.filter((row) => recorded.has(row.order_id)).flatMap((row) => fillOf(who, unseen(row), row, now));
    await rebook(tx, who, { added: [...added, ...theirs] }, now);
    return recorded.size + followed.length;
  });
}

/** The records of the orders in the book, and those open in ours; when locked, in one order. */
function knownOrders(tx: Sql | TransactionSql, who: Held, book: readonly OrderRow[], now: number, lock = false): Promise<Known[]> {
  const ids = book.map((row) => row.order_id);
  return tx<Known[]>`
    with asked as (
      select jsonb_array_elements_text(${tx.json(ids)}) as order_id
      union select order_id from tsm_orders where status in ('PLACED', 'PARTIALLY_FILLED') and broker = ${who.broker}
    )
    select o.order_id, o.symbol, o.exchange, o.side, o.product, o.quantity, o.price, d.token, o.status, o.filled_quantity, o.avg_price,
      (o.created_at at time zone 'Asia/Kolkata')::date >= (to_timestamp(${now / 1000}) at time zone 'Asia/Kolkata')::date as today
    from asked join tsm_orders o on o.broker = ${who.broker} and o.order_id = asked.order_id
    join order_details d on d.broker = o.broker and d.order_id = o.order_id and d.account = ${who.account}
    order by o.order_id ${lock ? tx`for update of o` : tx``}`;
}

/** An order that left the book with its day was never seen to end: what became of it is not known. */
function follow(order: Known, row: OrderRow | undefined): Followed[] {
  const { order_id, status, filled_quantity, avg_price, quantity, price } = order;
  const open = OPEN.includes(status);
  if (!row) {
    if (!open || order.today) return [];
    return [{ order_id, status: 'UNKNOWN', filled_quantity, avg_price, quantity, price, was: status }];
  }
  const told = toldBy(row, filled_quantity);
  const fills = told.filledQuantity > filled_quantity;
  const next: Followed = {
    order_id,
    status: (open || status === 'UNKNOWN') && row.status !== 'UNKNOWN' ? statusOf(order, told) : status,
    filled_quantity: fills ? told.filledQuantity : filled_quantity,
    avg_price: fills ? text(told.averagePrice) : avg_price,
    quantity: open ? row.quantity : quantity,
    // Brokers turn MARKET into LIMIT: the price of ours stays as it was asked for.
    price: open && Number(price ?? 0) !== 0 && row.price && Number(price) !== row.price ? text(row.price) : price,
    was: status,
  };
  const same = next.status === status && !fills && next.quantity === quantity && next.price === price;
  return same ? [] : [next];
}

/** A fill whose price is not told yet keeps the order open as it is. */
function statusOf(order: Known, told: ReturnType<typeof toldBy>): OrderStatus {
  return told.unpriced ? (order.status === 'UNKNOWN' ? 'PLACED' : order.status) : told.status;
}

/** What a row tells beyond a quantity that is booked: nothing of more, while its price is not known. */
function toldBy(row: OrderRow, booked = 0) {
  const told = { status: row.status, filledQuantity: row.filled_quantity, averagePrice: row.average_price };
  const usable = told.filledQuantity > booked ? priced(told) : told;
  return { ...usable, unpriced: usable !== told };
}

function fillOf(who: Held, order: Known, row: OrderRow | undefined, at: number): Execution[] {
  if (!row) return [];
  const { filledQuantity, averagePrice } = toldBy(row, order.filled_quantity);
  if (filledQuantity <= order.filled_quantity || averagePrice === null) return [];
  return [
    newFill({ ...who, ...order, token: row.token ?? order.token }, { orderId: order.order_id, filledQuantity, at }, order, averagePrice),
  ];
}

/** A stranger's order as if it had been known before it filled. */
function unseen(row: OrderRow): Known {
  const { order_id, symbol, exchange, quantity, token } = row;
  const known = { order_id, symbol, exchange, quantity, token, side: row.transaction_type, product: row.product_type };
  return { ...known, price: null, status: 'PLACED', filled_quantity: 0, avg_price: null, today: true };
}

/** Returns the ids recorded here: one that our own desk recorded meanwhile is ours. */
async function insertExternal(tx: TransactionSql, who: Held, strangers: readonly OrderRow[], now: number): Promise<Set<string>> {
  const rows = strangers.map((row) => {
    const { status, filledQuantity, averagePrice } = toldBy(row);
    return {
      ...unseen(row),
      order_type: row.order_type,
      price: text(row.price),
      status,
      filled_quantity: filledQuantity,
      avg_price: text(averagePrice),
      placed_ms: row.placed_at === null ? now : Date.parse(row.placed_at),
    };
  });
  const recorded = await tx<{ order_id: string }[]>`
    with given as (
      select * from jsonb_to_recordset(${rowsOf(tx, rows)}) as t(order_id text, symbol text, exchange text, side text, order_type text, product text,
        quantity bigint, price numeric, filled_quantity bigint, avg_price numeric, status text, placed_ms float8, token text)
    ), recorded as (
      insert into tsm_orders (order_id, broker, symbol, exchange, side, order_type, product, quantity, price, filled_quantity, avg_price, status, mode, created_at)
      select order_id, ${who.broker}, symbol, exchange, side, order_type, product, quantity, price, filled_quantity, avg_price, status, ${who.mode},
        to_timestamp(placed_ms / 1000) from given
      on conflict (broker, order_id) do nothing returning order_id
    ), detailed as (
      insert into order_details (broker, order_id, account, token, external)
      select ${who.broker}, order_id, ${who.account}, token, true from given join recorded using (order_id)
    )
    insert into tsm_events (kind, broker, account, symbol, order_id, detail)
    select 'order.external', ${who.broker}, ${who.account}, symbol, order_id,
      jsonb_build_object('exchange', exchange, 'side', side, 'quantity', quantity, 'status', status, 'filled', filled_quantity)
    from given join recorded using (order_id)
    returning order_id`;
  return new Set(recorded.map((row) => row.order_id));
}

async function updateOrders(tx: TransactionSql, who: Held, followed: readonly Followed[]): Promise<void> {
  const given = tx`jsonb_to_recordset(${rowsOf(tx, followed)}) as given(order_id text, status text, filled_quantity bigint, avg_price numeric,
    quantity bigint, price numeric, was text)`;
  await tx`
    with changed as (
      update tsm_orders o set status = given.status, filled_quantity = given.filled_quantity, avg_price = given.avg_price, quantity = given.quantity,
        price = given.price, updated_at = now()
      from ${given} where o.broker = ${who.broker} and o.order_id = given.order_id
      returning o.order_id, o.symbol, o.status, o.filled_quantity, given.was
    )
    insert into tsm_events (kind, broker, account, symbol, order_id, detail)
    select 'order.followed', ${who.broker}, ${who.account}, symbol, order_id,
      jsonb_build_object('was', was, 'status', status, 'filled', filled_quantity) from changed`;
}

function text(price: number | null): string | null {
  return price === null ? null : (exact(price)?.toFixed() ?? null);
}

/** Whether any order of this account is open in our records: nobody reads an order book for nothing. */
export async function hasOpenOrders(sql: Sql, who: Held): Promise<boolean> {
  const rows = await sql`
    select 1 from tsm_orders o join order_details d on d.broker = o.broker and d.order_id = o.order_id
    where o.status in ('PLACED', 'PARTIALLY_FILLED') and o.broker = ${who.broker} and d.account = ${who.account} limit 1`;
  return rows.length > 0;
}
