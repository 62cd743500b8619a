import type { Broker, BrokerChange, BrokerDefinition, BrokerEnv, BrokerOrder, BrokerTraits, Sent } from '../broker.ts';
import { tradedBySymbol } from '../instrument.ts';
import { createListing } from '../listing.ts';
import { createWordLog, failure, fundsAt, issueText, Refusal, translate } from '../parse.ts';
import { refusable } from '../send-once.ts';
import { createApi } from './api.ts';
import { feed } from './feed.ts';
import { connect, login, logout } from './login.ts';
import { createMargin } from './margin.ts';
import { changeForm, placeForm } from './order.ts';
import { createQuotes, MOST_QUOTES, quoteLimits } from './quotes.ts';
import { bookedOrder, holdingRow, netPositions, orderSchema, positionRow, rowName, tradeRow, varieties } from './wire.ts';

/** Zerodha, Kite Connect v3 (https://kite.trade/docs/connect/v3). */
export const zerodha: BrokerDefinition = {
  id: 'zerodha',
  name: 'Zerodha',
  settings: ['API_KEY', 'API_SECRET', 'ACCESS_TOKEN', 'REQUEST_TOKEN'],
  urls: {
    api: 'https://api.kite.trade',
    login: 'https://kite.zerodha.com/connect/login',
    feed: 'wss://ws.kite.trade',
    master: 'https://api.kite.trade',
  },
  marketProtection: { least: 0.01, most: 100, places: 2 },
  create: createZerodha,
  login,
};

const traits: BrokerTraits = {
  tradedBy: tradedBySymbol,
  holdingsFall: true,
  orderLimits: [
    { requests: 400, perMs: 60_000 },
    { requests: 5_000, perMs: 86_400_000 },
  ],
  readLimits: [{ requests: 10, perMs: 1_000 }],
  quoteLimits,
  quotesARead: MOST_QUOTES,
  unattended: false,
  availableFunds: fundsAt('equity.net', 'commodity.net'),
};

function createZerodha(env: BrokerEnv): Broker {
  const api = createApi(env);
  const listing = createListing(env.log, rowName);
  const orderRow = orderSchema(createWordLog(env.log, 'zerodha'));

  async function rows<Row>(what: string, path: string, schema: Parameters<typeof listing<Row>>[2]) {
    const answer = await api.read(path);
    return answer.success ? listing(what, answer.data, schema) : answer;
  }

  return {
    id: 'zerodha',
    traits,
    connect: (stored) => connect(env, api, stored),
    logout: () => logout(env, api),
    close: api.close,
    profile: () => api.read('/user/profile'),
    funds: () => api.read('/user/margins'),
    holdings: () => rows('holdings', '/portfolio/holdings', holdingRow),
    orders: () => rows('orders', '/orders', orderRow),
    tradebook: () => rows('trades', '/trades', tradeRow),
    async positions() {
      const answer = await api.read('/portfolio/positions');
      if (!answer.success) return answer;
      const both = netPositions.safeParse(answer.data);
      return both.success ? listing('positions', both.data.net, positionRow) : failure(`positions: ${issueText(both.error)}`);
    },
    ...createMargin(api),
    ...createQuotes(env, api),
    feed: feed(env, api),
    ...orderCalls(env, api),
  };
}

/** What later calls need of an order and its row does not change. */
interface Placed {
  variety: string;
  exchange: string;
  symbol: string;
}

function orderCalls(env: BrokerEnv, api: ReturnType<typeof createApi>): Pick<Broker, 'placeOrder' | 'modifyOrder' | 'cancelOrder'> {
  const placed = new Map<string, Placed>();

  /** The order as Kite has it booked now; null when the book does not show it or cannot be read. */
  async function booked(orderId: string): Promise<(Placed & { type: string }) | null> {
    const answer = await api.read('/orders');
    if (!answer.success || !Array.isArray(answer.data)) return null;
    const row = answer.data.map((each) => bookedOrder.safeParse(each).data).find((each) => each?.order_id === orderId);
    return row ? { variety: row.variety, exchange: row.exchange, symbol: row.tradingsymbol, type: row.order_type } : null;
  }

  async function placeOrder(order: BrokerOrder, tag: string): Promise<Sent> {
    const { variety, form } = placeForm(order, tag, env);
    const sent = await api.change('POST', `/orders/${variety}`, form);
    if (sent.fate === 'accepted') placed.set(sent.order_id, { variety, exchange: order.exchange, symbol: order.tradingsymbol });
    return sent;
  }

  async function modifyOrder(change: BrokerChange): Promise<Sent> {
    translate(varieties, 'variety', change.variety);
    const known = placed.get(change.orderid);
    // The type is read even for our own orders: Kite books a protected MARKET order as LIMIT.
    const facts = known && change.ordertype !== undefined ? { ...known, type: change.ordertype } : await booked(change.orderid);
    if (!facts)
      throw new Refusal(`order_id: ${change.orderid} is not in Zerodha's order book, or the book cannot be read; nothing was changed`);
    return api.change('PUT', `/orders/${facts.variety}/${encodeURIComponent(change.orderid)}`, changeForm(change, facts, env));
  }

  /** With the book unreadable a regular cancel is still tried: under a wrong variety Kite refuses it. */
  async function cancelOrder(orderId: string): Promise<Sent> {
    const variety = (placed.get(orderId) ?? (await booked(orderId)))?.variety ?? varieties.NORMAL;
    return api.change('DELETE', `/orders/${encodeURIComponent(variety)}/${encodeURIComponent(orderId)}`);
  }

  return {
    placeOrder: (order, tag) => refusable(() => placeOrder(order, tag)),
    modifyOrder: (change) => refusable(() => modifyOrder(change)),
    cancelOrder,
  };
}
