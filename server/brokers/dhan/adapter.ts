import type { Clock } from '../../clock.ts';
import { averagePrice } from '../../money.ts';
import type {
  Broker,
  BrokerChange,
  BrokerDefinition,
  BrokerEnv,
  BrokerOrder,
  BrokerTraits,
  Listing,
  OrderRow,
  Read,
  Sent,
  TradeRow,
} from '../broker.ts';
import type { Answer } from '../dialect.ts';
import { tradedByNumber } from '../instrument.ts';
import { createListing } from '../listing.ts';
import { createWordLog, failure, fundsAt, issueText, Refusal } from '../parse.ts';
import { refusable } from '../send-once.ts';
import { type Api, createApi } from './api.ts';
import { feed } from './feed.ts';
import { connect } from './login.ts';
import { createMargin } from './margin.ts';
import { type Body, changeBody, placeBody } from './order.ts';
import { createQuotes, MOST_QUOTES, quoteLimits } from './quotes.ts';
import { bookedOrder, funds, holdingRow, orderSchema, positionRow, profile, rowName, tradeRow, withId } from './wire.ts';

/** Dhan, DhanHQ v2 (https://dhanhq.co/docs/v2). */
export const dhan: BrokerDefinition = {
  id: 'dhan',
  name: 'Dhan',
  settings: ['CLIENT_ID', 'PIN', 'TOTP_SECRET', 'ACCESS_TOKEN'],
  urls: {
    api: 'https://api.dhan.co/v2',
    login: 'https://auth.dhan.co',
    feed: 'wss://api-feed.dhan.co',
    master: 'https://images.dhan.co/api-data',
  },
  // Dhan makes one token in two minutes.
  loginRestMs: 125_000,
  create: createDhan,
};

const traits: Omit<BrokerTraits, 'unattended'> = {
  tradedBy: tradedByNumber,
  holdingsFall: true,
  orderLimits: [
    { requests: 250, perMs: 60_000 },
    { requests: 1_000, perMs: 3_600_000 },
    { requests: 7_000, perMs: 86_400_000 },
  ],
  // Half of what Dhan allows: a read of the orders may read the trades too.
  readLimits: [{ requests: 10, perMs: 1_000 }],
  quoteLimits,
  quotesARead: MOST_QUOTES,
  availableFunds: fundsAt('availabelBalance'),
};

function createDhan(env: BrokerEnv): Broker {
  const api = createApi(env);
  const listing = createListing(env.log, rowName);
  const orderRow = orderSchema(createWordLog(env.log, 'dhan'));

  /** A body without an envelope is believed when it has the fields that make it what was asked for. */
  async function one(what: string, path: string, schema: typeof profile | typeof funds): Promise<Read> {
    const answer = await api.get(path);
    if (!answer.success) return failure(answer.message);
    const known = schema.safeParse(answer.data);
    return known.success ? answer : failure(`${what}: ${issueText(known.error)}`);
  }

  async function rows<Row>(what: string, path: string, schema: Parameters<typeof listing<Row>>[2]): Promise<Listing<Row>> {
    const answer = await api.get(path);
    return answer.success ? listing(what, answer.data, schema) : failure(answer.message);
  }

  const orderRows = (data: unknown): Listing<OrderRow> => listing('orders', Array.isArray(data) ? data.map(withId) : data, orderRow);
  const trades = () => rows('trades', '/trades', tradeRow);

  return {
    id: 'dhan',
    traits: { ...traits, unattended: Boolean(env.credentials.PIN && env.credentials.TOTP_SECRET) },
    connect: (stored) => connect(env, api, stored),
    async logout() {
      api.signOut();
      return { success: true, message: 'Dhan has no log-out: the token is forgotten here and ends by itself within 24 hours', data: null };
    },
    close: api.close,
    profile: () => one('profile', '/profile', profile),
    funds: () => one('funds', '/fundlimit', funds),
    positions: () => rows('positions', '/positions', positionRow),
    tradebook: trades,
    async holdings() {
      const answer = await api.get('/holdings');
      if (answer.success) return listing('holdings', answer.data, holdingRow);
      // An account without holdings is answered with an error of its own.
      return answer.status === 500 && answer.code === 'DH-1111' ? { success: true, data: [], normalized: [] } : failure(answer.message);
    },
    async orders() {
      const answer = await api.get('/orders');
      if (!answer.success) return failure(answer.message);
      const book = orderRows(answer.data);
      if (!book.success || !book.normalized.some(hasDoubtfulAverage)) return book;
      const traded = await trades();
      return traded.success ? { ...book, normalized: book.normalized.map((row) => withTradedAverage(row, traded.normalized)) } : book;
    },
    async ordersByTag(tag) {
      const answer = await api.get(`/orders/external/${encodeURIComponent(tag)}`);
      // Also what an order in transit gets: the order book has to be read beside this.
      if (isNone(answer)) return { success: true, data: [], normalized: [] };
      return answer.success ? orderRows([answer.data].flat()) : failure(answer.message);
    },
    ...orderCalls(env.clock, api),
    ...createMargin(api),
    ...createQuotes(env, api),
    feed: feed(env, api),
  };
}

function isNone(answer: Answer): boolean {
  return !answer.success && answer.status === 404 && answer.code === 'DH-906';
}

/** Dhan's own average is reported as absent or stale until the whole order has traded. */
function hasDoubtfulAverage(row: OrderRow): boolean {
  return row.filled_quantity > 0 && (row.average_price === null || row.filled_quantity < row.quantity);
}

/** The row with the average of its trades, when those add up to what the row says is filled. */
function withTradedAverage(row: OrderRow, trades: readonly TradeRow[]): OrderRow {
  if (!hasDoubtfulAverage(row)) return row;
  const fills = trades.filter((trade) => trade.order_id === row.order_id);
  const traded = fills.reduce((sum, fill) => sum + fill.quantity, 0);
  return traded === row.filled_quantity ? { ...row, average_price: averagePrice(fills) } : row;
}

/** Reads may show an order as it was before a change this long after the change was taken. */
const SETTLE_MS = 5_000;

function orderCalls(clock: Clock, api: Api): Pick<Broker, 'placeOrder' | 'modifyOrder' | 'cancelOrder'> {
  /** Orders asked for as SL-M, which Dhan knows as SL. */
  const marketStops = new Set<string>();
  const changes = new Map<string, { fields: Body['fields']; at: number }>();

  function remember(sent: Sent, { message }: Body): Sent {
    if (sent.fate !== 'accepted') return sent;
    if (message === undefined) marketStops.delete(sent.order_id);
    else marketStops.add(sent.order_id);
    return message === undefined ? sent : { ...sent, message };
  }

  async function placeOrder(order: BrokerOrder, tag: string): Promise<Sent> {
    const body = placeBody(order, api.login().client, tag);
    return remember(await api.change('POST', '/orders', body.fields), body);
  }

  async function modifyOrder(change: BrokerChange): Promise<Sent> {
    const path = `/orders/${encodeURIComponent(change.orderid)}`;
    const answer = await api.get(path);
    const booked = answer.success ? [answer.data].flat().map((row) => bookedOrder.safeParse(row).data) : [];
    const order = booked.find((row) => row?.orderId === change.orderid);
    if (!order) throw new Refusal(`order_id: ${change.orderid} is not in Dhan's order book, or cannot be read; nothing was changed`);
    const last = changes.get(change.orderid);
    const current = last && clock.mono() - last.at < SETTLE_MS ? { ...order, ...last.fields } : order;
    const body = changeBody(change, current, api.login().client, marketStops.has(change.orderid));
    const sent = await api.change('PUT', path, body.fields);
    if (sent.fate === 'accepted') changes.set(change.orderid, { fields: body.fields, at: clock.mono() });
    return remember(sent, body);
  }

  return {
    placeOrder: (order, tag) => refusable(() => placeOrder(order, tag)),
    modifyOrder: (change) => refusable(() => modifyOrder(change)),
    cancelOrder: (orderId) => api.change('DELETE', `/orders/${encodeURIComponent(orderId)}`),
  };
}
