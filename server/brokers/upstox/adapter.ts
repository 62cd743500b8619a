import type { Broker, BrokerChange, BrokerDefinition, BrokerEnv, BrokerOrder, BrokerTraits, Listing, OrderRow, Sent } from '../broker.ts';
import { soundAlike } from '../instrument.ts';
import { createListing, only } from '../listing.ts';
import { inSession } from '../order-rules.ts';
import { createWordLog, failure, fundsAt, issueText, Refusal, translate } from '../parse.ts';
import { refusable } from '../send-once.ts';
import { API_URL, createApi } from './api.ts';
import { feed } from './feed.ts';
import { connect, login, logout } from './login.ts';
import { createMargin } from './margin.ts';
import { changeBody, placeBody } from './order.ts';
import { createPositions } from './positions.ts';
import { createQuotes, MOST_QUOTES } from './quotes.ts';
import { bookedOrder, holdingRow, orderSchema, positionRow, rowName, tradeRow } from './rows.ts';
import { instrumentKey, varieties } from './wire.ts';

/** Upstox, API v2 and v3 (https://upstox.com/developer/api-documentation). */
export const upstox: BrokerDefinition = {
  id: 'upstox',
  name: 'Upstox',
  settings: ['API_KEY', 'API_SECRET', 'REDIRECT_URI', 'ACCESS_TOKEN', 'AUTH_CODE'],
  urls: {
    api: API_URL,
    login: `${API_URL}/v2/login/authorization/dialog`,
    feed: 'wss://api.upstox.com',
    master: 'https://assets.upstox.com/market-quote/instruments/exchange',
  },
  marketProtection: { least: 1, most: 25, places: 0 },
  create: createUpstox,
  login,
};

const beyondASecond = [
  { requests: 500, perMs: 60_000 },
  { requests: 2_000, perMs: 1_800_000 },
];

const traits: BrokerTraits = {
  tradedBy: ({ token }) => instrumentKey(token),
  holdingsFall: true,
  orderLimits: beyondASecond,
  readLimits: [{ requests: 50, perMs: 1_000 }, ...beyondASecond],
  // Each API has them by itself.
  quoteLimits: [{ requests: 50, perMs: 1_000 }, ...beyondASecond],
  quotesARead: MOST_QUOTES,
  unattended: false,
  availableFunds: fundsAt('equity.available_margin'),
};

function createUpstox(env: BrokerEnv): Broker {
  const api = createApi(env);
  const listing = createListing(env.log, rowName);
  const orderRow = orderSchema(createWordLog(env.log, 'upstox'));
  const readPositions = createPositions(env, api);
  /** What the positions call the instrument of a key. */
  const names = new Map<string, string>();

  async function rows<Row>(what: string, path: string, schema: Parameters<typeof listing<Row>>[2]) {
    const answer = await api.read(path);
    return answer.success ? listing(what, answer.data, schema) : answer;
  }

  return {
    id: 'upstox',
    traits,
    connect: (stored) => connect(env, api, stored),
    logout: () => logout(api),
    close: api.close,
    profile: () => api.read('/v2/user/profile'),
    funds: () => api.read('/v2/user/get-funds-and-margin'),
    holdings: () => rows('holdings', '/v2/portfolio/long-term-holdings', holdingRow),
    orders: () => rows('orders', '/v2/order/retrieve-all', orderRow),
    tradebook: () => rows('trades', '/v2/order/trades/get-trades-for-day', tradeRow),
    async positions() {
      const answer = await readPositions();
      if (!answer.success) return answer;
      const read = listing('positions', answer.data, positionRow);
      if (read.success) for (const { token, symbol } of read.normalized) if (token) names.set(token, symbol);
      return read;
    },
    async ordersByTag(tag) {
      const answer = await api.get('/v2/order/history', { tag });
      if (answer.success) return latest(listing('order history', answer.data, orderRow));
      return answer.empty ? { success: true, data: [], normalized: [] } : failure(answer.message);
    },
    ...createMargin(env, api),
    ...createQuotes(env, api),
    feed: feed(env, api),
    ...orderCalls(env, api, names),
  };
}

function orderCalls(
  env: BrokerEnv,
  api: ReturnType<typeof createApi>,
  names: ReadonlyMap<string, string>,
): Pick<Broker, 'placeOrder' | 'modifyOrder' | 'cancelOrder'> {
  async function placeOrder(order: BrokerOrder, tag: string): Promise<Sent> {
    const json = placeBody(order, tag, env.clock.now(), env);
    const known = names.get(instrumentKey(order.token) ?? '');
    if (known !== undefined && !soundAlike(known, order.symbol)) {
      throw new Refusal(`symbol: ${order.token} is ${known} in Upstox's positions, not ${order.symbol}; nothing was sent`);
    }
    if (order.variety !== 'AMO' && !inSession(env, order.exchange, env.clock.now())) {
      env.log.warn({ exchange: order.exchange }, 'An order outside market hours: Upstox may keep it for the next session');
    }
    return api.change({ method: 'POST', path: '/v3/order/place', json });
  }

  /** A change must repeat what it leaves alone, so the order is read first. */
  async function modifyOrder(change: BrokerChange): Promise<Sent> {
    translate(varieties, 'variety', change.variety);
    const answer = await api.read('/v2/order/details', { order_id: change.orderid });
    const booked = bookedOrder.safeParse(answer.success ? answer.data : undefined);
    if (!booked.success) {
      const reason = answer.success ? issueText(booked.error) : answer.message;
      throw new Refusal(`order_id: ${change.orderid} could not be read at Upstox (${reason}); nothing was changed`);
    }
    return api.change({ method: 'PUT', path: '/v3/order/modify', json: changeBody(change, booked.data, env) });
  }

  return {
    placeOrder: (order, tag) => refusable(() => placeOrder(order, tag)),
    modifyOrder: (change) => refusable(() => modifyOrder(change)),
    cancelOrder: (orderId) => api.change({ method: 'DELETE', path: '/v3/order/cancel', query: { order_id: orderId } }),
  };
}

const final = ['FILLED', 'REJECTED', 'CANCELLED'];

/** One row for each order of a history: its final one, else the last in time, else the last in the list. */
function latest(history: Listing<OrderRow>): Listing<OrderRow> {
  if (!history.success) return history;
  const best = new Map<string, OrderRow>();
  const weight = ({ state, placed_at }: OrderRow) => `${final.includes(state) ? 1 : 0} ${placed_at ?? ''}`;
  for (const row of history.normalized) {
    const before = best.get(row.order_id);
    if (!before || weight(row) >= weight(before)) best.set(row.order_id, row);
  }
  return only(history, (row) => best.get(row.order_id) === row);
}
