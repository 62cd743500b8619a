import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { BrokerOrder } from '../../server/brokers/broker.ts';
import { conformance, TAG } from './conformance.ts';
import type { LoginFacts } from './login-cases.ts';
import { stubBroker } from './stub-broker.ts';
import { body, credentials, error, nifty, order, orderId, patched, sbin, suite } from './zerodha.suite.ts';

/** Kite's logins: a request token is traded with a checksum over key, token and secret. */
const logins: LoginFacts = {
  values: (token) => ({ access_token: token }),
  trial: { route: 'GET /user/profile', good: { body: body('profile') }, tokenOf: ({ headers }) => headers.authorization?.split(':')[1] },
  fresh: credentials.ACCESS_TOKEN,
  refused: { 'a dead token': error('expired') },
  down: error('network'),
  makers: ['POST /session/token'],
  code: {
    settings: { API_KEY: 'testkey', API_SECRET: 'testsecret', REQUEST_TOKEN: 'req1' },
    needs: ['API_KEY', 'API_SECRET'],
    route: 'POST /session/token',
    sent: ({ form }) => form,
    expected: {
      api_key: 'testkey',
      request_token: 'req1',
      checksum: createHash('sha256').update('testkeyreq1testsecret').digest('hex'),
    },
    token: 'fresh-token',
    refusal: { answer: error('expired'), says: /ZERODHA_API_SECRET.*ZERODHA_REQUEST_TOKEN/s, hides: /req1|testsecret/ },
    broken: { 'no token': { body: { status: 'success', data: { user_id: 'ZT0001' } } } },
    page: {
      url: 'https://kite.zerodha.com/connect/login?v=3&api_key=testkey-0a1b&redirect_params=state%3Dbroker-gateway',
      needs: ['API_KEY'],
      query: { request_token: 'req2', status: 'success' },
      denied: [{ status: 'cancelled' }],
    },
  },
  logout: {
    route: 'DELETE /session/token',
    answer: { body: { status: 'success', data: true } },
    sent: ({ query }) => query,
    expected: { api_key: 'testkey-0a1b', access_token: 'todays-token-4e5f' },
    data: true,
  },
};

describe('zerodha, as every broker', () => conformance(suite, logins));

describe('zerodha alone', () => {
  const here = stubBroker(suite);
  const place = (change: Partial<BrokerOrder>) => here.broker.placeOrder({ ...order, ...change }, TAG);
  const formOf = (route: string) => here.stub.calls(route).at(-1)?.form;

  test('sends key, token and version on every call', async () => {
    await here.broker.connect(null);
    await here.broker.orders();
    expect(here.stub.seen.map((seen) => seen.headers.authorization)).toEqual(Array(2).fill('token testkey-0a1b:todays-token-4e5f'));
    expect(here.stub.seen.every((seen) => seen.headers['x-kite-version'] === '3')).toBe(true);
  });

  test('a login ends at 06:00 in India', async () => {
    const connected = await here.broker.connect(null);
    expect(connected.success && connected.login.expiresAt).toMatch(/T00:30:00\.000Z$/);
  });

  test('with a key alone says how to sign in', async () => {
    here.use({ API_KEY: 'testkey' });
    expect(await here.broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('ZERODHA_ACCESS_TOKEN') });
  });

  test('orders in our words', async () => {
    await here.broker.connect(null);
    const answer = await here.broker.orders();
    const placedAt = '2026-11-20T04:12:33.000Z';
    const common = {
      ...sbin,
      transaction_type: 'BUY',
      order_type: 'LIMIT',
      product_type: 'INTRADAY',
      quantity: 10,
      price: 812.35,
      trigger_price: 0,
      status_message: null,
      variety: 'regular',
      placed_at: placedAt,
    };
    expect(answer.success && answer.normalized).toEqual([
      { ...common, order_id: orderId, filled_quantity: 10, average_price: 811.2, status: 'FILLED', state: 'FILLED', tag: TAG },
      {
        ...common,
        order_id: '1953341975595868161',
        filled_quantity: 4,
        average_price: 812.3,
        status: 'PARTIALLY_FILLED',
        state: 'OPEN',
        tag: 'handmade',
      },
      {
        ...common,
        order_id: '1953341975595868162',
        transaction_type: 'SELL',
        order_type: 'SL',
        price: 800,
        trigger_price: 800.5,
        filled_quantity: 0,
        average_price: 0,
        status: 'PLACED',
        state: 'TRIGGER_PENDING',
        tag: null,
      },
      {
        ...common,
        order_id: '251120000000163',
        order_type: 'MARKET',
        product_type: 'DELIVERY',
        price: 0,
        filled_quantity: 0,
        average_price: 0,
        status: 'REJECTED',
        state: 'REJECTED',
        tag: null,
        status_message: 'Insufficient funds. Required margin is 8123.50 but available margin is 10.00.',
      },
      {
        ...common,
        ...nifty,
        order_id: '251120000000164',
        product_type: 'CARRYFORWARD',
        quantity: 75,
        price: 26010.05,
        filled_quantity: 0,
        average_price: 0,
        status: 'PLACED',
        state: 'OPEN',
        tag: null,
        variety: 'amo',
      },
    ]);
  });

  describe('the form of an order', () => {
    const base = {
      exchange: 'NSE',
      tradingsymbol: 'SBIN',
      transaction_type: 'BUY',
      quantity: '10',
      product: 'MIS',
      validity: 'DAY',
      tag: TAG,
    };
    test.each([
      ['MARKET', { price: '5', triggerprice: '5' }, { market_protection: '-1' }],
      ['LIMIT', { price: '812.35', triggerprice: '5' }, { price: '812.35' }],
      ['SL', { price: '800', triggerprice: '800.5' }, { price: '800', trigger_price: '800.5' }],
      ['SL-M', { price: '5', triggerprice: '800.5' }, { trigger_price: '800.5', market_protection: '-1' }],
    ])('%s', async (ordertype, given, sent) => {
      await place({ ordertype, ...given });
      expect(formOf('POST /orders/regular')).toEqual({ ...base, order_type: ordertype, ...sent });
    });
    test('carries the algo id when there is one', async () => {
      here.use(credentials, { algoId: 'A-77' });
      await place({});
      expect(formOf('POST /orders/regular')).toMatchObject({ algo_id: 'A-77' });
    });
    test('carries the market protection that was set, where the order has no limit of its own', async () => {
      here.use(credentials, { marketProtection: '3.5' });
      for (const ordertype of ['MARKET', 'SL-M']) {
        await place({ ordertype, triggerprice: '800' });
        expect(formOf('POST /orders/regular')).toMatchObject({ order_type: ordertype, market_protection: '3.5' });
        await here.broker.modifyOrder({ variety: 'NORMAL', orderid: '1953341975595868161', ordertype });
        expect(formOf('PUT /orders/regular/*')).toEqual({ order_type: ordertype, market_protection: '3.5' });
      }
      await place({ ordertype: 'LIMIT', price: '812.35' });
      expect(formOf('POST /orders/regular')).not.toHaveProperty('market_protection');
    });
    test('AMO goes to its own path', async () => {
      await place({ variety: 'AMO' });
      expect(here.stub.calls('POST /orders/amo').length).toBe(1);
    });
    test('an SL-M on a future is sent', async () => {
      await place({
        exchange: 'NFO',
        producttype: 'CARRYFORWARD',
        tradingsymbol: 'NIFTY26NOVFUT',
        ordertype: 'SL-M',
        triggerprice: '25900',
      });
      expect(formOf('POST /orders/regular')).toMatchObject({ order_type: 'SL-M', market_protection: '-1', product: 'NRML' });
    });
  });

  describe('changing and cancelling', () => {
    const change = (given: { orderid: string } & Record<string, string>) => here.broker.modifyOrder({ variety: 'NORMAL', ...given });
    test('sends only the fields that were given', async () => {
      await change({ orderid: '1953341975595868161', price: '813.5' });
      expect(formOf('PUT /orders/regular/1953341975595868161')).toEqual({ price: '813.5' });
      await change({ orderid: '1953341975595868161', quantity: '5', triggerprice: '800' });
      expect(formOf('PUT /orders/regular/1953341975595868161')).toEqual({ quantity: '5', trigger_price: '800' });
      await change({ orderid: '1953341975595868161', ordertype: 'LIMIT', price: '1' });
      expect(formOf('PUT /orders/regular/1953341975595868161')).toEqual({ order_type: 'LIMIT', price: '1' });
    });
    test.each(['MARKET', 'SL-M'])('an order that becomes %s is protected', async (ordertype) => {
      await change({ orderid: '1953341975595868161', ordertype });
      expect(formOf('PUT /orders/regular/*')).toEqual({ order_type: ordertype, market_protection: '-1' });
    });
    test('an order booked as SL-M stays protected; price alone would change nothing and is refused', async () => {
      here.stub.on('GET /orders', { body: patched('orders', { order_type: 'SL-M' }) });
      await change({ orderid: orderId, triggerprice: '801' });
      expect(formOf('PUT /orders/regular/*')).toEqual({ trigger_price: '801', market_protection: '-1' });
      expect(await change({ orderid: orderId, price: '801' })).toMatchObject({
        fate: 'rejected',
        message: expect.stringContaining('trigger_price'),
      });
      expect(here.stub.calls('PUT /orders/regular/*').length).toBe(1);
    });
    test('our own SL-M order stays protected too', async () => {
      await place({ ordertype: 'SL-M', triggerprice: '800' });
      here.stub.on('GET /orders', { body: patched('orders', { order_type: 'SL-M' }) });
      await change({ orderid: orderId, triggerprice: '801' });
      expect(formOf('PUT /orders/regular/*')).toEqual({ trigger_price: '801', market_protection: '-1' });
    });
    test('our MARKET order that Kite booked as LIMIT is changed as a LIMIT order', async () => {
      await place({});
      await change({ orderid: orderId, price: '812' });
      expect(formOf('PUT /orders/regular/*')).toEqual({ price: '812' });
    });
    test('SL-M is refused for what the book shows as a BSE order', async () => {
      here.stub.on('GET /orders', { body: patched('orders', { exchange: 'BSE' }) });
      expect(await change({ orderid: orderId, ordertype: 'SL-M', triggerprice: '1' })).toMatchObject({
        fate: 'rejected',
        message: expect.stringContaining('SL-M'),
      });
    });
    test('an order not in the book is refused before sending', async () => {
      expect(await change({ orderid: '42', price: '1' })).toMatchObject({ fate: 'rejected', message: expect.stringContaining('order_id') });
      expect(here.stub.calls('PUT /orders/*/*')).toEqual([]);
    });
    test('the variety of a stranger’s order comes from the book, whatever the caller says', async () => {
      await change({ orderid: '251120000000164', price: '26000' });
      await here.broker.cancelOrder('251120000000164');
      expect(here.stub.calls('PUT /orders/amo/251120000000164').length).toBe(1);
      expect(here.stub.calls('DELETE /orders/amo/251120000000164').length).toBe(1);
    });
    test('the variety of our own order is remembered', async () => {
      await place({ variety: 'AMO' });
      here.stub.on('GET /orders', error('network'));
      expect(await here.broker.cancelOrder(orderId)).toMatchObject({ fate: 'accepted', order_id: orderId });
      expect(here.stub.calls('DELETE /orders/amo/*').length).toBe(1);
      expect(here.stub.calls('GET /orders')).toEqual([]);
    });
    test('a cancel is tried as regular when the book cannot be read', async () => {
      here.stub.on('GET /orders', error('network'));
      await here.broker.cancelOrder('251120000000164');
      expect(here.stub.calls('DELETE /orders/regular/251120000000164').length).toBe(1);
    });
    test('an order id cannot leave its place in the path', async () => {
      await here.broker.cancelOrder('1/../../session/token?x=1');
      expect(here.stub.seen.filter((seen) => seen.method === 'DELETE').map((seen) => seen.path)).toEqual([
        '/orders/regular/1%2F..%2F..%2Fsession%2Ftoken%3Fx%3D1',
      ]);
    });
  });

  describe('the last price', () => {
    test('comes from the quote', async () => {
      here.stub.on('GET /quote/ltp', {
        body: { status: 'success', data: { 'NSE:SBIN': { instrument_token: 779521, last_price: 812.35 } } },
      });
      expect(await here.broker.lastPrice?.('NSE', 'SBIN', '779521')).toMatchObject({ price: 812.35 });
      expect(here.stub.seen.at(-1)?.query).toEqual({ i: 'NSE:SBIN' });
    });
    test('is asked once a second at most', async () => {
      here.stub.on('GET /quote/ltp', { body: { status: 'success', data: {} } });
      here.made.pace.speed = 10;
      const started = performance.now();
      await Promise.all([1, 2, 3].map(() => here.broker.lastPrice?.('NSE', 'SBIN', '779521')));
      expect(performance.now() - started).toBeGreaterThan(180);
    });
    test('is null when Zerodha has none and an error when it cannot be read', async () => {
      here.made.pace.speed = 50;
      here.stub.on('GET /quote/ltp', { body: { status: 'success', data: {} } });
      expect(await here.broker.lastPrice?.('NSE', 'SBIN', '779521')).toBeNull();
      here.stub.on('GET /quote/ltp', { body: { status: 'success', data: { 'NSE:SBIN': { last_price: null } } } });
      await expect(here.broker.lastPrice?.('NSE', 'SBIN', '779521')).rejects.toThrow('last_price');
      here.stub.on('GET /quote/ltp', error('permission'));
      await expect(here.broker.lastPrice?.('NSE', 'SBIN', '779521')).rejects.toThrow('not allowed');
    });
  });
});
