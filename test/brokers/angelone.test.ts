import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exchanges, orderTypes, productTypes, transactionTypes, varieties } from '../../contract/words.ts';
import { angelone } from '../../server/brokers/angelone/adapter.ts';
import type { Broker, BrokerOrder } from '../../server/brokers/broker.ts';
import { createBroker } from '../../server/brokers/index.ts';
import type { Clock } from '../../server/clock.ts';
import {
  changed,
  credentials,
  data,
  error,
  healthy,
  LOGIN,
  nifty,
  order,
  orderId,
  orderRows,
  patched,
  route,
  said,
  sbin,
  suite,
} from './angelone.suite.ts';
import { conformance, TAG } from './conformance.ts';
import { type Answer, envFor, openStand, type Stand } from './stand.ts';

describe('angelone, as every broker', () => conformance(suite));

/** 21 November 2026 is a Saturday. */
const ist = (text: string) => Date.parse(`${text}+05:30`);

describe('angelone alone', () => {
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
  function use(given: Record<string, string>, now?: number): void {
    made = envFor(angelone, stand.url, given);
    const clock: Clock = now === undefined ? made.env.clock : { ...made.env.clock, now: () => now };
    broker = createBroker('angelone', { ...made.env, clock });
  }
  const place = (change: Partial<BrokerOrder>) => broker.placeOrder({ ...order, ...change }, TAG);
  const bodies = (of: string): unknown[] => stand.calls(of).map((seen) => JSON.parse(seen.body));
  const stored = (jwt: string, livesMs: number) => ({ values: { jwt }, expiresAt: new Date(Date.now() + livesMs).toISOString() });
  const bearers = () => stand.calls(route.profile).map((seen) => seen.headers.authorization);

  describe('signing in', () => {
    test('sends client code, PIN and the code an authenticator shows at that time', async () => {
      // RFC 6238, appendix B: SHA-1, the key "12345678901234567890", 59 s after the epoch.
      use({ ...credentials, TOTP_SECRET: 'gezd gnbv gy3t qojq-GEZDGNBVGY3TQOJQ' }, 59_000);
      await broker.connect(null);
      expect(bodies(LOGIN)).toEqual([{ clientcode: 'ZT0001', password: 'testpin-2c3d', totp: '287082' }]);
      expect(stand.calls(LOGIN)[0]?.headers.authorization).toBeUndefined();
    });
    test('keeps the tokens until midnight in India', async () => {
      use(credentials, ist('2026-11-20T09:20:00'));
      const connected = await broker.connect(null);
      expect(connected).toMatchObject({ login: { values: { jwt: 'eyJ-fresh-jwt', feed: 'eyJ-fresh-feed' } } });
      expect(connected.success && connected.login.expiresAt).toBe('2026-11-20T18:30:00.000Z');
    });
    test('sends key and bearer with every call', async () => {
      await broker.connect(null);
      await broker.orders();
      expect(bearers()).toEqual(['Bearer eyJ-fresh-jwt']);
      for (const { headers } of stand.seen) {
        expect(headers).toMatchObject({ 'x-privatekey': 'testkey-0a1b', 'x-usertype': 'USER', 'x-sourceid': 'WEB' });
        expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-macaddress': expect.stringMatching(/./) });
        expect(headers).toMatchObject({ 'x-clientlocalip': '127.0.0.1', 'x-clientpublicip': '127.0.0.1' });
      }
    });
    test.each(suite.needed)('without %s alone names it and asks nobody', async (name) => {
      const { [name.replace('ANGELONE_', '')]: _, ...rest }: Record<string, string> = credentials;
      use(rest);
      expect(await broker.connect(null)).toEqual({ success: false, message: `Not set: ${name}` });
      expect(stand.seen).toEqual([]);
    });
    test('with a secret that is no base32 says so without showing it', async () => {
      use({ ...credentials, TOTP_SECRET: 'not!base32' });
      const connected = await broker.connect(null);
      expect(connected).toMatchObject({ success: false, message: expect.stringContaining('ANGELONE_TOTP_SECRET') });
      expect(connected.message).not.toContain('not!base32');
      expect(stand.seen).toEqual([]);
    });
    test('refused names the settings and is not tried again', async () => {
      stand.on(LOGIN, error('login'));
      expect(await broker.connect(null)).toMatchObject({
        success: false,
        message: expect.stringMatching(/Invalid Email Or Password, AB1000.*ANGELONE_CLIENT_ID, ANGELONE_PIN, ANGELONE_TOTP_SECRET/),
      });
      expect(stand.calls(LOGIN).length).toBe(1);
    });
    test.each([
      ['without a token', said({ feedToken: 'f' })],
      ['with an empty token', said({ jwtToken: '' })],
      ['with null', said(null)],
    ])('answered %s fails', async (_what, body) => {
      stand.on(LOGIN, { body });
      expect(await broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('session') });
      expect(stand.calls(route.profile)).toEqual([]);
    });
    test('answered with success as a text works', async () => {
      stand.on(LOGIN, { body: { status: 'true', message: 'SUCCESS', errorcode: null, data: data('session') } });
      expect(await broker.connect(null)).toMatchObject({ success: true });
    });
    test('as somebody else fails', async () => {
      stand.on(route.profile, { body: said({ clientcode: 'OTHER1' }) });
      expect(await broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('ANGELONE_CLIENT_ID') });
    });
  });

  describe('a stored login', () => {
    test('is used while it lives', async () => {
      expect(await broker.connect(stored('kept', 60_000))).toMatchObject({ success: true, login: { values: { jwt: 'kept' } } });
      expect(bearers()).toEqual(['Bearer kept']);
      expect(stand.calls(LOGIN)).toEqual([]);
    });
    test('is not tried after its end', async () => {
      await broker.connect(stored('kept', -1));
      expect(bearers()).toEqual(['Bearer eyJ-fresh-jwt']);
    });
    test.each(['expired', 'tokenExpired', 'serviceExpired', 'notLoggedIn'])('gives way to a new one when refused as %s', async (name) => {
      stand.on(route.profile, (seen) => (seen.headers.authorization === 'Bearer kept' ? error(name) : { body: said(data('profile')) }));
      expect(await broker.connect(stored('kept', 60_000))).toMatchObject({ success: true, login: { values: { jwt: 'eyJ-fresh-jwt' } } });
      expect(made.expired).toEqual([]);
    });
    test('of another client gives way to a new one', async () => {
      stand.on(route.profile, (seen) => ({
        body: said({ clientcode: seen.headers.authorization === 'Bearer kept' ? 'OTHER1' : 'ZT0001' }),
      }));
      expect(await broker.connect(stored('kept', 60_000))).toMatchObject({ success: true, account: 'ZT0001' });
      expect(bearers()).toEqual(['Bearer kept', 'Bearer eyJ-fresh-jwt']);
    });
    test('is kept when Angel One is merely down', async () => {
      stand.on(route.profile, error('internal'));
      expect(await broker.connect(stored('kept', 60_000))).toMatchObject({ success: false, message: expect.stringContaining('AB1004') });
      expect(stand.calls(LOGIN)).toEqual([]);
    });
  });

  test('logging out ends the session of the client', async () => {
    await broker.connect(null);
    expect(await broker.logout()).toEqual({ success: true, data: '' });
    expect(bodies(route.logout)).toEqual([{ clientcode: 'ZT0001' }]);
    stand.on(route.logout, { body: said(null) });
    expect(await broker.logout()).toEqual({ success: true, data: null });
    stand.on(route.logout, error('expired'));
    expect(await broker.logout()).toMatchObject({ success: false });
  });

  test('a dead login answered to an older token does not end the newer one', async () => {
    await broker.connect(null);
    const held = Promise.withResolvers<Answer>();
    stand.on(route.tradebook, () => held.promise);
    const late = broker.tradebook?.();
    while (stand.calls(route.tradebook).length === 0) await new Promise((done) => setTimeout(done, 5));
    await broker.connect(stored('newer', 60_000));
    held.resolve(error('expired'));
    expect(await late).toMatchObject({ success: false });
    expect(made.expired).toEqual([]);
  });

  describe('reading', () => {
    beforeEach(() => broker.connect(null));
    test('good rows under an error status are not believed', async () => {
      stand.on(route.orders, { status: 500, body: said(data('orders')) });
      expect(await broker.orders()).toMatchObject({ success: false, message: expect.stringContaining('HTTP 500') });
    });
    test('a read refused for its rate is asked once more after a second', async () => {
      made.pace.speed = 20;
      let asked = 0;
      const slow = { status: 403, body: 'Access denied because of exceeding access rate' };
      stand.on(route.positions, () => (++asked === 1 ? slow : { body: said(null) }));
      expect(await broker.positions()).toMatchObject({ success: true, data: [] });
      stand.on(route.positions, slow);
      expect(await broker.positions()).toMatchObject({ success: false, message: expect.stringContaining('access rate') });
      expect(stand.calls(route.positions).length).toBe(4);
    });
    test.each(['profile', 'funds'] as const)('%s without data is a failure', async (name) => {
      stand.on(route[name], { body: said(null) });
      expect(await broker[name]()).toMatchObject({ success: false, message: expect.stringContaining(name) });
    });
    test.each(['orders', 'positions', 'holdings', 'tradebook'] as const)('%s: a failure flag beside rows is a failure', async (name) => {
      for (const status of [false, 'false']) {
        stand.on(suite.reads[name].route, { body: { ...said(suite.reads[name].data), status } });
        expect(await broker[name]?.()).toMatchObject({ success: false });
      }
    });
    test.each(['', 'null', {}, { holdings: 'x' }, undefined])('lists answered with %j are failures, not empty', async (value) => {
      for (const name of ['orders', 'positions', 'holdings', 'tradebook'] as const) {
        stand.on(suite.reads[name].route, { body: said(value) });
        expect(await broker[name]?.(), name).toMatchObject({ success: false });
      }
    });
    test('holdings may also be an empty list, or null inside', async () => {
      for (const holdings of [[], null]) {
        stand.on(route.holdings, { body: said({ holdings, totalholding: null }) });
        expect(await broker.holdings()).toMatchObject({ success: true, data: [] });
      }
    });
    test('a rejected order tells its reason', async () => {
      const answer = await broker.orders();
      expect(answer.success && answer.normalized[3]).toMatchObject({
        state: 'REJECTED',
        status_message: expect.stringContaining('Insufficient Funds'),
      });
    });
    test('orders in our words', async () => {
      const answer = await broker.orders();
      const common = {
        ...sbin,
        transaction_type: 'BUY',
        order_type: 'LIMIT',
        product_type: 'INTRADAY',
        quantity: 10,
        price: 812.35,
        trigger_price: 0,
        filled_quantity: 0,
        average_price: 0,
        status: 'PLACED',
        status_message: null,
        tag: null,
        variety: 'NORMAL',
        placed_at: '2026-11-20T04:12:33.000Z',
      };
      expect(answer.success && answer.normalized).toEqual([
        { ...common, order_id: orderId, state: 'OPEN', tag: TAG },
        {
          ...common,
          order_id: '201020000000081',
          filled_quantity: 4,
          average_price: 812.3,
          status: 'PARTIALLY_FILLED',
          state: 'OPEN',
          tag: 'SLOrderNFO',
        },
        {
          ...common,
          order_id: '201020000000082',
          transaction_type: 'SELL',
          order_type: 'SL',
          price: 800,
          trigger_price: 800.5,
          state: 'TRIGGER_PENDING',
          variety: 'STOPLOSS',
        },
        {
          ...common,
          order_id: '201020000000083',
          product_type: 'DELIVERY',
          status: 'REJECTED',
          state: 'REJECTED',
          status_message: orderRows[3]?.text,
        },
        {
          ...common,
          ...nifty,
          order_id: '091389e428f2AO',
          product_type: 'CARRYFORWARD',
          quantity: 65,
          price: 26010.05,
          state: 'OPEN',
          variety: 'AMO',
        },
        {
          ...common,
          order_id: '201020000000085',
          filled_quantity: 10,
          average_price: 811.2,
          status: 'FILLED',
          state: 'FILLED',
          tag: 'z3v9c0m2p7q1x8za',
        },
      ]);
    });
    test.each([
      ['09:42:34', '2026-11-20T10:00:00', '2026-11-20T04:12:34.000Z'],
      ['23:29:59', '2026-11-21T00:10:00', '2026-11-20T17:59:59.000Z'],
      ['10:02:00', '2026-11-20T10:00:00', '2026-11-20T04:32:00.000Z'],
    ])('a fill at %s, read at %s', async (filltime, now, tradedAt) => {
      use(credentials, ist(now));
      await broker.connect(null);
      stand.on(route.tradebook, { body: patched('tradebook', { filltime }) });
      const common = { ...sbin, token: null, transaction_type: 'BUY', product_type: 'INTRADAY', quantity: 10, price: 811.2 };
      expect(await broker.tradebook?.()).toHaveProperty('normalized', [
        { ...common, trade_id: '50005750', order_id: orderId, traded_at: tradedAt },
      ]);
    });
  });

  describe('the body of an order', () => {
    const base = {
      variety: 'NORMAL',
      tradingsymbol: 'SBIN-EQ',
      symboltoken: '3045',
      transactiontype: 'BUY',
      exchange: 'NSE',
      producttype: 'INTRADAY',
      duration: 'DAY',
      price: '0',
      triggerprice: '0',
      squareoff: '0',
      stoploss: '0',
      quantity: '10',
      ordertag: TAG,
    };
    test.each([
      ['MARKET', { price: '5', triggerprice: '5' }, { ordertype: 'MARKET' }],
      ['LIMIT', { price: '812.35', triggerprice: '5' }, { ordertype: 'LIMIT', price: '812.35' }],
      [
        'SL',
        { price: '800', triggerprice: '800.5' },
        { ordertype: 'STOPLOSS_LIMIT', variety: 'STOPLOSS', price: '800', triggerprice: '800.5' },
      ],
      ['SL-M', { price: '5', triggerprice: '800.5' }, { ordertype: 'STOPLOSS_MARKET', variety: 'STOPLOSS', triggerprice: '800.5' }],
    ])('%s', async (ordertype, given, sent) => {
      await place({ ordertype, ...given });
      await place({ ordertype, ...given, variety: ordertype.startsWith('SL') ? 'STOPLOSS' : 'NORMAL' });
      expect(bodies(route.place)).toEqual([
        { ...base, ...sent },
        { ...base, ...sent },
      ]);
    });
    test('AMO goes out as a normal order, and only while the market is closed', async () => {
      const open = ['2026-11-20T09:00:00', '2026-11-20T12:00:00', '2026-11-20T15:29:59'];
      const closed = ['2026-11-20T08:59:59', '2026-11-20T15:30:00', '2026-11-20T22:00:00', '2026-11-21T12:00:00', '2026-11-22T12:00:00'];
      for (const at of open) {
        use(credentials, ist(at));
        expect(await place({ variety: 'AMO' }), at).toMatchObject({ fate: 'rejected', message: expect.stringContaining('variety') });
      }
      expect(stand.calls(route.place)).toEqual([]);
      for (const at of closed) {
        use(credentials, ist(at));
        expect(await place({ variety: 'AMO' }), at).toMatchObject({ fate: 'accepted' });
      }
      await place({ variety: 'AMO', ordertype: 'SL', price: '800', triggerprice: '800.5' });
      expect(bodies(route.place)).toMatchObject([...closed.map(() => ({ variety: 'NORMAL' })), { variety: 'STOPLOSS' }]);
    });
    test('a token that positions show under another name is refused', async () => {
      await broker.positions();
      const reliance = { symbol: 'RELIANCE-BE', tradingsymbol: 'RELIANCE-BE', token: '2885' };
      expect(await place(reliance)).toMatchObject({ fate: 'rejected', message: expect.stringContaining('RELIANCE-EQ') });
      expect(stand.calls(route.place)).toEqual([]);
      expect(await place({ ...reliance, symbol: 'RELIANCE-EQ', tradingsymbol: 'RELIANCE-EQ' })).toMatchObject({ fate: 'accepted' });
      expect(await place({ ...reliance, exchange: 'BSE' })).toMatchObject({ fate: 'accepted' });
    });
    test('an SL-M on a future is sent', async () => {
      await place({ exchange: 'NFO', producttype: 'CARRYFORWARD', tradingsymbol: nifty.symbol, ordertype: 'SL-M', triggerprice: '25900' });
      expect(bodies(route.place)).toMatchObject([{ ordertype: 'STOPLOSS_MARKET', producttype: 'CARRYFORWARD' }]);
    });
  });

  test('every combination of the documented words is sent in SmartAPI’s words or refused with a reason', async () => {
    use(credentials, ist('2026-11-20T18:00:00'));
    const theirs = { MARKET: 'MARKET', LIMIT: 'LIMIT', SL: 'STOPLOSS_LIMIT', 'SL-M': 'STOPLOSS_MARKET' };
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
                expect(sent.message, what).toMatch(/^(exchange|product_type|order_type): /);
                expect(stand.seen.length, what).toBe(before);
              } else {
                expect(sent.fate, what).toBe('accepted');
                expect(JSON.parse(stand.seen.at(-1)?.body ?? ''), what).toMatchObject({
                  variety: ordertype.startsWith('SL') ? 'STOPLOSS' : 'NORMAL',
                  exchange,
                  ordertype: theirs[ordertype],
                  producttype,
                  transactiontype,
                });
              }
            }
    const unitInDoubt = 2 * 4 * 3 * 3 * 2; // MCX, CDS
    const products = 3 * 4 * 3 * 2; // CARRYFORWARD on NSE, BSE; DELIVERY on NFO
    const stopsOnBseAndNfo = 2 * 2 * 3 * 2;
    const stopVarietyWithoutStop = 3 * 2 * 2 * 2;
    expect(refusals).toBe(unitInDoubt + products + stopsOnBseAndNfo + stopVarietyWithoutStop);
  });

  describe('changing', () => {
    const change = (given: { orderid?: string } & Record<string, string>) =>
      broker.modifyOrder({ orderid: orderId, variety: 'NORMAL', ...given });
    const whole = {
      variety: 'NORMAL',
      orderid: orderId,
      ordertype: 'LIMIT',
      producttype: 'INTRADAY',
      duration: 'DAY',
      price: '812.35',
      triggerprice: '0',
      quantity: '10',
      tradingsymbol: 'SBIN-EQ',
      symboltoken: '3045',
      exchange: 'NSE',
    };
    /** The stand's book and details show the first row so. */
    function booked(patch: Record<string, unknown>, details = patch): void {
      stand.on(route.orders, { body: patched('orders', { orderstatus: 'open', filledshares: '0', ...patch }) });
      stand.on(route.details, { body: said(changed(orderRows[0] ?? {}, { orderstatus: 'open', filledshares: '0', ...details })) });
    }
    const lastBody = () => bodies(route.modify).at(-1);

    test.each([
      [{ price: '813.5' }, { price: 813.5 }],
      [{ quantity: '5' }, { quantity: 5 }],
      [
        { ordertype: 'LIMIT', price: '1', quantity: '2' },
        { price: '1', quantity: '2' },
      ],
    ])('%j goes into the whole order as booked', async (given, shown) => {
      booked({}, shown);
      expect(await change(given)).toMatchObject({ fate: 'accepted', order_id: orderId });
      expect(lastBody()).toEqual({ ...whole, ...given });
      expect(stand.calls(route.modify).length).toBe(1);
    });
    test('to MARKET drops the price, and the protected price that comes back is believed', async () => {
      booked({}, { ordertype: 'LIMIT', price: 829.1 });
      expect(await change({ ordertype: 'MARKET' })).toMatchObject({ fate: 'accepted' });
      expect(lastBody()).toEqual({ ...whole, ordertype: 'MARKET', price: '0' });
    });
    test('a stop sends price and trigger, whichever was given', async () => {
      const stop = {
        variety: 'STOPLOSS',
        ordertype: 'STOPLOSS_LIMIT',
        price: '800.00',
        triggerprice: '800.50',
        orderstatus: 'trigger pending',
      };
      booked(stop, { ...stop, triggerprice: 801 });
      expect(await change({ triggerprice: '801' })).toMatchObject({ fate: 'accepted' });
      expect(lastBody()).toEqual({ ...whole, variety: 'STOPLOSS', ordertype: 'STOPLOSS_LIMIT', price: '800', triggerprice: '801' });
    });
    test('numbers of the book go out as plain texts', async () => {
      booked({ price: 812.5, quantity: 10 }, { quantity: 20, price: 812.5 });
      await change({ quantity: '20' });
      expect(lastBody()).toEqual({ ...whole, price: '812.5', quantity: '20' });
    });
    test('answered with success but not shown by the order is unknown, sent once', async () => {
      booked({});
      made.pace.speed = 20;
      expect(await change({ price: '813.5' })).toMatchObject({ fate: 'unknown', message: expect.stringContaining('does not show') });
      expect(stand.calls(route.modify).length).toBe(1);
      expect(stand.calls(route.details).length).toBe(5);
    });
    test('an order that keeps its type does not show a change of it', async () => {
      made.pace.speed = 20;
      booked({ exchange: 'NFO', tradingsymbol: nifty.symbol, variety: 'STOPLOSS', ordertype: 'STOPLOSS_LIMIT', triggerprice: '800' });
      expect(await change({ ordertype: 'SL-M' })).toMatchObject({ fate: 'unknown' });
      expect(lastBody()).toMatchObject({ ordertype: 'STOPLOSS_MARKET', price: '0', triggerprice: '800' });
    });
    test('is waited for until the order shows it', async () => {
      let reads = 0;
      made.pace.speed = 10;
      booked({});
      stand.on(route.details, () => ({
        body: said(changed(orderRows[0] ?? {}, { orderstatus: 'open', filledshares: '0', price: ++reads < 3 ? 812.35 : 813.5 })),
      }));
      expect(await change({ price: '813.5' })).toMatchObject({ fate: 'accepted' });
      expect(reads).toBe(3);
    });
    test('an order that cannot be read back is unknown', async () => {
      made.pace.speed = 20;
      let reads = 0;
      stand.on(route.orders, () => (++reads === 1 ? { body: said(data('orders')) } : error('internal')));
      stand.on(route.details, error('catchAllOrder'));
      expect(await change({ price: '813.5' })).toMatchObject({ fate: 'unknown' });
    });
    test('an order that filled meanwhile ends the wait', async () => {
      booked({}, { orderstatus: 'complete', filledshares: '10' });
      expect(await change({ price: '813.5' })).toMatchObject({ fate: 'accepted' });
      expect(stand.calls(route.details).length).toBe(1);
    });
    test('details of another order are not believed', async () => {
      booked({}, { orderid: '201020000000099', price: 813.5 });
      made.pace.speed = 20;
      expect(await change({ price: '813.5' })).toMatchObject({ fate: 'unknown' });
    });
    test.each([
      ['a word without a meaning', { ordertype: 'ICEBERG' }, {}, 'order_type'],
      ['a variety without a meaning', { variety: 'ROBO', price: '1' }, {}, 'variety'],
      ['an order not in the book', { orderid: '42', price: '1' }, {}, 'order_id'],
      ['nothing', {}, {}, 'price'],
      ['a trigger for a LIMIT order', { triggerprice: '1' }, {}, 'price'],
      ['a price for an SL-M order', { price: '1' }, { variety: 'STOPLOSS', ordertype: 'STOPLOSS_MARKET', triggerprice: '800' }, 'price'],
      ['a stop out of a LIMIT order', { ordertype: 'SL', price: '1', triggerprice: '1' }, {}, 'cancel it'],
      [
        'a LIMIT order out of a stop',
        { ordertype: 'LIMIT', price: '1' },
        { variety: 'STOPLOSS', ordertype: 'STOPLOSS_LIMIT' },
        'cancel it',
      ],
      ['SL-M on BSE', { ordertype: 'SL-M' }, { exchange: 'BSE', variety: 'STOPLOSS', ordertype: 'STOPLOSS_LIMIT' }, 'SL-M'],
      ['a price of 0', { price: '0' }, {}, 'price'],
      ['an order on MCX', { price: '1' }, { exchange: 'MCX' }, 'lots or units'],
      ['an order filled in part', { price: '1' }, { filledshares: '4' }, 'cancel the rest'],
      ['an order without a token', { price: '1' }, { symboltoken: null }, 'token'],
    ])('%s is refused before sending', async (_what, given, row, says) => {
      booked(row);
      expect(await change(given)).toMatchObject({ fate: 'rejected', message: expect.stringContaining(says) });
      expect(stand.calls(route.modify)).toEqual([]);
    });
    test('with the book unreadable nothing is sent', async () => {
      stand.on(route.orders, error('internal'));
      expect(await change({ price: '1' })).toMatchObject({ fate: 'rejected', message: expect.stringContaining('order_id') });
      expect(stand.calls(route.modify)).toEqual([]);
    });
    test('our own order is read by its details, not by the book', async () => {
      await place({ ordertype: 'LIMIT', price: '812.35' });
      expect(await change({ price: '813.5' })).toMatchObject({ fate: 'accepted' });
      expect(stand.calls(route.details)[0]?.path).toMatch(/\/details\/34reqfachdfih$/);
      expect(stand.calls(route.orders)).toEqual([]);
    });
    test('an after-market order is changed under its own variety, and as NORMAL when that is refused for certain', async () => {
      const amo = { orderid: '091389e428f2AO', price: '26000' };
      stand.on(route.details, { body: said({ ...orderRows[4], price: 26000 }) });
      expect(await change(amo)).toMatchObject({ fate: 'accepted' });
      stand.on(route.modify, (seen) => (seen.body.includes('"AMO"') ? error('variety') : { body: said({ orderid: amo.orderid }) }));
      expect(await change(amo)).toMatchObject({ fate: 'accepted', order_id: amo.orderid });
      expect(bodies(route.modify)).toMatchObject([{ variety: 'AMO' }, { variety: 'AMO' }, { variety: 'NORMAL' }]);
      stand.on(route.modify, error('catchAll'));
      expect(await change(amo)).toMatchObject({ fate: 'unknown' });
      expect(stand.calls(route.modify).length).toBe(4);
    });
  });

  describe('cancelling', () => {
    test('takes the variety from the book', async () => {
      await broker.cancelOrder('201020000000082');
      expect(bodies(route.cancel)).toEqual([{ variety: 'STOPLOSS', orderid: '201020000000082' }]);
    });
    test('remembers the variety of our own order', async () => {
      await place({ ordertype: 'SL', price: '800', triggerprice: '800.5' });
      stand.on(route.orders, error('internal'));
      expect(await broker.cancelOrder(orderId)).toMatchObject({ fate: 'accepted', order_id: orderId });
      expect(bodies(route.cancel)).toEqual([{ variety: 'STOPLOSS', orderid: orderId }]);
      expect(stand.calls(route.orders)).toEqual([]);
    });
    test('remembers what the book showed', async () => {
      await broker.orders();
      await broker.cancelOrder('091389e428f2AO');
      expect(bodies(route.cancel)).toEqual([{ variety: 'AMO', orderid: '091389e428f2AO' }]);
      expect(stand.calls(route.orders).length).toBe(1);
    });
    test('is tried as NORMAL when the book cannot be read', async () => {
      stand.on(route.orders, error('internal'));
      await broker.cancelOrder('201020000000082');
      expect(bodies(route.cancel)).toEqual([{ variety: 'NORMAL', orderid: '201020000000082' }]);
    });
    test.each(['catchAll', 'variety'])('of an after-market order refused as %s is tried as NORMAL', async (name) => {
      stand.on(route.cancel, (seen) => (seen.body.includes('"AMO"') ? error(name) : { body: said({ orderid: '091389e428f2AO' }) }));
      expect(await broker.cancelOrder('091389e428f2AO')).toMatchObject({ fate: 'accepted', order_id: '091389e428f2AO' });
      expect(bodies(route.cancel)).toMatchObject([{ variety: 'AMO' }, { variety: 'NORMAL' }]);
    });
  });

  test('an order refused for margin is accepted and then a rejected row, found by its tag; a twin has another', async () => {
    await broker.connect(null);
    expect(await place({})).toMatchObject({ fate: 'accepted', order_id: orderId });
    stand.on(route.orders, { body: patched('orders', { orderstatus: '', status: 'rejected', filledshares: '0', averageprice: '0' }) });
    const book = await broker.orders();
    expect(book.success && book.normalized.filter((row) => row.tag === TAG)).toMatchObject([{ order_id: orderId, status: 'REJECTED' }]);
  });
});
