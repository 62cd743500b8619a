import { type FilledOptions, OrderNews } from './filled.ts';
import type { Gateway, GatewaySettings } from './gateway.ts';
import { type Client, createClient } from './generated/client/index.ts';
import * as operations from './generated/sdk.gen.ts';
import { changeResult, lookupResult, type PlacedOrder, placeResult, readResult } from './results.ts';
import { type OpenStream, type StreamMessage, type StreamOptions, streamOf } from './stream.ts';
import { type CallOptions, exchange, type Fields, type Policy } from './transport.ts';

/** An exit answers within 45 s. */
const EXIT_TIMEOUT_MS = 60_000;

/** A generated function with its own input, given what every call needs. */
type Send<Body> = (from: { client: Client; signal: AbortSignal }) => Promise<Fields<Body>>;

/** The operations of the gateway at `baseUrl`. Throws a TypeError when that is not an address. */
export function createGateway({ baseUrl, token, fetch, timeoutMs = 30_000, retries = 3 }: GatewaySettings): Gateway {
  const address = new URL(baseUrl).href.replace(/\/$/, '');
  const headers = { Authorization: `Bearer ${token}` };
  const client = createClient({
    baseUrl: address,
    headers,
    parseAs: 'json',
    // The gateway never redirects, and an order must not arrive anywhere else.
    redirect: 'error',
    ...(fetch && { fetch }),
  });
  const repeated = (options: CallOptions = {}): Policy => ({ timeoutMs, ...options, retries });
  const once = (options: CallOptions = {}): Policy => ({ timeoutMs, ...options, retries: 0 });

  const ask = <Body>(send: Send<Body>, policy: Policy) => exchange((signal) => send({ client, signal }), policy);

  const read = async <Body>(send: Send<Body>, policy: Policy) => readResult(await ask(send, policy));
  const change = async <Body>(what: string, send: Send<Body>, policy: Policy) => changeResult(await ask(send, policy), what);

  const stream = streamer(address, headers, fetch);
  const order: Gateway['order'] = (order_id, options) =>
    read((from) => operations.getOrder({ ...from, path: { order_id } }), repeated(options));
  const news = new OrderNews({ read: (id, signal) => order(id, { signal }), follow: (signal, opened) => stream({ signal }, opened) });

  return {
    ...readsOf((send, options) => read(send, repeated(options))),
    ...changesOf((what, send, options) => change(what, send, once(options))),
    async place(order, options) {
      const idempotency_key = order.idempotency_key || crypto.randomUUID();
      const body = { ...order, idempotency_key };
      return placeResult(await ask((from) => operations.placeOrder({ ...from, body }), repeated(options)), idempotency_key, news);
    },
    async lookup(key, options) {
      const order = { body: { ...nowhere, idempotency_key: key }, headers: { 'Idempotency-Replay-Only': 'true' } } as const;
      return lookupResult(await ask((from) => operations.placeOrder({ ...from, ...order }), repeated(options)), key);
    },
    async tradebook(options) {
      const answer = await read((from) => operations.getTradebook(from), repeated(options));
      return Array.isArray(answer) ? { success: true, data: answer } : answer;
    },
    async test(broker, options) {
      if (broker === undefined) return read((from) => operations.testSession(from), once(options));
      return read((from) => operations.testBroker({ ...from, path: { broker_name: broker } }), once(options));
    },
    order,
    exit(request, options) {
      const body = { ...request, idempotency_key: request.idempotency_key || crypto.randomUUID() };
      const patient = { timeoutMs: Math.max(timeoutMs, EXIT_TIMEOUT_MS), ...options };
      return change('exit', (from) => operations.exitPositions({ ...from, body }), repeated(patient));
    },
    setKillSwitch: (on, options) =>
      change(
        'turn of the kill switch',
        (from) => operations.setKillSwitch({ ...from, body: { on } }),
        on ? repeated(options) : once(options),
      ),
    testAlerts: (options) => read((from) => operations.testAlerts(from), once(options)),
    stream: (options) => stream(options),
  };
}

type Read = <Body>(send: Send<Body>, options?: CallOptions) => Promise<Exclude<Body, { success: false }>>;

/** The operations that only read. */
function readsOf(read: Read) {
  return {
    profile: (options) => read((from) => operations.getProfile(from), options),
    funds: (options) => read((from) => operations.getFunds(from), options),
    holdings: (options) => read((from) => operations.getHoldings(from), options),
    positions: (options) => read((from) => operations.getPositions(from), options),
    orders: (options) => read((from) => operations.listOrders(from), options),
    quotes: (names, options) => read((from) => operations.getQuotes({ ...from, query: { instruments: names.join(',') } }), options),
    alerts: (options) => read((from) => operations.getAlerts(from), options),
    killSwitch: (options) => read((from) => operations.getKillSwitch(from), options),
    instruments: (query = {}, options) => read((from) => operations.searchInstruments({ ...from, query }), options),
    instrument: (exchange, symbol, options) => read((from) => operations.getInstrument({ ...from, path: { exchange, symbol } }), options),
    overview: (options) => read((from) => operations.getOverview(from), options),
    recordedPositions: (query = {}, options) => read((from) => operations.listRecordedPositions({ ...from, query }), options),
    recordedOrders: (query = {}, options) => read((from) => operations.listRecordedOrders({ ...from, query }), options),
    recordedTrades: (query = {}, options) => read((from) => operations.listRecordedTrades({ ...from, query }), options),
    profit: (query = {}, options) => read((from) => operations.getProfit({ ...from, query }), options),
    prices: (query, options) => read((from) => operations.getPrices({ ...from, query }), options),
    latencies: (query = {}, options) => read((from) => operations.getLatencies({ ...from, query }), options),
    events: (query = {}, options) => read((from) => operations.listEvents({ ...from, query }), options),
    users: (options) => read((from) => operations.listUsers(from), options),
    margin: (body, options) => read((from) => operations.getOrderMargin({ ...from, body }), options),
    planExits: ({ holdings } = {}, options) =>
      read((from) => operations.planExits({ ...from, ...(holdings && { query: { holdings: 'true' } }) }), options),
    supported: (options) => read((from) => operations.getSupportedBrokers(from), options),
  } satisfies Partial<Gateway>;
}

type Change = <Body>(what: string, send: Send<Body>, options?: CallOptions) => Promise<Exclude<Body, { success: false }>>;

/** The operations that are sent once. */
function changesOf(change: Change) {
  return {
    connect: (broker, options) => change('connect', (from) => operations.connectBroker({ ...from, query: { broker } }), options),
    disconnect: (options) => change('disconnect', (from) => operations.disconnectBroker(from), options),
    modify: (body, options) => change('change', (from) => operations.modifyOrder({ ...from, body }), options),
    cancel: (order_id, options) => change('cancel', (from) => operations.cancelOrder({ ...from, body: { order_id } }), options),
    beginLogin: (broker, options) => change('login', (from) => operations.beginLogin({ ...from, body: { broker } }), options),
    finishLogin: (body, options) => change('login', (from) => operations.finishLogin({ ...from, body }), options),
    addUser: (name, options) => change('user', (from) => operations.addUser({ ...from, body: { name } }), options),
    revokeUser: (name, { confirm = false } = {}, options) =>
      change('revocation', (from) => operations.revokeUser({ ...from, body: { name, confirm } }), options),
  } satisfies Partial<Gateway>;
}

/** What opens the stream of the gateway at `address`. */
function streamer(address: string, headers: Record<string, string>, given: typeof fetch | undefined) {
  return (options: StreamOptions = {}, opened?: () => void) => {
    const names = options.instruments?.length ? `?instruments=${encodeURIComponent(options.instruments.join(','))}` : '';
    const open: OpenStream = (more, signal) =>
      (given ?? fetch)(`${address}/broker/stream${names}`, { headers: { ...headers, ...more }, signal, redirect: 'error' });
    return streamOf(open, options, opened);
  };
}

/** A lookup needs a valid body. Should what stands between drop its header, this is an order no broker takes. */
const nowhere = { symbol: '-', token: '-', exchange: '-', transaction_type: '-', order_type: '-', product_type: '-', quantity: 1 };

export { GatewayError, type GatewayErrorCode, type Issue } from './errors.ts';
export type { EventQuery, Gateway, GatewaySettings, InstrumentQuery, PriceQuery } from './gateway.ts';
export type {
  AlertOverview,
  AlertTest,
  CancelOrderResult,
  Connected,
  DayProfit,
  Disconnected,
  EventList,
  ExitPlan,
  ExitReport,
  ExitRequest,
  Failure,
  FillStatus,
  FinishLoginRequest,
  Funds,
  GatewayEvent,
  Instrument,
  InstrumentFound,
  InstrumentList,
  KillSwitchState,
  Latencies,
  LoginBegun,
  ModifyOrderResult,
  OrderAccepted,
  OrderFound,
  OrderRefused,
  Overview,
  PlaceOrderResult,
  PriceHistory,
  Profile,
  Quote,
  QuoteList,
  RecordedOrder,
  RecordedOrders,
  RecordedPosition,
  RecordedPositions,
  RecordedTrades,
  SupportedBrokers,
  TestReport,
  TestResult,
  UserAdded,
  UserList,
  UserRevoked,
} from './generated/types.gen.ts';
export type {
  Exchange,
  HoldingList,
  HoldingRow,
  ModifyOrderRequest,
  OrderList,
  OrderRow,
  OrderType,
  PlaceOrderRequest,
  PositionList,
  PositionRow,
  ProductType,
  TradeBook,
  TradeRow,
  TransactionType,
  Variety,
} from './words.ts';
export type { CallOptions, FilledOptions, PlacedOrder, StreamMessage, StreamOptions };
