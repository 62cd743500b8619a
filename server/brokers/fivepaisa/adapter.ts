import type {
  Broker,
  BrokerChange,
  BrokerDefinition,
  BrokerEnv,
  BrokerOrder,
  BrokerTraits,
  Failure,
  Listing,
  OrderRow,
  Read,
  Sent,
} from '../broker.ts';
import { tradedByNumber } from '../instrument.ts';
import { createListing, only } from '../listing.ts';
import { createWordLog, failure, fundsAt, Refusal, readJson, translate } from '../parse.ts';
import { refusable } from '../send-once.ts';
import { type Api, createApi } from './api.ts';
import { feed } from './feed.ts';
import { connect, login, logout, settings } from './login.ts';
import { createMargin } from './margin.ts';
import { changeBody, placeBody } from './order.ts';
import { limitFor, marketOf } from './protect.ts';
import { createQuotes } from './quotes.ts';
import { type BookedOrder, bookedOrder, holdingRow, orderSchema, positionRow, rowName, tradeOrder, tradeSchema, withId } from './rows.ts';
import { segments } from './wire.ts';

/** 5paisa Xstream, the vendors' OpenAPI (https://xstream.5paisa.com/dev-docs). */
export const fivepaisa: BrokerDefinition = {
  id: 'fivepaisa',
  name: '5paisa',
  settings,
  urls: {
    api: 'https://openapi.5paisa.com/VendorsAPI/Service1.svc',
    login: 'https://dev-openapi.5paisa.com/WebVendorLogin/VLogin/Index',
    feed: 'wss://openfeed.5paisa.com/feeds/api/chat',
    master: 'https://openapi.5paisa.com/VendorsAPI/Service1.svc/ScripMaster/segment',
  },
  create: createFivepaisa,
  login,
};

const BOOK = '/V3/OrderBook';
/** 5paisa's positions may take far longer than any other answer. Shorter than what the position guard counts on for any read (60 s). */
const POSITIONS_TIMEOUT_MS = 30_000;

const traits: BrokerTraits = {
  tradedBy: tradedByNumber,
  // 5paisa's own limit, 10 orders a second, is wider than the 9 that hold for all.
  orderLimits: [],
  // No figure is published.
  readLimits: [{ requests: 8, perMs: 1_000 }],
  unattended: true,
  availableFunds: fundsAt('EquityMargin.0.NetAvailableMargin'),
};

function createFivepaisa(env: BrokerEnv): Broker {
  const api = createApi(env);
  const listing = createListing(env.log, rowName);
  const orderRow = orderSchema(createWordLog(env.log, 'fivepaisa'));
  let profile: unknown = null;

  async function rows<Row>(what: string, path: string, key: string, schema: Parameters<typeof listing<Row>>[2]) {
    const answer = await rowsOf(api, path, key);
    return answer.success ? listing(what, answer.rows, schema) : answer;
  }

  async function orders(): Promise<Listing<OrderRow>> {
    const answer = await rowsOf(api, BOOK, 'OrderBookDetail');
    if (!answer.success) return answer;
    return listing('orders', Array.isArray(answer.rows) ? answer.rows.map(withId) : answer.rows, orderRow);
  }

  return {
    id: 'fivepaisa',
    traits,
    async connect(stored) {
      const connected = await connect(env, api, stored);
      if (connected.success) profile = connected.data ?? readJson(connected.login.values.profile ?? '');
      return connected;
    },
    logout: () => logout(api),
    close: api.close,
    /** What sign-in told: 5paisa has no call for it. The margin is read so that a dead login does not look alive. */
    profile: () => readFunds(api, () => profile),
    funds: () => readFunds(api),
    holdings: () => rows('holdings', '/V3/Holding', 'Data', holdingRow),
    async positions() {
      const answer = await rowsOf(api, '/V2/NetPositionNetWise', 'NetPositionDetail', POSITIONS_TIMEOUT_MS);
      if (!answer.success) return answer;
      return listing('positions', answer.rows === null ? [] : answer.rows, positionRow);
    },
    orders,
    ordersByTag: (tag) => byTag(api, orders, tag),
    async tradebook() {
      const answer = await rowsOf(api, '/V1/TradeBook', 'TradeBookDetail');
      if (!answer.success) return answer;
      const nameless = Array.isArray(answer.rows) && answer.rows.some((row) => !tradeOrder.safeParse(row).data?.RemoteOrderID);
      const book = nameless ? await rowsOf(api, BOOK, 'OrderBookDetail') : { success: true as const, rows: [] };
      return book.success ? listing('trades', answer.rows, tradeSchema(orderIds(book.rows))) : failure(`trades: ${book.message}`);
    },
    async lastPrice(exchange, _symbol, token) {
      const seen = await marketOf(api, env.clock.now, translate(segments, 'exchange', exchange), token);
      return seen && { price: seen.snapshot.last, at: seen.at };
    },
    ...createMargin(env, api),
    ...createQuotes(env, api),
    ...orderCalls(env, api),
    feed: feed(env, api),
  };
}

/** The account's funds, or what is shown in their place. */
async function readFunds(api: Api, shown = (funds: unknown): unknown => funds): Promise<Read> {
  const answer = await api.read('/V4/Margin');
  return answer.success ? { success: true, data: shown(answer.data) } : failure(answer.message);
}

/** The rows a read answers with under `key`; none where 5paisa says that there is nothing. */
async function rowsOf(api: Api, path: string, key: string, readTimeoutMs?: number): Promise<{ success: true; rows: unknown } | Failure> {
  const answer = await api.read(path, {}, readTimeoutMs);
  if (answer.success) return { success: true, rows: answer.data[key] };
  return answer.empty ? { success: true, rows: [] } : failure(answer.message);
}

/** Our order id by the exchange's order number. */
function orderIds(rows: unknown): ReadonlyMap<string, string> {
  return new Map(bookedIn(rows).map((row) => [row.ExchOrderID ?? '', row.orderId]));
}

function bookedIn(rows: unknown): BookedOrder[] {
  return Array.isArray(rows) ? rows.flatMap((row) => bookedOrder.safeParse(row).data ?? []) : [];
}

/**
 * The rows of the book with our tag. Where there is none, 5paisa's look-up by tag is asked too, on each exchange orders go to:
 * its rows tell too little to be shown, but a tag it knows is not absent.
 */
async function byTag(api: Api, orders: () => Promise<Listing<OrderRow>>, tag: string): Promise<Listing<OrderRow>> {
  const book = await orders();
  if (!book.success) return book;
  const found = only(book, (row) => row.tag?.toLowerCase() === tag.toLowerCase());
  if (found.normalized.length > 0) return found;
  for (const Exch of ['N', 'B']) {
    const answer = await api.read('/V3/OrderStatus', { OrdStatusReqList: [{ Exch, RemoteOrderID: tag }] });
    if (!answer.success && !answer.empty) return failure(`orders by tag: ${answer.message}`);
    const list = answer.success ? answer.data.OrdStatusResLst : [];
    if (!Array.isArray(list)) return failure('orders by tag: 5paisa did not answer with a list');
    if (list.length > 0) return failure('orders by tag: 5paisa knows an order with this tag that its order book does not show yet');
  }
  return found;
}

function orderCalls(env: BrokerEnv, api: Api): Pick<Broker, 'placeOrder' | 'modifyOrder' | 'cancelOrder'> {
  /** Ids of orders placed as SL-M: they are booked as SL, and a new trigger must take the limit along. */
  const stops = new Set<string>();

  /** The one order with this id in the book as it is now. */
  async function booked(orderId: string): Promise<BookedOrder> {
    const answer = await api.read(BOOK);
    const found = answer.success ? bookedIn(answer.data.OrderBookDetail).filter((row) => row.orderId === orderId) : [];
    const [only] = found;
    if (found.length === 1 && only) return only;
    const why = answer.success ? (found.length > 1 ? 'names several orders of' : 'is not in') : 'cannot be looked up in';
    throw new Refusal(`order_id: ${orderId} ${why} 5paisa's order book; nothing was sent`);
  }

  async function placeOrder(order: BrokerOrder, tag: string): Promise<Sent> {
    const { body, open } = placeBody(order, tag, env.algoId);
    if (open) body.Price = await limitFor(api, env.clock.now, open);
    const sent = await api.change('/V1/PlaceOrderRequest', body, tag);
    if (sent.fate === 'accepted' && open?.trigger) stops.add(tag);
    return sent;
  }

  async function modifyOrder(change: BrokerChange): Promise<Sent> {
    const row = await booked(change.orderid);
    const moves = change.ordertype === undefined && change.price === undefined && change.triggerprice !== undefined;
    const { body, open } = changeBody(change, row, moves && stops.has(change.orderid));
    if (open) body.Price = await limitFor(api, env.clock.now, open);
    const sent = await api.change('/V1/ModifyOrderRequest', body, change.orderid);
    if (sent.fate === 'accepted' && open?.trigger) stops.add(change.orderid);
    else if (change.ordertype !== undefined || change.price !== undefined) stops.delete(change.orderid);
    return sent;
  }

  async function cancelOrder(orderId: string): Promise<Sent> {
    const { ExchOrderID } = await booked(orderId);
    if (ExchOrderID === null)
      throw new Refusal(
        'order_id: the exchange has not acknowledged this order yet, and 5paisa cancels it by its number there alone; nothing was sent, read it again',
      );
    return api.change('/V1/CancelOrderRequest', { ExchOrderID }, orderId);
  }

  return {
    placeOrder: (order, tag) => refusable(() => placeOrder(order, tag)),
    modifyOrder: (change) => refusable(() => modifyOrder(change)),
    cancelOrder: (orderId) => refusable(() => cancelOrder(orderId)),
  };
}
