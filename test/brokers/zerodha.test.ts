import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { exchanges, orderTypes, productTypes, transactionTypes, varieties } from '../../contract/words.ts';
import type { Broker, BrokerOrder } from '../../server/brokers/broker.ts';
import { createBroker } from '../../server/brokers/index.ts';
import { zerodha } from '../../server/brokers/zerodha/adapter.ts';
import { conformance, type ListName, type Suite, TAG } from './conformance.ts';
import { type Answer, envFor, type Fixture, fixtures, openStand, type Stand } from './stand.ts';

const { one, errors } = fixtures('zerodha');
const refused = errors();
const placed = one('placed');
const orderId = '1953341975595868160';

function error(name: string): Answer {
  const found = refused[name];
  if (!found) throw new Error(`no fixture ${name}`);
  return { status: found.status, body: found.body };
}

const body = (name: string) => one(name).body;
const data = (name: string) => body(name).data;
const answerOf = (fixture: Fixture): Answer => ({ status: fixture.status, body: fixture.body });
const rowList = z.array(z.record(z.string(), z.unknown()));

function patched(list: ListName, patch: Record<string, unknown>): unknown {
  const name = list === 'tradebook' ? 'trades' : list;
  const rows = rowList.parse(list === 'positions' ? z.object({ net: rowList }).parse(data(name)).net : data(name));
  const changed = rows.map((row, index) =>
    index === 0 ? Object.fromEntries(Object.entries({ ...row, ...patch }).filter(([, value]) => value !== undefined)) : row,
  );
  return { status: 'success', data: list === 'positions' ? { net: changed, day: [] } : changed };
}

const order: BrokerOrder = {
  symbol: 'SBIN',
  token: '779521',
  exchange: 'NSE',
  transactiontype: 'BUY',
  ordertype: 'MARKET',
  producttype: 'INTRADAY',
  quantity: '10',
  price: '0',
  triggerprice: '0',
  variety: 'NORMAL',
  duration: 'DAY',
  tradingsymbol: 'SBIN',
};

const credentials = { API_KEY: 'testkey-0a1b', API_SECRET: 'testsecret-2c3d', ACCESS_TOKEN: 'todays-token-4e5f' };

function healthy(stand: Stand): void {
  stand.on('GET /user/profile', answerOf(one('profile')));
  stand.on('GET /user/margins', answerOf(one('funds')));
  stand.on('GET /portfolio/holdings', answerOf(one('holdings')));
  stand.on('GET /portfolio/positions', answerOf(one('positions')));
  stand.on('GET /orders', answerOf(one('orders')));
  stand.on('GET /trades', answerOf(one('trades')));
  stand.on('POST /session/token', answerOf(one('session')));
  stand.on('POST /orders/*', answerOf(placed));
  stand.on('PUT /orders/*/*', answerOf(placed));
  stand.on('DELETE /orders/*/*', answerOf(placed));
}

const sbin = { symbol: 'SBIN', token: '779521', exchange: 'NSE' };
const placedAt = '2026-11-20T04:12:33.000Z';
const nifty = { symbol: 'NIFTY26NOVFUT', token: '12345602', exchange: 'NFO' };
const empty = { status: 'success', data: [] };

const suite: Suite = {
  definition: zerodha,
  credentials,
  needed: ['ZERODHA_API_KEY'],
  account: 'ZT0001',
  healthy,
  reads: {
    profile: { route: 'GET /user/profile', data: data('profile') },
    funds: { route: 'GET /user/margins', data: data('funds') },
    holdings: {
      route: 'GET /portfolio/holdings',
      data: data('holdings'),
      empty,
      normalized: [
        { ...sbin, isin: 'INE062A01020', quantity: 25, average_price: 790.4, last_price: 812.35, pnl: 548.75 },
        {
          symbol: 'INFY',
          token: '408065',
          exchange: 'NSE',
          isin: 'INE009A01021',
          quantity: 4,
          average_price: 1500,
          last_price: 1510.5,
          pnl: 42,
        },
      ],
    },
    positions: {
      route: 'GET /portfolio/positions',
      data: z.object({ net: z.unknown() }).parse(data('positions')).net,
      empty: { status: 'success', data: { net: [], day: [] } },
      normalized: [
        {
          ...sbin,
          product_type: 'INTRADAY',
          net_quantity: 10,
          average_price: 811.2,
          last_price: 812.35,
          realized_pnl: 0,
          unrealized_pnl: 11.5,
          multiplier: 1,
        },
        {
          ...nifty,
          product_type: 'CARRYFORWARD',
          net_quantity: -75,
          average_price: 26010.05,
          last_price: 26000,
          realized_pnl: 0,
          unrealized_pnl: 753.75,
          multiplier: 1,
        },
        {
          symbol: 'LEADMINI26NOVFUT',
          token: '53496327',
          exchange: 'MCX',
          product_type: 'CARRYFORWARD',
          net_quantity: 0,
          average_price: 0,
          last_price: 161.05,
          realized_pnl: 120.5,
          unrealized_pnl: 0,
          multiplier: 1000,
        },
      ],
    },
    orders: { route: 'GET /orders', data: data('orders'), empty },
    tradebook: {
      route: 'GET /trades',
      data: data('trades'),
      empty,
      normalized: [
        {
          trade_id: '10000001',
          order_id: orderId,
          ...sbin,
          transaction_type: 'BUY',
          product_type: 'INTRADAY',
          quantity: 10,
          price: 811.2,
          traded_at: '2026-11-20T04:12:34.000Z',
        },
      ],
    },
  },
  patched,
  expired: error('expired'),
  order,
  calls: {
    placeOrder: { route: 'POST /orders/regular', run: (broker) => broker.placeOrder(order, TAG) },
    modifyOrder: {
      route: 'PUT /orders/regular/*',
      run: (broker) => broker.modifyOrder({ orderid: orderId, variety: 'NORMAL', price: '813.5' }),
    },
    cancelOrder: { route: 'DELETE /orders/regular/*', run: (broker) => broker.cancelOrder(orderId) },
  },
  accepted: answerOf(placed),
  orderId,
  ambiguous: {
    'a success without an order id': { body: { status: 'success', data: {} } },
    'a success with an empty order id': { body: { status: 'success', data: { order_id: '' } } },
    'a success with null': { body: { status: 'success', data: null } },
    'an order id under HTTP 500': { status: 500, body: placed.body },
    'an error under HTTP 200': { status: 200, body: refused.margin?.body },
    'a text about a time-out': error('timedOut'),
    'a short text about a time-out': error('timeout'),
    'HTTP 500': error('general'),
    'HTTP 502': error('data'),
    'HTTP 503 with the type of a rate refusal': error('network'),
    'HTTP 504': error('gateway'),
    'HTTP 404': error('notFound'),
    'HTTP 403 of another type': error('forbiddenOther'),
    'HTTP 400 that is not JSON': { status: 400, body: '<html>bad request</html>' },
    'HTTP 429 that is not JSON': { status: 429, body: 'slow down' },
  },
  rejections: {
    margin: { answer: error('margin'), says: /Insufficient funds/ },
    product: { answer: error('product'), says: /NRML/ },
    price: { answer: error('price'), says: /circuit/ },
    protection: { answer: error('protection'), says: /market protection/ },
    'an unknown order': { answer: error('order'), says: /does not exist/ },
    permission: { answer: error('permission'), says: /not allowed/ },
    'an unregistered address': { answer: error('address'), says: /203\.0\.113\.5/ },
    'an unregistered address under another type': { answer: error('addressOtherType'), says: /No IPs configured/ },
    rate: { answer: error('rate'), says: /Too many requests/ },
  },
  refusals: {
    'an unknown exchange': { order: { exchange: 'NASDAQ' }, field: 'exchange' },
    'an exchange named like a member of every object': { order: { exchange: 'constructor' }, field: 'exchange' },
    'an unknown side': { order: { transactiontype: 'HOLD' }, field: 'transaction_type' },
    'a lower-case side': { order: { transactiontype: 'buy' }, field: 'transaction_type' },
    'an unknown order type': { order: { ordertype: 'ICEBERG' }, field: 'order_type' },
    'an unknown product': { order: { producttype: 'MARGIN' }, field: 'product_type' },
    'an unknown variety': { order: { variety: 'ROBO' }, field: 'variety' },
    'DELIVERY on NFO': { order: { exchange: 'NFO', producttype: 'DELIVERY' }, field: 'product_type' },
    'CARRYFORWARD on NSE': { order: { producttype: 'CARRYFORWARD' }, field: 'product_type' },
    'CARRYFORWARD on BSE': { order: { exchange: 'BSE', producttype: 'CARRYFORWARD' }, field: 'product_type' },
    'SL without a trigger': { order: { ordertype: 'SL', price: '800' }, field: 'trigger_price' },
    'SL-M without a trigger': { order: { ordertype: 'SL-M' }, field: 'trigger_price' },
    'LIMIT without a price': { order: { ordertype: 'LIMIT' }, field: 'price' },
    'SL-M on an NFO option': {
      order: { exchange: 'NFO', tradingsymbol: 'NIFTY26NOV26000CE', ordertype: 'SL-M', triggerprice: '90' },
      field: 'order_type',
    },
    'SL-M on BSE': { order: { exchange: 'BSE', ordertype: 'SL-M', triggerprice: '800' }, field: 'order_type' },
    'a stop variety without a stop': { order: { variety: 'STOPLOSS', triggerprice: '800' }, field: 'order_type' },
  },
  stateField: 'status',
  states: {
    COMPLETE: 'FILLED',
    REJECTED: 'REJECTED',
    CANCELLED: 'CANCELLED',
    'CANCELLED AMO': 'CANCELLED',
    OPEN: 'OPEN',
    open: 'OPEN',
    UPDATE: 'OPEN',
    'TRIGGER PENDING': 'TRIGGER_PENDING',
    'PUT ORDER REQ RECEIVED': 'TRANSIT',
    'VALIDATION PENDING': 'TRANSIT',
    'OPEN PENDING': 'TRANSIT',
    'AMO REQ RECEIVED': 'TRANSIT',
    'MODIFY VALIDATION PENDING': 'OPEN',
    'MODIFY PENDING': 'OPEN',
    MODIFIED: 'OPEN',
    'NOT MODIFIED': 'OPEN',
    'CANCEL PENDING': 'OPEN',
  },
  badRows: [
    { list: 'orders', patch: { status: null }, names: 'status' },
    { list: 'orders', patch: { status: '' }, names: 'status' },
    { list: 'orders', patch: { quantity: null }, names: 'quantity' },
    { list: 'orders', patch: { quantity: 1.5 }, names: 'quantity' },
    { list: 'orders', patch: { filled_quantity: undefined }, names: 'filled_quantity' },
    { list: 'orders', patch: { filled_quantity: 'ten' }, names: 'filled_quantity' },
    { list: 'orders', patch: { filled_quantity: -1 }, names: 'filled_quantity' },
    { list: 'orders', patch: { filled_quantity: true }, names: 'filled_quantity' },
    { list: 'orders', patch: { filled_quantity: '' }, names: 'filled_quantity' },
    { list: 'orders', patch: { average_price: '1,000' }, names: 'average_price' },
    { list: 'orders', patch: { order_id: 1953341975595868200 }, names: 'order_id' },
    { list: 'orders', patch: { transaction_type: 'X' }, names: 'transaction_type' },
    { list: 'positions', patch: { quantity: null }, names: 'quantity' },
    { list: 'positions', patch: { quantity: '1e3' }, names: 'quantity' },
    { list: 'positions', patch: { multiplier: null }, names: 'multiplier' },
    { list: 'holdings', patch: { t1_quantity: undefined }, names: 't1_quantity' },
    { list: 'holdings', patch: { average_price: 'n/a' }, names: 'average_price' },
    { list: 'tradebook', patch: { quantity: null }, names: 'quantity' },
    { list: 'tradebook', patch: { average_price: null }, names: 'average_price' },
    { list: 'tradebook', patch: { trade_id: '' }, names: 'trade_id' },
  ],
  goodRows: [
    {
      list: 'orders',
      patch: { quantity: '10', filled_quantity: '4', average_price: '811.20' },
      row: { quantity: 10, filled_quantity: 4, average_price: 811.2 },
    },
    { list: 'orders', patch: { average_price: null, order_timestamp: null }, row: { average_price: null, placed_at: null } },
    {
      list: 'orders',
      patch: { status: 'OPEN', filled_quantity: 3 },
      row: { state: 'OPEN', status: 'PARTIALLY_FILLED', filled_quantity: 3 },
    },
    {
      list: 'orders',
      patch: { status: 'CANCELLED', filled_quantity: 3 },
      row: { state: 'CANCELLED', status: 'CANCELLED', filled_quantity: 3 },
    },
    { list: 'orders', patch: { product: 'MTF', exchange: 'BFO' }, row: { product_type: 'MTF', exchange: 'BFO' } },
    { list: 'orders', patch: { order_id: '9999999999999999999' }, row: { order_id: '9999999999999999999' } },
    { list: 'positions', patch: { quantity: '-20', average_price: null }, row: { net_quantity: -20, average_price: null } },
    { list: 'holdings', patch: { instrument_token: null, isin: '' }, row: { token: null, isin: null } },
    { list: 'tradebook', patch: { fill_timestamp: '09:15' }, row: { traded_at: null } },
  ],
  tags: [
    { patch: { tag: TAG, tags: undefined }, tag: TAG },
    { patch: { tag: null, tags: ['mktp', 'mktp:2.00', TAG] }, tag: TAG },
    { patch: { tag: 'mktp', tags: ['mktp', TAG] }, tag: TAG },
    { patch: { tag: null, tags: ['mktp', 'mktp:2.00'] }, tag: null },
    { patch: { tag: null, tags: ['autoslice', 'autoslice:1953341975595868160'] }, tag: null },
    { patch: { tag: 'handmade', tags: ['handmade'] }, tag: 'handmade' },
    { patch: { tag: null, tags: ['mktp', 'handmade'] }, tag: 'handmade' },
    { patch: { tag: null, tags: null }, tag: null },
    { patch: { tag: 'K3V9C0M2P7Q1X8ZA', tags: [] }, tag: 'K3V9C0M2P7Q1X8ZA' },
  ],
};

describe('zerodha, as every broker', () => conformance(suite));

describe('zerodha alone', () => {
  let stand: Stand;
  let made: ReturnType<typeof envFor>;
  let broker: Broker;
  beforeEach(async () => {
    stand = await openStand();
    healthy(stand);
    use(credentials);
  });
  afterEach(async () => {
    await broker.close();
    await stand.close();
  });
  function use(given: Record<string, string>, more: { algoId?: string } = {}): void {
    made = envFor(zerodha, stand.url, given);
    broker = createBroker('zerodha', { ...made.env, ...more });
  }
  const place = (change: Partial<BrokerOrder>) => broker.placeOrder({ ...order, ...change }, TAG);
  const formOf = (route: string) => stand.calls(route).at(-1)?.form;

  test('sends key, token and version on every call', async () => {
    await broker.connect(null);
    await broker.orders();
    expect(stand.seen.map((seen) => seen.headers.authorization)).toEqual(Array(2).fill('token testkey-0a1b:todays-token-4e5f'));
    expect(stand.seen.every((seen) => seen.headers['x-kite-version'] === '3')).toBe(true);
  });

  test('a login ends at 06:00 in India', async () => {
    const connected = await broker.connect(null);
    expect(connected.success && connected.login.expiresAt).toMatch(/T00:30:00\.000Z$/);
  });

  test('trades a request token for the day’s token with the checksum', async () => {
    use({ API_KEY: 'testkey', API_SECRET: 'testsecret', REQUEST_TOKEN: 'req1' });
    expect(await broker.connect(null)).toMatchObject({
      success: true,
      account: 'ZT0001',
      login: { values: { access_token: 'fresh-token' } },
    });
    const checksum = createHash('sha256').update('testkeyreq1testsecret').digest('hex');
    expect(formOf('POST /session/token')).toEqual({ api_key: 'testkey', request_token: 'req1', checksum });
    expect(stand.calls('POST /session/token')[0]?.headers.authorization).toBeUndefined();
    expect(stand.calls('GET /user/profile')[0]?.headers.authorization).toBe('token testkey:fresh-token');
  });

  test('a request token without the secret names ZERODHA_API_SECRET', async () => {
    use({ API_KEY: 'testkey', REQUEST_TOKEN: 'req1' });
    expect(await broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('ZERODHA_API_SECRET') });
    expect(stand.seen).toEqual([]);
  });

  test('a refused request token names the settings', async () => {
    use({ API_KEY: 'testkey', API_SECRET: 'testsecret', REQUEST_TOKEN: 'used' });
    stand.on('POST /session/token', error('expired'));
    expect(await broker.connect(null)).toMatchObject({
      success: false,
      message: expect.stringMatching(/ZERODHA_API_SECRET.*ZERODHA_REQUEST_TOKEN/s),
    });
    expect(stand.calls('POST /session/token').length).toBe(1);
  });

  test('with a key alone says how to sign in', async () => {
    use({ API_KEY: 'testkey' });
    expect(await broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('ZERODHA_ACCESS_TOKEN') });
  });

  describe('a stored login', () => {
    const stored = (token: string, livesMs: number) => ({
      values: { access_token: token },
      expiresAt: new Date(Date.now() + livesMs).toISOString(),
    });
    const tokens = () => stand.calls('GET /user/profile').map((seen) => seen.headers.authorization);
    test('is used while it lives', async () => {
      expect(await broker.connect(stored('kept', 60_000))).toMatchObject({ success: true, login: { values: { access_token: 'kept' } } });
      expect(tokens()).toEqual(['token testkey-0a1b:kept']);
    });
    test('is not tried after its end', async () => {
      await broker.connect(stored('kept', -1));
      expect(tokens()).toEqual(['token testkey-0a1b:todays-token-4e5f']);
    });
    test('gives way to ZERODHA_ACCESS_TOKEN when refused', async () => {
      stand.on('GET /user/profile', (seen) =>
        seen.headers.authorization?.endsWith(':kept') ? error('expired') : answerOf(one('profile')),
      );
      expect(await broker.connect(stored('kept', 60_000))).toMatchObject({
        success: true,
        login: { values: { access_token: 'todays-token-4e5f' } },
      });
      expect(made.expired).toEqual([]);
    });
    test('does not burn a request token when Zerodha is merely down', async () => {
      use({ API_KEY: 'testkey', API_SECRET: 'testsecret', REQUEST_TOKEN: 'req1' });
      stand.on('GET /user/profile', error('network'));
      expect(await broker.connect(stored('kept', 60_000))).toMatchObject({ success: false });
      expect(stand.calls('POST /session/token')).toEqual([]);
    });
  });

  test('the login page carries the key, and its redirect signs in', async () => {
    expect(zerodha.login?.url(made.env)).toBe('https://kite.zerodha.com/connect/login?v=3&api_key=testkey-0a1b');
    expect(await zerodha.login?.exchange(made.env, { request_token: 'req2', status: 'success' })).toMatchObject({
      success: true,
      login: { values: { access_token: 'fresh-token' } },
    });
    expect(await zerodha.login?.exchange(made.env, { status: 'cancelled' })).toMatchObject({ success: false });
    expect(stand.calls('POST /session/token').length).toBe(1);
  });

  test('logging out revokes the token once', async () => {
    await broker.connect(null);
    stand.on('DELETE /session/token', { body: { status: 'success', data: true } });
    expect(await broker.logout()).toEqual({ success: true, data: true });
    expect(stand.calls('DELETE /session/token').map((seen) => seen.query)).toEqual([
      { api_key: 'testkey-0a1b', access_token: 'todays-token-4e5f' },
    ]);
  });

  test('a dead login answered to an older token does not end the newer one', async () => {
    await broker.connect(null);
    const held = Promise.withResolvers<Answer>();
    stand.on('GET /trades', () => held.promise);
    const late = broker.tradebook?.();
    while (stand.calls('GET /trades').length === 0) await new Promise((done) => setTimeout(done, 5));
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
        state: 'TRANSIT',
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
      use(credentials, { algoId: 'A-77' });
      await place({});
      expect(formOf('POST /orders/regular')).toMatchObject({ algo_id: 'A-77' });
    });
    test('AMO goes to its own path', async () => {
      await place({ variety: 'AMO' });
      expect(stand.calls('POST /orders/amo').length).toBe(1);
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

  test('every combination of the documented words is sent in Kite’s words or refused with a reason', async () => {
    const kite = { INTRADAY: 'MIS', DELIVERY: 'CNC', CARRYFORWARD: 'NRML' };
    let refusals = 0;
    for (const exchange of exchanges)
      for (const ordertype of orderTypes)
        for (const producttype of productTypes)
          for (const variety of varieties)
            for (const transactiontype of transactionTypes) {
              const before = stand.seen.length;
              const sent = await place({ exchange, ordertype, producttype, variety, transactiontype, price: '10', triggerprice: '9' });
              const what = `${exchange} ${ordertype} ${producttype} ${variety} ${transactiontype}`;
              if (sent.fate === 'rejected') {
                refusals++;
                expect(sent.message, what).toMatch(/^(product_type|order_type): /);
                expect(stand.seen.length, what).toBe(before);
              } else {
                expect(sent.fate, what).toBe('accepted');
                expect(stand.seen.at(-1)?.path, what).toBe(variety === 'AMO' ? '/orders/amo' : '/orders/regular');
                expect(stand.seen.at(-1)?.form, what).toMatchObject({
                  exchange,
                  order_type: ordertype,
                  product: kite[producttype],
                  transaction_type: transactiontype,
                });
              }
            }
    const equity = 2 * 4 * 3 * 2; // CARRYFORWARD on NSE, BSE
    const derivatives = 3 * 4 * 3 * 2; // DELIVERY elsewhere
    const stopsOnBseAndNfo = 2 * 2 * 3 * 2;
    const stopVarietyWithoutStop = 5 * 2 * 2 * 2;
    expect(refusals).toBe(equity + derivatives + stopsOnBseAndNfo + stopVarietyWithoutStop);
  });

  describe('changing and cancelling', () => {
    const change = (given: { orderid: string } & Record<string, string>) => broker.modifyOrder({ variety: 'NORMAL', ...given });
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
      stand.on('GET /orders', { body: patched('orders', { order_type: 'SL-M' }) });
      await change({ orderid: orderId, triggerprice: '801' });
      expect(formOf('PUT /orders/regular/*')).toEqual({ trigger_price: '801', market_protection: '-1' });
      expect(await change({ orderid: orderId, price: '801' })).toMatchObject({
        fate: 'rejected',
        message: expect.stringContaining('trigger_price'),
      });
      expect(stand.calls('PUT /orders/regular/*').length).toBe(1);
    });
    test('our MARKET order that Kite booked as LIMIT is changed as a LIMIT order', async () => {
      await place({});
      await change({ orderid: orderId, price: '812' });
      expect(formOf('PUT /orders/regular/*')).toEqual({ price: '812' });
    });
    test('SL-M is refused for what the book shows as a BSE order', async () => {
      stand.on('GET /orders', { body: patched('orders', { exchange: 'BSE' }) });
      expect(await change({ orderid: orderId, ordertype: 'SL-M', triggerprice: '1' })).toMatchObject({
        fate: 'rejected',
        message: expect.stringContaining('SL-M'),
      });
    });
    test('words without a meaning and orders not in the book are refused before sending', async () => {
      expect(await change({ orderid: orderId, ordertype: 'ICEBERG' })).toMatchObject({
        fate: 'rejected',
        message: expect.stringContaining('order_type'),
      });
      expect(await change({ orderid: orderId, variety: 'ROBO', price: '1' })).toMatchObject({
        fate: 'rejected',
        message: expect.stringContaining('variety'),
      });
      expect(await change({ orderid: '42', price: '1' })).toMatchObject({ fate: 'rejected', message: expect.stringContaining('order_id') });
      expect(stand.calls('PUT /orders/*/*')).toEqual([]);
    });
    test('the variety of a stranger’s order comes from the book, whatever the caller says', async () => {
      await change({ orderid: '251120000000164', price: '26000' });
      await broker.cancelOrder('251120000000164');
      expect(stand.calls('PUT /orders/amo/251120000000164').length).toBe(1);
      expect(stand.calls('DELETE /orders/amo/251120000000164').length).toBe(1);
    });
    test('the variety of our own order is remembered', async () => {
      await place({ variety: 'AMO' });
      stand.on('GET /orders', error('network'));
      expect(await broker.cancelOrder(orderId)).toMatchObject({ fate: 'accepted', order_id: orderId });
      expect(stand.calls('DELETE /orders/amo/*').length).toBe(1);
      expect(stand.calls('GET /orders')).toEqual([]);
    });
    test('a cancel is tried as regular when the book cannot be read', async () => {
      stand.on('GET /orders', error('network'));
      await broker.cancelOrder('251120000000164');
      expect(stand.calls('DELETE /orders/regular/251120000000164').length).toBe(1);
    });
    test('an order id cannot leave its place in the path', async () => {
      await broker.cancelOrder('1/../../session/token?x=1');
      expect(stand.seen.filter((seen) => seen.method === 'DELETE').map((seen) => seen.path)).toEqual([
        '/orders/regular/1%2F..%2F..%2Fsession%2Ftoken%3Fx%3D1',
      ]);
    });
  });

  describe('the last price', () => {
    test('comes from the quote', async () => {
      stand.on('GET /quote/ltp', { body: { status: 'success', data: { 'NSE:SBIN': { instrument_token: 779521, last_price: 812.35 } } } });
      expect(await broker.lastPrice?.('NSE', 'SBIN', '779521')).toMatchObject({ price: 812.35 });
      expect(stand.seen.at(-1)?.query).toEqual({ i: 'NSE:SBIN' });
    });
    test('is null when Zerodha has none and an error when it cannot be read', async () => {
      stand.on('GET /quote/ltp', { body: { status: 'success', data: {} } });
      expect(await broker.lastPrice?.('NSE', 'SBIN', '779521')).toBeNull();
      stand.on('GET /quote/ltp', { body: { status: 'success', data: { 'NSE:SBIN': { last_price: null } } } });
      await expect(broker.lastPrice?.('NSE', 'SBIN', '779521')).rejects.toThrow('last_price');
      stand.on('GET /quote/ltp', error('permission'));
      await expect(broker.lastPrice?.('NSE', 'SBIN', '779521')).rejects.toThrow('not allowed');
    });
  });
});
