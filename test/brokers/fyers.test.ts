import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Broker, BrokerOrder } from '../../server/brokers/broker.ts';
import { fyers } from '../../server/brokers/fyers/adapter.ts';
import { createBroker } from '../../server/brokers/index.ts';
import { conformance, TAG } from './conformance.ts';
import { body, credentials, error, healthy, listOf, nifty, order, orderId, patched, sbin, suite } from './fyers.suite.ts';
import { type Answer, envFor, openStub, type StubServer } from './stub-server.ts';

describe('fyers, as every broker', () => conformance(suite));

const SYNC = '/api/v3/orders/sync';

describe('fyers alone', () => {
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
  function use(given: Record<string, string>): void {
    made = envFor(fyers, stub.url, given);
    broker = createBroker('fyers', made.env);
  }
  const place = (change: Partial<BrokerOrder>) => broker.placeOrder({ ...order, ...change }, TAG);
  const sentTo = (route: string) => JSON.parse(stub.calls(route).at(-1)?.body ?? 'null');

  test('sends app id and token on every call', async () => {
    await broker.connect(null);
    await broker.orders();
    await place({});
    expect(stub.seen.map((seen) => seen.headers.authorization)).toEqual(Array(3).fill('TESTAPP01-100:todays-token-4e5f'));
  });

  describe('the end of a login', () => {
    const jwt = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`;
    const endWith = async (token: string) => {
      use({ ...credentials, ACCESS_TOKEN: token });
      const connected = await broker.connect(null);
      return connected.success && connected.login.expiresAt;
    };
    test('is what the token states', async () => {
      const exp = Math.floor(Date.now() / 1000) + 5_000;
      expect(await endWith(jwt({ exp, sub: 'access_token' }))).toBe(new Date(exp * 1000).toISOString());
    });
    test.each([
      ['no token of three parts', 'plain'],
      ['no statement', jwt({})],
      ['a past one', jwt({ exp: 1_600_000_000 })],
      ['garbage', 'a.###.c'],
    ])('with %s is 06:00 in India', async (_what, token) => {
      expect(await endWith(token)).toMatch(/T00:30:00\.000Z$/);
    });
  });

  test('trades an auth code for the day’s token with the hash of app id and secret', async () => {
    use({ APP_ID: 'TESTAPP01-100', SECRET_KEY: 'testsecret', AUTH_CODE: 'code1' });
    expect(await broker.connect(null)).toMatchObject({
      success: true,
      account: 'FX0011',
      login: { values: { access_token: 'fresh-token' } },
    });
    const appIdHash = createHash('sha256').update('TESTAPP01-100:testsecret').digest('hex');
    expect(sentTo('POST /api/v3/validate-authcode')).toEqual({ grant_type: 'authorization_code', appIdHash, code: 'code1' });
    expect(stub.calls('POST /api/v3/validate-authcode')[0]?.headers.authorization).toBeUndefined();
    expect(stub.calls('GET /api/v3/profile')[0]?.headers.authorization).toBe('TESTAPP01-100:fresh-token');
  });

  test('an auth code without the secret names FYERS_SECRET_KEY', async () => {
    use({ APP_ID: 'TESTAPP01-100', AUTH_CODE: 'code1' });
    expect(await broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('FYERS_SECRET_KEY') });
    expect(stub.seen).toEqual([]);
  });

  test('a refused auth code names the settings and is tried once', async () => {
    use({ APP_ID: 'TESTAPP01-100', SECRET_KEY: 'testsecret', AUTH_CODE: 'used' });
    stub.on('POST /api/v3/validate-authcode', error('authCode'));
    expect(await broker.connect(null)).toMatchObject({
      success: false,
      message: expect.stringMatching(/invalid auth code.*FYERS_SECRET_KEY.*FYERS_AUTH_CODE/s),
    });
    expect(stub.calls('POST /api/v3/validate-authcode').length).toBe(1);
  });

  test('with an app id alone says how to sign in', async () => {
    use({ APP_ID: 'TESTAPP01-100' });
    expect(await broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('FYERS_ACCESS_TOKEN') });
  });

  describe('a stored login', () => {
    const stored = (token: string, livesMs: number) => ({
      values: { access_token: token },
      expiresAt: new Date(Date.now() + livesMs).toISOString(),
    });
    const tokens = () => stub.calls('GET /api/v3/profile').map((seen) => seen.headers.authorization?.split(':')[1]);
    test('is used while it lives', async () => {
      expect(await broker.connect(stored('kept', 60_000))).toMatchObject({ success: true, login: { values: { access_token: 'kept' } } });
      expect(tokens()).toEqual(['kept']);
    });
    test('is not tried after its end', async () => {
      await broker.connect(stored('kept', -1));
      expect(tokens()).toEqual(['todays-token-4e5f']);
    });
    test.each(['expired', 'tokenEnded'])('gives way to FYERS_ACCESS_TOKEN when refused as %s', async (refusal) => {
      stub.on('GET /api/v3/profile', (seen) =>
        seen.headers.authorization?.endsWith(':kept') ? error(refusal) : { body: body('profile') },
      );
      expect(await broker.connect(stored('kept', 60_000))).toMatchObject({
        success: true,
        login: { values: { access_token: 'todays-token-4e5f' } },
      });
      expect(made.expired).toEqual([]);
    });
    test('does not burn an auth code when FYERS is merely down', async () => {
      use({ APP_ID: 'TESTAPP01-100', SECRET_KEY: 'testsecret', AUTH_CODE: 'code1' });
      stub.on('GET /api/v3/profile', error('general'));
      expect(await broker.connect(stored('kept', 60_000))).toMatchObject({ success: false });
      expect(stub.calls('POST /api/v3/validate-authcode')).toEqual([]);
    });
  });

  test('the login page carries app id and redirect address, and its redirect signs in', async () => {
    expect(() => fyers.login?.url(made.env)).toThrow('FYERS_REDIRECT_URI');
    use({ ...credentials, REDIRECT_URI: 'http://127.0.0.1:5001/' });
    expect(fyers.login?.url(made.env)).toBe(
      'https://api-t1.fyers.in/api/v3/generate-authcode?client_id=TESTAPP01-100&redirect_uri=http%3A%2F%2F127.0.0.1%3A5001%2F&response_type=code&state=broker-gateway',
    );
    expect(await fyers.login?.exchange(made.env, { s: 'ok', code: '200', auth_code: 'code2', state: 'broker-gateway' })).toMatchObject({
      success: true,
      login: { values: { access_token: 'fresh-token' } },
    });
    expect(await fyers.login?.exchange(made.env, { s: 'error', code: '-1' })).toMatchObject({ success: false });
    expect(await fyers.login?.exchange(made.env, { s: 'error', auth_code: 'code3' })).toMatchObject({ success: false });
    expect(stub.calls('POST /api/v3/validate-authcode').length).toBe(1);
  });

  test('good rows under an error status are not believed, and rows must be there', async () => {
    await broker.connect(null);
    stub.on('GET /api/v3/orders', { status: 500, body: body('orders') });
    expect(await broker.orders()).toMatchObject({ success: false, message: expect.stringContaining('HTTP 500') });
    stub.on('GET /api/v3/positions', { body: { s: 'ok', code: 200, message: '', netPositions: null } });
    expect(await broker.positions()).toMatchObject({ success: false, message: expect.stringContaining('netPositions') });
    stub.on('GET /api/v3/positions', { body: { s: 'ok', code: 200, message: '', netPositions: {} } });
    expect(await broker.positions()).toMatchObject({ success: false, message: expect.stringContaining('list') });
  });

  test.each(
    Object.entries<Answer>({
      'HTTP 403 for an address': error('address'),
      'HTTP 401 for an address': { status: 401, body: { s: 'error', code: -99, message: 'IP 203.0.113.5 is not registered for this app' } },
      'HTTP 403 for want of a permission': error('permission'),
    }),
  )('%s is no end of the session', async (_what, answer) => {
    await broker.connect(null);
    stub.on(`POST ${SYNC}`, answer);
    expect(await place({})).toMatchObject({ fate: 'rejected' });
    expect(made.expired).toEqual([]);
  });

  test('a failing server that speaks of the token does not end the session', async () => {
    await broker.connect(null);
    stub.on('GET /api/v3/orders', { status: 502, body: { s: 'error', code: -16, message: 'Could not authenticate the user' } });
    expect(await broker.orders()).toMatchObject({ success: false });
    expect(made.expired).toEqual([]);
  });

  test('logging out revokes the token once', async () => {
    await broker.connect(null);
    stub.on('POST /api/v3/logout', { body: { s: 'ok', code: 200, message: 'you are successfully logged out' } });
    expect(await broker.logout()).toMatchObject({ success: true });
    expect(stub.calls('POST /api/v3/logout').map((seen) => [seen.headers.authorization, seen.body])).toEqual([
      ['TESTAPP01-100:todays-token-4e5f', '{}'],
    ]);
  });

  test('a dead login answered to an older token does not end the newer one', async () => {
    await broker.connect(null);
    const held = Promise.withResolvers<Answer>();
    stub.on('GET /api/v3/tradebook', () => held.promise);
    const late = broker.tradebook?.();
    while (stub.calls('GET /api/v3/tradebook').length === 0) await new Promise((done) => setTimeout(done, 5));
    await broker.connect({ values: { access_token: 'newer' }, expiresAt: new Date(Date.now() + 60_000).toISOString() });
    held.resolve(error('expired'));
    expect(await late).toMatchObject({ success: false });
    expect(made.expired).toEqual([]);
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
      filled_quantity: 0,
      price: 812.35,
      trigger_price: 0,
      average_price: 0,
      status_message: null,
      tag: null,
      variety: null,
      placed_at: '2026-11-20T04:12:33.000Z',
    };
    expect(answer.success && answer.normalized).toEqual([
      {
        ...common,
        order_id: orderId,
        price: 836.7,
        filled_quantity: 10,
        average_price: 811.2,
        status: 'FILLED',
        state: 'FILLED',
        tag: TAG,
      },
      {
        ...common,
        order_id: '26112000000102',
        filled_quantity: 4,
        average_price: 812.3,
        status: 'PARTIALLY_FILLED',
        state: 'OPEN',
        tag: 'handmade',
      },
      {
        ...common,
        order_id: '26112000000103',
        transaction_type: 'SELL',
        order_type: 'SL',
        price: 800,
        trigger_price: 800.5,
        status: 'PLACED',
        state: 'TRIGGER_PENDING',
      },
      {
        ...common,
        order_id: '26112000000104',
        order_type: 'MARKET',
        product_type: 'DELIVERY',
        price: 0,
        status: 'REJECTED',
        state: 'REJECTED',
        status_message: 'RED:Margin Shortfall:INR 8123.50 Available:INR 10.00 for C-FX0011 [RISK]',
      },
      {
        ...common,
        ...nifty,
        order_id: '26112000000105',
        product_type: 'CARRYFORWARD',
        quantity: 75,
        price: 26010.05,
        status: 'PLACED',
        state: 'TRANSIT',
      },
      {
        ...common,
        order_id: '26112000000106',
        filled_quantity: 3,
        average_price: 812.35,
        status: 'CANCELLED',
        state: 'CANCELLED',
        status_message: 'Cancelled by user',
      },
    ]);
  });

  test('the order a caller asks for is found in `data` by its id as text', async () => {
    stub.on('GET /api/v3/orders', { body: patched('orders', { id: 26112000000101 }) });
    const answer = await broker.orders();
    expect(answer.success && answer.data[0]).toEqual({ ...listOf('orders')[0], id: 26112000000101, order_id: '26112000000101' });
  });

  test('orders are looked up by our tag in FYERS’ spelling', async () => {
    stub.on('GET /api/v3/orders', (seen) => ({
      body: { ...body('orders'), orderBook: listOf('orders').filter((row) => row.orderTag === seen.query.order_tag) },
    }));
    expect(await broker.ordersByTag?.(TAG)).toMatchObject({ success: true, normalized: [{ order_id: orderId, tag: TAG }] });
    expect(await broker.ordersByTag?.('z3v9c0m2p7q1x8za')).toMatchObject({ success: true, normalized: [] });
    expect(stub.seen.map((seen) => seen.query)).toEqual([{ order_tag: `1:${TAG}` }, { order_tag: '1:z3v9c0m2p7q1x8za' }]);
  });
});
