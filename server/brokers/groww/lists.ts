import { z } from 'zod';
import type { BrokerEnv, Listing, OrderRow, TradeRow } from '../broker.ts';
import type { Refused } from '../dialect.ts';
import { createListing, pairs, perRow, withOrderId } from '../listing.ts';
import { createWordLog, failure } from '../parse.ts';
import type { Api } from './api.ts';
import { orderAnswer, orderSchema, rowName, type Segment, tradeRow } from './wire.ts';

/** The smallest page size Groww's documents know. */
const SURE_PAGE_SIZE = 25;
const PAGE_SIZE = 100;
const inSegment = z.looseObject({ segment: z.string() });

/** A row with the segment it was asked for in, where it does not name one. */
const filledIn: Readonly<Record<Segment, (row: unknown) => unknown>> = {
  CASH: perRow((row) => withSegment(row, 'CASH')),
  FNO: perRow((row) => withSegment(row, 'FNO')),
  COMMODITY: perRow((row) => withSegment(row, 'COMMODITY')),
};
const lacksSegment = (row: unknown) => typeof row === 'object' && row !== null && !('segment' in row && row.segment);

function withSegment(row: unknown, segment: Segment): unknown {
  return lacksSegment(row) ? { ...(row as object), segment } : row;
}
/** Keeps the reads of a long trade book under Groww's 20 a second. */
const TRADES_GAP_MS = 60;

type Rows = { success: true; data: unknown[] } | Refused;

/** The list under `member` of one answer. */
export async function rowsOf(api: Api, path: string, member: string, query: Record<string, string> = {}): Promise<Rows> {
  const answer = await api.get(path, query);
  if (!answer.success) return answer;
  const rows = z.object({ [member]: z.array(z.unknown()) }).safeParse(answer.data).data?.[member];
  return rows ? { success: true, data: rows } : failure(`Groww answered ${path} without ${member}`);
}

/**
 * All rows of a paged list. How large a page may be is told in two ways (25, 100), so a page cut short is told by the length of the first,
 * and a size that is refused is asked for again as 25. A page that comes twice means that the list cannot be read whole.
 */
export async function allRows(api: Api, path: string, member: string, segment: Segment, size: number): Promise<Rows> {
  const rows: unknown[] = [];
  let first = 0;
  let before = '';
  for (let page = 0; ; page += 1) {
    const answer = await rowsOf(api, path, member, { segment, page: String(page), page_size: String(size) });
    if (!answer.success && answer.status === 400 && page === 0 && size > SURE_PAGE_SIZE)
      return allRows(api, path, member, segment, SURE_PAGE_SIZE);
    if (!answer.success) return answer;
    const text = JSON.stringify(answer.data);
    if (answer.data.length > 0 && text === before) return failure(`Groww answered ${path} with the same page twice`);
    before = text;
    rows.push(...answer.data);
    first ||= answer.data.length;
    if (answer.data.length < Math.max(first, SURE_PAGE_SIZE)) return { success: true, data: rows };
  }
}

export type Detail = (orderId: string, segment: Segment) => Promise<Listing<OrderRow>>;

/** The order book over all of `segments`, one order by its id, and what other lists over all segments need. */
export function createBook(api: Api, env: BrokerEnv, segments: () => readonly Segment[]) {
  const listing = createListing(env.log, rowName);
  const orderRow = orderSchema(createWordLog(env.log, 'groww'));
  let saidRefused = false;

  /** Whether commodities can be traded is told both ways: where Groww refuses to tell of them, nothing is told, and what is wanted of the others is. */
  function open(segment: Segment, rows: Rows): Rows {
    const { status = 0, code, message = '' } = rows.success ? {} : rows;
    const refused = segment === 'COMMODITY' && code !== undefined && status >= 400 && status < 500 && ![401, 429].includes(status);
    if (!refused) return rows;
    if (!saidRefused) env.log.warn({ message }, 'Groww refuses to read commodities: they are left out');
    saidRefused = true;
    return { success: true, data: [] };
  }

  /** The rows of all segments together; a row that names another segment comes with that one's list. */
  async function everywhere(rows: (segment: Segment) => ReturnType<typeof rowsOf>) {
    const read = segments();
    const lists = await Promise.all(read.map(async (segment) => open(segment, await rows(segment))));
    const failed = lists.find((list) => !list.success);
    const own = (row: unknown, segment: Segment) =>
      !read.some((other) => other !== segment && other === inSegment.safeParse(row).data?.segment);
    // One that comes with several lists does not say which it is of: it stays as it is, and cannot be read.
    const bare = lists.flatMap((list) => (list.success ? list.data.filter(lacksSegment).map((row) => JSON.stringify(row)) : []));
    const twice = new Set(bare.filter((text, index) => bare.indexOf(text) !== index));
    const named = (row: unknown, segment: Segment) => (bare.length > 0 && twice.has(JSON.stringify(row)) ? row : filledIn[segment](row));
    return (
      failed ?? {
        success: true as const,
        data: lists.flatMap((list, index) => {
          const segment = read[index] ?? 'CASH';
          return list.success ? list.data.filter((row) => own(row, segment)).map((row) => named(row, segment)) : [];
        }),
      }
    );
  }

  async function orders(): Promise<Listing<OrderRow>> {
    const answer = await everywhere((segment) => allRows(api, '/v1/order/list', 'order_list', segment, PAGE_SIZE));
    if (!answer.success) return failure(answer.message);
    // An order placed between two pages pushes another onto the second one as well.
    const unique = new Map(answer.data.map(withId).map((row, index) => [orderAnswer.safeParse(row).data?.groww_order_id ?? index, row]));
    return listing('orders', [...unique.values()], orderRow);
  }

  async function detail(orderId: string, segment: Segment): Promise<Listing<OrderRow>> {
    const answer = await api.get(`/v1/order/detail/${encodeURIComponent(orderId)}`, { segment });
    return answer.success ? listing('order', [withId(filledIn[segment](answer.data))], orderRow) : failure(answer.message);
  }

  return { everywhere, orders, detail };
}

const withId = withOrderId(orderAnswer.transform(({ groww_order_id }) => groww_order_id));

/**
 * The trades of the day, order by order: Groww has no call for all. Those of a filled order are read once. An order that cannot be read leaves its
 * trades unknown: its row stands for them among the unreadable ones.
 */
export function createTradeBook(api: Api, { clock, log }: BrokerEnv, segmentOf: (order: OrderRow) => Segment) {
  const listing = createListing(log, rowName);
  const complete = new Map<string, Trades>();

  async function tradesOf(order: OrderRow, raw: unknown): Promise<Listing<TradeRow>> {
    const known = complete.get(order.order_id);
    if (known) return known;
    const answer = await allRows(api, `/v1/order/trades/${encodeURIComponent(order.order_id)}`, 'trade_list', segmentOf(order), 50);
    // Met with F&O orders. The order's own quantity and average stand for its trades then.
    if (!answer.success) return answer.status === 404 ? inOne(order, raw) : failure(answer.message);
    const trades = listing('trades', answer.data.map(filledIn[segmentOf(order)]), tradeRow);
    if (trades.success && trades.normalized.reduce((sum, trade) => sum + trade.quantity, 0) === order.quantity)
      complete.set(order.order_id, trades);
    return trades;
  }

  return async (book: Listing<OrderRow>): Promise<Listing<TradeRow>> => {
    if (!book.success) return book;
    const unread = book.unreadable ?? [];
    const all = { data: unread.map(({ row }): unknown => row), normalized: [] as TradeRow[], unreadable: [...unread] };
    for (const { raw, row: order } of pairs(book)) {
      if (order.filled_quantity === 0) continue;
      if (all.data.length > 0 && !complete.has(order.order_id)) await clock.sleep(TRADES_GAP_MS);
      const trades = await tradesOf(order, raw);
      if (!trades.success) return trades;
      all.data.push(...trades.data);
      all.normalized.push(...trades.normalized);
      all.unreadable.push(...(trades.unreadable ?? []));
    }
    const { unreadable, ...rows } = all;
    return { success: true, ...rows, ...(unreadable.length > 0 && { unreadable }) };
  };
}

type Trades = Extract<Listing<TradeRow>, { success: true }>;

function inOne(order: OrderRow, raw: unknown): Listing<TradeRow> {
  const { order_id, symbol, token, exchange, transaction_type, product_type, filled_quantity, average_price } = order;
  if (!average_price) return failure(`trades: Groww shows neither the trades nor the average price of order ${order_id}`);
  const about = { trade_id: order_id, order_id, symbol, token, exchange, transaction_type, product_type };
  return { success: true, data: [raw], normalized: [{ ...about, quantity: filled_quantity, price: average_price, traded_at: null }] };
}
