import { tradingDay } from '../../clock.ts';
import type { Broker, BrokerChange, BrokerDefinition, BrokerEnv, BrokerOrder, PositionRow, Read, Sent } from '../broker.ts';
import { numberToken, soundAlike, tradedByNumber } from '../instrument.ts';
import { createListing } from '../listing.ts';
import { createWordLog, failure, fundsAt, issueText, Refusal, translate } from '../parse.ts';
import { refusable } from '../send-once.ts';
import { type Api, createApi } from './api.ts';
import { feed } from './feed.ts';
import { connect, logout, settings } from './login.ts';
import { changeBody, placeBody, shows } from './order.ts';
import {
  allHoldings,
  type BookedOrder,
  bookedOrder,
  holdingRow,
  orderName,
  orderSchema,
  positionRow,
  rowName,
  tradeSchema,
  varieties,
  withId,
} from './wire.ts';

/** Angel One, SmartAPI v1 (https://smartapi.angelone.in/docs). */
export const angelone: BrokerDefinition = {
  id: 'angelone',
  name: 'Angel One',
  settings,
  urls: {
    api: 'https://apiconnect.angelone.in',
    login: 'https://smartapi.angelone.in/publisher-login',
    feed: 'wss://smartapisocket.angelone.in/smart-stream',
  },
  create: createAngelone,
};

const ORDER_BOOK = '/order/v1/getOrderBook';
/** A change shows within a few moments; the details of one order may be read ten times a second. */
const CONFIRM_PAUSES_MS = [50, 150, 300, 500, 500];
const CONFIRM_MS = 2_000;
/** A fill told by its time of day alone may seem this far ahead of our clock. */
const CLOCK_GRACE_MS = 300_000;

function createAngelone(env: BrokerEnv): Broker {
  const api = createApi(env);
  const listing = createListing(env.log, rowName);
  const orderRow = orderSchema(createWordLog(env.log, 'angelone'));
  const calls = orderCalls(env, api);

  async function rows<Row>(what: string, path: string, schema: Parameters<typeof listing<Row>>[2]) {
    const answer = await api.read(path);
    return answer.success ? listing(what, answer.data ?? [], schema) : answer;
  }

  async function object(what: string, path: string): Promise<Read> {
    const answer = await api.read(path);
    return answer.success && answer.data === null ? failure(`${what}: Angel One answered without data`) : answer;
  }

  return {
    id: 'angelone',
    traits: {
      tradedBy: tradedByNumber,
      orderLimits: [
        { requests: 500, perMs: 60_000 },
        { requests: 1_000, perMs: 3_600_000 },
      ],
      // Book, positions, holdings and trades are one a second each.
      readLimits: [{ requests: 1, perMs: 1_000 }],
      readLimitsApart: true,
      unattended: true,
      availableFunds: fundsAt('availablecash'),
    },
    connect: (stored) => connect(env, api, stored),
    logout: () => logout(env, api),
    close: api.close,
    profile: () => object('profile', '/user/v1/getProfile'),
    funds: () => object('funds', '/user/v1/getRMS'),
    async positions() {
      const list = await rows('positions', '/order/v1/getPosition', positionRow);
      if (list.success) calls.hold(list.normalized);
      return list;
    },
    tradebook() {
      const now = env.clock.now();
      return rows('trades', '/order/v1/getTradeBook', tradeSchema(tradingDay(now), now + CLOCK_GRACE_MS));
    },
    async holdings() {
      const answer = await api.read('/portfolio/v1/getAllHolding');
      if (!answer.success) return answer;
      const all = allHoldings.nullable().safeParse(answer.data);
      return all.success ? listing('holdings', all.data?.holdings ?? [], holdingRow) : failure(`holdings: ${issueText(all.error)}`);
    },
    async orders() {
      const answer = await api.read(ORDER_BOOK);
      if (!answer.success) return answer;
      const book = listing('orders', Array.isArray(answer.data) ? answer.data.map(withId) : (answer.data ?? []), orderRow);
      if (book.success) calls.learn(book.data);
      return book;
    },
    placeOrder: (order, tag) => refusable(() => calls.placeOrder(order, tag)),
    modifyOrder: (change) => refusable(() => calls.modifyOrder(change)),
    cancelOrder: calls.cancelOrder,
    feed: feed(env, api),
  };
}

function orderCalls(env: BrokerEnv, api: Api) {
  /** How Angel One names the orders seen so far: the variety it files them under and the id that `details` asks for. */
  const names = new Map<string, { variety: string; unique: string | null }>();

  /** Symbols of the positions by exchange and token. */
  let held: ReadonlyMap<string, string> = new Map();

  function hold(rows: readonly PositionRow[]): void {
    held = new Map(rows.map((row) => [`${row.exchange} ${row.token}`, row.symbol]));
  }

  function learn(rows: readonly unknown[]): void {
    for (const row of rows) {
      const name = orderName.safeParse(row).data;
      if (name) names.set(name.orderid, { variety: name.variety, unique: name.uniqueorderid });
    }
  }

  /** The order as Angel One has it booked now; null when it is not shown or cannot be read. */
  async function booked(orderId: string): Promise<BookedOrder | null> {
    const unique = names.get(orderId)?.unique;
    if (unique) {
      const details = await api.read(`/order/v1/details/${encodeURIComponent(unique)}`);
      const row = details.success ? bookedOrder.safeParse(details.data).data : undefined;
      if (row?.orderid === orderId) return row;
    }
    const book = await api.read(ORDER_BOOK);
    if (!book.success || !Array.isArray(book.data)) return null;
    learn(book.data);
    return book.data.map((row) => bookedOrder.safeParse(row).data).find((row) => row?.orderid === orderId) ?? null;
  }

  /** Success may be answered to a change that did nothing: it counts once the order shows it, or cannot be changed any more. */
  async function confirmed(sent: Sent, orderId: string, body: Record<string, string>): Promise<Sent> {
    const until = env.clock.mono() + CONFIRM_MS;
    for (const pauseMs of CONFIRM_PAUSES_MS) {
      await env.clock.sleep(pauseMs);
      if (env.clock.mono() > until) break;
      const row = await booked(orderId);
      if (row && (['FILLED', 'REJECTED', 'CANCELLED'].includes(row.state) || shows(row, body))) return sent;
    }
    return { ...sent, fate: 'unknown', message: 'Angel One answered success to the change, but the order does not show it' };
  }

  async function placeOrder(order: BrokerOrder, tag: string): Promise<Sent> {
    const body = placeBody(order, tag, env.clock.now());
    const heldAs = held.get(`${order.exchange} ${numberToken(order.token)}`) ?? order.symbol;
    if (!soundAlike(heldAs, order.symbol))
      throw new Refusal(`symbol: token ${order.token} is held as ${heldAs}, not ${order.symbol}; nothing was sent`);
    const { sent } = await api.change('placeOrder', body);
    if (sent.fate === 'accepted') learn([Object.assign({}, body, sent.data)]);
    return sent;
  }

  async function modifyOrder(change: BrokerChange): Promise<Sent> {
    translate(varieties, 'variety', change.variety);
    const order = await booked(change.orderid);
    if (!order)
      throw new Refusal(`order_id: ${change.orderid} is not in Angel One's order book, or the book cannot be read; nothing was changed`);
    const body = changeBody(change, order);
    const first = await api.change('modifyOrder', body);
    // The book files after-market orders under AMO, a variety that requests may no longer name: this refusal is definite.
    const again = order.variety === 'AMO' && first.code === 'AB1008';
    const { sent } = again ? await api.change('modifyOrder', { ...body, variety: varieties.NORMAL }) : first;
    return sent.fate === 'accepted' ? confirmed(sent, change.orderid, body) : sent;
  }

  /** With the book unreadable a regular cancel is still tried: under a wrong variety Angel One refuses it. */
  async function cancelOrder(orderid: string): Promise<Sent> {
    const variety = (names.get(orderid) ?? (await booked(orderid)))?.variety ?? varieties.NORMAL;
    const first = await api.change('cancelOrder', { variety, orderid });
    // Another request only where the first was definitely refused as filed elsewhere; after the catch-all AB1007 the caller is told.
    const again = variety === 'AMO' && first.code === 'AB1008' && first.sent.fate === 'rejected';
    return again ? (await api.change('cancelOrder', { variety: varieties.NORMAL, orderid })).sent : first.sent;
  }

  return { hold, learn, placeOrder, modifyOrder, cancelOrder };
}
