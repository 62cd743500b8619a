import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { conformance, TAG } from './conformance.ts';
import type { LoginFacts } from './login-cases.ts';
import { body, credentials, error, fieldsOf, list, order, orderId, sbin, suite } from './shoonya.suite.ts';
import { stubBroker } from './stub-broker.ts';

const TOKEN = 'POST /GenAcsTok';
const app = { USER_ID: 'FT0001', API_KEY: 'FT0001_U', API_SECRET: 'testsecret', AUTH_CODE: 'mk404x' };
/** Shoonya's logins: a code is traded with a checksum over key, secret and code. */
const logins: LoginFacts = {
  values: (token) => ({ access_token: token }),
  trial: {
    route: 'POST /UserDetails',
    good: { body: body('profile') },
    tokenOf: ({ headers }) => headers.authorization?.replace('Bearer ', ''),
  },
  fresh: credentials.ACCESS_TOKEN,
  refused: { 'a dead token': error('expiredPlain') },
  down: error('unavailable'),
  makers: [TOKEN],
  code: {
    settings: app,
    needs: ['API_KEY', 'API_SECRET', 'USER_ID'],
    route: TOKEN,
    sent: (seen) => fieldsOf(seen.body),
    expected: { uid: 'FT0001', code: 'mk404x', checksum: createHash('sha256').update('FT0001_Utestsecretmk404x').digest('hex') },
    token: 'fresh-token',
    refusal: { answer: error('verifier'), says: /INVALID_VERIFIER.*works once/, hides: /mk404x|testsecret/ },
    broken: { 'no token': { body: { stat: 'Ok' } } },
    page: {
      url: 'https://api.shoonya.com/OAuthlogin/authorize/oauth?client_id=testkey-0a1b_U',
      needs: ['API_KEY'],
      query: { code: 'mk405x' },
      denied: [{ error: 'denied' }],
    },
  },
  logout: {
    route: 'POST /Logout',
    answer: { body: { stat: 'Ok' } },
    sent: ({ headers }) => headers.authorization,
    expected: 'Bearer todays-token-4e5f',
    data: { stat: 'Ok' },
  },
};

describe('shoonya, as every broker', () => conformance(suite, logins));

describe('shoonya alone', () => {
  const here = stubBroker(suite);
  const sentTo = (name: string) => here.stub.calls(`POST /${name}`).map((seen) => fieldsOf(seen.body));

  describe('signing in', () => {
    test('sends the token as a header on every call, user and account in the body', async () => {
      await here.broker.connect(null);
      await here.broker.orders();
      await here.broker.funds();
      await here.broker.holdings();
      expect(here.stub.seen.map((seen) => seen.headers.authorization)).toEqual(Array(4).fill('Bearer todays-token-4e5f'));
      expect(here.stub.seen.map((seen) => seen.body)).toEqual([
        'jData={"uid":"FT0001"}',
        'jData={"uid":"FT0001","ordersource":"API"}',
        'jData={"uid":"FT0001","actid":"FT0001"}',
        'jData={"uid":"FT0001","actid":"FT0001","prd":"C"}',
      ]);
    });

    test('the account is the one the user’s details name', async () => {
      here.stub.on('POST /UserDetails', { body: { ...body('profile'), actid: 'AC77' } });
      expect(await here.broker.connect(null)).toMatchObject({ success: true, account: 'AC77' });
      await here.broker.positions();
      expect(sentTo('PositionBook')).toEqual([{ uid: 'FT0001', actid: 'AC77' }]);
    });

    test.each([
      ['2026-11-20T05:59:00+05:30', '2026-11-20T00:30:00.000Z'],
      ['2026-11-20T06:01:00+05:30', '2026-11-21T00:30:00.000Z'],
    ])('a pasted token of %s ends at the next 06:00 in India', async (at, ends) => {
      here.use(credentials, { now: Date.parse(at) });
      expect(await here.broker.connect(null)).toMatchObject({ success: true, login: { expiresAt: ends } });
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
      here.use(app, { now: noon });
      here.stub.on(TOKEN, { body: { ...body('session'), expires_in } });
      expect(await here.broker.connect(null)).toMatchObject({ success: true, login: { expiresAt } });
    });

    test('a session counts by its token, whatever stands beside it', async () => {
      here.use(app);
      here.stub.on(TOKEN, { body: { access_token: 'bare' } });
      expect(await here.broker.connect(null)).toMatchObject({ success: true, login: { values: { access_token: 'bare' } } });
    });

    test('details without an account are no login', async () => {
      here.stub.on('POST /UserDetails', { body: { stat: 'Ok', uname: 'x' } });
      expect(await here.broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('actid') });
    });

    test('a stored login keeps its end', async () => {
      const login = { values: { access_token: 'kept' }, expiresAt: new Date(Date.now() + 60_000).toISOString() };
      expect(await here.broker.connect(login)).toMatchObject({ success: true, login });
    });

    test('the text of a dead login ends the session under any status', async () => {
      await here.broker.connect(null);
      here.stub.on('POST /PlaceOrder', error('expiredPlain'));
      expect(await here.broker.placeOrder(order, TAG)).toMatchObject({ fate: 'rejected' });
      expect(here.made.expired).toEqual(['Session Expired : Invalid Session Key']);
    });

    test('a refused address is no dead login', async () => {
      await here.broker.connect(null);
      here.stub.on('POST /PlaceOrder', error('forbiddenAddress'));
      expect(await here.broker.placeOrder(order, TAG)).toMatchObject({ fate: 'rejected', message: expect.stringContaining('whitelisted') });
      expect(here.made.expired).toEqual([]);
    });
  });

  describe('reads', () => {
    test.each([
      'Error Occurred : 5 "no data"',
      'Error Occured : 5 "no data"',
      'Error Occurred : 5 {"no data"}',
      'error occurred: 5 No Data',
    ])('%s is an empty book', async (emsg) => {
      await here.broker.connect(null);
      here.stub.on('POST /OrderBook', { body: { stat: 'Not_Ok', emsg } });
      expect(await here.broker.orders()).toEqual({ success: true, data: [], normalized: [] });
    });
    test.each(['timeout', 'unknownText', 'input', 'missing', 'unavailable'])('the error "%s" is not', async (name) => {
      await here.broker.connect(null);
      here.stub.on('POST /PositionBook', error(name));
      here.stub.on('POST /OrderBook', error(name));
      expect(await here.broker.positions()).toMatchObject({ success: false });
      expect(await here.broker.orders()).toMatchObject({ success: false });
    });
    test.each(['Server Timeout : no data', 'no data', 'Error Occurred : 50 "no data"'])('"%s" is not', async (emsg) => {
      await here.broker.connect(null);
      here.stub.on('POST /OrderBook', { body: { stat: 'Not_Ok', emsg } });
      expect(await here.broker.orders()).toMatchObject({ success: false, message: emsg });
    });
    test('neither is an object that says Ok, nor good rows under an error status', async () => {
      await here.broker.connect(null);
      here.stub.on('POST /OrderBook', { body: { stat: 'Ok' } });
      expect(await here.broker.orders()).toMatchObject({ success: false, message: expect.stringContaining('list') });
      here.stub.on('POST /OrderBook', { status: 502, body: list('orders') });
      expect(await here.broker.orders()).toMatchObject({ success: false, message: expect.stringContaining('HTTP 502') });
    });
    test('a list is no answer to a question for the funds', async () => {
      await here.broker.connect(null);
      here.stub.on('POST /Limits', { body: [] });
      expect(await here.broker.funds()).toMatchObject({ success: false });
    });

    test('orders in our words', async () => {
      await here.broker.connect(null);
      const answer = await here.broker.orders();
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
