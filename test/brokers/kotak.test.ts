import { Secret, TOTP } from 'otpauth';
import { beforeEach, describe, expect, test } from 'vitest';
import { isKotakHost } from '../../server/brokers/kotak/login.ts';
import { conformance, TAG } from './conformance.ts';
import { kotakStub } from './kotak.stub.ts';
import {
  answer,
  body,
  credentials,
  error,
  limitOrder,
  nifty,
  orderId,
  patched,
  profile,
  routes,
  sbin,
  session,
  suite,
} from './kotak.suite.ts';
import type { LoginFacts } from './login-cases.ts';
import { type Answer, openStub } from './stub-server.ts';

/** Kotak's logins, made of time code and MPIN; each names the host it is for. */
const logins: LoginFacts = {
  values: (token, url) => ({ token, sid: 'kept-s', base_url: url, ucc: 'KT001', profile: '{"ucc":"KT001"}' }),
  trial: { route: routes.limits, good: answer('funds'), tokenOf: ({ headers }) => String(headers.auth) },
  fresh: 'trade.token.c3',
  refused: { 'a dead session': error('expired') },
  down: error('unavailable'),
  makers: [routes.login, routes.validate],
};

describe('kotak, as every broker', () => conformance(suite, logins));

describe('kotak alone', () => {
  const at = kotakStub();
  const jsonTo = (route: string) => at.stub.calls(route).map((seen) => JSON.parse(seen.body));
  const message = async (reply: Promise<{ message?: string | undefined }>) => (await reply).message ?? '';

  describe('signing in', () => {
    test('sends mobile number, UCC and a time code, then the MPIN with the view login', async () => {
      const nine = Date.parse('2026-11-20T09:00:00+05:30');
      at.use(credentials, { clock: { ...at.made.env.clock, now: () => nine } });
      await at.broker.connect(null);
      const totp = new TOTP({ secret: Secret.fromBase32(credentials.TOTP_SECRET) }).generate({ timestamp: nine });
      expect(totp).toMatch(/^\d{6}$/);
      expect(jsonTo(routes.login)).toEqual([{ mobileNumber: credentials.MOBILE_NUMBER, ucc: 'KT001', totp }]);
      expect(jsonTo(routes.validate)).toEqual([{ mpin: credentials.MPIN }]);
      const app = { authorization: credentials.ACCESS_TOKEN, 'neo-fin-key': 'neotradeapi' };
      expect(at.stub.calls(routes.login)[0]?.headers).toMatchObject(app);
      expect(at.stub.calls(routes.login)[0]?.headers).not.toHaveProperty('auth');
      expect(at.stub.calls(routes.validate)[0]?.headers).toMatchObject({ ...app, sid: 'view-sid-b2', auth: 'view.token.a1' });
    });

    test('a login ends at midnight in India', async () => {
      const connected = await at.broker.connect(null);
      expect(connected.success && connected.login.expiresAt).toMatch(/T18:30:00\.000Z$/);
    });

    test('every later call carries the trade login; market data the access token alone', async () => {
      await at.broker.connect(null);
      await at.broker.orders();
      await at.broker.cancelOrder(orderId);
      await at.broker.lastPrice?.('NSE', 'SBIN-EQ', '3045');
      const both = { authorization: credentials.ACCESS_TOKEN, 'neo-fin-key': 'neotradeapi', auth: 'trade.token.c3', sid: 'trade-sid-d4' };
      expect(at.stub.calls(routes.orders)[0]?.headers).toMatchObject(both);
      expect(at.stub.calls(routes.cancel)[0]?.headers).toMatchObject(both);
      const quoted = at.stub.calls(routes.quote)[0]?.headers;
      expect(quoted).toMatchObject({ authorization: credentials.ACCESS_TOKEN });
      expect(quoted).not.toHaveProperty('auth');
    });

    test('all but sign-in goes to the host the login names, with its path', async () => {
      const trading = await openStub();
      try {
        at.stub.on(routes.validate, session(`${trading.url}/xyz`));
        trading.on('GET /xyz/quick/user/orders', { body: body('orders') });
        trading.on('POST /xyz/quick/order/rule/ms/place', { body: body('placed') });
        await at.broker.connect(null);
        expect(await at.broker.orders()).toMatchObject({ success: true });
        expect(await at.place(limitOrder)).toMatchObject({ fate: 'accepted' });
        expect(at.stub.seen.map((seen) => seen.path)).toEqual(['/login/1.0/tradeApiLogin', '/login/1.0/tradeApiValidate']);
      } finally {
        await trading.close();
      }
    });

    test('the sockets lie where the login names them, also a login that was kept', async () => {
      const host = at.stub.url.replace('http', 'ws');
      const urls = async () => Promise.all((at.broker.feed ?? []).map(async (channel) => (await channel.open()).url));
      at.stub.on(routes.validate, session(at.stub.url, { feedUrl: `${host}/prices2`, rtUrl: `${host}/orders2` }));
      const connected = await at.broker.connect(null);
      expect(await urls()).toEqual([`${host}/prices2`, `${host}/orders2`]);
      at.use(credentials);
      await at.broker.connect(connected.success ? connected.login : null);
      expect(await urls()).toEqual([`${host}/prices2`, `${host}/orders2`]);
      at.stub.on(routes.validate, session(at.stub.url, { feedUrl: 'wss://example.com/apifeed', rtUrl: 'wss://example.com/realtime' }));
      await at.broker.connect(null);
      expect(await urls()).toEqual(['wss://sfeed.kotaksecurities.com/apifeed', `${host}/realtime`]);
    });

    test('reads wait longer than order calls', async () => {
      await at.broker.connect(null);
      at.made.pace.speed = 100;
      for (const route of [routes.orders, routes.place]) at.stub.on(route, 'stall');
      expect(await message(at.broker.orders())).toContain('within 20 s');
      expect(await message(at.place(limitOrder))).toContain('within 7 s');
    });

    test.each(['https://kotaksecurities.com.example.com', 'ftp://127.0.0.1', 'not an address'])(
      'a trading host that is not Kotak’s gets no login: %s',
      async (baseUrl) => {
        at.stub.on(routes.validate, session(baseUrl));
        expect(await message(at.broker.connect(null))).toContain('not its own');
      },
    );

    test.each([
      ['https://mis.kotaksecurities.com', 'https://e43.kotaksecurities.com', true],
      ['https://mis.kotaksecurities.com', 'https://neo-gw.kotaksecurities.com/xyz', true],
      ['https://mis.kotaksecurities.com', 'https://e43.kotaksecurities.com.example.com', false],
      ['https://mis.kotaksecurities.com', 'https://kotaksecurities.com.example', false],
      ['https://mis.kotaksecurities.com', 'http://e43.kotaksecurities.com', false],
      ['http://127.0.0.1:5107', 'https://e43.kotaksecurities.com', false],
      ['http://127.0.0.1:5107', 'http://127.0.0.1:6000', true],
      ['https://mis.kotaksecurities.com', '', false],
    ])('from %s a login for %s is taken: %s', (login, base, taken) => {
      expect(isKotakHost(login, base)).toBe(taken);
    });

    test.each(Object.keys(credentials))('without %s says so, and asks nobody', async (name) => {
      at.use({ ...credentials, [name]: '' });
      expect(await message(at.broker.connect(null))).toBe(`KOTAK_${name} is not set`);
      expect(at.stub.seen).toEqual([]);
    });

    test('a seed that is none names KOTAK_TOTP_SECRET', async () => {
      at.use({ ...credentials, TOTP_SECRET: '1189!' });
      expect(await message(at.broker.connect(null))).toContain('KOTAK_TOTP_SECRET');
      expect(at.stub.seen).toEqual([]);
    });

    test.each([
      ['totp', /Invalid TOTP.*KOTAK_TOTP_SECRET/],
      ['field', /MobileNumber.*KOTAK_MOBILE_NUMBER/],
    ])('a refused first step (%s) is told with the settings and not repeated', async (name, says) => {
      at.stub.on(routes.login, error(name));
      expect(await message(at.broker.connect(null))).toMatch(says);
      expect(at.stub.seen.map((seen) => seen.path)).toEqual(['/login/1.0/tradeApiLogin']);
    });

    test('a refused MPIN names KOTAK_MPIN and is not repeated', async () => {
      at.stub.on(routes.validate, error('mpin'));
      expect(await message(at.broker.connect(null))).toMatch(/Invalid MPIN.*KOTAK_MPIN/);
      expect(at.stub.calls(routes.validate).length).toBe(1);
      expect(at.made.expired).toEqual([]);
    });

    test('a sign-in answer without a lasting token is a failure', async () => {
      at.stub.on(routes.validate, session(at.stub.url, { token: null }));
      expect(await at.broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('without the tokens') });
    });

    test('Kotak being down is not blamed on the settings', async () => {
      at.stub.on(routes.login, error('unavailable'));
      expect(await message(at.broker.connect(null))).toMatch(/^Trade API service is unavailable(?!.*KOTAK_)/);
    });
  });

  describe('a stored login', () => {
    const stored = (more: Record<string, string> = {}, livesMs = 60_000) => ({
      values: {
        token: 'kept.t',
        sid: 'kept-s',
        base_url: at.stub.url,
        ucc: 'KT001',
        profile: '{"ucc":"KT001","greetingName":"KEPT"}',
        ...more,
      },
      expiresAt: new Date(Date.now() + livesMs).toISOString(),
    });
    test('is used while it lives, without a new sign-in', async () => {
      const connected = await at.broker.connect(stored());
      expect(connected).toMatchObject({ success: true, account: 'KT001', login: { values: { token: 'kept.t' } } });
      expect(at.stub.seen.map((seen) => [seen.path, seen.headers.auth])).toEqual([['/quick/user/limits', 'kept.t']]);
      expect(await at.broker.profile()).toEqual({ success: true, data: { ucc: 'KT001', greetingName: 'KEPT' } });
    });
    test.each([
      ['after its end', () => stored({}, -1)],
      ['of another customer', () => stored({ ucc: 'KT002' })],
      ['towards another host', () => stored({ base_url: 'http://example.com' })],
      // As that of the practice exchange after a restart, which answers on another port.
      ['towards an address where nobody answers any more', () => stored({ base_url: 'http://127.0.0.1:9' })],
      ['that lacks a value', () => ({ ...stored(), values: { token: 'kept.t' } })],
    ])('%s does not keep from a new one', async (_what, make) => {
      expect(await at.broker.connect(make())).toMatchObject({ success: true, login: { values: { token: 'trade.token.c3' } } });
      expect(at.stub.calls(routes.limits)).toEqual([]);
    });
  });

  describe('the end of a login', () => {
    const cases: [string, Answer, number][] = [
      ['HTTP 403 without a code', { status: 403, body: { stat: 'Not_Ok', emsg: 'no' } }, 1],
      ['HTTP 401 of the sign-in form', { status: 401, body: { status: 'error', message: 'no', errorCode: '401' } }, 1],
      ['code 1003 under HTTP 200', { body: { stat: 'Not_Ok', emsg: 'Invalid session', stCode: 1003 } }, 1],
      ['the code as text', { body: { stat: 'Not_Ok', emsg: 'Invalid session', stCode: '1003' } }, 1],
      ['a session of another address', error('otherAddress'), 1],
      ['an unregistered address under HTTP 401', error('address'), 0],
      ['another code under HTTP 403', { status: 403, body: { stat: 'Not_Ok', emsg: 'no', stCode: 1006 } }, 0],
      ['a page under HTTP 403', { status: 403, body: '<html>' }, 0],
    ];
    test.each(cases)('%s', async (_what, reply, ends) => {
      await at.broker.connect(null);
      at.stub.on(routes.orders, reply);
      at.stub.on(routes.place, reply);
      expect(await at.broker.orders()).toMatchObject({ success: false });
      expect(at.made.expired.length).toBe(ends);
      expect((await at.place({})).fate).not.toBe('accepted');
      expect(at.made.expired.length).toBe(ends);
    });
    test('a refused quote does not end it', async () => {
      await at.broker.connect(null);
      at.stub.on(routes.quote, error('totp'));
      await expect(at.broker.lastPrice?.('NSE', 'SBIN-EQ', '3045')).rejects.toThrow('Invalid TOTP');
      expect(at.made.expired).toEqual([]);
    });
    test('logging out forgets it here, asks nobody, and says what ends it there', async () => {
      await at.broker.connect(null);
      const before = at.stub.seen.length;
      expect(await at.broker.logout()).toMatchObject({ success: true, message: expect.stringContaining('reset the access token') });
      expect(await at.broker.orders()).toEqual({ success: false, message: 'Not signed in to Kotak' });
      expect(await at.place(limitOrder)).toMatchObject({ fate: 'not_sent' });
      await expect(at.broker.lastPrice?.('NSE', 'SBIN-EQ', '3045')).rejects.toThrow('Not signed in');
      expect(at.stub.seen.length).toBe(before);
    });
  });

  test('the profile is what sign-in told, without what signs calls', async () => {
    await at.broker.connect(null);
    const read = await at.broker.profile();
    expect(read).toEqual({ success: true, data: { ...profile, baseUrl: at.stub.url } });
    expect(JSON.stringify(read)).not.toMatch(/trade\.token|trade-sid|view\.token/);
  });

  test('a status word named like a member of every object is UNKNOWN', async () => {
    await at.broker.connect(null);
    at.stub.on(routes.orders, { body: patched('orders', { ordSt: 'constructor' }) });
    expect(await at.broker.orders()).toHaveProperty('normalized.0.state', 'UNKNOWN');
  });

  test('good rows under an error status, and an Ok without rows, are not believed', async () => {
    await at.broker.connect(null);
    for (const reply of [
      { status: 500, body: body('orders') },
      { body: { stat: 'Ok', stCode: 200 } },
      { status: 500, body: body('noData') },
    ]) {
      at.stub.on(routes.orders, reply);
      expect(await at.broker.orders()).toMatchObject({ success: false });
    }
  });

  test('holdings may also be empty the way reports are', async () => {
    await at.broker.connect(null);
    at.stub.on(routes.holdings, error('noData'));
    expect(await at.broker.holdings()).toEqual({ success: true, data: [], normalized: [] });
  });

  test('orders in our words', async () => {
    await at.broker.connect(null);
    const read = await at.broker.orders();
    const common = {
      ...sbin,
      transaction_type: 'BUY',
      order_type: 'LIMIT',
      product_type: 'INTRADAY',
      quantity: 10,
      price: 816.05,
      trigger_price: 0,
      status_message: null,
      variety: null,
      placed_at: '2026-11-20T04:12:33.000Z',
      filled_quantity: 0,
      average_price: 0,
      tag: null,
    };
    expect(read.success && read.normalized).toEqual([
      { ...common, order_id: orderId, filled_quantity: 10, average_price: 811.2, status: 'FILLED', state: 'FILLED', tag: TAG },
      {
        ...common,
        order_id: '261120000612877',
        price: 812.35,
        filled_quantity: 4,
        average_price: 812.3,
        status: 'PARTIALLY_FILLED',
        state: 'OPEN',
        tag: 'handmade',
      },
      {
        ...common,
        order_id: '261120000612878',
        transaction_type: 'SELL',
        order_type: 'SL',
        price: 800,
        trigger_price: 800.5,
        status: 'PLACED',
        state: 'TRIGGER_PENDING',
      },
      {
        ...common,
        order_id: '261120000612879',
        order_type: 'MARKET',
        product_type: 'DELIVERY',
        price: 0,
        status: 'REJECTED',
        state: 'REJECTED',
        status_message: 'RMS: margin exceeds, required 8123.50 available 10.00',
      },
      {
        ...common,
        ...nifty,
        order_id: '261120000612880',
        product_type: 'CARRYFORWARD',
        quantity: 75,
        price: 26010.05,
        status: 'PLACED',
        state: 'OPEN',
      },
    ]);
  });

  describe('the last price', () => {
    beforeEach(() => at.broker.connect(null));
    test('comes from the quote, with the time it was asked for', async () => {
      const read = await at.broker.lastPrice?.('NSE', 'SBIN-EQ', '3045');
      expect(read).toMatchObject({ price: 812.35 });
      expect(Math.abs((read?.at ?? 0) - Date.now())).toBeLessThan(5_000);
    });
    test('is null when Kotak has none and an error when it cannot be read', async () => {
      at.stub.on(routes.quote, { body: [] });
      expect(await at.broker.lastPrice?.('NSE', 'SBIN-EQ', '3045')).toBeNull();
      at.stub.on(routes.quote, { body: [{ ltp: 'n/a' }] });
      await expect(at.broker.lastPrice?.('NSE', 'SBIN-EQ', '3045')).rejects.toThrow('ltp');
      await expect(at.broker.lastPrice?.('NASDAQ', 'SBIN-EQ', '3045')).rejects.toThrow('exchange');
    });
    test('a token cannot leave its place in the path', async () => {
      await at.broker.lastPrice?.('NSE', 'SBIN-EQ', '../x?y').catch(() => undefined);
      expect(at.stub.seen.at(-1)?.path).toBe('/script-details/1.0/quotes/neosymbol/nse_cm|..%2Fx%3Fy/all');
    });
  });
});
