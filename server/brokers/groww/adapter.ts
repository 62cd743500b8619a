import type { Broker, BrokerChange, BrokerDefinition, BrokerEnv, BrokerOrder, BrokerTraits, Listing, OrderRow, Sent } from '../broker.ts';
import { tradedBySymbol } from '../instrument.ts';
import { createListing } from '../listing.ts';
import { failure, fundsAt, issueText, Refusal } from '../parse.ts';
import { refusable } from '../send-once.ts';
import { createApi } from './api.ts';
import { feed } from './feed.ts';
import { createInstrumentList } from './instruments.ts';
import { createBook, createTradeBook, type Detail, rowsOf } from './lists.ts';
import { connect, logout } from './login.ts';
import { changeBody, placeBody } from './order.ts';
import { createPositionPrices } from './position-price.ts';
import { holdingRow, orderAnswer, positionRow, profile, rowName, type Segment, segmentOf } from './wire.ts';

/** Groww Trading API (https://groww.in/trade-api/docs). */
export const groww: BrokerDefinition = {
  id: 'groww',
  name: 'Groww',
  settings: ['API_KEY', 'TOTP_SECRET', 'API_SECRET', 'ACCESS_TOKEN'],
  urls: { api: 'https://api.groww.in', login: 'https://api.groww.in', feed: 'wss://socket-api.groww.in' },
  create: createGroww,
};

/** Whether a read without a segment covers all of them is not documented: each is asked for. */
const tradedSegments: readonly Segment[] = ['CASH', 'FNO'];

const traits: Omit<BrokerTraits, 'unattended'> = {
  tradedBy: tradedBySymbol,
  orderLimits: [{ requests: 250, perMs: 60_000 }],
  // Groww allows 20 and 500; one of our reads is one call for each of two segments, and a book of over a hundred orders has more pages.
  readLimits: [
    { requests: 8, perMs: 1_000 },
    { requests: 200, perMs: 60_000 },
  ],
  availableFunds: fundsAt('equity_margin_details.cnc_balance_available'),
};

function createGroww(env: BrokerEnv): Broker {
  const api = createApi(env);
  const list = createInstrumentList(env);
  const inRupees = createPositionPrices(api, segmentOf);
  const listing = createListing(env.log, rowName);
  const tradeBook = createTradeBook(api, env, segmentOf);
  let segments = tradedSegments;
  const { everywhere, orders, detail } = createBook(api, env, () => segments);

  return {
    id: 'groww',
    traits: { ...traits, unattended: Boolean(env.credentials.API_KEY && env.credentials.TOTP_SECRET) },
    async connect(stored) {
      const connected = await connect(env, api, stored);
      const active = connected.success ? (profile.safeParse(connected.data).data?.active_segments ?? []) : [];
      if (tradedSegments.some((segment) => active.includes(segment))) {
        segments = tradedSegments.filter((segment) => active.includes(segment));
      }
      return connected;
    },
    logout: () => logout(api),
    async close() {
      list.close();
      await api.close();
    },
    profile: () => api.read('/v1/user/detail'),
    funds: () => api.read('/v1/margins/detail/user'),
    async holdings() {
      const answer = await rowsOf(api, '/v1/holdings/user', 'holdings');
      return answer.success ? listing('holdings', answer.data, holdingRow) : failure(answer.message);
    },
    async positions() {
      const answer = await everywhere((segment) => rowsOf(api, '/v1/positions/user', 'positions', { segment }));
      if (!answer.success) return failure(answer.message);
      const told = listing('positions', answer.data, positionRow);
      return told.success ? { ...told, normalized: await inRupees(told.normalized) } : told;
    },
    orders,
    tradebook: async () => tradeBook(await orders()),
    feed: feed(env, api, list),
    ...orderCalls(api, orders, detail),
  };
}

function orderCalls(
  api: ReturnType<typeof createApi>,
  orders: () => Promise<Listing<OrderRow>>,
  detail: Detail,
): Pick<Broker, 'placeOrder' | 'modifyOrder' | 'cancelOrder' | 'ordersByTag'> {
  /** The segment behind our own order ids and tags: most calls about one order need it. */
  const segments = new Map<string, Segment>();

  /** The order as Groww has it now; null when the book does not show it. Throws Refusal when it cannot be read. */
  async function booked(orderId: string): Promise<OrderRow | null> {
    const segment = segments.get(orderId);
    const read = await (segment ? detail(orderId, segment) : orders());
    if (!read.success) throw new Refusal(`order_id: ${orderId} cannot be read (${read.message}); nothing was changed`);
    return read.normalized.find((row) => row.order_id === orderId) ?? null;
  }

  async function placeOrder(order: BrokerOrder, tag: string): Promise<Sent> {
    const body = placeBody(order, tag);
    segments.set(tag, body.segment);
    const sent = await api.change('/v1/order/create', body);
    if (sent.order_id) segments.set(sent.order_id, body.segment);
    return sent;
  }

  async function modifyOrder(change: BrokerChange): Promise<Sent> {
    const row = await booked(change.orderid);
    if (!row) throw new Refusal(`order_id: ${change.orderid} is not in Groww's order book; nothing was changed`);
    return api.change('/v1/order/modify', changeBody(change, row, segmentOf(row)));
  }

  /** With the book unreadable CASH is still tried: under a wrong segment Groww finds no order. */
  async function cancelOrder(orderId: string): Promise<Sent> {
    const row = segments.has(orderId) ? null : await booked(orderId).catch(() => null);
    const segment = segments.get(orderId) ?? (row ? segmentOf(row) : 'CASH');
    return api.change('/v1/order/cancel', { segment, groww_order_id: orderId });
  }

  /** Groww looks an order up by reference within one segment; after a restart both are tried. */
  async function ordersByTag(tag: string): Promise<Listing<OrderRow>> {
    const known = segments.get(tag);
    for (const segment of known ? [known] : tradedSegments) {
      const answer = await api.get(`/v1/order/status/reference/${encodeURIComponent(tag)}`, { segment });
      if (!answer.success && answer.code === 'GA004') continue;
      if (!answer.success) return failure(answer.message);
      const found = orderAnswer.safeParse(answer.data);
      return found.success ? detail(found.data.groww_order_id, segment) : failure(`order: ${issueText(found.error)}`);
    }
    return { success: true, data: [], normalized: [] };
  }

  return {
    placeOrder: (order, tag) => refusable(() => placeOrder(order, tag)),
    modifyOrder: (change) => refusable(() => modifyOrder(change)),
    cancelOrder,
    ordersByTag,
  };
}
