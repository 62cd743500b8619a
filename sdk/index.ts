import { type FilledOptions, OrderNews } from './filled.ts';
import { type Client, createClient } from './generated/client/index.ts';
import * as operations from './generated/sdk.gen.ts';
import type {
  CancelOrderResult,
  Connected,
  Disconnected,
  EventList,
  Funds,
  InstrumentFound,
  InstrumentList,
  KillSwitchState,
  ModifyOrderResult,
  OrderFound,
  PlaceOrderResult,
  Profile,
  QuoteList,
  SearchInstrumentsData,
  SupportedBrokers,
  TestReport,
} from './generated/types.gen.ts';
import { changeResult, lookupResult, type PlacedOrder, placeResult, readResult } from './results.ts';
import { type OpenStream, type StreamMessage, type StreamOptions, streamOf } from './stream.ts';
import { type CallOptions, exchange, type Fields, type Policy } from './transport.ts';
import type { HoldingList, ModifyOrderRequest, OrderList, PlaceOrderRequest, PositionList, TradeBook } from './words.ts';

export interface GatewaySettings {
  /** Where the gateway listens, e.g. `http://127.0.0.1:5000`. */
  baseUrl: string;
  /** API token of a gateway user. */
  token: string;
  /** Instead of the runtime's own fetch. */
  fetch?: typeof fetch;
  /** Longest wait for one answer, 30,000 ms unless given: longer than a place with its fill poll takes. */
  timeoutMs?: number;
  /** How often reads and places are repeated after no answer, 5xx, 429, 409 or a Retry-After; 3 unless given. */
  retries?: number;
}

/** A gateway's operations. Each resolves to the success body and throws a GatewayError otherwise. Prices are rupees. */
export interface Gateway {
  /** Makes `broker` the one active session. Sent once. */
  connect(broker: string, options?: CallOptions): Promise<Connected>;
  /** Forgets the active session. Sent once. */
  disconnect(options?: CallOptions): Promise<Disconnected>;
  profile(options?: CallOptions): Promise<Profile>;
  funds(options?: CallOptions): Promise<Funds>;
  holdings(options?: CallOptions): Promise<HoldingList>;
  positions(options?: CallOptions): Promise<PositionList>;
  orders(options?: CallOptions): Promise<OrderList>;
  /** The order as the broker lists it; `not_found` when it does not. */
  order(orderId: string, options?: CallOptions): Promise<OrderFound>;
  /**
   * Places an order once, whatever happens on the way: the key (a fresh one unless the order brings its own) stays the same over retries.
   * Resolves when there is an order to follow: fill_status FILLED, PARTIALLY_FILLED, PENDING, or UNKNOWN where the broker has taken
   * the order and its fill is not seen yet. Throws `rejected`, `blocked`, `not_connected` and `busy` when no order lives,
   * and `unknown` when one may: do not place again, ask `lookup(error.idempotencyKey)`.
   */
  place(order: PlaceOrderRequest, options?: CallOptions): Promise<PlacedOrder>;
  /** Changes an open order. Sent once; `unknown` when its outcome is not known: read the order. */
  modify(change: ModifyOrderRequest, options?: CallOptions): Promise<ModifyOrderResult>;
  /** Cancels an open order. Sent once; `unknown` when its outcome is not known: read the order. */
  cancel(orderId: string, options?: CallOptions): Promise<CancelOrderResult>;
  tradebook(options?: CallOptions): Promise<TradeBook>;
  /** Quotes of up to 50 instruments, `NSE:SBIN`; those without one stand in `missing`. */
  quotes(instruments: readonly string[], options?: CallOptions): Promise<QuoteList>;
  supported(options?: CallOptions): Promise<SupportedBrokers>;
  /** Tests a broker by name, or the active session without one. Sent once. A test that fails is a report, not an error. */
  test(broker?: string, options?: CallOptions): Promise<TestReport>;
  /** Whether the kill switch is on, since when (UTC) and by whom. */
  killSwitch(options?: CallOptions): Promise<KillSwitchState>;
  /**
   * Turns the kill switch on (repeated like a read) or releases it (sent once, so that it never undoes another's turn). `failed`: it holds but is
   * not stored yet, see the message. `unknown`: ask `killSwitch()`.
   */
  setKillSwitch(on: boolean, options?: CallOptions): Promise<KillSwitchState>;
  /** What the active broker lists under the one name, a page at a time. */
  instruments(query?: InstrumentQuery, options?: CallOptions): Promise<InstrumentList>;
  /** One instrument by its one name or the broker's own symbol. */
  instrument(exchange: string, symbol: string, options?: CallOptions): Promise<InstrumentFound>;
  /** Events after a number (0 unless given), oldest first; `next` goes on behind them. */
  events(page?: { after?: number; limit?: number }, options?: CallOptions): Promise<EventList>;
  /**
   * Events of orders, positions and the session, each once and in order, and ticks of `instruments`, over as many connections as it takes: `for await`
   * it, and keep `event.id` to go on behind it (`after`) in another process.
   */
  stream(options?: StreamOptions): AsyncGenerator<StreamMessage, void, undefined>;
  /** What became of the order placed with `key`: its stored answer (read fill_status), null when the gateway knows no such order. */
  lookup(key: string, options?: CallOptions): Promise<PlaceOrderResult | null>;
}

export type InstrumentQuery = NonNullable<SearchInstrumentsData['query']>;

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
    connect: (broker, options) => change('connect', (from) => operations.connectBroker({ ...from, query: { broker } }), once(options)),
    disconnect: (options) => change('disconnect', (from) => operations.disconnectBroker(from), once(options)),
    order,
    modify: (body, options) => change('change', (from) => operations.modifyOrder({ ...from, body }), once(options)),
    cancel: (order_id, options) => change('cancel', (from) => operations.cancelOrder({ ...from, body: { order_id } }), once(options)),
    setKillSwitch: (on, options) =>
      change(
        'turn of the kill switch',
        (from) => operations.setKillSwitch({ ...from, body: { on } }),
        on ? repeated(options) : once(options),
      ),
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
    killSwitch: (options) => read((from) => operations.getKillSwitch(from), options),
    instruments: (query = {}, options) => read((from) => operations.searchInstruments({ ...from, query }), options),
    instrument: (exchange, symbol, options) => read((from) => operations.getInstrument({ ...from, path: { exchange, symbol } }), options),
    events: (query = {}, options) => read((from) => operations.listEvents({ ...from, query }), options),
    supported: (options) => read((from) => operations.getSupportedBrokers(from), options),
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
export type {
  CancelOrderResult,
  Connected,
  Disconnected,
  EventList,
  Failure,
  FillStatus,
  Funds,
  GatewayEvent,
  Instrument,
  InstrumentFound,
  InstrumentList,
  KillSwitchState,
  ModifyOrderResult,
  OrderAccepted,
  OrderFound,
  OrderRefused,
  PlaceOrderResult,
  Profile,
  Quote,
  QuoteList,
  SupportedBrokers,
  TestReport,
  TestResult,
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
