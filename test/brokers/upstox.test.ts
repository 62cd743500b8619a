import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Broker } from '../../server/brokers/broker.ts';
import { createBroker } from '../../server/brokers/index.ts';
import { upstox } from '../../server/brokers/upstox/adapter.ts';
import { orderUrl } from '../../server/brokers/upstox/api.ts';
import { conformance, TAG } from './conformance.ts';
import { type Answer, envFor, openStub, type StubServer } from './stub-server.ts';
import { body, credentials, error, healthy, order, orderId, patched, sbin, suite } from './upstox.suite.ts';

describe('upstox, as every broker', () => conformance(suite));

describe('upstox alone', () => {
  let stub: StubServer;
  let made: ReturnType<typeof envFor>;
  let broker: Broker;
  beforeEach(async () => {
    stub = await openStub();
    healthy(stub);
    use(credentials);
  });
  afterEach(async () => {
    await broker.close();
    await stub.close();
  });
  function use(given: Record<string, string>, now?: number): void {
    made = envFor(upstox, stub.url, given);
    const clock = now === undefined ? made.env.clock : { ...made.env.clock, now: () => now };
    broker = createBroker('upstox', { ...made.env, clock });
  }

  describe('signing in', () => {
    const TOKEN = 'POST /v2/login/authorization/token';
    const app = { API_KEY: 'testkey', API_SECRET: 'testsecret', REDIRECT_URI: 'https://example.com/back', AUTH_CODE: 'mk404x' };

    test('sends the token on every call, and the version on v2', async () => {
      await broker.connect(null);
      await broker.orders();
      await broker.placeOrder(order, TAG);
      expect(stub.seen.map((seen) => seen.headers.authorization)).toEqual(Array(3).fill('Bearer todays-token-4e5f'));
      expect(stub.seen.map((seen) => seen.headers['api-version'])).toEqual(['2.0', '2.0', undefined]);
    });

    test.each([
      ['2026-11-20T03:29:00+05:30', '2026-11-19T22:00:00.000Z'],
      ['2026-11-20T03:31:00+05:30', '2026-11-20T22:00:00.000Z'],
      ['2026-11-20T23:59:00+05:30', '2026-11-20T22:00:00.000Z'],
    ])('a login of %s ends at the next 03:30 in India', async (at, ends) => {
      use(credentials, Date.parse(at));
      expect(await broker.connect(null)).toMatchObject({ success: true, login: { expiresAt: ends } });
    });

    test('needs nothing beside UPSTOX_ACCESS_TOKEN', async () => {
      use({ ACCESS_TOKEN: 'pasted' });
      expect(await broker.connect(null)).toMatchObject({ success: true, login: { values: { access_token: 'pasted' } } });
    });

    test('trades a code for the day’s token', async () => {
      use(app);
      expect(await broker.connect(null)).toMatchObject({
        success: true,
        account: 'UT0001',
        login: { values: { access_token: 'fresh-token' } },
      });
      expect(stub.calls(TOKEN)[0]?.form).toEqual({
        code: 'mk404x',
        client_id: 'testkey',
        client_secret: 'testsecret',
        redirect_uri: 'https://example.com/back',
        grant_type: 'authorization_code',
      });
      expect(stub.calls(TOKEN)[0]?.headers).toMatchObject({ 'content-type': 'application/x-www-form-urlencoded' });
      expect(stub.calls(TOKEN)[0]?.headers.authorization).toBeUndefined();
      expect(stub.calls('GET /v2/user/profile')[0]?.headers.authorization).toBe('Bearer fresh-token');
    });

    test.each(['API_KEY', 'API_SECRET'])('a code without the setting %s names it', async (name) => {
      use({ ...app, [name]: '' });
      expect(await broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining(`UPSTOX_${name}`) });
      expect(stub.seen).toEqual([]);
    });

    test('a refused code is not tried twice and names the settings', async () => {
      use(app);
      stub.on(TOKEN, error('code'));
      const refused = await broker.connect(null);
      expect(refused).toMatchObject({ success: false, message: expect.stringMatching(/UDAPI100057.*UPSTOX_API_SECRET/) });
      expect(refused.message).not.toMatch(/mk404x|testsecret/);
      expect(stub.calls(TOKEN).length).toBe(1);
    });

    test.each([
      ['an answer without a token', { body: { user_id: 'UT0001' } }],
      ['an answer that is no JSON', { body: '<html>' }],
      ['a dead connection', 'reset' as const],
    ])('%s to the code is a failure, asked once', async (_what, answer) => {
      use(app);
      stub.on(TOKEN, answer);
      expect(await broker.connect(null)).toMatchObject({ success: false, message: expect.stringMatching(/./) });
      expect(stub.calls(TOKEN).length).toBe(1);
    });

    test('a profile without an account is no login', async () => {
      stub.on('GET /v2/user/profile', { body: { status: 'success', data: { user_name: 'x' } } });
      expect(await broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('user_id') });
    });

    const stored = (token: string, livesMs: number) => ({
      values: { access_token: token },
      expiresAt: new Date(Date.now() + livesMs).toISOString(),
    });
    const tokens = () => stub.calls('GET /v2/user/profile').map((seen) => seen.headers.authorization);
    test('a stored login is used while it lives', async () => {
      expect(await broker.connect(stored('kept', 60_000))).toMatchObject({ success: true, login: { values: { access_token: 'kept' } } });
      expect(tokens()).toEqual(['Bearer kept']);
    });
    test('a stored login is not tried after its end', async () => {
      await broker.connect(stored('kept', -1));
      expect(tokens()).toEqual(['Bearer todays-token-4e5f']);
    });
    test('a refused stored login gives way to UPSTOX_ACCESS_TOKEN', async () => {
      stub.on('GET /v2/user/profile', (seen) =>
        seen.headers.authorization === 'Bearer kept' ? error('expired') : { body: body('profile') },
      );
      expect(await broker.connect(stored('kept', 60_000))).toMatchObject({
        success: true,
        login: { values: { access_token: 'todays-token-4e5f' } },
      });
      expect(made.expired).toEqual([]);
    });
    test('a code is not burnt when Upstox is merely down', async () => {
      use(app);
      stub.on('GET /v2/user/profile', error('unavailable'));
      expect(await broker.connect(stored('kept', 60_000))).toMatchObject({ success: false });
      expect(stub.calls(TOKEN)).toEqual([]);
    });

    test('the login page carries the app, and its redirect signs in', async () => {
      const url = new URL(upstox.login?.url(made.env) ?? '');
      expect(url.origin + url.pathname).toBe('https://api.upstox.com/v2/login/authorization/dialog');
      expect(Object.fromEntries(url.searchParams)).toEqual({
        response_type: 'code',
        client_id: 'testkey-0a1b',
        redirect_uri: 'http://127.0.0.1:5001/',
      });
      expect(await upstox.login?.exchange(made.env, { code: 'mk405x' })).toMatchObject({
        success: true,
        login: { values: { access_token: 'fresh-token' } },
      });
      expect(await upstox.login?.exchange(made.env, { error: 'denied' })).toMatchObject({ success: false });
      expect(stub.calls(TOKEN).length).toBe(1);
      expect(() => upstox.login?.url(envFor(upstox, stub.url, {}).env)).toThrow('UPSTOX_API_KEY');
    });

    test('logging out revokes the token', async () => {
      await broker.connect(null);
      stub.on('DELETE /v2/logout', { body: { status: 'success', data: true } });
      expect(await broker.logout()).toEqual({ success: true, data: true });
      expect(stub.calls('DELETE /v2/logout')[0]?.headers.authorization).toBe('Bearer todays-token-4e5f');
    });

    test('a dead login answered to an older token does not end the newer one', async () => {
      await broker.connect(null);
      const held = Promise.withResolvers<Answer>();
      const trades = 'GET /v2/order/trades/get-trades-for-day';
      stub.on(trades, () => held.promise);
      const late = broker.tradebook?.();
      while (stub.calls(trades).length === 0) await new Promise((done) => setTimeout(done, 5));
      await broker.connect(stored('newer', 60_000));
      held.resolve(error('expired'));
      expect(await late).toMatchObject({ success: false });
      expect(made.expired).toEqual([]);
    });
  });

  test('orders go to their own host, or to the one that was set', () => {
    expect(orderUrl(upstox.urls.api)).toBe('https://api-hft.upstox.com');
    expect(orderUrl('https://api-sandbox.upstox.com')).toBe('https://api-sandbox.upstox.com');
  });

  test('good rows under an error status are not believed', async () => {
    await broker.connect(null);
    stub.on('GET /v2/order/retrieve-all', { status: 500, body: body('orders') });
    expect(await broker.orders()).toMatchObject({ success: false, message: expect.stringContaining('HTTP 500') });
  });

  test('orders in our words', async () => {
    await broker.connect(null);
    const answer = await broker.orders();
    const common = {
      ...sbin,
      transaction_type: 'BUY',
      order_type: 'LIMIT',
      product_type: 'INTRADAY',
      quantity: 10,
      price: 812.35,
      trigger_price: 0,
      status_message: null,
      variety: 'SIMPLE',
      tag: null,
      placed_at: '2026-11-20T04:12:33.000Z',
    };
    const unfilled = { filled_quantity: 0, average_price: 0 };
    expect(answer.success && answer.normalized).toEqual([
      {
        ...common,
        order_id: orderId,
        order_type: 'MARKET',
        price: 0,
        filled_quantity: 10,
        average_price: 811.2,
        status: 'FILLED',
        state: 'FILLED',
        tag: TAG,
      },
      {
        ...common,
        order_id: '261120025562881',
        filled_quantity: 4,
        average_price: 812.3,
        status: 'PARTIALLY_FILLED',
        state: 'OPEN',
        tag: 'handmade',
      },
      {
        ...common,
        ...unfilled,
        order_id: '261120025562882',
        transaction_type: 'SELL',
        order_type: 'SL',
        price: 800,
        trigger_price: 800.5,
        status: 'PLACED',
        state: 'TRIGGER_PENDING',
      },
      {
        ...common,
        ...unfilled,
        order_id: '261120025562883',
        order_type: 'MARKET',
        product_type: 'DELIVERY',
        price: 0,
        status: 'REJECTED',
        state: 'REJECTED',
        status_message: 'You need to add Rs. 138385.27 in your account to place this trade.',
      },
      {
        ...common,
        ...unfilled,
        order_id: '261120025562884',
        symbol: 'NIFTY26NOVFUT',
        token: 'NSE_FO|43919',
        exchange: 'NFO',
        product_type: 'CARRYFORWARD',
        quantity: 75,
        price: 26010.05,
        status: 'PLACED',
        state: 'TRANSIT',
      },
    ]);
  });

  describe('a look-up by tag', () => {
    const HISTORY = 'GET /v2/order/history';
    test('tells each order’s latest row, and only that', async () => {
      await broker.connect(null);
      const found = await broker.ordersByTag?.(TAG);
      expect(stub.calls(HISTORY)[0]?.query).toEqual({ tag: TAG });
      expect(found?.success && found.normalized).toMatchObject([
        { order_id: orderId, state: 'FILLED', filled_quantity: 10, tag: TAG },
        { order_id: '261120025562899', state: 'OPEN', filled_quantity: 0, tag: TAG },
      ]);
      expect(found?.success && found.data).toMatchObject([{ status: 'complete' }, { status: 'open' }]);
    });
    test('whichever end its history begins at', async () => {
      stub.on(HISTORY, { body: { status: 'success', data: (body('history').data as unknown[]).toReversed() } });
      const found = await broker.ordersByTag?.(TAG);
      expect(found?.success && found.normalized.map((row) => row.state).toSorted()).toEqual(['FILLED', 'OPEN']);
    });
    test('a tag Upstox does not know has no orders', async () => {
      stub.on(HISTORY, error('order'));
      expect(await broker.ordersByTag?.(TAG)).toEqual({ success: true, data: [], normalized: [] });
      stub.on(HISTORY, { body: { status: 'success', data: [] } });
      expect(await broker.ordersByTag?.(TAG)).toEqual({ success: true, data: [], normalized: [] });
    });
    test.each(['internal', 'rate', 'unavailable'])('after the error "%s" nothing is known', async (name) => {
      stub.on(HISTORY, error(name));
      expect(await broker.ordersByTag?.(TAG)).toMatchObject({ success: false, message: expect.stringMatching(/UDAPI/) });
    });
    test('a row that cannot be read is told: it is no proof that there is no order', async () => {
      stub.on(HISTORY, { body: patched('orders', { quantity: null }) });
      const found = await broker.ordersByTag?.(TAG);
      expect(found).toMatchObject({ success: true, unreadable: [{ reason: expect.stringContaining('quantity') }] });
      expect(found?.success && found.data).toContain(found?.success && found.unreadable?.[0]?.row);
    });
  });
});
