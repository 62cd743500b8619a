import type {
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
  FinishLoginRequest,
  Funds,
  GetPricesData,
  InstrumentFound,
  InstrumentList,
  KillSwitchState,
  Latencies,
  ListEventsData,
  LoginBegun,
  ModifyOrderResult,
  OrderFound,
  OrderMargin,
  OrderMarginRequest,
  Overview,
  PlaceOrderResult,
  PriceHistory,
  Profile,
  QuoteList,
  RecordedOrders,
  RecordedPositions,
  RecordedTrades,
  SearchInstrumentsData,
  SupportedBrokers,
  TestReport,
  UserAdded,
  UserList,
  UserRevoked,
} from './generated/types.gen.ts';
import type { PlacedOrder } from './results.ts';
import type { StreamMessage, StreamOptions } from './stream.ts';
import type { CallOptions } from './transport.ts';
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
  /** Begins a login on a broker's page: open `address` in a browser, and give `finishLogin` what it comes back with. Sent once. */
  beginLogin(broker: string, options?: CallOptions): Promise<LoginBegun>;
  /** Trades what the broker's page gave for the day's login and connects. Sent once. */
  finishLogin(given: FinishLoginRequest, options?: CallOptions): Promise<Connected>;
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
  /** What the broker would hold for an order, where it has a calculator. Places nothing. */
  margin(order: OrderMarginRequest, options?: CallOptions): Promise<OrderMargin>;
  /** What an exit of each open position would do; with `holdings` of what is held from earlier days too. Sends nothing. */
  planExits(which?: { holdings?: boolean }, options?: CallOptions): Promise<ExitPlan>;
  /**
   * Exits all positions, or those named, each once whatever happens on the way: the key (a fresh one unless the request brings its own) stays the same
   * over retries. Waits up to 60 s. What became of each position stands in the report; `flat` says that nothing is left.
   */
  exit(request: ExitRequest, options?: CallOptions): Promise<ExitReport>;
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
  /** Where alerts go, what waits on its way, and what was told and is not over. */
  alerts(options?: CallOptions): Promise<AlertOverview>;
  /** Sends a test alert on every channel; what became of it stands in `channels`. Sent once. */
  testAlerts(options?: CallOptions): Promise<AlertTest>;
  /** The gateway's users, without their tokens. */
  users(options?: CallOptions): Promise<UserList>;
  /** Makes a user; its token stands in the answer, once. Sent once. */
  addUser(name: string, options?: CallOptions): Promise<UserAdded>;
  /** Ends a user's token; `confirm` where it is the one of this gateway. Sent once. */
  revokeUser(name: string, how?: { confirm?: boolean }, options?: CallOptions): Promise<UserRevoked>;
  /** What the active broker lists under the one name, a page at a time. */
  instruments(query?: InstrumentQuery, options?: CallOptions): Promise<InstrumentList>;
  /** One instrument by its one name or the broker's own symbol. */
  instrument(exchange: string, symbol: string, options?: CallOptions): Promise<InstrumentFound>;
  /** How the gateway stands: mode, session, feed, clock, database, kill switch, market hours. */
  overview(options?: CallOptions): Promise<Overview>;
  /** Positions of the gateway's records with their profits: open ones, and those closed on `day` (today unless given). */
  recordedPositions(query?: { status?: 'OPEN' | 'CLOSED' | 'ALL'; day?: string }, options?: CallOptions): Promise<RecordedPositions>;
  /** A day's orders of the gateway's records with their steps, refused ones too; today's unless `day` is given. */
  recordedOrders(query?: { day?: string }, options?: CallOptions): Promise<RecordedOrders>;
  /** A day's executions of the gateway's records; today's unless `day` is given. */
  recordedTrades(query?: { day?: string }, options?: CallOptions): Promise<RecordedTrades>;
  /** What a day earned, by instrument and by strategy, and how it went; today unless `day` is given. */
  profit(query?: { day?: string }, options?: CallOptions): Promise<DayProfit>;
  /** How the price of one instrument went, with the day's fills on it. */
  prices(query: PriceQuery, options?: CallOptions): Promise<PriceHistory>;
  /** How long a day's orders took; today's unless `day` is given. */
  latencies(query?: { day?: string }, options?: CallOptions): Promise<Latencies>;
  /** Events after a number (0 unless given), oldest first; `next` goes on behind them. With `before`, or a filter and no `after`, the newest first. */
  events(page?: EventQuery, options?: CallOptions): Promise<EventList>;
  /**
   * Events of orders, positions and the session, each once and in order, and ticks of `instruments`, over as many connections as it takes: `for await`
   * it, and keep `event.id` to go on behind it (`after`) in another process.
   */
  stream(options?: StreamOptions): AsyncGenerator<StreamMessage, void, undefined>;
  /** What became of the order placed with `key`: its stored answer (read fill_status), null when the gateway knows no such order. */
  lookup(key: string, options?: CallOptions): Promise<PlaceOrderResult | null>;
}

export type EventQuery = NonNullable<ListEventsData['query']>;
export type PriceQuery = NonNullable<GetPricesData['query']>;
export type InstrumentQuery = NonNullable<SearchInstrumentsData['query']>;
