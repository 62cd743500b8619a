import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aliceblue } from '../../server/brokers/aliceblue/adapter.ts';
import type { Broker } from '../../server/brokers/broker.ts';
import { body, credentials, error, healthy, ok, order, orderId, patched, routes, rowsOf, suite } from './aliceblue.suite.ts';
import { conformance, TAG } from './conformance.ts';
import { type Answer, envFor, openStub, type StubServer } from './stub-server.ts';

describe('aliceblue, as every broker', () => conformance(suite));

describe('aliceblue alone', () => {
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
    made = envFor(aliceblue, stub.url, given);
    const clock = now === undefined ? made.env.clock : { ...made.env.clock, now: () => now };
    broker = aliceblue.create({ ...made.env, clock });
  }
  const stored = (token: string, livesMs: number) => ({
    values: { user_session: token },
    expiresAt: new Date(Date.now() + livesMs).toISOString(),
  });
  const tokens = () => stub.calls(routes.profile).map((seen) => seen.headers.authorization);

  describe('signing in', () => {
    const app = { APP_CODE: 'testapp', API_SECRET: 'testsecret', USER_ID: '912444', AUTH_CODE: 'mk404x' };

    test('sends the token on every call', async () => {
      await broker.connect(null);
      await broker.orders();
      await broker.placeOrder(order, TAG);
      expect(stub.seen.map((seen) => seen.headers.authorization)).toEqual(Array(3).fill('Bearer living-token-4e5f'));
    });
    test('needs nothing beside ALICEBLUE_USER_SESSION', async () => {
      use({ USER_SESSION: 'pasted' });
      expect(await broker.connect(null)).toMatchObject({ success: true, login: { values: { user_session: 'pasted' } } });
    });
    test('a token that says its end is kept until then, another for a day', async () => {
      const claims = Buffer.from(JSON.stringify({ exp: 1_800_000_000, ucc: '912444' })).toString('base64url');
      use({ USER_SESSION: `eyJhbGciOiJSUzI1NiJ9.${claims}.c2ln` });
      expect(await broker.connect(null)).toMatchObject({ login: { expiresAt: '2027-01-15T08:00:00.000Z' } });
      const now = Date.parse('2026-11-20T10:00:00+05:30');
      for (const token of ['opaque', 'a.b.c', `a.${Buffer.from('{"exp":"soon"}').toString('base64url')}.c`]) {
        use({ USER_SESSION: token }, now);
        expect(await broker.connect(null), token).toMatchObject({ login: { expiresAt: '2026-11-21T04:30:00.000Z' } });
      }
    });

    test('trades a code for a token, proved by a checksum', async () => {
      use(app);
      expect(await broker.connect(null)).toMatchObject({
        success: true,
        account: '912444',
        login: { values: { user_session: 'fresh-token' } },
      });
      const checkSum = createHash('sha256').update('912444mk404xtestsecret').digest('hex');
      expect(JSON.parse(stub.calls(routes.token)[0]?.body ?? '')).toEqual({ checkSum });
      expect(stub.calls(routes.token)[0]?.headers.authorization).toBeUndefined();
      expect(tokens()).toEqual(['Bearer fresh-token']);
    });
    test.each(['API_SECRET', 'USER_ID'])('a code without the setting %s names it', async (name) => {
      use({ ...app, [name]: '' });
      expect(await broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining(`ALICEBLUE_${name}`) });
      expect(stub.seen).toEqual([]);
    });
    test('a refused code is not tried twice and names the settings', async () => {
      use(app);
      stub.on(routes.token, error('code'));
      const refused = await broker.connect(null);
      expect(refused).toMatchObject({ success: false, message: expect.stringMatching(/Invalid auth code.*ALICEBLUE_API_SECRET/) });
      expect(refused.message).not.toMatch(/mk404x|testsecret/);
      expect(stub.calls(routes.token).length).toBe(1);
    });
    test.each<[string, Answer]>([
      ['an answer without a token', { body: { stat: 'Ok', clientId: '912444' } }],
      ['a token under a refusal', { body: { stat: 'Not_ok', userSession: 'fresh-token' } }],
      ['an answer that is no JSON', { body: '<html>' }],
      ['an answer of another shape', { body: { hello: 1 } }],
      ['HTTP 500', { status: 500, body: body('session') }],
      ['a dead connection', 'reset'],
    ])('%s to the code is a failure, asked once', async (_what, answer) => {
      use(app);
      stub.on(routes.token, answer);
      expect(await broker.connect(null)).toMatchObject({ success: false, message: expect.stringMatching(/./) });
      expect(stub.calls(routes.token).length).toBe(1);
      expect(tokens()).toEqual([]);
    });
    test.each([
      ['without an account', ok({ clientName: 'x' })],
      ['that is empty', ok()],
    ])('a profile %s is no login', async (_what, answer) => {
      stub.on(routes.profile, { body: answer });
      expect(await broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('profile') });
    });

    test('a stored login is used while it lives', async () => {
      expect(await broker.connect(stored('kept', 60_000))).toMatchObject({ success: true, login: { values: { user_session: 'kept' } } });
      expect(tokens()).toEqual(['Bearer kept']);
    });
    test('a stored login is not tried after its end', async () => {
      await broker.connect(stored('kept', -1));
      expect(tokens()).toEqual(['Bearer living-token-4e5f']);
    });
    test('a refused stored login gives way to ALICEBLUE_USER_SESSION', async () => {
      stub.on(routes.profile, (seen) => (seen.headers.authorization === 'Bearer kept' ? error('unauthorised') : { body: body('profile') }));
      expect(await broker.connect(stored('kept', 60_000))).toMatchObject({ login: { values: { user_session: 'living-token-4e5f' } } });
      expect(made.expired).toEqual([]);
    });
    test('a code is not burnt when Alice Blue is merely down', async () => {
      use(app);
      stub.on(routes.profile, error('unavailable'));
      expect(await broker.connect(stored('kept', 60_000))).toMatchObject({ success: false });
      expect(stub.calls(routes.token)).toEqual([]);
    });

    test('the login page carries the app, and its redirect signs in', async () => {
      expect(aliceblue.login?.url(made.env)).toBe('https://ant.aliceblueonline.com/?appcode=testapp-0a1b');
      expect(await aliceblue.login?.exchange(made.env, { authCode: 'mk405x', userId: '912444' })).toMatchObject({
        success: true,
        login: { values: { user_session: 'fresh-token' } },
      });
      for (const query of [{ authCode: 'mk405x' }, { userId: '912444' }, { error: 'denied' }]) {
        expect(await aliceblue.login?.exchange(made.env, { ...query })).toMatchObject({ success: false });
      }
      expect(stub.calls(routes.token).length).toBe(1);
      expect(() => aliceblue.login?.url(envFor(aliceblue, stub.url, {}).env)).toThrow('ALICEBLUE_APP_CODE');
    });
    test('there is no logout, and saying so sends nothing', async () => {
      await broker.connect(null);
      expect(await broker.logout()).toMatchObject({ success: false, message: expect.stringContaining('no logout') });
      expect(stub.seen.length).toBe(1);
    });
    test('a dead login answered to an older token does not end the newer one', async () => {
      await broker.connect(null);
      const held = Promise.withResolvers<Answer>();
      stub.on(routes.trades, () => held.promise);
      const late = broker.tradebook?.();
      while (stub.calls(routes.trades).length === 0) await new Promise((done) => setTimeout(done, 5));
      await broker.connect(stored('newer', 60_000));
      held.resolve(error('expired'));
      expect(await late).toMatchObject({ success: false });
      expect(made.expired).toEqual([]);
    });
    test('a product word of its own must be a known one', async () => {
      use({ ...credentials, CARRYFORWARD_PRODUCT: 'CNC' });
      expect(await broker.connect(null)).toMatchObject({
        success: false,
        message: expect.stringContaining('ALICEBLUE_CARRYFORWARD_PRODUCT'),
      });
      expect(stub.seen).toEqual([]);
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
      await broker.connect(null);
      stub.on(routes.place, answer);
      expect(await broker.placeOrder(order, TAG)).toMatchObject({ fate: 'rejected', message: expect.stringMatching(/./) });
      expect(made.expired.length).toBe(1);
      stub.on(routes.orders, answer);
      expect(await broker.orders()).toMatchObject({ success: false });
      expect(made.expired.length).toBe(1);
    });
    test.each(['address', 'addressText', 'addressForbidden', 'readOnly'])('%s does not end it', async (name) => {
      await broker.connect(null);
      stub.on(routes.place, error(name));
      expect(await broker.placeOrder(order, TAG)).toMatchObject({ fate: 'rejected' });
      expect(made.expired).toEqual([]);
    });
  });

  describe('empty lists', () => {
    const codes = { holdings: 'EC922', positions: 'EC920', orders: 'EC916', trades: 'EC926' } as const;
    const readOf = { holdings: 'holdings', positions: 'positions', orders: 'orders', trades: 'tradebook' } as const;
    const names = ['holdings', 'positions', 'orders', 'trades'] as const;
    beforeEach(() => broker.connect(null));

    test.each(names)('%s are empty by their own code alone, wherever it stands', async (name) => {
      for (const code of ['EC915', 'EC916', 'EC917', 'EC918', 'EC919', 'EC920', 'EC921', 'EC922', 'EC926', 'EC927', 'EC003']) {
        for (const answer of [
          { status: code, message: 'No rows found' },
          { status: 'Not_ok', message: code },
        ]) {
          stub.on(routes[name], { body: answer });
          expect(await broker[readOf[name]]?.(), JSON.stringify(answer)).toMatchObject({ success: code === codes[name] });
        }
      }
    });
    test.each(names)('%s are empty as an empty list too, never without one', async (name) => {
      stub.on(routes[name], { body: ok() });
      expect(await broker[readOf[name]]?.()).toEqual({ success: true, data: [], normalized: [] });
      for (const answer of [
        { status: 'Ok', message: 'Success' },
        { status: 'Ok', result: null },
        { status: 'Ok', result: {} },
      ]) {
        stub.on(routes[name], { body: answer });
        expect(await broker[readOf[name]]?.(), JSON.stringify(answer)).toMatchObject({ success: false });
      }
    });
    test('the code under an error status, or beside another, is no proof', async () => {
      stub.on(routes.orders, { status: 500, body: { status: 'EC916', message: 'No orders found' } });
      expect(await broker.orders()).toMatchObject({ success: false });
      stub.on(routes.orders, { body: { status: 'EC916', message: 'EC915' } });
      expect(await broker.orders()).toMatchObject({ success: false });
    });
  });

  test('good rows under an error status are not believed', async () => {
    await broker.connect(null);
    stub.on(routes.orders, { status: 502, body: body('orders') });
    expect(await broker.orders()).toMatchObject({ success: false });
  });
  test('funds that are no object are a failure', async () => {
    await broker.connect(null);
    stub.on(routes.funds, { body: ok() });
    expect(await broker.funds()).toMatchObject({ success: false, message: expect.stringContaining('funds') });
  });
  test('our order is told from a twin without our tag', async () => {
    await broker.connect(null);
    const [ours, other] = rowsOf('orders');
    const twin = { ...ours, brokerOrderId: other?.brokerOrderId, orderTag: '--', remarks: '' };
    stub.on(routes.orders, { body: ok(twin, ours) });
    const book = await broker.orders();
    expect(book.success && book.normalized.map(({ order_id, tag }) => [order_id, tag])).toEqual([
      [other?.brokerOrderId, null],
      [orderId, TAG],
    ]);
  });
  test('a row that came with an order id as a number gets it as text', async () => {
    await broker.connect(null);
    stub.on(routes.orders, { body: patched('orders', { brokerOrderId: Number(orderId) }) });
    expect(await broker.orders()).toHaveProperty('data.0.order_id', orderId);
  });
});
