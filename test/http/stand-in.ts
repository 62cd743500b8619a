import { once } from 'node:events';
import { connect } from 'node:net';
import type { Overview } from '../../contract/overview.ts';
import type { Gateway } from '../../server/api/gateway.ts';
import type { Clock } from '../../server/clock.ts';
import { systemClock } from '../../server/clock.ts';
import { createApp } from '../../server/http/app.ts';
import { type Listening, listen } from '../../server/http/listen.ts';
import { type Log, silentLog } from '../../server/log.ts';

export const TOKEN = 'stand-in-token-of-at-least-32-characters';

const report = {
  broker: 'zerodha',
  tests: {},
  passed: 0,
  failed: 0,
  total: 0,
  status: 'UNKNOWN' as const,
  timestamp: '2026-11-20T04:12:33Z',
};

const reported = { success: true as const, day: '2026-11-20', broker: 'zerodha' };
const overview: Overview = {
  ...{ success: true, mode: 'practice', version: '0.2.0', at: '2026-11-20T04:12:33.000Z', broker: 'zerodha', account: 'AB1234' },
  session: { active: true, since: null, ends_at: null, message: null, next_try_at: null },
  feed: { prices: 'NONE', orders: 'NONE', last_tick_at: null, last_tick_age_ms: null },
  clock: { offset_ms: null, checked_at: null },
  database: { kind: 'embedded', ok: true, latency_ms: 0.4 },
  kill_switch: { on: false, since: null, by: null },
  market: [],
  calendar: { last_day: null, ends_soon: false },
  unresolved: 0,
};

/** A gateway that answers every operation with what it was asked. */
export function standInGateway(overrides: Partial<Gateway> = {}): Gateway {
  const list = async () => ({ success: true as const, data: [], normalized: [] });
  const read = async (data: unknown) => ({ success: true as const, data });
  return {
    connect: async (broker) => ({ success: true, message: `Connected to ${broker}`, broker }),
    disconnect: async () => ({ success: true, message: 'Disconnected', broker: 'zerodha' }),
    profile: () => read({ user_id: 'AB1234' }),
    funds: () => read({ net: 99725.05 }),
    holdings: list,
    positions: list,
    orders: list,
    order: (orderId) => read({ order_id: orderId }),
    place: async (request, options) => ({
      status: 200,
      headers: {},
      body: { success: true, order_id: '1', fill_status: 'FILLED', data: { request, options } },
    }),
    modify: (request) => read(request),
    cancel: (request) => read(request),
    beginLogin: async () => ({ success: false, message: 'no page' }),
    finishLogin: async () => ({ success: false, message: 'no login' }),
    orderMargin: async () => ({ success: true, required: 1624.7, available: null, data: [] }),
    planExits: async () => ({ success: true, at: report.timestamp, broker: 'zerodha', positions: [], warnings: [] }),
    exitPositions: async (request) => ({ headers: {}, body: { success: false, message: JSON.stringify(request) } }),
    listUsers: async () => ({ success: true, users: [] }),
    addUser: async (name) => ({ success: true, name, token: 'bgw_stand-in' }),
    revokeUser: async (name) => ({ success: true, message: name }),
    testBroker: async (name) => ({ ...report, broker: name }),
    testSession: async () => report,
    tradebook: async () => [],
    killSwitch: async () => ({ success: true, on: false, since: null, by: null }),
    events: async ({ after = '0' }) => ({ success: true, events: [], next: Number(after) }),
    setKillSwitch: async (on, by) => ({ success: true, on, since: '2026-11-20T04:12:33.000Z', by }),
    searchInstruments: async () => ({ success: true, instruments: [], next: null, as_of: '2026-11-20' }),
    instrument: async (exchange, symbol) => ({ success: false, message: `${exchange}:${symbol}` }),
    quotes: async () => ({ success: true, quotes: [] }),
    overview: async () => overview,
    recordedPositions: async () => ({ ...reported, positions: [] }),
    recordedOrders: async () => ({ ...reported, orders: [] }),
    recordedTrades: async () => ({ ...reported, trades: [] }),
    profit: async () => ({
      ...{ ...reported, realised: 0, unrealised: 0, total: 0, known: 0 },
      ...{ unknown: [], by_instrument: [], by_strategy: [], equity: [] },
    }),
    prices: async () => ({ ...reported, exchange: 'NSE', symbol: 'SBIN', points: [], fills: [] }),
    latencies: async () => ({ ...reported, orders: [] }),
    alerts: async () => ({ success: true, on: false, channels: [], standing: [], daily_loss: null, all_well_at: '15:45' }),
    testAlerts: async () => ({ success: true, channels: [] }),
    ...overrides,
  };
}

export interface Served extends Listening {
  url: string;
  /** fetch with the valid token; `body` of another type than text is sent as JSON. */
  call(path: string, options?: { method?: string; body?: unknown; headers?: Record<string, string> }): Promise<Response>;
}

/** The real edge over a stand-in gateway on a free loopback port. */
export async function serve(
  parts: { gateway?: Partial<Gateway>; clock?: Clock; log?: Log; mode?: 'practice' | 'live' } = {},
): Promise<Served> {
  const app = createApp({
    gateway: standInGateway(parts.gateway),
    streams: { open: async () => ({ retryAfterS: 1, message: 'There are no streams here' }) },
    users: { authenticate: async (token) => (token === TOKEN ? 'first' : null) },
    status: () => ({ name: 'Broker Gateway', mode: parts.mode ?? 'practice', broker: 'zerodha', status: 'ready', position_guard: 'on' }),
    log: parts.log ?? silentLog(),
    clock: parts.clock ?? systemClock,
  });
  const listening = await listen(app, { host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${listening.port}`;
  return {
    ...listening,
    url,
    call: (path, { method = 'GET', body, headers = {} } = {}) =>
      fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${TOKEN}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
  };
}

/** Sends exactly these bytes and returns everything that comes back until the server closes. */
export async function sendRaw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    answer += chunk;
  });
  socket.write(text, 'latin1');
  await once(socket, 'close');
  return answer;
}

/** A request line and headers for sendRaw, with the valid token, closing after the answer. */
export function rawRequest(line: string, headers = ''): string {
  return `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\nConnection: close\r\n${headers}\r\n`;
}

export const order = {
  symbol: 'SBIN',
  token: '779521',
  exchange: 'NSE',
  transaction_type: 'BUY',
  order_type: 'MARKET',
  product_type: 'INTRADAY',
  quantity: 10,
};
