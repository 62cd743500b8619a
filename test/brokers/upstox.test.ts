import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { upstox } from '../../server/brokers/upstox/adapter.ts';
import { orderUrl } from '../../server/brokers/upstox/api.ts';
import { conformance, TAG } from './conformance.ts';
import type { LoginFacts } from './login-cases.ts';
import { stubBroker } from './stub-broker.ts';
import { body, credentials, error, order, orderId, patched, routes, sbin, suite } from './upstox.suite.ts';

const TOKEN = 'POST /v2/login/authorization/token';
/** Upstox' logins: a code is traded with the app's keys, outside the envelope of all other answers. */
const logins: LoginFacts = {
  values: (token) => ({ access_token: token }),
  trial: {
    route: 'GET /v2/user/profile',
    good: { body: body('profile') },
    tokenOf: ({ headers }) => headers.authorization?.replace('Bearer ', ''),
  },
  fresh: credentials.ACCESS_TOKEN,
  refused: { 'a dead token': error('expired') },
  down: error('unavailable'),
  makers: [TOKEN],
  code: {
    settings: { API_KEY: 'testkey', API_SECRET: 'testsecret', REDIRECT_URI: 'https://example.com/back', AUTH_CODE: 'mk404x' },
    needs: ['API_KEY', 'API_SECRET'],
    route: TOKEN,
    sent: ({ headers, form }) => [headers['content-type'], form],
    expected: [
      'application/x-www-form-urlencoded',
      {
        code: 'mk404x',
        client_id: 'testkey',
        client_secret: 'testsecret',
        redirect_uri: 'https://example.com/back',
        grant_type: 'authorization_code',
      },
    ],
    token: 'fresh-token',
    refusal: { answer: error('code'), says: /UDAPI100057.*UPSTOX_API_SECRET/, hides: /mk404x|testsecret/ },
    broken: { 'no token': { body: { user_id: 'UT0001' } } },
    page: {
      url: `https://api.upstox.com/v2/login/authorization/dialog?response_type=code&client_id=testkey-0a1b&redirect_uri=${encodeURIComponent('http://127.0.0.1:5001/')}&state=broker-gateway`,
      needs: ['API_KEY'],
      query: { code: 'mk405x' },
      denied: [{ error: 'denied' }],
    },
  },
  logout: {
    route: 'DELETE /v2/logout',
    answer: { body: { status: 'success', data: true } },
    sent: ({ headers }) => headers.authorization,
    expected: 'Bearer todays-token-4e5f',
    data: true,
  },
};

describe('upstox, as every broker', () => conformance(suite, logins));

describe('upstox alone', () => {
  const here = stubBroker(suite);

  describe('signing in', () => {
    test('sends the token on every call, and the version on v2', async () => {
      await here.broker.connect(null);
      await here.broker.orders();
      await here.broker.placeOrder(order, TAG);
      expect(here.stub.seen.map((seen) => seen.headers.authorization)).toEqual(Array(3).fill('Bearer todays-token-4e5f'));
      expect(here.stub.seen.map((seen) => seen.headers['api-version'])).toEqual(['2.0', '2.0', undefined]);
    });

    test.each([
      ['2026-11-20T03:29:00+05:30', '2026-11-19T22:00:00.000Z'],
      ['2026-11-20T03:31:00+05:30', '2026-11-20T22:00:00.000Z'],
      ['2026-11-20T23:59:00+05:30', '2026-11-20T22:00:00.000Z'],
    ])('a login of %s ends at the next 03:30 in India', async (at, ends) => {
      here.use(credentials, { now: Date.parse(at) });
      expect(await here.broker.connect(null)).toMatchObject({ success: true, login: { expiresAt: ends } });
    });

    test('needs nothing beside UPSTOX_ACCESS_TOKEN', async () => {
      here.use({ ACCESS_TOKEN: 'pasted' });
      expect(await here.broker.connect(null)).toMatchObject({ success: true, login: { values: { access_token: 'pasted' } } });
    });

    test('a profile without an account is no login', async () => {
      here.stub.on('GET /v2/user/profile', { body: { status: 'success', data: { user_name: 'x' } } });
      expect(await here.broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('user_id') });
    });
  });

  test('orders go to their own host, or to the one that was set', () => {
    expect(orderUrl(upstox.urls.api)).toBe('https://api-hft.upstox.com');
    expect(orderUrl('https://api-sandbox.upstox.com')).toBe('https://api-sandbox.upstox.com');
  });

  describe('positions under MTF', () => {
    /** As documented: the list of its own holds carried and today's together, without the series. */
    const mtf = {
      ...z.array(z.looseObject({})).parse(body('positions').data)[0],
      ...{ product: 'MTF', trading_symbol: 'SBIN', quantity: 7, average_price: 571.33, overnight_quantity: 2, day_buy_quantity: 5 },
    };
    const held = { ...sbin, product_type: 'MTF', net_quantity: 7, average_price: 571.33 };
    const lists = (day: unknown[], funded: unknown) => {
      here.stub.on(routes.positions, { body: { status: 'success', data: day } });
      here.stub.on(routes.mtf, { body: { status: 'success', data: funded } });
      return here.broker.positions();
    };
    const normalized = async (reading: ReturnType<typeof lists>) => {
      const read = await reading;
      return read.success && read.normalized;
    };
    beforeEach(async () => {
      await here.broker.connect(null);
    });

    test('stand beside the others', async () => {
      const day = { ...mtf, product: 'I', quantity: -3, average_price: 812 };
      expect(await normalized(lists([day], [mtf]))).toMatchObject([{ ...sbin, product_type: 'INTRADAY', net_quantity: -3 }, held]);
    });
    test('count once where both lists have them; another product of the same share stays', async () => {
      const others = [
        { ...mtf, product: 'D' },
        { ...mtf, instrument_token: 'NSE_EQ|INE009A01021' },
        { ...mtf, quantity: 5 },
      ];
      expect(await normalized(lists(others, [mtf]))).toMatchObject([
        { product_type: 'DELIVERY', net_quantity: 7 },
        { product_type: 'MTF', token: 'NSE_EQ|INE009A01021', net_quantity: 7 },
        held,
      ]);
    });
    test('one that cannot be read costs its own instrument only', async () => {
      const read = await lists([{ ...mtf, product: 'I' }], [{ ...mtf, quantity: null }]);
      expect(read).toMatchObject({ success: true, normalized: [{ product_type: 'INTRADAY' }] });
      expect(read).toMatchObject({ unreadable: [{ symbol: 'SBIN', reason: expect.stringContaining('quantity') }] });
    });
    test.each([
      ['a server error', error('unavailable')],
      ['a rate refusal', error('rate')],
      ['a refusal that names no reason', error('internal')],
      ['no list', { body: { status: 'success', data: null } }],
      ['half an answer', 'half' as const],
    ])('%s leaves open what is held: the read fails', async (_what, answer) => {
      here.stub.on(routes.mtf, answer);
      expect(await here.broker.positions()).toMatchObject({ success: false, message: expect.stringContaining('MTF positions: ') });
    });
    test('an account that is refused the list by name has none, and that is logged once', async () => {
      const errors = [{ error_code: 'UDAPI100060', message: 'Resource not Found.' }];
      here.stub.on(routes.mtf, { status: 404, body: { status: 'error', errors } });
      expect(await here.broker.positions()).toMatchObject({ success: true, data: body('positions').data });
      expect(await here.broker.positions()).toMatchObject({ success: true });
      expect(here.made.logged.filter((line) => line.includes('MTF positions'))).toHaveLength(1);
    });
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
      await here.broker.connect(null);
      const found = await here.broker.ordersByTag?.(TAG);
      expect(here.stub.calls(HISTORY)[0]?.query).toEqual({ tag: TAG });
      expect(found?.success && found.normalized).toMatchObject([
        { order_id: orderId, state: 'FILLED', filled_quantity: 10, tag: TAG },
        { order_id: '261120025562899', state: 'OPEN', filled_quantity: 0, tag: TAG },
      ]);
      expect(found?.success && found.data).toMatchObject([{ status: 'complete' }, { status: 'open' }]);
    });
    test('whichever end its history begins at', async () => {
      here.stub.on(HISTORY, { body: { status: 'success', data: (body('history').data as unknown[]).toReversed() } });
      const found = await here.broker.ordersByTag?.(TAG);
      expect(found?.success && found.normalized.map((row) => row.state).toSorted()).toEqual(['FILLED', 'OPEN']);
    });
    test('a tag Upstox does not know has no orders', async () => {
      here.stub.on(HISTORY, error('order'));
      expect(await here.broker.ordersByTag?.(TAG)).toEqual({ success: true, data: [], normalized: [] });
      here.stub.on(HISTORY, { body: { status: 'success', data: [] } });
      expect(await here.broker.ordersByTag?.(TAG)).toEqual({ success: true, data: [], normalized: [] });
    });
    test.each(['internal', 'rate', 'unavailable'])('after the error "%s" nothing is known', async (name) => {
      here.stub.on(HISTORY, error(name));
      expect(await here.broker.ordersByTag?.(TAG)).toMatchObject({ success: false, message: expect.stringMatching(/UDAPI/) });
    });
    test('a row that cannot be read is told: it is no proof that there is no order', async () => {
      here.stub.on(HISTORY, { body: patched('orders', { quantity: null }) });
      const found = await here.broker.ordersByTag?.(TAG);
      expect(found).toMatchObject({ success: true, unreadable: [{ reason: expect.stringContaining('quantity') }] });
      expect(found?.success && found.data).toContain(found?.success && found.unreadable?.[0]?.row);
    });
  });
});
