import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { BrokerOrder } from '../../server/brokers/broker.ts';
import { conformance, TAG } from './conformance.ts';
import { body, credentials, error, listOf, nifty, order, orderId, patched, sbin, suite } from './fyers.suite.ts';
import type { LoginFacts } from './login-cases.ts';
import { stubBroker } from './stub-broker.ts';
import type { Answer } from './stub-server.ts';

/** FYERS' logins: an auth code is traded with the hash of app id and secret. */
const logins: LoginFacts = {
  values: (token) => ({ access_token: token }),
  trial: { route: 'GET /api/v3/profile', good: { body: body('profile') }, tokenOf: ({ headers }) => headers.authorization?.split(':')[1] },
  fresh: credentials.ACCESS_TOKEN,
  refused: { 'a dead token': error('expired'), 'an ended token': error('tokenEnded') },
  down: error('general'),
  makers: ['POST /api/v3/validate-authcode'],
  code: {
    settings: { APP_ID: 'TESTAPP01-100', SECRET_KEY: 'testsecret', AUTH_CODE: 'code1' },
    needs: ['APP_ID', 'SECRET_KEY'],
    route: 'POST /api/v3/validate-authcode',
    sent: (seen) => JSON.parse(seen.body),
    expected: {
      grant_type: 'authorization_code',
      appIdHash: createHash('sha256').update('TESTAPP01-100:testsecret').digest('hex'),
      code: 'code1',
    },
    token: 'fresh-token',
    refusal: { answer: error('authCode'), says: /invalid auth code.*FYERS_SECRET_KEY.*FYERS_AUTH_CODE/s, hides: /code1|testsecret/ },
    broken: { 'no token': { body: { s: 'ok', code: 200, message: '' } } },
    page: {
      settings: { REDIRECT_URI: 'http://127.0.0.1:5001/' },
      url: 'https://api-t1.fyers.in/api/v3/generate-authcode?client_id=TESTAPP01-100&redirect_uri=http%3A%2F%2F127.0.0.1%3A5001%2F&response_type=code&state=broker-gateway',
      needs: ['APP_ID', 'REDIRECT_URI'],
      query: { s: 'ok', code: '200', auth_code: 'code2', state: 'broker-gateway' },
      denied: [
        { s: 'error', code: '-1' },
        { s: 'error', auth_code: 'code3' },
      ],
    },
  },
  logout: {
    route: 'POST /api/v3/logout',
    answer: { body: { s: 'ok', code: 200, message: 'you are successfully logged out' } },
    sent: (seen) => [seen.headers.authorization, seen.body],
    expected: ['TESTAPP01-100:todays-token-4e5f', '{}'],
    data: { s: 'ok', code: 200, message: 'you are successfully logged out' },
  },
};

describe('fyers, as every broker', () => conformance(suite, logins));

const SYNC = '/api/v3/orders/sync';

describe('fyers alone', () => {
  const here = stubBroker(suite);
  const place = (change: Partial<BrokerOrder>) => here.broker.placeOrder({ ...order, ...change }, TAG);

  test('sends app id and token on every call', async () => {
    await here.broker.connect(null);
    await here.broker.orders();
    await place({});
    expect(here.stub.seen.map((seen) => seen.headers.authorization)).toEqual(Array(3).fill('TESTAPP01-100:todays-token-4e5f'));
  });

  describe('the end of a login', () => {
    const jwt = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`;
    const endWith = async (token: string) => {
      here.use({ ...credentials, ACCESS_TOKEN: token });
      const connected = await here.broker.connect(null);
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

  test('with an app id alone says how to sign in', async () => {
    here.use({ APP_ID: 'TESTAPP01-100' });
    expect(await here.broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('FYERS_ACCESS_TOKEN') });
  });

  test('good rows under an error status are not believed, and rows must be there', async () => {
    await here.broker.connect(null);
    here.stub.on('GET /api/v3/orders', { status: 500, body: body('orders') });
    expect(await here.broker.orders()).toMatchObject({ success: false, message: expect.stringContaining('HTTP 500') });
    here.stub.on('GET /api/v3/positions', { body: { s: 'ok', code: 200, message: '', netPositions: null } });
    expect(await here.broker.positions()).toMatchObject({ success: false, message: expect.stringContaining('netPositions') });
    here.stub.on('GET /api/v3/positions', { body: { s: 'ok', code: 200, message: '', netPositions: {} } });
    expect(await here.broker.positions()).toMatchObject({ success: false, message: expect.stringContaining('list') });
  });

  test.each(
    Object.entries<Answer>({
      'HTTP 403 for an address': error('address'),
      'HTTP 401 for an address': { status: 401, body: { s: 'error', code: -99, message: 'IP 203.0.113.5 is not registered for this app' } },
      'HTTP 403 for want of a permission': error('permission'),
    }),
  )('%s is no end of the session', async (_what, answer) => {
    await here.broker.connect(null);
    here.stub.on(`POST ${SYNC}`, answer);
    expect(await place({})).toMatchObject({ fate: 'rejected' });
    expect(here.made.expired).toEqual([]);
  });

  test('a failing server that speaks of the token does not end the session', async () => {
    await here.broker.connect(null);
    here.stub.on('GET /api/v3/orders', { status: 502, body: { s: 'error', code: -16, message: 'Could not authenticate the user' } });
    expect(await here.broker.orders()).toMatchObject({ success: false });
    expect(here.made.expired).toEqual([]);
  });

  test('orders in our words', async () => {
    await here.broker.connect(null);
    const answer = await here.broker.orders();
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
    here.stub.on('GET /api/v3/orders', { body: patched('orders', { id: 26112000000101 }) });
    const answer = await here.broker.orders();
    expect(answer.success && answer.data[0]).toEqual({ ...listOf('orders')[0], id: 26112000000101, order_id: '26112000000101' });
  });

  test('orders are looked up by our tag in FYERS’ spelling', async () => {
    here.stub.on('GET /api/v3/orders', (seen) => ({
      body: { ...body('orders'), orderBook: listOf('orders').filter((row) => row.orderTag === seen.query.order_tag) },
    }));
    expect(await here.broker.ordersByTag?.(TAG)).toMatchObject({ success: true, normalized: [{ order_id: orderId, tag: TAG }] });
    expect(await here.broker.ordersByTag?.('z3v9c0m2p7q1x8za')).toMatchObject({ success: true, normalized: [] });
    expect(here.stub.seen.map((seen) => seen.query)).toEqual([{ order_tag: `1:${TAG}` }, { order_tag: '1:z3v9c0m2p7q1x8za' }]);
  });
});
