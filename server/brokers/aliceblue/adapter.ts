import type { Broker, BrokerChange, BrokerDefinition, BrokerEnv, BrokerOrder, BrokerTraits, Listing, Sent } from '../broker.ts';
import { numberToken, soundAlike, tradedByNumber } from '../instrument.ts';
import { createListing } from '../listing.ts';
import { createWordLog, failure, fundsAt, issueText, Refusal, translate } from '../parse.ts';
import { refusable } from '../send-once.ts';
import { createApi } from './api.ts';
import { feed } from './feed.ts';
import { connect, login, logout } from './login.ts';
import { createMargin } from './margin.ts';
import { changeBody, placeItem } from './order.ts';
import { Quotes } from './quote.ts';
import { createQuotes } from './quotes.ts';
import { bookedOrder, holdingRow, orderSchema, positionRow, rowName, tradeRow, withId } from './rows.ts';
import { carriedWords, complexities } from './wire.ts';

/** Alice Blue's A3 open API (https://v2api.aliceblueonline.com). */
export const aliceblue: BrokerDefinition = {
  id: 'aliceblue',
  name: 'Alice Blue',
  settings: ['APP_CODE', 'API_SECRET', 'USER_SESSION', 'USER_ID', 'AUTH_CODE', 'CARRYFORWARD_PRODUCT'],
  urls: {
    // Every call goes to this host: the one of the login page answers API paths with a page and HTTP 200.
    api: 'https://a3.aliceblueonline.com',
    login: 'https://ant.aliceblueonline.com/',
    feed: 'wss://ws1.aliceblueonline.com/NorenWS/',
    master: 'https://v2api.aliceblueonline.com/restpy/static/contract_master/V2',
  },
  create: createAliceblue,
  login,
};

/** The lists with the one code each that says "there are none"; their neighbours say that the list could not be read. */
const lists = {
  holdings: { path: '/holdings/CNC', empty: 'EC922' },
  positions: { path: '/positions', empty: 'EC920' },
  orders: { path: '/orders/book', empty: 'EC916' },
  trades: { path: '/orders/trades', empty: 'EC926' },
} as const;

const traits: BrokerTraits = {
  tradedBy: tradedByNumber,
  holdingsFall: true,
  orderLimits: [],
  // 1,800 in a quarter of an hour; the rest is for opening sockets, which takes up to three calls every half minute when they fail.
  readLimits: [{ requests: 1_650, perMs: 900_000 }],
  unattended: false,
  availableFunds: fundsAt('tradingLimit'),
};

function createAliceblue(env: BrokerEnv): Broker {
  const api = createApi(env);
  const quotes = new Quotes(env, api);
  const listing = createListing(env.log, rowName);
  const orderRow = orderSchema(createWordLog(env.log, 'aliceblue'));
  /** What the positions call the instrument of a token. */
  const names = new Map<string, string>();

  async function rows<Row>(what: keyof typeof lists, schema: Parameters<typeof listing<Row>>[2]): Promise<Listing<Row>> {
    const { path, empty } = lists[what];
    const answer = await api.ask(path);
    if (answer.success) return listing(what, what === 'orders' ? answer.data.map(withId) : answer.data, schema);
    return answer.code === empty ? { success: true, data: [], normalized: [] } : failure(answer.message);
  }

  async function one(what: string, path: string) {
    const answer = await api.one(path);
    if (!answer.success) return failure(answer.message);
    const { data } = answer;
    return typeof data === 'object' && data !== null ? ({ success: true, data } as const) : failure(`${what}: the answer is empty`);
  }

  return {
    id: 'aliceblue',
    traits,
    async connect(stored) {
      const word = env.credentials.CARRYFORWARD_PRODUCT;
      if (word && !carriedWords.some((known) => known === word)) {
        return failure(`ALICEBLUE_CARRYFORWARD_PRODUCT is none of ${carriedWords.join(', ')}`);
      }
      return connect(env, api, stored);
    },
    logout: () => logout(api),
    async close() {
      quotes.close();
      await api.close();
    },
    profile: () => one('profile', '/profile/'),
    funds: () => one('funds', '/limits/'),
    holdings: () => rows('holdings', holdingRow),
    tradebook: () => rows('trades', tradeRow),
    orders: () => rows('orders', orderRow),
    async positions() {
      const read = await rows('positions', positionRow);
      if (read.success) for (const { exchange, token, symbol } of read.normalized) names.set(`${exchange}|${token}`, symbol);
      return read;
    },
    async lastPrice(exchange, _symbol, token) {
      const read = await quotes.quote(exchange, token);
      return read && { price: read.price, at: read.at };
    },
    ...createMargin(env, api, quotes),
    ...createQuotes(env, quotes),
    feed: feed(env, api, quotes),
    ...orderCalls(env, api, quotes, names),
  };
}

function orderCalls(
  env: BrokerEnv,
  api: ReturnType<typeof createApi>,
  quotes: Quotes,
  names: ReadonlyMap<string, string>,
): Pick<Broker, 'placeOrder' | 'modifyOrder' | 'cancelOrder'> {
  const quote = (exchange: string, token: string) => quotes.quote(exchange, token);

  async function placeOrder(order: BrokerOrder, tag: string): Promise<Sent> {
    const known = names.get(`${order.exchange}|${numberToken(order.token)}`);
    if (known !== undefined && !soundAlike(known, order.symbol)) {
      throw new Refusal(`symbol: token ${order.token} is ${known} in Alice Blue's positions, not ${order.symbol}; nothing was sent`);
    }
    return api.place([await placeItem(order, tag, env, quote)]);
  }

  /** A change repeats type and prices, so the order is read first. */
  async function modifyOrder(change: BrokerChange): Promise<Sent> {
    translate(complexities, 'variety', change.variety);
    const book = await api.ask(lists.orders.path);
    if (!book.success) throw unread(change.orderid, book.message);
    const row = book.data.find(
      (one) => typeof one === 'object' && one !== null && 'brokerOrderId' in one && String(one.brokerOrderId) === change.orderid,
    );
    if (row === undefined) throw unread(change.orderid, 'it is not in the order book');
    const booked = bookedOrder.safeParse(row);
    if (!booked.success) throw unread(change.orderid, issueText(booked.error));
    return api.change('/orders/modify', await changeBody(change, booked.data, quote));
  }

  return {
    placeOrder: (order, tag) => refusable(() => placeOrder(order, tag)),
    modifyOrder: (change) => refusable(() => modifyOrder(change)),
    cancelOrder: (orderId) => api.change('/orders/cancel', { brokerOrderId: orderId }),
  };
}

function unread(orderId: string, why: string): Refusal {
  return new Refusal(`order_id: ${orderId} could not be read at Alice Blue (${why}); nothing was changed`);
}
