import { TOTP } from 'otpauth';
import { beforeEach, describe, expect, test } from 'vitest';
import { fivepaisa } from '../../server/brokers/fivepaisa/adapter.ts';
import { conformance, TAG } from './conformance.ts';
import { BOOK, bodyOf, credentials, error, good, nifty, order, PLACE, patched, refusal, sbin, suite } from './fivepaisa.suite.ts';
import type { LoginFacts } from './login-cases.ts';
import { stubBroker } from './stub-broker.ts';
import { type Answer, envFor } from './stub-server.ts';

const MARGIN = 'POST /V4/Margin';
/** 5paisa's logins, made of PIN and time code. */
const logins: LoginFacts = {
  values: (token) => ({ token, client: '50000011', profile: '{"ClientName":"KEPT"}' }),
  trial: { route: MARGIN, good: good('funds'), tokenOf: ({ headers }) => headers.authorization?.replace('Bearer ', '') },
  fresh: 'e30.access-token-5d6e.s',
  refused: { 'a dead token': error('expired') },
  down: error('server'),
  makers: ['POST /TOTPLogin', 'POST /GetAccessToken'],
};

describe('fivepaisa, as every broker', () => conformance(suite, logins));

const STATUS = 'POST /V3/OrderStatus';

describe('fivepaisa alone', () => {
  const here = stubBroker(suite);
  const sentTo = (route: string) => JSON.parse(here.stub.calls(route).at(-1)?.body ?? 'null');
  const failed = (text: string | RegExp) => ({ success: false, message: expect.stringMatching(text) });
  const session = (patch: Record<string, unknown>): Answer => ({
    body: { head: { Status: 0, StatusDescription: 'Success' }, body: { ...bodyOf('session'), ...patch } },
  });

  describe('signing in', () => {
    test('takes a code of the moment, then trades the request token', async () => {
      expect(await here.broker.connect(null)).toMatchObject({ success: true, login: { values: { token: 'e30.access-token-5d6e.s' } } });
      const login = sentTo('POST /TOTPLogin');
      expect(login).toEqual({
        head: { Key: credentials.USER_KEY },
        body: { Email_ID: '50000011', TOTP: expect.stringMatching(/^\d{6}$/), PIN: credentials.PIN },
      });
      expect(new TOTP({ secret: credentials.TOTP_SECRET }).validate({ token: login.body.TOTP, window: 1 })).not.toBeNull();
      expect(sentTo('POST /GetAccessToken')).toEqual({
        head: { Key: credentials.USER_KEY },
        body: { RequestToken: 'e30.request-token-3b4c.s', EncryKey: credentials.ENCRYPTION_KEY, UserId: credentials.USER_ID },
      });
      expect(here.stub.calls('POST /GetAccessToken')[0]?.headers.authorization).toBeUndefined();
      expect(sentTo(MARGIN)).toEqual({ head: { key: credentials.USER_KEY }, body: { ClientCode: '50000011' } });
    });
    test.each<[string, string, Answer, RegExp]>([
      ['a wrong code', 'POST /TOTPLogin', error('login'), /Invalid TOTP.*FIVEPAISA_TOTP_SECRET/],
      ['a request token that is too old', 'POST /GetAccessToken', error('tokenExpired'), /Token Expired.*FIVEPAISA_USER_KEY/],
      ['an empty access token', 'POST /GetAccessToken', session({ AccessToken: '' }), /did not sign in/],
      ['another client', 'POST /GetAccessToken', session({ ClientCode: '50000099' }), /FIVEPAISA_CLIENT_CODE/],
      ['a margin that is refused', MARGIN, error('server'), /Server unable/],
    ])('fails after %s', async (_what, route, answer, text) => {
      here.stub.on(route, answer);
      expect(await here.broker.connect(null)).toMatchObject(failed(text));
      expect(here.stub.calls('POST /TOTPLogin').length).toBe(1);
      expect(here.stub.calls('POST /GetAccessToken').length).toBeLessThanOrEqual(1);
    });
    test('a secret that is not base32 is named and nobody is asked', async () => {
      here.use({ ...credentials, TOTP_SECRET: '0189' });
      expect(await here.broker.connect(null)).toMatchObject(failed('FIVEPAISA_TOTP_SECRET'));
      expect(here.stub.seen).toEqual([]);
    });
    test.each(['PIN', 'TOTP_SECRET'])('without %s names it and the other way', async (name) => {
      here.use(Object.fromEntries(Object.entries(credentials).filter(([key]) => key !== name)));
      expect(await here.broker.connect(null)).toMatchObject(failed(new RegExp(`^Not set: FIVEPAISA_${name}; .*npm run login`)));
    });
    test('neither profile nor answer holds a token', async () => {
      const connected = await here.broker.connect(null);
      expect(connected.success && JSON.stringify([connected.data, await here.broker.profile()])).not.toMatch(/access-token|refresh-token/);
    });
  });

  describe('the end of a login', () => {
    const jwt = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`;
    const endWith = async (AccessToken: string) => {
      here.stub.on('POST /GetAccessToken', session({ AccessToken }));
      const connected = await here.broker.connect(null);
      return connected.success && connected.login.expiresAt;
    };
    test.each([
      ['no token of three parts', 'plain'],
      ['no statement', jwt({})],
      ['a past one', jwt({ exp: 1_600_000_000 })],
      ['a far one', jwt({ exp: 4_000_000_000 })],
    ])('with %s is 23:59 in India', async (_what, token) => {
      expect(await endWith(token)).toMatch(/T18:29:00\.000Z$/);
    });
    test('is what the token states when that is earlier', async () => {
      const exp = Math.floor(Date.now() / 1000) + 2;
      expect(await endWith(jwt({ exp }))).toBe(new Date(exp * 1000).toISOString());
    });
  });

  describe('a stored login', () => {
    const stored = (livesMs: number, client = '50000011') => ({
      values: { token: 'kept', client, profile: '{"ClientName":"KEPT"}' },
      expiresAt: new Date(Date.now() + livesMs).toISOString(),
    });
    const tokens = () => here.stub.calls(MARGIN).map((seen) => seen.headers.authorization);
    test('is used while it lives, with what sign-in had told', async () => {
      expect(await here.broker.connect(stored(60_000))).toMatchObject({
        success: true,
        account: '50000011',
        login: { values: { token: 'kept' } },
      });
      expect(tokens()).toEqual(['Bearer kept']);
      expect(await here.broker.profile()).toEqual({ success: true, data: { ClientName: 'KEPT' } });
      expect(here.stub.calls('POST /TOTPLogin')).toEqual([]);
    });
    test.each([
      ['after its end', -1, '50000011'],
      ['when it is another client’s', 60_000, '50000099'],
    ])('is not tried %s', async (_what, livesMs, client) => {
      expect(await here.broker.connect(stored(livesMs, client))).toMatchObject({ success: true });
      expect(tokens()).toEqual(['Bearer e30.access-token-5d6e.s']);
    });
    test('of a person who signed in on the page needs no PIN', async () => {
      const { PIN: _pin, TOTP_SECRET: _secret, CLIENT_CODE: _code, ...few } = credentials;
      here.use(few);
      expect(await here.broker.connect(stored(60_000))).toMatchObject({ success: true, account: '50000011' });
    });
  });

  test('the login page carries app key and redirect address, and its redirect signs in', async () => {
    expect(() => fivepaisa.login?.url(here.made.env)).toThrow('FIVEPAISA_REDIRECT_URI');
    here.use({ ...credentials, REDIRECT_URI: 'http://127.0.0.1:5001/' });
    expect(fivepaisa.login?.url(here.made.env)).toBe(
      'https://dev-openapi.5paisa.com/WebVendorLogin/VLogin/Index?VendorKey=test-app-key-0a1b&ResponseURL=http%3A%2F%2F127.0.0.1%3A5001%2F&State=broker-gateway',
    );
    expect(await fivepaisa.login?.exchange(here.made.env, { RequestToken: 'from-page', state: 'x' })).toMatchObject({ success: true });
    expect(sentTo('POST /GetAccessToken').body.RequestToken).toBe('from-page');
    expect(await fivepaisa.login?.exchange(here.made.env, { state: 'x' })).toMatchObject(failed('request token'));
    const bare = envFor(fivepaisa, here.stub.url, { USER_KEY: 'k' }).env;
    expect(await fivepaisa.login?.exchange(bare, { RequestToken: 'r' })).toMatchObject(failed('FIVEPAISA_ENCRYPTION_KEY'));
    expect(here.stub.calls('POST /GetAccessToken').length).toBe(1);
  });

  test('logging out forgets the token and asks nobody: 5paisa has no call for it', async () => {
    await here.broker.connect(null);
    const before = here.stub.seen.length;
    expect(await here.broker.logout()).toMatchObject({ success: true, message: expect.stringContaining('no logout call') });
    expect(here.stub.seen.length).toBe(before);
    await here.broker.orders();
    expect(here.stub.calls(BOOK)[0]?.headers.authorization).not.toContain('access-token');
  });

  test('an address that is refused is no end of the session, nor is a failing server that speaks of it', async () => {
    await here.broker.connect(null);
    here.stub.on(PLACE, error('address'));
    expect(await here.broker.placeOrder(order, TAG)).toMatchObject({ fate: 'rejected' });
    here.stub.on(BOOK, { status: 502, body: 'Invalid Token' });
    expect(await here.broker.orders()).toMatchObject({ success: false });
    expect(here.made.expired).toEqual([]);
  });

  test('a plain refusal of the token ends the session once', async () => {
    await here.broker.connect(null);
    here.stub.on(BOOK, { body: 'Invalid Token' });
    expect(await here.broker.orders()).toMatchObject(failed('Invalid Token'));
    await here.broker.orders();
    expect(here.made.expired.length).toBe(1);
  });

  test.each<[string, Answer]>([
    ['good rows under an error status', { status: 500, body: patched('orders', {}) }],
    ['a refusal other than that there is nothing', error('closed')],
    ['that there is nothing, under HTTP 500', refusal('noOrders', {}, 500)],
    ['no rows at all', { body: { head: { status: '0' }, body: { Status: 0, Message: 'Success' } } }],
    ['null for rows', { body: { head: { status: '0' }, body: { Status: 0, Message: 'Success', OrderBookDetail: null } } }],
    ['a rate refusal', { status: 429, body: 'Too Many Requests' }],
  ])('%s is no empty order book', async (_what, answer) => {
    await here.broker.connect(null);
    here.stub.on(BOOK, answer);
    expect(await here.broker.orders()).toMatchObject({ success: false });
  });

  test('no record of positions is none; no record of funds is not', async () => {
    await here.broker.connect(null);
    here.stub.on('POST /V2/NetPositionNetWise', error('noRecord'));
    expect(await here.broker.positions()).toMatchObject({ success: true, normalized: [] });
    here.stub.on(MARGIN, error('noRecord'));
    expect(await here.broker.funds()).toMatchObject(failed('No record found'));
  });

  test('trades need the order book to name their orders, unless they do it themselves', async () => {
    await here.broker.connect(null);
    here.stub.on('POST /V1/TradeBook', { body: patched('tradebook', { RemoteOrderID: TAG }) });
    expect(await here.broker.tradebook?.()).toHaveProperty('normalized.0.order_id', TAG);
    expect(here.stub.calls(BOOK)).toEqual([]);
    here.stub.on('POST /V1/TradeBook', good('trades'));
    here.stub.on(BOOK, error('server'));
    expect(await here.broker.tradebook?.()).toMatchObject(failed(/^trades: Server unable/));
  });

  test('positions are waited for longer than other answers', async () => {
    await here.broker.connect(null);
    here.made.pace.speed = 20;
    const late = (name: string) => async () => {
      await new Promise((done) => setTimeout(done, 800));
      return good(name);
    };
    here.stub.on('POST /V2/NetPositionNetWise', late('positions'));
    here.stub.on('POST /V3/Holding', late('holdings'));
    expect(await here.broker.holdings()).toMatchObject(failed('within 7 s'));
    expect(await here.broker.positions()).toMatchObject({ success: true });
    here.made.pace.speed = 200;
    expect(await here.broker.positions()).toMatchObject(failed('within 30 s'));
  });

  test('orders in our words', async () => {
    await here.broker.connect(null);
    const answer = await here.broker.orders();
    const said = answer.success ? answer.normalized.map(({ state, status_message, tag }) => ({ state, status_message, tag })) : [];
    expect(said.map(({ state }) => state)).toEqual(['FILLED', 'OPEN', 'TRIGGER_PENDING', 'REJECTED', 'TRANSIT', 'CANCELLED']);
    expect(said[3]?.status_message).toBe('Market order with Algo Id not allowed');
    expect(said.map(({ tag }) => tag)).toEqual([TAG, '202405091128221', null, null, null, null]);
    expect(answer.success && answer.normalized.slice(2, 5)).toMatchObject([
      { ...sbin, order_type: 'SL', transaction_type: 'SELL', price: 800, trigger_price: 800.5, average_price: 0, status: 'PLACED' },
      { ...sbin, order_type: 'MARKET', product_type: 'DELIVERY', status: 'REJECTED' },
      { ...nifty, order_type: 'LIMIT', product_type: 'CARRYFORWARD', quantity: 75, placed_at: '2026-11-20T04:42:33.230Z' },
    ]);
  });

  describe('a look-up by our tag', () => {
    const none: Answer = { body: { head: { status: '0' }, body: { Status: 0, Message: 'Success', OrdStatusResLst: [] } } };
    const other = 'z3v9c0m2p7q1x8za';
    beforeEach(() => here.broker.connect(null));
    test('is answered from the order book', async () => {
      expect(await here.broker.ordersByTag?.(TAG)).toMatchObject({
        success: true,
        normalized: [{ order_id: TAG, tag: TAG }],
        data: [{ Rate: 828.5 }],
      });
      expect(here.stub.calls(STATUS)).toEqual([]);
    });
    test('that finds nothing asks each exchange too, one tag a call', async () => {
      here.stub.on(STATUS, none);
      expect(await here.broker.ordersByTag?.(other)).toEqual({ success: true, data: [], normalized: [] });
      expect(here.stub.calls(STATUS).map((seen) => JSON.parse(seen.body).body.OrdStatusReqList)).toEqual([
        [{ Exch: 'N', RemoteOrderID: other }],
        [{ Exch: 'B', RemoteOrderID: other }],
      ]);
    });
    test.each<[string, Answer]>([
      ['knows the tag', good('status')],
      ['does not know', error('server')],
      ['is broken', 'reset'],
      ['names no list', { body: { head: { status: '0' }, body: { Status: 0, Message: 'Success' } } }],
    ])('proves nothing when the order status %s', async (_what, answer) => {
      here.stub.on(STATUS, answer);
      expect(await here.broker.ordersByTag?.(other)).toMatchObject(failed(/^orders by tag: /));
    });
  });
});
