import { beforeEach, describe, expect, test } from 'vitest';
import { ist, useStub } from './angelone.stub.ts';
import { credentials, data, error, LOGIN, nifty, orderId, orderRows, patched, route, said, sbin, suite } from './angelone.suite.ts';
import { conformance, TAG } from './conformance.ts';
import type { LoginFacts } from './login-cases.ts';

/** Angel One's logins, made of PIN and time code. */
const logins: LoginFacts = {
  values: (jwt) => ({ jwt }),
  trial: {
    route: route.profile,
    good: { body: said(data('profile')) },
    tokenOf: ({ headers }) => headers.authorization?.replace('Bearer ', ''),
  },
  fresh: 'eyJ-fresh-jwt',
  refused: Object.fromEntries(['expired', 'tokenExpired', 'serviceExpired', 'notLoggedIn'].map((name) => [name, error(name)])),
  down: error('internal'),
  makers: [LOGIN],
  logout: {
    route: route.logout,
    answer: { body: said('') },
    sent: (seen) => JSON.parse(seen.body),
    expected: { clientcode: 'ZT0001' },
    data: '',
  },
};

describe('angelone, as every broker', () => conformance(suite, logins));

describe('angelone alone', () => {
  const here = useStub();
  const stored = (jwt: string, livesMs: number) => ({ values: { jwt }, expiresAt: new Date(Date.now() + livesMs).toISOString() });
  const bearers = () => here.stub.calls(route.profile).map((seen) => seen.headers.authorization);

  describe('signing in', () => {
    test('sends client code, PIN and the code an authenticator shows at that time', async () => {
      // RFC 6238, appendix B: SHA-1, the key "12345678901234567890", 59 s after the epoch.
      here.use({ ...credentials, TOTP_SECRET: 'gezd gnbv gy3t qojq-GEZDGNBVGY3TQOJQ' }, 59_000);
      await here.broker.connect(null);
      expect(here.bodies(LOGIN)).toEqual([{ clientcode: 'ZT0001', password: 'testpin-2c3d', totp: '287082' }]);
      expect(here.stub.calls(LOGIN)[0]?.headers.authorization).toBeUndefined();
    });
    test('keeps the tokens until midnight in India', async () => {
      here.use(credentials, ist('2026-11-20T09:20:00'));
      const connected = await here.broker.connect(null);
      expect(connected).toMatchObject({ login: { values: { jwt: 'eyJ-fresh-jwt', feed: 'eyJ-fresh-feed' } } });
      expect(connected.success && connected.login.expiresAt).toBe('2026-11-20T18:30:00.000Z');
    });
    test('sends key and bearer with every call', async () => {
      await here.broker.connect(null);
      await here.broker.orders();
      expect(bearers()).toEqual(['Bearer eyJ-fresh-jwt']);
      for (const { headers } of here.stub.seen) {
        expect(headers).toMatchObject({ 'x-privatekey': 'testkey-0a1b', 'x-usertype': 'USER', 'x-sourceid': 'WEB' });
        expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-macaddress': expect.stringMatching(/./) });
        expect(headers).toMatchObject({ 'x-clientlocalip': '127.0.0.1', 'x-clientpublicip': '127.0.0.1' });
      }
    });
    test.each(suite.needed)('without %s alone names it and asks nobody', async (name) => {
      const { [name.replace('ANGELONE_', '')]: _, ...rest }: Record<string, string> = credentials;
      here.use(rest);
      expect(await here.broker.connect(null)).toEqual({ success: false, message: `Not set: ${name}` });
      expect(here.stub.seen).toEqual([]);
    });
    test('with a secret that is no base32 says so without showing it', async () => {
      here.use({ ...credentials, TOTP_SECRET: 'not!base32' });
      const connected = await here.broker.connect(null);
      expect(connected).toMatchObject({ success: false, message: expect.stringContaining('ANGELONE_TOTP_SECRET') });
      expect(connected.message).not.toContain('not!base32');
      expect(here.stub.seen).toEqual([]);
    });
    test('refused names the settings and is not tried again', async () => {
      here.stub.on(LOGIN, error('login'));
      expect(await here.broker.connect(null)).toMatchObject({
        success: false,
        message: expect.stringMatching(/Invalid Email Or Password, AB1000.*ANGELONE_CLIENT_ID, ANGELONE_PIN, ANGELONE_TOTP_SECRET/),
      });
      expect(here.stub.calls(LOGIN).length).toBe(1);
    });
    test.each([
      ['without a token', said({ feedToken: 'f' })],
      ['with an empty token', said({ jwtToken: '' })],
      ['with null', said(null)],
    ])('answered %s fails', async (_what, body) => {
      here.stub.on(LOGIN, { body });
      expect(await here.broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('session') });
      expect(here.stub.calls(route.profile)).toEqual([]);
    });
    test('answered with success as a text works', async () => {
      here.stub.on(LOGIN, { body: { status: 'true', message: 'SUCCESS', errorcode: null, data: data('session') } });
      expect(await here.broker.connect(null)).toMatchObject({ success: true });
    });
    test('as somebody else fails', async () => {
      here.stub.on(route.profile, { body: said({ clientcode: 'OTHER1' }) });
      expect(await here.broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('ANGELONE_CLIENT_ID') });
    });
  });

  describe('a stored login', () => {
    test('of another client gives way to a new one', async () => {
      here.stub.on(route.profile, (seen) => ({
        body: said({ clientcode: seen.headers.authorization === 'Bearer kept' ? 'OTHER1' : 'ZT0001' }),
      }));
      expect(await here.broker.connect(stored('kept', 60_000))).toMatchObject({ success: true, account: 'ZT0001' });
      expect(bearers()).toEqual(['Bearer kept', 'Bearer eyJ-fresh-jwt']);
    });
  });

  test('logging out ends the session of the client', async () => {
    await here.broker.connect(null);
    expect(await here.broker.logout()).toEqual({ success: true, data: '' });
    expect(here.bodies(route.logout)).toEqual([{ clientcode: 'ZT0001' }]);
    here.stub.on(route.logout, { body: said(null) });
    expect(await here.broker.logout()).toEqual({ success: true, data: null });
    here.stub.on(route.logout, error('expired'));
    expect(await here.broker.logout()).toMatchObject({ success: false });
  });

  describe('reading', () => {
    beforeEach(() => here.broker.connect(null));
    test('a read refused for its rate is asked once more after a second', async () => {
      here.made.pace.speed = 20;
      let asked = 0;
      const slow = { status: 403, body: 'Access denied because of exceeding access rate' };
      here.stub.on(route.positions, () => (++asked === 1 ? slow : { body: said(null) }));
      expect(await here.broker.positions()).toMatchObject({ success: true, data: [] });
      here.stub.on(route.positions, slow);
      expect(await here.broker.positions()).toMatchObject({ success: false, message: expect.stringContaining('access rate') });
      expect(here.stub.calls(route.positions).length).toBe(4);
    });
    test.each(['profile', 'funds'] as const)('%s without data is a failure', async (name) => {
      here.stub.on(route[name], { body: said(null) });
      expect(await here.broker[name]()).toMatchObject({ success: false, message: expect.stringContaining(name) });
    });
    test.each(['orders', 'positions', 'holdings', 'tradebook'] as const)('%s: a failure flag beside rows is a failure', async (name) => {
      for (const status of [false, 'false']) {
        here.stub.on(suite.reads[name].route, { body: { ...said(suite.reads[name].data), status } });
        expect(await here.broker[name]?.()).toMatchObject({ success: false });
      }
    });
    test.each(['', 'null', {}, { holdings: 'x' }, undefined])('lists answered with %j are failures, not empty', async (value) => {
      for (const name of ['orders', 'positions', 'holdings', 'tradebook'] as const) {
        here.stub.on(suite.reads[name].route, { body: said(value) });
        expect(await here.broker[name]?.(), name).toMatchObject({ success: false });
      }
    });
    test('holdings may also be an empty list, or null inside', async () => {
      for (const holdings of [[], null]) {
        here.stub.on(route.holdings, { body: said({ holdings, totalholding: null }) });
        expect(await here.broker.holdings()).toMatchObject({ success: true, data: [] });
      }
    });
    test('a rejected order tells its reason', async () => {
      const answer = await here.broker.orders();
      expect(answer.success && answer.normalized[3]).toMatchObject({
        state: 'REJECTED',
        status_message: expect.stringContaining('Insufficient Funds'),
      });
    });
    test('orders in our words', async () => {
      const answer = await here.broker.orders();
      const common = {
        ...sbin,
        transaction_type: 'BUY',
        order_type: 'LIMIT',
        product_type: 'INTRADAY',
        quantity: 10,
        price: 812.35,
        trigger_price: 0,
        filled_quantity: 0,
        average_price: null,
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
      here.use(credentials, ist(now));
      await here.broker.connect(null);
      here.stub.on(route.tradebook, { body: patched('tradebook', { filltime }) });
      const common = { ...sbin, token: null, transaction_type: 'BUY', product_type: 'INTRADAY', quantity: 10, price: 811.2 };
      expect(await here.broker.tradebook?.()).toHaveProperty('normalized', [
        { ...common, trade_id: '50005750', order_id: orderId, traded_at: tradedAt },
      ]);
    });
  });
});
