import { createClient } from './generated/client/index.ts';
import * as operations from './generated/sdk.gen.ts';
import type {
  CancelOrderResult,
  Connected,
  Disconnected,
  Funds,
  HoldingList,
  KillSwitchState,
  ModifyOrderRequest,
  ModifyOrderResult,
  OrderFound,
  OrderList,
  PlaceOrderRequest,
  PlaceOrderResult,
  PositionList,
  Profile,
  SupportedBrokers,
  TestReport,
  TradeBook,
} from './generated/types.gen.ts';
import { changeResult, lookupResult, type PlacedOrder, placeResult, readResult } from './results.ts';
import { type CallOptions, exchange, type Policy } from './transport.ts';

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
  /** What became of the order placed with `key`: its stored answer (read fill_status), null when the gateway knows no such order. */
  lookup(key: string, options?: CallOptions): Promise<PlaceOrderResult | null>;
}

/** The operations of the gateway at `baseUrl`. Throws a TypeError when that is not an address. */
export function createGateway({ baseUrl, token, fetch, timeoutMs = 30_000, retries = 3 }: GatewaySettings): Gateway {
  const client = createClient({
    baseUrl: new URL(baseUrl).href.replace(/\/$/, ''),
    headers: { Authorization: `Bearer ${token}` },
    parseAs: 'json',
    // The gateway never redirects, and an order must not arrive anywhere else.
    redirect: 'error',
    ...(fetch && { fetch }),
  });
  const repeated = (options: CallOptions = {}): Policy => ({ timeoutMs, ...options, retries });
  const once = (options: CallOptions = {}): Policy => ({ timeoutMs, ...options, retries: 0 });

  async function place(order: PlaceOrderRequest, options?: CallOptions): Promise<PlacedOrder> {
    const idempotency_key = order.idempotency_key || crypto.randomUUID();
    const body = { ...order, idempotency_key };
    const outcome = await exchange((signal) => operations.placeOrder({ client, signal, body }), repeated(options));
    return placeResult(outcome, idempotency_key);
  }

  async function lookup(key: string, options?: CallOptions): Promise<PlaceOrderResult | null> {
    const body = { ...nowhere, idempotency_key: key };
    const headers = { 'Idempotency-Replay-Only': 'true' } as const;
    return lookupResult(await exchange((signal) => operations.placeOrder({ client, signal, headers, body }), repeated(options)), key);
  }

  async function tradebook(options?: CallOptions): Promise<TradeBook> {
    const answer = readResult(await exchange((signal) => operations.getTradebook({ client, signal }), repeated(options)));
    return Array.isArray(answer) ? { success: true, data: answer } : answer;
  }

  async function test(broker?: string, options?: CallOptions): Promise<TestReport> {
    if (broker === undefined) return readResult(await exchange((signal) => operations.testSession({ client, signal }), once(options)));
    const path = { broker_name: broker };
    return readResult(await exchange((signal) => operations.testBroker({ client, signal, path }), once(options)));
  }

  return {
    place,
    lookup,
    tradebook,
    test,
    connect: async (broker, options) =>
      changeResult(await exchange((signal) => operations.connectBroker({ client, signal, query: { broker } }), once(options)), 'connect'),
    disconnect: async (options) =>
      changeResult(await exchange((signal) => operations.disconnectBroker({ client, signal }), once(options)), 'disconnect'),
    profile: async (options) => readResult(await exchange((signal) => operations.getProfile({ client, signal }), repeated(options))),
    funds: async (options) => readResult(await exchange((signal) => operations.getFunds({ client, signal }), repeated(options))),
    holdings: async (options) => readResult(await exchange((signal) => operations.getHoldings({ client, signal }), repeated(options))),
    positions: async (options) => readResult(await exchange((signal) => operations.getPositions({ client, signal }), repeated(options))),
    orders: async (options) => readResult(await exchange((signal) => operations.listOrders({ client, signal }), repeated(options))),
    order: async (order_id, options) =>
      readResult(await exchange((signal) => operations.getOrder({ client, signal, path: { order_id } }), repeated(options))),
    modify: async (body, options) =>
      changeResult(await exchange((signal) => operations.modifyOrder({ client, signal, body }), once(options)), 'change'),
    cancel: async (order_id, options) =>
      changeResult(await exchange((signal) => operations.cancelOrder({ client, signal, body: { order_id } }), once(options)), 'cancel'),
    killSwitch: async (options) => readResult(await exchange((signal) => operations.getKillSwitch({ client, signal }), repeated(options))),
    setKillSwitch: async (on, options) => {
      const policy = on ? repeated(options) : once(options);
      return changeResult(
        await exchange((signal) => operations.setKillSwitch({ client, signal, body: { on } }), policy),
        'turn of the kill switch',
      );
    },
    supported: async (options) =>
      readResult(await exchange((signal) => operations.getSupportedBrokers({ client, signal }), repeated(options))),
  };
}

/** A lookup needs a valid body. Should what stands between drop its header, this is an order no broker takes. */
const nowhere = { symbol: '-', token: '-', exchange: '-', transaction_type: '-', order_type: '-', product_type: '-', quantity: 1 };

export { GatewayError, type GatewayErrorCode, type Issue } from './errors.ts';
export type {
  CancelOrderResult,
  Connected,
  Disconnected,
  Failure,
  FillStatus,
  Funds,
  HoldingList,
  HoldingRow,
  KillSwitchState,
  ModifyOrderRequest,
  ModifyOrderResult,
  OrderAccepted,
  OrderFound,
  OrderList,
  OrderRefused,
  OrderRow,
  PlaceOrderRequest,
  PlaceOrderResult,
  PositionList,
  PositionRow,
  Profile,
  SupportedBrokers,
  TestReport,
  TestResult,
  TradeBook,
  TradeRow,
} from './generated/types.gen.ts';
export type { CallOptions, PlacedOrder };
