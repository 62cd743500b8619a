import { describe, expect, test } from 'vitest';
import { contract } from '../../contract/index.ts';
import { createGateway, type Gateway } from '../../sdk/index.ts';
import { failureOf, filled, order, type Step, scriptedGateway } from './scripted-gateway.ts';

type Call = (gateway: Gateway) => Promise<unknown>;

/** Every operation of the contract, called through the SDK. */
const calls: Readonly<Record<keyof typeof contract, { call: Call; url: string; body?: unknown; repeats: boolean }>> = {
  connectBroker: { call: (gateway) => gateway.connect('zerodha'), url: '/broker/connect?broker=zerodha', repeats: false },
  disconnectBroker: { call: (gateway) => gateway.disconnect(), url: '/broker/disconnect', repeats: false },
  beginLogin: { call: (gateway) => gateway.beginLogin('zerodha'), url: '/broker/login', body: { broker: 'zerodha' }, repeats: false },
  finishLogin: {
    call: (gateway) => gateway.finishLogin({ state: 's', callback: '?code=1' }),
    url: '/broker/login/finish',
    body: { state: 's', callback: '?code=1' },
    repeats: false,
  },
  getProfile: { call: (gateway) => gateway.profile(), url: '/broker/profile', repeats: true },
  getFunds: { call: (gateway) => gateway.funds(), url: '/broker/funds', repeats: true },
  getHoldings: { call: (gateway) => gateway.holdings(), url: '/broker/holdings', repeats: true },
  getPositions: { call: (gateway) => gateway.positions(), url: '/broker/positions', repeats: true },
  listOrders: { call: (gateway) => gateway.orders(), url: '/broker/orders', repeats: true },
  getOrder: { call: (gateway) => gateway.order('a/b 1'), url: '/broker/orders/a%2Fb%201', repeats: true },
  placeOrder: {
    call: (gateway) => gateway.place({ ...order, idempotency_key: 'k' }),
    url: '/broker/orders/place',
    body: { ...order, idempotency_key: 'k' },
    repeats: true,
  },
  modifyOrder: {
    call: (gateway) => gateway.modify({ order_id: '1001', price: 812.5 }),
    url: '/broker/orders/modify',
    body: { order_id: '1001', price: 812.5 },
    repeats: false,
  },
  cancelOrder: { call: (gateway) => gateway.cancel('1001'), url: '/broker/orders/cancel', body: { order_id: '1001' }, repeats: false },
  getOrderMargin: { call: (gateway) => gateway.margin(order), url: '/broker/margin', body: order, repeats: true },
  planExits: { call: (gateway) => gateway.planExits({ holdings: true }), url: '/broker/exits?holdings=true', repeats: true },
  exitPositions: {
    call: (gateway) => gateway.exit({ all: true, idempotency_key: 'k' }),
    url: '/broker/exits',
    body: { all: true, idempotency_key: 'k' },
    repeats: true,
  },
  listUsers: { call: (gateway) => gateway.users(), url: '/broker/users', repeats: true },
  addUser: { call: (gateway) => gateway.addUser('console'), url: '/broker/users', body: { name: 'console' }, repeats: false },
  revokeUser: {
    call: (gateway) => gateway.revokeUser('console'),
    url: '/broker/users/revoke',
    body: { name: 'console', confirm: false },
    repeats: false,
  },
  getSupportedBrokers: { call: (gateway) => gateway.supported(), url: '/broker/supported', repeats: true },
  testBroker: { call: (gateway) => gateway.test('zerodha'), url: '/broker/test/zerodha', repeats: false },
  testSession: { call: (gateway) => gateway.test(), url: '/broker/test', repeats: false },
  getTradebook: { call: (gateway) => gateway.tradebook(), url: '/broker/tradebook', repeats: true },
  getQuotes: {
    call: (gateway) => gateway.quotes(['NSE:SBIN', 'NSE:M&M']),
    url: '/broker/quotes?instruments=NSE%3ASBIN%2CNSE%3AM%26M',
    repeats: true,
  },
  getKillSwitch: { call: (gateway) => gateway.killSwitch(), url: '/broker/kill-switch', repeats: true },
  searchInstruments: { call: (gateway) => gateway.instruments({ q: 'nifty ce' }), url: '/broker/instruments?q=nifty%20ce', repeats: true },
  getInstrument: { call: (gateway) => gateway.instrument('NSE', 'M&M'), url: '/broker/instruments/NSE/M%26M', repeats: true },
  setKillSwitch: { call: (gateway) => gateway.setKillSwitch(true), url: '/broker/kill-switch', body: { on: true }, repeats: true },
  getAlerts: { call: (gateway) => gateway.alerts(), url: '/broker/alerts', repeats: true },
  testAlerts: { call: (gateway) => gateway.testAlerts(), url: '/broker/alerts/test', repeats: false },
  getOverview: { call: (gateway) => gateway.overview(), url: '/broker/overview', repeats: true },
  listRecordedPositions: {
    call: (gateway) => gateway.recordedPositions({ status: 'OPEN' }),
    url: '/broker/records/positions?status=OPEN',
    repeats: true,
  },
  listRecordedOrders: {
    call: (gateway) => gateway.recordedOrders({ day: '2026-11-20' }),
    url: '/broker/records/orders?day=2026-11-20',
    repeats: true,
  },
  listRecordedTrades: { call: (gateway) => gateway.recordedTrades(), url: '/broker/records/trades', repeats: true },
  getProfit: { call: (gateway) => gateway.profit({ day: '2026-11-20' }), url: '/broker/profit?day=2026-11-20', repeats: true },
  getPrices: { call: (gateway) => gateway.prices({ instrument: 'NSE:SBIN' }), url: '/broker/prices?instrument=NSE%3ASBIN', repeats: true },
  getLatencies: { call: (gateway) => gateway.latencies(), url: '/broker/latencies', repeats: true },
  listEvents: { call: (gateway) => gateway.events({ after: 7, limit: 2 }), url: '/broker/events?after=7&limit=2', repeats: true },
};

describe.each(Object.entries(calls))('%s', (id, { call, url, body, repeats }) => {
  const { method } = Object.entries(contract).find(([name]) => name === id)?.[1] ?? {};

  test('speaks its route and gives the body', async () => {
    const { gateway, seen } = await scriptedGateway([{ json: filled }]);
    expect(await call(gateway)).toMatchObject(filled);
    expect(seen[0]).toMatchObject({ method, url, body, headers: { authorization: 'Bearer bgw_test' } });
  });

  test(repeats ? 'is repeated' : 'is sent once', async () => {
    const { gateway, seen } = await scriptedGateway([{ status: 503, headers: { 'Retry-After': '0' }, json: {} }, { json: filled }]);
    await call(gateway).catch(() => undefined);
    expect(seen).toHaveLength(repeats ? 2 : 1);
  });
});

test('releasing the kill switch is sent once: a repeat could undo a turn of someone else', async () => {
  const { gateway, seen } = await scriptedGateway([{ silent: 'reset' }, { json: { success: true, on: false, since: null, by: null } }]);
  expect((await failureOf(gateway.setKillSwitch(false))).code).toBe('unknown');
  expect(seen.map((request) => request.body)).toEqual([{ on: false }]);
});

/** No answer is waited for but a short while, the others as long as it takes. */
const patience = ({ silent }: Step) => (silent === 'hang' ? { timeoutMs: 200 } : {});

describe('a change without an answer is unknown, whatever kept the answer away', () => {
  const silences: Step[] = [{ silent: 'reset' }, { silent: 'hang' }, { status: 502, text: 'Bad Gateway' }, { text: '' }];
  const changes: Call[] = [
    (gateway) => gateway.modify({ order_id: '1', quantity: 5 }),
    (gateway) => gateway.cancel('1'),
    (gateway) => gateway.connect('zerodha'),
    (gateway) => gateway.disconnect(),
  ];
  test.each(silences)('%o', async (silence) => {
    for (const change of changes) {
      const { gateway, seen } = await scriptedGateway([silence], patience(silence));
      expect((await failureOf(change(gateway))).code).toBe('unknown');
      await expect.poll(() => seen).toHaveLength(1);
    }
  });
});

describe('what a read fails with', () => {
  test.each<[string, Step, object]>([
    ['no broker', { json: { success: false, message: 'Broker Not Connected' } }, { code: 'not_connected', status: 200 }],
    [
      'no broker to test',
      { json: { success: false, message: 'No broker connected. Use POST /broker/connect first.' } },
      { code: 'not_connected' },
    ],
    ['no such order', { json: { success: false, message: 'Order 1 not found' } }, { code: 'not_found' }],
    ["the broker's own failure", { json: { success: false, message: 'Session gone' } }, { code: 'failed', message: 'Session gone' }],
    ['no user', { status: 401, json: { success: false, message: 'Not authenticated' } }, { code: 'unauthenticated' }],
    ['a path nobody serves', { status: 404, json: { success: false, message: 'Not found' } }, { code: 'invalid', status: 404 }],
    ['silence', { silent: 'hang' }, { code: 'unavailable', status: undefined }],
    ['a server in trouble', { status: 500, json: { success: false, message: 'Internal error' } }, { code: 'unavailable', status: 500 }],
  ])('%s', async (_, step, expected) => {
    const { gateway } = await scriptedGateway([step], { retries: 0, ...patience(step) });
    expect(await failureOf(gateway.order('1'))).toMatchObject(expected);
  });

  test('an answer that asks for a long wait is given to the caller at once', async () => {
    const { gateway, seen } = await scriptedGateway([{ status: 429, headers: { 'Retry-After': '60' }, json: {} }]);
    expect(await failureOf(gateway.funds())).toMatchObject({ code: 'rate_limited', retryAfterMs: 60_000 });
    expect(seen).toHaveLength(1);
  });

  test('a redirect is not followed', async () => {
    const { gateway } = await scriptedGateway([{ status: 307, headers: { Location: '/elsewhere' }, json: {} }, { json: filled }], {
      retries: 0,
    });
    expect((await failureOf(gateway.funds())).code).toBe('unavailable');
  });
});

test('a report of a failed test is a report', async () => {
  const report = { broker: 'zerodha', tests: {}, passed: 0, failed: 1, total: 1, status: 'FAILED', timestamp: '2026-11-20T04:12:33Z' };
  const { gateway } = await scriptedGateway([{ json: report }]);
  expect(await gateway.test('zerodha')).toEqual(report);
});

test('a bare list of a trade book becomes a trade book', async () => {
  const { gateway } = await scriptedGateway([{ json: [{ trade_id: '1' }] }]);
  expect(await gateway.tradebook()).toEqual({ success: true, data: [{ trade_id: '1' }] });
});

test('a call may bring its own time limit', async () => {
  const { gateway } = await scriptedGateway([{ silent: 'hang' }], { retries: 0 });
  const start = performance.now();
  expect((await failureOf(gateway.funds({ timeoutMs: 50 }))).code).toBe('unavailable');
  expect(performance.now() - start).toBeLessThan(5_000);
});

test('an abort ends a read', async () => {
  const { gateway, seen } = await scriptedGateway([{ silent: 'hang' }]);
  const controller = new AbortController();
  const reading = failureOf(gateway.funds({ signal: controller.signal }));
  await expect.poll(() => seen).toHaveLength(1);
  controller.abort();
  expect((await reading).code).toBe('aborted');
});

test('an address that is none is refused when the client is made', () => {
  expect(() => createGateway({ baseUrl: 'localhost', token: 't' })).toThrow(TypeError);
});

test('a base address may have a path and a trailing slash', async () => {
  const urls: string[] = [];
  const fetching: typeof fetch = async (input) => {
    urls.push(input instanceof Request ? input.url : String(input));
    return Response.json({ success: true, data: 1 });
  };
  const gateway = createGateway({ baseUrl: 'http://gateway.example/api/', token: 't', fetch: fetching });
  await gateway.profile();
  expect(urls).toEqual(['http://gateway.example/api/broker/profile']);
});
