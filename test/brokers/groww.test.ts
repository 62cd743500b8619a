import { createHash } from 'node:crypto';
import { TOTP } from 'otpauth';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exchanges, orderTypes, productTypes, transactionTypes, varieties } from '../../contract/words.ts';
import type { Broker, BrokerChange, BrokerOrder } from '../../server/brokers/broker.ts';
import { groww } from '../../server/brokers/groww/adapter.ts';
import { createBroker } from '../../server/brokers/index.ts';
import { conformance, TAG } from './conformance.ts';
import { body, credentials, error, healthy, listOf, ok, order, orderId, patched, rowsOf, suite } from './groww.suite.ts';
import { envFor, openStand, type Stand } from './stand.ts';

describe('groww, as every broker', () => conformance(suite));

describe('groww alone', () => {
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
  function use(given: Record<string, string>): void {
    made = envFor(groww, stand.url, given);
    broker = createBroker('groww', made.env);
  }
  const place = (change: Partial<BrokerOrder>) => broker.placeOrder({ ...order, ...change }, TAG);
  const jsonOf = (route: string) => JSON.parse(stand.calls(route).at(-1)?.body ?? 'null');
  const session = (change: Record<string, unknown>) => ({ body: { ...body('session'), ...change } });
  const loginCalls = () => stand.calls('POST /v1/token/api/access');

  test('sends token and version on every call', async () => {
    await broker.connect(null);
    await broker.orders();
    const [login, ...others] = stand.seen;
    expect(login?.headers.authorization).toBe('Bearer testkey-0a1b');
    expect(others.map((seen) => seen.headers.authorization)).toEqual(Array(3).fill('Bearer fresh-token-6a7b'));
    expect(stand.seen.every((seen) => seen.headers['x-api-version'] === '1.0')).toBe(true);
  });

  describe('the login', () => {
    test('sends the one-time code of now', async () => {
      await broker.connect(null);
      const now = Date.now();
      const codes = [now, now - 30_000].map((timestamp) => new TOTP({ secret: credentials.TOTP_SECRET }).generate({ timestamp }));
      const sent = jsonOf('POST /v1/token/api/access');
      expect(sent).toEqual({ key_type: 'totp', totp: expect.stringMatching(/^\d{6}$/) });
      expect(codes).toContain(sent.totp);
    });
    test('takes a secret as it is shown, with blanks and in small letters', async () => {
      use({ API_KEY: 'testkey', TOTP_SECRET: 'jbsw y3dp ehpk 3pxp' });
      expect(await broker.connect(null)).toMatchObject({ success: true });
    });
    test('with a code in place of the secret names the setting and asks nobody', async () => {
      use({ API_KEY: 'testkey', TOTP_SECRET: '019810' });
      expect(await broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('GROWW_TOTP_SECRET') });
      expect(stand.seen).toEqual([]);
    });
    test('with a secret sends the checksum of secret and time', async () => {
      use({ API_KEY: 'testkey', API_SECRET: 'testsecret' });
      expect(await broker.connect(null)).toMatchObject({ success: true });
      const { timestamp, checksum, key_type } = jsonOf('POST /v1/token/api/access');
      expect(timestamp).toMatch(/^\d{10}$/);
      expect(Math.abs(Number(timestamp) * 1_000 - Date.now())).toBeLessThan(5_000);
      expect({ checksum, key_type }).toEqual({
        checksum: createHash('sha256').update(`testsecret${timestamp}`).digest('hex'),
        key_type: 'approval',
      });
    });
    test.each([
      ['TOTP_SECRET', { API_KEY: 'k', TOTP_SECRET: credentials.TOTP_SECRET }],
      ['API_SECRET', { API_KEY: 'k', API_SECRET: 's' }],
    ])('that is refused tells Groww’s text and names GROWW_%s, once', async (setting, given) => {
      use(given);
      stand.on('POST /v1/token/api/access', error('login'));
      const connected = await broker.connect(null);
      expect(connected).toMatchObject({ success: false, message: expect.stringMatching(/Invalid TOTP.*GROWW_API_KEY/) });
      expect(connected.message).toContain(`GROWW_${setting}`);
      expect(loginCalls().length).toBe(1);
    });
    test('with a key alone says how to sign in', async () => {
      use({ API_KEY: 'testkey' });
      expect(await broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('GROWW_TOTP_SECRET') });
      expect(stand.seen).toEqual([]);
    });
    test('with a token of today needs no key', async () => {
      use({ ACCESS_TOKEN: 'todays-token' });
      expect(await broker.connect(null)).toMatchObject({ success: true, login: { values: { access_token: 'todays-token' } } });
      expect(loginCalls()).toEqual([]);
    });
    test.each([
      ['without a token', { token: undefined }],
      ['with an empty token', { token: '' }],
      ['that is not active', { isActive: false }],
    ])('an answer %s is a failure', async (_what, change) => {
      stand.on('POST /v1/token/api/access', session(change));
      expect(await broker.connect(null)).toMatchObject({ success: false });
    });
    test('a profile without the account number is a failure', async () => {
      stand.on('GET /v1/user/detail', { body: ok({ vendor_user_id: 'x' }) });
      expect(await broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('ucc') });
    });
    test('ends at 06:00 in India, or earlier when Groww says so', async () => {
      const ends = async () => {
        const connected = await broker.connect(null);
        return connected.success ? connected.login.expiresAt : connected.message;
      };
      for (const expiry of ['2020-01-01T06:00:00', '2999-01-01T06:00:00', 'soon', null]) {
        stand.on('POST /v1/token/api/access', session({ expiry }));
        expect(await ends()).toMatch(/T00:30:00\.000Z$/);
      }
      const soon = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 5_000);
      const ist = new Date(soon.getTime() + 5.5 * 3_600_000).toISOString().slice(0, 19);
      stand.on('POST /v1/token/api/access', session({ expiry: ist }));
      expect(await ends()).toBe(soon.toISOString());
    });
    test('is repeated without a person when there is a TOTP secret', () => {
      expect(broker.traits.unattended).toBe(true);
      use({ API_KEY: 'k', API_SECRET: 's' });
      expect(broker.traits.unattended).toBe(false);
    });
    test('cannot be ended at Groww', async () => {
      await broker.connect(null);
      expect(await broker.logout()).toMatchObject({ success: false, message: expect.stringContaining('06:00') });
    });
  });

  describe('a stored login', () => {
    const stored = (token: string, livesMs: number) => ({
      values: { access_token: token },
      expiresAt: new Date(Date.now() + livesMs).toISOString(),
    });
    test('is used while it lives and keeps its end', async () => {
      const kept = stored('kept', 60_000);
      expect(await broker.connect(kept)).toMatchObject({ success: true, login: kept });
      expect(loginCalls()).toEqual([]);
    });
    test('is not tried after its end', async () => {
      await broker.connect(stored('kept', -1));
      expect(stand.calls('GET /v1/user/detail').map((seen) => seen.headers.authorization)).toEqual(['Bearer fresh-token-6a7b']);
    });
    test('gives way to a new one when refused', async () => {
      stand.on('GET /v1/user/detail', (seen) =>
        seen.headers.authorization === 'Bearer kept' ? error('older') : { body: body('profile') },
      );
      expect(await broker.connect(stored('kept', 60_000))).toMatchObject({
        success: true,
        login: { values: { access_token: 'fresh-token-6a7b' } },
      });
      expect(made.expired).toEqual([]);
    });
    test('does not cost a token when Groww is merely down', async () => {
      stand.on('GET /v1/user/detail', error('unable'));
      expect(await broker.connect(stored('kept', 60_000))).toMatchObject({ success: false });
      expect(loginCalls()).toEqual([]);
    });
  });

  test('an unregistered address under HTTP 401 does not end the session', async () => {
    await broker.connect(null);
    stand.on('POST /v1/order/create', error('address401'));
    await place({});
    expect(made.expired).toEqual([]);
  });
  test('the older form of a dead login ends the session', async () => {
    await broker.connect(null);
    stand.on('GET /v1/holdings/user', error('older'));
    expect(await broker.holdings()).toMatchObject({ success: false, message: 'Token expired' });
    expect(made.expired).toEqual(['Token expired']);
  });
  test('good rows under an error status are not believed', async () => {
    await broker.connect(null);
    stand.on('GET /v1/order/list', { status: 500, body: body('orders') });
    expect(await broker.orders()).toMatchObject({ success: false, message: expect.stringContaining('HTTP 500') });
  });

  describe('the order book', () => {
    const asked = () => stand.calls('GET /v1/order/list').map(({ query }) => `${query.segment} ${query.page} ${query.page_size}`);
    const [first = {}] = rowsOf('orders');
    const many = (count: number, from = 0) =>
      Array.from({ length: count }, (_, index) => ({ ...first, groww_order_id: `G${from + index}` }));
    beforeEach(() => broker.connect(null));

    test('in our words', async () => {
      const answer = await broker.orders();
      const common = {
        symbol: 'WIPRO',
        token: null,
        exchange: 'NSE',
        transaction_type: 'BUY',
        order_type: 'LIMIT',
        product_type: 'INTRADAY',
        quantity: 100,
        filled_quantity: 0,
        price: 250,
        trigger_price: 0,
        average_price: 0,
        status_message: null,
        tag: null,
        variety: null,
        placed_at: '2026-11-20T04:12:33.000Z',
      };
      const done = { filled_quantity: 100, average_price: 249.5, status: 'FILLED', state: 'FILLED', tag: TAG };
      const partial = { filled_quantity: 40, average_price: 249.9, status: 'PARTIALLY_FILLED', state: 'OPEN', tag: 'Ab-654321234-1628190' };
      const stop = { symbol: 'SBIN', quantity: 10, transaction_type: 'SELL', order_type: 'SL', price: 800, trigger_price: 800.5 };
      const rejected = { symbol: 'RELIANCE', quantity: 10, order_type: 'MARKET', product_type: 'DELIVERY', price: 0 };
      const parked = { symbol: 'NIFTY26NOVFUT', exchange: 'NFO', quantity: 75, product_type: 'CARRYFORWARD', price: 26010.05 };
      expect(answer.success && answer.normalized).toEqual([
        { ...common, order_id: orderId, ...done },
        { ...common, order_id: 'GMK39038RDT490CCVR1', ...partial },
        { ...common, order_id: 'GMK39038RDT490CCVR2', ...stop, status: 'PLACED', state: 'TRIGGER_PENDING' },
        {
          ...common,
          order_id: 'GMK39038RDT490CCVR3',
          ...rejected,
          status: 'REJECTED',
          state: 'REJECTED',
          status_message: 'Insufficient balance',
        },
        { ...common, order_id: 'GMK39038RDT490CCVR4', ...parked, status: 'PLACED', state: 'OPEN', tag: 'handmade-1' },
      ]);
    });
    test('is asked for by segment, one page each', async () => {
      await broker.orders();
      expect(asked()).toEqual(['CASH 0 100', 'FNO 0 100']);
    });
    test('asks only for segments the account has', async () => {
      stand.on('GET /v1/user/detail', { body: ok({ ucc: '924189', active_segments: ['CASH'] }) });
      await broker.connect(null);
      await broker.orders();
      expect(asked()).toEqual(['CASH 0 100']);
    });
    test.each([[['COMMODITY']], [[]], [null]])('with active segments %j asks for both', async (active_segments) => {
      stand.on('GET /v1/user/detail', { body: ok({ ucc: '924189', active_segments }) });
      await broker.connect(null);
      await broker.orders();
      expect(asked().length).toBe(2);
    });
    test('is unread when one segment is', async () => {
      stand.on('GET /v1/order/list', ({ query }) => (query.segment === 'FNO' ? error('unable') : { body: body('orders') }));
      expect(await broker.orders()).toMatchObject({ success: false });
    });
    test('counts no order twice when Groww ignores the segment', async () => {
      stand.on('GET /v1/order/list', { body: body('orders') });
      const answer = await broker.orders();
      expect(answer.success && answer.normalized.length).toBe(5);
    });
    test.each([
      [100, 250],
      [25, 70],
      [50, 100],
    ])('is read to its end when a page holds %i', async (most, count) => {
      stand.on('GET /v1/order/list', ({ query }) => {
        const from = Number(query.page) * most;
        return { body: listOf('orders', query.segment === 'CASH' ? many(count).slice(from, from + most) : []) };
      });
      const answer = await broker.orders();
      expect(answer.success && new Set(answer.normalized.map((row) => row.order_id)).size).toBe(count);
    });
    test('asks for smaller pages when 100 is refused', async () => {
      stand.on('GET /v1/order/list', ({ query }) => {
        if (query.page_size === '100') return error('bare400');
        const from = Number(query.page) * 25;
        return { body: listOf('orders', query.segment === 'CASH' ? many(30).slice(from, from + 25) : []) };
      });
      const answer = await broker.orders();
      expect(answer.success && answer.normalized.length).toBe(30);
    });
    test('is unread when a page comes twice or a later page fails', async () => {
      stand.on('GET /v1/order/list', { body: listOf('orders', many(100)) });
      expect(await broker.orders()).toMatchObject({ success: false, message: expect.stringContaining('twice') });
      stand.on('GET /v1/order/list', ({ query }) => (query.page === '1' ? error('rate') : { body: listOf('orders', many(100)) }));
      expect(await broker.orders()).toMatchObject({ success: false, message: 'Too many requests' });
    });
  });

  describe('an order by its reference', () => {
    const asked = () => stand.calls('GET /v1/order/status/reference/*').map(({ path, query }) => [path.split('/').at(-1), query.segment]);
    const status = { body: body('status') };
    beforeEach(() => broker.connect(null));

    test('is found in its own segment and read whole', async () => {
      stand.on('GET /v1/order/status/reference/*', status);
      await place({ exchange: 'NFO', producttype: 'CARRYFORWARD', tradingsymbol: 'NIFTY26NOVFUT' });
      const found = await broker.ordersByTag?.(TAG);
      expect(found).toMatchObject({ success: true, data: [{ order_id: orderId }], normalized: [{ order_id: orderId, tag: TAG }] });
      expect(asked()).toEqual([[TAG, 'FNO']]);
      expect(stand.calls(`GET /v1/order/detail/${orderId}`).map((seen) => seen.query)).toEqual([{ segment: 'FNO' }]);
    });
    test('is looked for in both segments when its own is not known', async () => {
      stand.on('GET /v1/order/status/reference/*', ({ query }) => (query.segment === 'FNO' ? status : error('notFound')));
      expect(await broker.ordersByTag?.(TAG)).toMatchObject({ success: true, normalized: [{ tag: TAG }] });
      expect(asked()).toEqual([
        [TAG, 'CASH'],
        [TAG, 'FNO'],
      ]);
    });
    test('is absent when no segment has it', async () => {
      stand.on('GET /v1/order/status/reference/*', error('notFound'));
      expect(await broker.ordersByTag?.(TAG)).toEqual({ success: true, data: [], normalized: [] });
    });
    test.each(['unable', 'permission', 'cannot', 'rate'])('is not absent after %s', async (name) => {
      stand.on('GET /v1/order/status/reference/*', error(name));
      expect(await broker.ordersByTag?.(TAG)).toMatchObject({ success: false });
    });
    test('is not absent when only the path is unknown, the id unreadable or the detail missing', async () => {
      stand.on('GET /v1/order/status/reference/*', { status: 404, body: { message: 'Not found' } });
      expect(await broker.ordersByTag?.(TAG)).toMatchObject({ success: false });
      stand.on('GET /v1/order/status/reference/*', { body: ok({ groww_order_id: 5 }) });
      expect(await broker.ordersByTag?.(TAG)).toMatchObject({ success: false });
      stand.on('GET /v1/order/status/reference/*', status);
      stand.on('GET /v1/order/detail/*', error('notFound'));
      expect(await broker.ordersByTag?.(TAG)).toMatchObject({ success: false });
    });
  });

  describe('the body of an order', () => {
    const base = {
      trading_symbol: 'WIPRO',
      quantity: 100,
      validity: 'DAY',
      exchange: 'NSE',
      segment: 'CASH',
      product: 'MIS',
      transaction_type: 'BUY',
      order_reference_id: TAG,
    };
    test.each([
      ['MARKET', { price: '5', triggerprice: '5' }, { order_type: 'MARKET' }],
      ['LIMIT', { price: '812.35', triggerprice: '5' }, { order_type: 'LIMIT', price: 812.35 }],
      ['SL', { price: '800', triggerprice: '800.05' }, { order_type: 'SL', price: 800, trigger_price: 800.05 }],
      ['SL-M', { price: '5', triggerprice: '800.5' }, { order_type: 'SL_M', trigger_price: 800.5 }],
    ])('%s', async (ordertype, given, sent) => {
      await place({ ordertype, ...given });
      expect(jsonOf('POST /v1/order/create')).toEqual({ ...base, ...sent });
    });
    test.each([
      ['NSE', 'NSE', 'CASH'],
      ['BSE', 'BSE', 'CASH'],
      ['NFO', 'NSE', 'FNO'],
      ['BFO', 'BSE', 'FNO'],
    ])('%s is %s %s', async (ours, exchange, segment) => {
      await place({ exchange: ours });
      expect(jsonOf('POST /v1/order/create')).toMatchObject({ exchange, segment });
    });
  });

  test('every combination of the documented words is sent in Groww’s words or refused with a reason', async () => {
    const products = { INTRADAY: 'MIS', DELIVERY: 'CNC', CARRYFORWARD: 'NRML' };
    const types = { MARKET: 'MARKET', LIMIT: 'LIMIT', SL: 'SL', 'SL-M': 'SL_M' };
    let accepted = 0;
    for (const exchange of exchanges)
      for (const ordertype of orderTypes)
        for (const producttype of productTypes)
          for (const variety of varieties)
            for (const transactiontype of transactionTypes) {
              const before = stand.seen.length;
              const sent = await place({ exchange, ordertype, producttype, variety, transactiontype, price: '10', triggerprice: '9' });
              const what = `${exchange} ${ordertype} ${producttype} ${variety} ${transactiontype}`;
              if (sent.fate === 'rejected') {
                expect(sent.message, what).toMatch(/^(product_type|order_type|exchange|variety): /);
                expect(stand.seen.length, what).toBe(before);
              } else {
                accepted++;
                expect(sent.fate, what).toBe('accepted');
                expect(jsonOf('POST /v1/order/create'), what).toMatchObject({
                  order_type: types[ordertype],
                  product: products[producttype],
                  transaction_type: transactiontype,
                });
              }
            }
    const places = 2 * 2 + 2; // NSE and BSE with MIS and CNC, NFO with MIS and NRML
    const stops = 2 + 4; // STOPLOSS with SL and SL-M, NORMAL with all
    expect(accepted).toBe(places * stops * 2);
  });

  describe('changing and cancelling', () => {
    const stop = 'GMK39038RDT490CCVR2';
    const change = (given: { orderid: string } & Partial<BrokerChange>) => broker.modifyOrder({ variety: 'NORMAL', ...given });
    const sent = () => jsonOf('POST /v1/order/modify');
    const asBooked = { groww_order_id: stop, segment: 'CASH', order_type: 'SL', quantity: 10, price: 800, trigger_price: 800.5 };
    const refusedFor = async (given: { orderid: string } & Partial<BrokerChange>, says: string) => {
      expect(await change(given)).toMatchObject({ fate: 'rejected', message: expect.stringContaining(says) });
      expect(stand.calls('POST /v1/order/modify')).toEqual([]);
    };
    beforeEach(() => broker.connect(null));

    test('keeps what was not given as the book has it', async () => {
      await change({ orderid: stop, price: '799.5' });
      expect(sent()).toEqual({ ...asBooked, price: 799.5 });
      await change({ orderid: stop, quantity: '5', triggerprice: '801' });
      expect(sent()).toEqual({ ...asBooked, quantity: 5, trigger_price: 801 });
      await change({ orderid: stop, ordertype: 'LIMIT', price: '790' });
      expect(sent()).toEqual({ groww_order_id: stop, segment: 'CASH', order_type: 'LIMIT', quantity: 10, price: 790 });
      await change({ orderid: stop, ordertype: 'SL-M' });
      expect(sent()).toEqual({ groww_order_id: stop, segment: 'CASH', order_type: 'SL_M', quantity: 10, trigger_price: 800.5 });
      await change({ orderid: stop, ordertype: 'MARKET', price: '0' });
      expect(sent()).toEqual({ groww_order_id: stop, segment: 'CASH', order_type: 'MARKET', quantity: 10 });
    });
    test('a partly filled order keeps its quantity unsaid', async () => {
      await change({ orderid: 'GMK39038RDT490CCVR1', price: '251' });
      expect(sent()).toEqual({ groww_order_id: 'GMK39038RDT490CCVR1', segment: 'CASH', order_type: 'LIMIT', price: 251 });
    });
    test('a new quantity of a partly filled order is refused', async () => {
      await refusedFor({ orderid: 'GMK39038RDT490CCVR1', quantity: '60' }, '40 of 100 are filled');
    });
    test('what the order type has no use for is refused', async () => {
      await refusedFor({ orderid: 'GMK39038RDT490CCVR4', triggerprice: '5' }, 'trigger_price: LIMIT has none');
      await refusedFor({ orderid: stop, ordertype: 'SL-M', price: '801' }, 'price: SL-M has none');
      await refusedFor({ orderid: 'GMK39038RDT490CCVR4', ordertype: 'SL' }, 'trigger_price: SL needs');
    });
    test('words without a meaning and orders not in the book are refused before sending', async () => {
      await refusedFor({ orderid: stop, ordertype: 'ICEBERG' }, 'order_type');
      await refusedFor({ orderid: stop, variety: 'ROBO', price: '1' }, 'variety');
      await refusedFor({ orderid: stop, variety: 'AMO', price: '1' }, 'variety');
      await refusedFor({ orderid: '42', price: '1' }, 'order_id');
    });
    test('an order booked in words nobody knows is not changed', async () => {
      stand.on('GET /v1/order/list', { body: patched('orders', { order_type: 'BASKET' }) });
      await refusedFor({ orderid: orderId, price: '1' }, 'order_type: "BASKET"');
    });
    test('an order that cannot be read is not changed', async () => {
      stand.on('GET /v1/order/list', error('unable'));
      await refusedFor({ orderid: stop, price: '1' }, 'cannot be read');
    });
    test('our own order is read by its id in its segment', async () => {
      await place({ exchange: 'NFO', producttype: 'CARRYFORWARD', tradingsymbol: 'NIFTY26NOVFUT' });
      stand.on('GET /v1/order/detail/*', { body: ok({ ...rowsOf('orders')[4], groww_order_id: orderId }) });
      await change({ orderid: orderId, price: '26000' });
      expect(sent()).toEqual({ groww_order_id: orderId, segment: 'FNO', order_type: 'LIMIT', quantity: 75, price: 26000 });
      expect(stand.calls('GET /v1/order/list')).toEqual([]);
    });
    test('our MARKET order that was booked as LIMIT is changed as a LIMIT order', async () => {
      await place({});
      await change({ orderid: orderId, price: '251' });
      expect(sent()).toMatchObject({ order_type: 'LIMIT', price: 251 });
    });
    test.each([
      [stop, 'CASH'],
      ['GMK39038RDT490CCVR4', 'FNO'],
    ])('%s is cancelled in its segment %s', async (id, segment) => {
      expect(await broker.cancelOrder(id)).toMatchObject({ fate: 'accepted' });
      expect(jsonOf('POST /v1/order/cancel')).toEqual({ segment, groww_order_id: id });
    });
    test('our own order is cancelled without a look', async () => {
      await place({ exchange: 'NFO', producttype: 'CARRYFORWARD' });
      await broker.cancelOrder(orderId);
      expect(jsonOf('POST /v1/order/cancel')).toEqual({ segment: 'FNO', groww_order_id: orderId });
      expect(stand.calls('GET /v1/order/list')).toEqual([]);
    });
    test('a cancel is tried in CASH when the book cannot be read', async () => {
      stand.on('GET /v1/order/list', error('unable'));
      await broker.cancelOrder('GMK39038RDT490CCVR4');
      expect(jsonOf('POST /v1/order/cancel')).toEqual({ segment: 'CASH', groww_order_id: 'GMK39038RDT490CCVR4' });
    });
    test('an order id cannot leave its place in the path', async () => {
      stand.on('POST /v1/order/create', { body: ok({ groww_order_id: '../user/detail?x=1' }) });
      await place({});
      await change({ orderid: '../user/detail?x=1', price: '1' });
      expect(stand.seen.at(-1)?.path).toBe('/v1/order/detail/..%2Fuser%2Fdetail%3Fx%3D1');
    });
  });

  describe('prices of positions', () => {
    const asked = () => stand.calls('GET /v1/live-data/ltp').map((seen) => seen.query);
    beforeEach(() => broker.connect(null));

    test('are held against the last price, asked once a symbol', async () => {
      await broker.positions();
      await broker.positions();
      expect(asked()).toEqual([
        { segment: 'CASH', exchange_symbols: 'NSE_RELIANCE' },
        { segment: 'FNO', exchange_symbols: 'NSE_NIFTY26NOVFUT' },
      ]);
    });
    test('stay unknown when there is no quote, and the positions are told all the same', async () => {
      stand.on('GET /v1/live-data/ltp', error('rate'));
      const answer = await broker.positions();
      expect(answer.success && answer.normalized.map((row) => [row.net_quantity, row.average_price])).toEqual([
        [15, null],
        [0, null],
        [-75, null],
        [75, null],
      ]);
    });
  });

  describe('the trade book', () => {
    beforeEach(() => broker.connect(null));
    test('asks only for orders with fills, and once for those that are done', async () => {
      await broker.tradebook?.();
      await broker.tradebook?.();
      const ids = stand.calls('GET /v1/order/trades/*').map((seen) => seen.path.split('/').at(-1));
      expect(ids).toEqual([orderId, 'GMK39038RDT490CCVR1', 'GMK39038RDT490CCVR1']);
      expect(stand.calls('GET /v1/order/trades/*')[0]?.query).toEqual({ segment: 'CASH', page: '0', page_size: '50' });
    });
    test('without the trades and without an average price is a failure', async () => {
      stand.on('GET /v1/order/list', ({ query }) => ({
        body: query.segment === 'CASH' ? patched('orders', { average_fill_price: 0 }) : listOf('orders', []),
      }));
      stand.on('GET /v1/order/trades/*', error('notFound'));
      expect(await broker.tradebook?.()).toMatchObject({ success: false, message: expect.stringContaining(orderId) });
    });
    test('is unread when the order book is', async () => {
      stand.on('GET /v1/order/list', error('unable'));
      expect(await broker.tradebook?.()).toMatchObject({ success: false });
    });
  });
});
