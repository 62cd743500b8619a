import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { body, credentials, error, ok, order, orderId, patched, routes, rowsOf, suite } from './aliceblue.suite.ts';
import { conformance, TAG } from './conformance.ts';
import type { LoginFacts } from './login-cases.ts';
import { stubBroker } from './stub-broker.ts';
import type { Answer } from './stub-server.ts';

/** Alice Blue's logins: a code is traded with a checksum over user, code and secret. There is no logout. */
const logins: LoginFacts = {
  values: (token) => ({ user_session: token }),
  trial: {
    route: routes.profile,
    good: { body: body('profile') },
    tokenOf: ({ headers }) => headers.authorization?.replace('Bearer ', ''),
  },
  fresh: credentials.USER_SESSION,
  refused: { 'a dead token': error('unauthorised') },
  down: error('unavailable'),
  makers: [routes.token],
  code: {
    settings: { APP_CODE: 'testapp', API_SECRET: 'testsecret', USER_ID: '912444', AUTH_CODE: 'mk404x' },
    needs: ['API_SECRET', 'USER_ID'],
    route: routes.token,
    sent: (seen) => JSON.parse(seen.body),
    expected: { checkSum: createHash('sha256').update('912444mk404xtestsecret').digest('hex') },
    token: 'fresh-token',
    refusal: { answer: error('code'), says: /Invalid auth code.*ALICEBLUE_API_SECRET/, hides: /mk404x|testsecret/ },
    broken: {
      'no token': { body: { stat: 'Ok', clientId: '912444' } },
      'a token under a refusal': { body: { status: 'Not_ok', result: [{ accessToken: 'fresh-token' }] } },
      'a token under a refusal of the older form': { body: { stat: 'Not_ok', userSession: 'fresh-token' } },
      'two tokens': { body: ok({ accessToken: 'fresh-token' }, { accessToken: 'other-token' }) },
      'an empty token': { body: ok({ accessToken: '' }) },
      'no result': { body: { status: 'Ok', message: 'Success', result: null } },
      'another shape': { body: { hello: 1 } },
      'HTTP 500': { status: 500, body: body('session') },
    },
    page: {
      url: 'https://ant.aliceblueonline.com/?appcode=testapp-0a1b',
      needs: ['APP_CODE'],
      query: { authCode: 'mk405x', userId: '912444' },
      denied: [{ authCode: 'mk405x' }, { userId: '912444' }, { error: 'denied' }],
    },
  },
};

describe('aliceblue, as every broker', () => conformance(suite, logins));

describe('aliceblue alone', () => {
  const here = stubBroker(suite);

  describe('signing in', () => {
    test('sends the token on every call', async () => {
      await here.broker.connect(null);
      await here.broker.orders();
      await here.broker.placeOrder(order, TAG);
      expect(here.stub.seen.map((seen) => seen.headers.authorization)).toEqual(Array(3).fill('Bearer living-token-4e5f'));
    });
    test('takes the older form of the token too', async () => {
      here.use(logins.code?.settings ?? {});
      here.stub.on(routes.token, { body: body('oldSession') });
      expect(await here.broker.connect(null)).toMatchObject({ success: true, login: { values: { user_session: 'fresh-token' } } });
    });
    test('a refusal of the newer form is told in its words', async () => {
      here.use(logins.code?.settings ?? {});
      here.stub.on(routes.token, { body: { status: 'Not_ok', message: 'Invalid auth code', result: null } });
      expect(await here.broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('(Invalid auth code)') });
    });
    test('needs nothing beside ALICEBLUE_USER_SESSION', async () => {
      here.use({ USER_SESSION: 'pasted' });
      expect(await here.broker.connect(null)).toMatchObject({ success: true, login: { values: { user_session: 'pasted' } } });
    });
    test('a token that says its end is kept until then, another for a day', async () => {
      const claims = Buffer.from(JSON.stringify({ exp: 1_800_000_000, ucc: '912444' })).toString('base64url');
      here.use({ USER_SESSION: `eyJhbGciOiJSUzI1NiJ9.${claims}.c2ln` });
      expect(await here.broker.connect(null)).toMatchObject({ login: { expiresAt: '2027-01-15T08:00:00.000Z' } });
      const now = Date.parse('2026-11-20T10:00:00+05:30');
      for (const token of ['opaque', 'a.b.c', `a.${Buffer.from('{"exp":"soon"}').toString('base64url')}.c`]) {
        here.use({ USER_SESSION: token }, { now });
        expect(await here.broker.connect(null), token).toMatchObject({ login: { expiresAt: '2026-11-21T04:30:00.000Z' } });
      }
    });

    test.each([
      ['without an account', ok({ clientName: 'x' })],
      ['that is empty', ok()],
    ])('a profile %s is no login', async (_what, answer) => {
      here.stub.on(routes.profile, { body: answer });
      expect(await here.broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('profile') });
    });

    test('there is no logout, and saying so sends nothing', async () => {
      await here.broker.connect(null);
      expect(await here.broker.logout()).toMatchObject({ success: false, message: expect.stringContaining('no logout') });
      expect(here.stub.seen.length).toBe(1);
    });
    test('a product word of its own must be a known one', async () => {
      here.use({ ...credentials, CARRYFORWARD_PRODUCT: 'CNC' });
      expect(await here.broker.connect(null)).toMatchObject({
        success: false,
        message: expect.stringContaining('ALICEBLUE_CARRYFORWARD_PRODUCT'),
      });
      expect(here.stub.seen).toEqual([]);
    });
  });

  describe('a dead login', () => {
    test.each<[string, Answer]>([
      ['401', error('unauthorised')],
      ['401 without JSON', { status: 401, body: 'Unauthorized' }],
      ['403', { status: 403, body: { status: 'Not_ok', message: 'Forbidden' } }],
      ['403 without a body', { status: 403 }],
      ['EC087 in the message', { body: { status: 'Not_ok', message: 'EC087' } }],
    ])('%s ends the session, and refuses an order for certain', async (_what, answer) => {
      await here.broker.connect(null);
      here.stub.on(routes.place, answer);
      expect(await here.broker.placeOrder(order, TAG)).toMatchObject({ fate: 'rejected', message: expect.stringMatching(/./) });
      expect(here.made.expired.length).toBe(1);
      here.stub.on(routes.orders, answer);
      expect(await here.broker.orders()).toMatchObject({ success: false });
      expect(here.made.expired.length).toBe(1);
    });
    test.each(['address', 'addressText', 'addressForbidden', 'readOnly'])('%s does not end it', async (name) => {
      await here.broker.connect(null);
      here.stub.on(routes.place, error(name));
      expect(await here.broker.placeOrder(order, TAG)).toMatchObject({ fate: 'rejected' });
      expect(here.made.expired).toEqual([]);
    });
  });

  describe('empty lists', () => {
    const codes = { holdings: 'EC922', positions: 'EC920', orders: 'EC916', trades: 'EC926' } as const;
    const readOf = { holdings: 'holdings', positions: 'positions', orders: 'orders', trades: 'tradebook' } as const;
    const names = ['holdings', 'positions', 'orders', 'trades'] as const;
    beforeEach(() => here.broker.connect(null));

    test.each(names)('%s are empty by their own code alone, wherever it stands', async (name) => {
      for (const code of ['EC915', 'EC916', 'EC917', 'EC918', 'EC919', 'EC920', 'EC921', 'EC922', 'EC926', 'EC927', 'EC003']) {
        for (const answer of [
          { status: code, message: 'No rows found' },
          { status: 'Not_ok', message: code },
        ]) {
          here.stub.on(routes[name], { body: answer });
          expect(await here.broker[readOf[name]]?.(), JSON.stringify(answer)).toMatchObject({ success: code === codes[name] });
        }
      }
    });
    test.each(names)('%s are empty as an empty list too, never without one', async (name) => {
      here.stub.on(routes[name], { body: ok() });
      expect(await here.broker[readOf[name]]?.()).toEqual({ success: true, data: [], normalized: [] });
      for (const answer of [
        { status: 'Ok', message: 'Success' },
        { status: 'Ok', result: null },
        { status: 'Ok', result: {} },
      ]) {
        here.stub.on(routes[name], { body: answer });
        expect(await here.broker[readOf[name]]?.(), JSON.stringify(answer)).toMatchObject({ success: false });
      }
    });
    test('the code under an error status, or beside another, is no proof', async () => {
      here.stub.on(routes.orders, { status: 500, body: { status: 'EC916', message: 'No orders found' } });
      expect(await here.broker.orders()).toMatchObject({ success: false });
      here.stub.on(routes.orders, { body: { status: 'EC916', message: 'EC915' } });
      expect(await here.broker.orders()).toMatchObject({ success: false });
    });
  });

  test('good rows under an error status are not believed', async () => {
    await here.broker.connect(null);
    here.stub.on(routes.orders, { status: 502, body: body('orders') });
    expect(await here.broker.orders()).toMatchObject({ success: false });
  });
  test('funds that are no object are a failure', async () => {
    await here.broker.connect(null);
    here.stub.on(routes.funds, { body: ok() });
    expect(await here.broker.funds()).toMatchObject({ success: false, message: expect.stringContaining('funds') });
  });
  test('our order is told from a twin without our tag', async () => {
    await here.broker.connect(null);
    const [ours, other] = rowsOf('orders');
    const twin = { ...ours, brokerOrderId: other?.brokerOrderId, orderTag: '--', remarks: '' };
    here.stub.on(routes.orders, { body: ok(twin, ours) });
    const book = await here.broker.orders();
    expect(book.success && book.normalized.map(({ order_id, tag }) => [order_id, tag])).toEqual([
      [other?.brokerOrderId, null],
      [orderId, TAG],
    ]);
  });
  test('a row that came with an order id as a number gets it as text', async () => {
    await here.broker.connect(null);
    here.stub.on(routes.orders, { body: patched('orders', { brokerOrderId: Number(orderId) }) });
    expect(await here.broker.orders()).toHaveProperty('data.0.order_id', orderId);
  });
});
