import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Broker } from '../../server/brokers/broker.ts';
import { shoonya } from '../../server/brokers/shoonya/adapter.ts';
import { conformance, TAG } from './conformance.ts';
import { body, credentials, error, fieldsOf, healthy, list, order, orderId, sbin, suite } from './shoonya.suite.ts';
import { type Answer, envFor, openStub, type StubServer } from './stub-server.ts';

describe('shoonya, as every broker', () => conformance(suite));

describe('shoonya alone', () => {
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
    made = envFor(shoonya, stub.url, given);
    const clock = now === undefined ? made.env.clock : { ...made.env.clock, now: () => now };
    broker = shoonya.create({ ...made.env, clock });
  }
  const sentTo = (name: string) => stub.calls(`POST /${name}`).map((seen) => fieldsOf(seen.body));

  describe('signing in', () => {
    const TOKEN = 'POST /GenAcsTok';
    const app = { USER_ID: 'FT0001', API_KEY: 'FT0001_U', API_SECRET: 'testsecret', AUTH_CODE: 'mk404x' };

    test('sends the token as a header on every call, user and account in the body', async () => {
      await broker.connect(null);
      await broker.orders();
      await broker.funds();
      await broker.holdings();
      expect(stub.seen.map((seen) => seen.headers.authorization)).toEqual(Array(4).fill('Bearer todays-token-4e5f'));
      expect(stub.seen.map((seen) => seen.body)).toEqual([
        'jData={"uid":"FT0001"}',
        'jData={"uid":"FT0001"}',
        'jData={"uid":"FT0001","actid":"FT0001"}',
        'jData={"uid":"FT0001","actid":"FT0001","prd":"C"}',
      ]);
    });

    test('the account is the one the user’s details name', async () => {
      stub.on('POST /UserDetails', { body: { ...body('profile'), actid: 'AC77' } });
      expect(await broker.connect(null)).toMatchObject({ success: true, account: 'AC77' });
      await broker.positions();
      expect(sentTo('PositionBook')).toEqual([{ uid: 'FT0001', actid: 'AC77' }]);
    });

    test.each([
      ['2026-11-20T05:59:00+05:30', '2026-11-20T00:30:00.000Z'],
      ['2026-11-20T06:01:00+05:30', '2026-11-21T00:30:00.000Z'],
    ])('a pasted token of %s ends at the next 06:00 in India', async (at, ends) => {
      use(credentials, Date.parse(at));
      expect(await broker.connect(null)).toMatchObject({ success: true, login: { expiresAt: ends } });
    });

    test('trades a code for the day’s token, without a login of its own', async () => {
      use(app);
      expect(await broker.connect(null)).toMatchObject({ success: true, login: { values: { access_token: 'fresh-token' } } });
      const checksum = createHash('sha256').update('FT0001_Utestsecretmk404x').digest('hex');
      expect(sentTo('GenAcsTok')).toEqual([{ uid: 'FT0001', code: 'mk404x', checksum }]);
      expect(stub.calls(TOKEN)[0]?.headers.authorization).toBeUndefined();
      expect(stub.calls('POST /UserDetails')[0]?.headers.authorization).toBe('Bearer fresh-token');
    });

    const noon = Date.parse('2026-11-20T12:00:00+05:30');
    const nextMorning = '2026-11-21T00:30:00.000Z';
    test.each([
      ['an end ahead', String(noon / 1000 + 3_600), '2026-11-20T07:30:00.000Z'],
      ['an end ahead as a number', noon / 1000 + 3_600, '2026-11-20T07:30:00.000Z'],
      ['an end that is past', '1756979040', nextMorning],
      ['a duration', '86400', nextMorning],
      ['an end years ahead', '4102444800', nextMorning],
      ['no end', undefined, nextMorning],
      ['an end that is no number', 'soon', nextMorning],
    ])('a token that states %s', async (_what, expires_in, expiresAt) => {
      use(app, noon);
      stub.on(TOKEN, { body: { ...body('session'), expires_in } });
      expect(await broker.connect(null)).toMatchObject({ success: true, login: { expiresAt } });
    });

    test('a session counts by its token, whatever stands beside it', async () => {
      use(app);
      stub.on(TOKEN, { body: { access_token: 'bare' } });
      expect(await broker.connect(null)).toMatchObject({ success: true, login: { values: { access_token: 'bare' } } });
    });

    test('a refused code is told without the code, asked once', async () => {
      use(app);
      stub.on(TOKEN, error('verifier'));
      const answer = await broker.connect(null);
      expect(answer).toMatchObject({ success: false, message: expect.stringMatching(/INVALID_VERIFIER.*works once/) });
      expect(answer.message).not.toMatch(/mk404x|testsecret/);
      expect(stub.calls(TOKEN).length).toBe(1);
    });

    test.each<[string, Answer]>([
      ['an answer without a token', { body: { stat: 'Ok' } }],
      ['an answer that is no JSON', { body: '<html>' }],
      ['a dead connection', 'reset'],
    ])('%s to the code is a failure, asked once', async (_what, answer) => {
      use(app);
      stub.on(TOKEN, answer);
      expect(await broker.connect(null)).toMatchObject({ success: false, message: expect.stringMatching(/./) });
      expect(stub.calls(TOKEN).length).toBe(1);
    });

    test.each([
      ['API_KEY', 'SHOONYA_API_KEY'],
      ['API_SECRET', 'SHOONYA_API_SECRET'],
      ['USER_ID', 'SHOONYA_USER_ID'],
    ])('a code without %s is not used', async (name, setting) => {
      use({ ...app, [name]: '' });
      expect(await broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining(setting) });
      expect(stub.seen).toEqual([]);
    });

    test('details without an account are no login', async () => {
      stub.on('POST /UserDetails', { body: { stat: 'Ok', uname: 'x' } });
      expect(await broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('actid') });
    });

    const stored = (token: string, livesMs: number) => ({
      values: { access_token: token },
      expiresAt: new Date(Date.now() + livesMs).toISOString(),
    });
    const tokens = () => stub.calls('POST /UserDetails').map((seen) => seen.headers.authorization);
    test('a stored login is used while it lives, and keeps its end', async () => {
      const login = stored('kept', 60_000);
      expect(await broker.connect(login)).toMatchObject({ success: true, login });
      expect(tokens()).toEqual(['Bearer kept']);
    });
    test('a stored login is not tried after its end', async () => {
      await broker.connect(stored('kept', -1));
      expect(tokens()).toEqual(['Bearer todays-token-4e5f']);
    });
    test('a refused stored login gives way to SHOONYA_ACCESS_TOKEN', async () => {
      stub.on('POST /UserDetails', (seen) =>
        seen.headers.authorization === 'Bearer kept' ? error('expiredPlain') : { body: body('profile') },
      );
      expect(await broker.connect(stored('kept', 60_000))).toMatchObject({
        success: true,
        login: { values: { access_token: 'todays-token-4e5f' } },
      });
      expect(made.expired).toEqual([]);
    });
    test('a code is not burnt when Shoonya is merely down', async () => {
      use(app);
      stub.on('POST /UserDetails', error('unavailable'));
      expect(await broker.connect(stored('kept', 60_000))).toMatchObject({ success: false });
      expect(stub.calls(TOKEN)).toEqual([]);
    });

    test('the login page carries the app, and its redirect signs in', async () => {
      const url = new URL(shoonya.login?.url(made.env) ?? '');
      expect(url.origin + url.pathname).toBe('https://api.shoonya.com/OAuthlogin/authorize/oauth');
      expect(Object.fromEntries(url.searchParams)).toEqual({ client_id: 'testkey-0a1b_U' });
      expect(await shoonya.login?.exchange(made.env, { code: 'mk405x' })).toMatchObject({
        success: true,
        login: { values: { access_token: 'fresh-token' } },
      });
      expect(await shoonya.login?.exchange(made.env, { error: 'denied' })).toMatchObject({ success: false });
      expect(stub.calls(TOKEN).length).toBe(1);
      expect(() => shoonya.login?.url(envFor(shoonya, stub.url, {}).env)).toThrow('SHOONYA_API_KEY');
    });

    test('logging out revokes the token', async () => {
      await broker.connect(null);
      stub.on('POST /Logout', { body: { stat: 'Ok' } });
      expect(await broker.logout()).toEqual({ success: true, data: { stat: 'Ok' } });
      expect(stub.calls('POST /Logout')[0]?.headers.authorization).toBe('Bearer todays-token-4e5f');
      stub.on('POST /Logout', error('timeout'));
      expect(await broker.logout()).toMatchObject({ success: false, message: expect.stringContaining('Server Timeout') });
    });

    test('a dead login answered to an older token does not end the newer one', async () => {
      await broker.connect(null);
      const held = Promise.withResolvers<Answer>();
      stub.on('POST /TradeBook', () => held.promise);
      const late = broker.tradebook?.();
      while (stub.calls('POST /TradeBook').length === 0) await new Promise((done) => setTimeout(done, 5));
      await broker.connect(stored('newer', 60_000));
      held.resolve(error('expired'));
      expect(await late).toMatchObject({ success: false });
      expect(made.expired).toEqual([]);
    });

    test('the text of a dead login ends the session under any status', async () => {
      await broker.connect(null);
      stub.on('POST /PlaceOrder', error('expiredPlain'));
      expect(await broker.placeOrder(order, TAG)).toMatchObject({ fate: 'rejected' });
      expect(made.expired).toEqual(['Session Expired : Invalid Session Key']);
    });

    test('a refused address is no dead login', async () => {
      await broker.connect(null);
      stub.on('POST /PlaceOrder', error('forbiddenAddress'));
      expect(await broker.placeOrder(order, TAG)).toMatchObject({ fate: 'rejected', message: expect.stringContaining('whitelisted') });
      expect(made.expired).toEqual([]);
    });
  });

  describe('reads', () => {
    test.each([
      'Error Occurred : 5 "no data"',
      'Error Occured : 5 "no data"',
      'Error Occurred : 5 {"no data"}',
      'error occurred: 5 No Data',
    ])('%s is an empty book', async (emsg) => {
      await broker.connect(null);
      stub.on('POST /OrderBook', { body: { stat: 'Not_Ok', emsg } });
      expect(await broker.orders()).toEqual({ success: true, data: [], normalized: [] });
    });
    test.each(['timeout', 'unknownText', 'input', 'missing', 'unavailable'])('the error "%s" is not', async (name) => {
      await broker.connect(null);
      stub.on('POST /PositionBook', error(name));
      stub.on('POST /OrderBook', error(name));
      expect(await broker.positions()).toMatchObject({ success: false });
      expect(await broker.orders()).toMatchObject({ success: false });
    });
    test.each(['Server Timeout : no data', 'no data', 'Error Occurred : 50 "no data"'])('"%s" is not', async (emsg) => {
      await broker.connect(null);
      stub.on('POST /OrderBook', { body: { stat: 'Not_Ok', emsg } });
      expect(await broker.orders()).toMatchObject({ success: false, message: emsg });
    });
    test('neither is an object that says Ok, nor good rows under an error status', async () => {
      await broker.connect(null);
      stub.on('POST /OrderBook', { body: { stat: 'Ok' } });
      expect(await broker.orders()).toMatchObject({ success: false, message: expect.stringContaining('list') });
      stub.on('POST /OrderBook', { status: 502, body: list('orders') });
      expect(await broker.orders()).toMatchObject({ success: false, message: expect.stringContaining('HTTP 502') });
    });
    test('a list is no answer to a question for the funds', async () => {
      await broker.connect(null);
      stub.on('POST /Limits', { body: [] });
      expect(await broker.funds()).toMatchObject({ success: false });
    });

    test('orders in our words', async () => {
      await broker.connect(null);
      const answer = await broker.orders();
      const placed_at = '2026-11-20T04:12:33.000Z';
      const common = { ...sbin, transaction_type: 'BUY', order_type: 'LIMIT', product_type: 'INTRADAY', quantity: 10, price: 812.35 };
      const more = { trigger_price: 0, status_message: null, tag: null, variety: null, placed_at };
      const unfilled = { ...common, ...more, filled_quantity: 0, average_price: null };
      expect(answer.success && answer.normalized).toEqual([
        { ...unfilled, order_id: orderId, filled_quantity: 10, average_price: 811.2, status: 'FILLED', state: 'FILLED', tag: TAG },
        {
          ...unfilled,
          order_id: '26112000000018',
          filled_quantity: 4,
          average_price: 812.3,
          status: 'PARTIALLY_FILLED',
          state: 'OPEN',
          tag: 'handmade',
        },
        {
          ...unfilled,
          order_id: '26112000000019',
          transaction_type: 'SELL',
          order_type: 'SL',
          price: 800,
          trigger_price: 800.5,
          status: 'PLACED',
          state: 'TRIGGER_PENDING',
        },
        {
          ...unfilled,
          order_id: '26112000000020',
          product_type: 'DELIVERY',
          status: 'REJECTED',
          state: 'REJECTED',
          status_message: 'RED:Margin Shortfall:INR 138385.27 Available:INR 100.00',
        },
        {
          ...unfilled,
          order_id: '26112000000021',
          symbol: 'NIFTY24NOV26F',
          token: '43919',
          exchange: 'NFO',
          product_type: 'CARRYFORWARD',
          quantity: 75,
          price: 26010.05,
          trigger_price: null,
          status: 'PLACED',
          state: 'TRANSIT',
          placed_at: '2026-11-20T04:12:34.000Z',
        },
      ]);
    });
  });
});
