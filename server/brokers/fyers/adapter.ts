import type { Broker, BrokerChange, BrokerDefinition, BrokerEnv, BrokerOrder, BrokerTraits, Sent } from '../broker.ts';
import { tradedBySymbol } from '../instrument.ts';
import { createListing, withOrderId } from '../listing.ts';
import { createWordLog, failure, Refusal } from '../parse.ts';
import { refusable } from '../send-once.ts';
import { type Api, createApi } from './api.ts';
import { feed } from './feed.ts';
import { connect, login, logout } from './login.ts';
import { createMargin } from './margin.ts';
import { type Body, type Booked, cannot, changeBody, needsProtection, placeBody, stopLimit } from './order.ts';
import { createQuotes } from './quotes.ts';
import { holdingRow, orderSchema, positionRow, rowName, tradeRow } from './rows.ts';
import { availableFunds, bookedOrder, depth, identified } from './wire.ts';

/** FYERS API v3 (https://myapi.fyers.in/docsv3). */
export const fyers: BrokerDefinition = {
  id: 'fyers',
  name: 'FYERS',
  settings: ['APP_ID', 'SECRET_KEY', 'REDIRECT_URI', 'ACCESS_TOKEN', 'AUTH_CODE'],
  urls: {
    api: 'https://api-t1.fyers.in',
    login: 'https://api-t1.fyers.in/api/v3/generate-authcode',
    feed: 'wss://socket.fyers.in',
    master: 'https://public.fyers.in/sym_details',
  },
  create: createFyers,
  login,
};

const ORDERS = '/api/v3/orders';
const SEND = '/api/v3/orders/sync';

const traits: BrokerTraits = {
  tradedBy: tradedBySymbol,
  holdingsFall: true,
  // FYERS counts all calls together: 10 a second, 200 a minute, 100,000 a day, and locks an account for the day that passes
  // the minute's limit more than three times. Orders and reads share that out; what is left is for reads outside the budget.
  orderLimits: [
    { requests: 5, perMs: 1_000 },
    { requests: 70, perMs: 60_000 },
    { requests: 20_000, perMs: 86_400_000 },
  ],
  readLimits: [
    { requests: 3, perMs: 1_000 },
    { requests: 110, perMs: 60_000 },
    { requests: 70_000, perMs: 86_400_000 },
  ],
  unattended: false,
  availableFunds,
};

function createFyers(env: BrokerEnv): Broker {
  const api = createApi(env);
  const listing = createListing(env.log, rowName);
  const orderRow = orderSchema(createWordLog(env.log, 'fyers'));

  async function read(path: string, key: string) {
    const answer = await api.member(path, key);
    return answer.success ? answer : failure(answer.message);
  }

  async function rows<Row>(what: string, path: string, key: string, schema: Parameters<typeof listing<Row>>[2]) {
    const answer = await api.member(path, key);
    return answer.success ? listing(what, answer.data, schema) : failure(answer.message);
  }

  async function orders(query: Record<string, string> = {}) {
    const answer = await api.member(ORDERS, 'orderBook', query);
    if (!answer.success) return failure(answer.message);
    return listing('orders', Array.isArray(answer.data) ? answer.data.map(withId) : answer.data, orderRow);
  }

  return {
    id: 'fyers',
    traits,
    connect: (stored) => connect(env, api, stored),
    logout: () => logout(api),
    close: api.close,
    profile: () => read('/api/v3/profile', 'data'),
    funds: () => read('/api/v3/funds', 'fund_limit'),
    holdings: () => rows('holdings', '/api/v3/holdings', 'holdings', holdingRow),
    positions: () => rows('positions', '/api/v3/positions', 'netPositions', positionRow),
    orders: () => orders(),
    ordersByTag: (tag) => orders({ order_tag: `1:${tag}` }),
    tradebook: () => rows('trades', '/api/v3/tradebook', 'tradeBook', tradeRow),
    ...createMargin(api),
    ...createQuotes(env, api),
    feed: feed(env, api),
    ...orderCalls(api),
  };
}

const withId = withOrderId(identified.transform(({ id }) => id));

function orderCalls(api: Api): Pick<Broker, 'placeOrder' | 'modifyOrder' | 'cancelOrder'> {
  /** Ids of orders placed as SL-M: FYERS books them as SL, and a new trigger must take the limit along. */
  const stops = new Set<string>();

  /** The order as FYERS has it booked now; null when the book does not show it or cannot be read. */
  async function booked(orderId: string): Promise<Booked | null> {
    const answer = await api.member(ORDERS, 'orderBook', { id: orderId });
    if (!answer.success || !Array.isArray(answer.data)) return null;
    return answer.data.map((each) => bookedOrder.safeParse(each).data).find((each) => each?.id === orderId) ?? null;
  }

  async function protect(body: Body, symbol: string, side: number): Promise<Body> {
    const answer = await api.member('/data/depth', 'd', { symbol, ohlcv_flag: '1' });
    const all = answer.success && typeof answer.data === 'object' ? new Map(Object.entries(answer.data ?? {})) : new Map();
    const market = depth.safeParse(all.get(symbol));
    if (!market.success) throw new Refusal(`order_type: SL-M needs a tick and circuit limits; ${cannot}`);
    return { ...body, limitPrice: stopLimit({ symbol, side, stopPrice: Number(body.stopPrice) }, market.data) };
  }

  async function placeOrder(order: BrokerOrder, tag: string): Promise<Sent> {
    const body = placeBody(order, tag);
    if (order.ordertype !== 'SL-M') return api.change('POST', SEND, body);
    const sent = await api.change('POST', SEND, await protect(body, String(body.symbol), Number(body.side)));
    if (sent.fate === 'accepted') stops.add(sent.order_id);
    return sent;
  }

  async function modifyOrder(change: BrokerChange): Promise<Sent> {
    const facts = await booked(change.orderid);
    if (!facts)
      throw new Refusal(`order_id: ${change.orderid} is not in FYERS' order book, or the book cannot be read; nothing was changed`);
    const isProtected = needsProtection(change, stops.has(change.orderid) && facts.type === '4');
    const body = changeBody(change, facts, isProtected);
    const sent = await api.change('PATCH', SEND, isProtected ? await protect(body, facts.symbol, facts.side) : body);
    if (sent.fate === 'accepted' && isProtected) stops.add(change.orderid);
    else if (change.ordertype !== undefined || change.price !== undefined) stops.delete(change.orderid);
    return sent;
  }

  return {
    placeOrder: (order, tag) => refusable(() => placeOrder(order, tag)),
    modifyOrder: (change) => refusable(() => modifyOrder(change)),
    cancelOrder: (orderId) => api.change('DELETE', SEND, { id: orderId }),
  };
}
