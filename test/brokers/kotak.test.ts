import { Secret, TOTP } from 'otpauth';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { exchanges, orderTypes, productTypes, transactionTypes, varieties } from '../../contract/words.ts';
import type { Broker, BrokerEnv, BrokerOrder } from '../../server/brokers/broker.ts';
import { createBroker } from '../../server/brokers/index.ts';
import { kotak } from '../../server/brokers/kotak/adapter.ts';
import { conformance, TAG } from './conformance.ts';
import {
  answer,
  body,
  credentials,
  error,
  healthy,
  nifty,
  order,
  orderId,
  patched,
  profile,
  routes,
  sbin,
  session,
  suite,
} from './kotak.suite.ts';
import { type Answer, envFor, openStand, type Stand } from './stand.ts';

describe('kotak, as every broker', () => conformance(suite));

describe('kotak alone', () => {
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
  function use(given: Record<string, string>, more: Partial<BrokerEnv> = {}): void {
    made = envFor(kotak, stand.url, given);
    broker = createBroker('kotak', { ...made.env, ...more });
  }
  const place = (change: Partial<BrokerOrder>) => broker.placeOrder({ ...order, ...change }, TAG);
  const sentTo = (route: string) => stand.calls(route).map((seen) => JSON.parse(seen.form.jData ?? 'null'));
  const jsonTo = (route: string) => stand.calls(route).map((seen) => JSON.parse(seen.body));
  const message = async (reply: Promise<{ message?: string | undefined }>) => (await reply).message ?? '';

  describe('signing in', () => {
    test('sends mobile number, UCC and a time code, then the MPIN with the view login', async () => {
      const at = Date.parse('2026-11-20T09:00:00+05:30');
      use(credentials, { clock: { ...made.env.clock, now: () => at } });
      await broker.connect(null);
      const totp = new TOTP({ secret: Secret.fromBase32(credentials.TOTP_SECRET) }).generate({ timestamp: at });
      expect(totp).toMatch(/^\d{6}$/);
      expect(jsonTo(routes.login)).toEqual([{ mobileNumber: credentials.MOBILE_NUMBER, ucc: 'KT001', totp }]);
      expect(jsonTo(routes.validate)).toEqual([{ mpin: credentials.MPIN }]);
      const app = { authorization: credentials.ACCESS_TOKEN, 'neo-fin-key': 'neotradeapi' };
      expect(stand.calls(routes.login)[0]?.headers).toMatchObject(app);
      expect(stand.calls(routes.login)[0]?.headers).not.toHaveProperty('auth');
      expect(stand.calls(routes.validate)[0]?.headers).toMatchObject({ ...app, sid: 'view-sid-b2', auth: 'view.token.a1' });
    });

    test('a login ends at midnight in India', async () => {
      const connected = await broker.connect(null);
      expect(connected.success && connected.login.expiresAt).toMatch(/T18:30:00\.000Z$/);
    });

    test('every later call carries the trade login; market data the access token alone', async () => {
      await broker.connect(null);
      await broker.orders();
      await broker.cancelOrder(orderId);
      await broker.lastPrice?.('NSE', 'SBIN-EQ', '3045');
      const both = { authorization: credentials.ACCESS_TOKEN, 'neo-fin-key': 'neotradeapi', auth: 'trade.token.c3', sid: 'trade-sid-d4' };
      expect(stand.calls(routes.orders)[0]?.headers).toMatchObject(both);
      expect(stand.calls(routes.cancel)[0]?.headers).toMatchObject(both);
      const quoted = stand.calls(routes.quote)[0]?.headers;
      expect(quoted).toMatchObject({ authorization: credentials.ACCESS_TOKEN });
      expect(quoted).not.toHaveProperty('auth');
    });

    test('all but sign-in goes to the host the login names, with its path', async () => {
      const trading = await openStand();
      try {
        stand.on(routes.validate, session(`${trading.url}/xyz`));
        trading.on('GET /xyz/quick/user/orders', { body: body('orders') });
        trading.on('POST /xyz/quick/order/rule/ms/place', { body: body('placed') });
        await broker.connect(null);
        expect(await broker.orders()).toMatchObject({ success: true });
        expect(await place({})).toMatchObject({ fate: 'accepted' });
        expect(stand.seen.map((seen) => seen.path)).toEqual(['/login/1.0/tradeApiLogin', '/login/1.0/tradeApiValidate']);
      } finally {
        await trading.close();
      }
    });

    test.each(['https://kotaksecurities.com.example.com', 'ftp://127.0.0.1', 'not an address'])(
      'a trading host that is not Kotak’s gets no login: %s',
      async (baseUrl) => {
        stand.on(routes.validate, session(baseUrl));
        expect(await message(broker.connect(null))).toContain('not its own');
      },
    );

    test('Kotak’s own hosts may name each other', async () => {
      made = envFor(kotak, 'https://mis.kotaksecurities.com', credentials);
      const away = createBroker('kotak', { ...made.env, clock: { ...made.env.clock, sleep: async () => undefined } });
      const kept = { token: 't', sid: 's', ucc: 'KT001', profile: '{}' };
      const stored = (base_url: string) => ({ values: { ...kept, base_url }, expiresAt: new Date(Date.now() + 60_000).toISOString() });
      await away.connect(stored('https://e43.kotaksecurities.com'));
      await away.connect(stored('https://e43.example.com'));
      await away.close();
      const said = made.logged.join('\n');
      expect(said).toContain('e43.kotaksecurities.com');
      expect(said).not.toContain('e43.example.com');
    });

    test.each(Object.keys(credentials))('without %s says so, and asks nobody', async (name) => {
      use({ ...credentials, [name]: '' });
      expect(await message(broker.connect(null))).toBe(`KOTAK_${name} is not set`);
      expect(stand.seen).toEqual([]);
    });

    test('a seed that is none names KOTAK_TOTP_SECRET', async () => {
      use({ ...credentials, TOTP_SECRET: '1189!' });
      expect(await message(broker.connect(null))).toContain('KOTAK_TOTP_SECRET');
      expect(stand.seen).toEqual([]);
    });

    test.each([
      ['totp', /Invalid TOTP.*KOTAK_TOTP_SECRET/],
      ['field', /MobileNumber.*KOTAK_MOBILE_NUMBER/],
    ])('a refused first step (%s) is told with the settings and not repeated', async (name, says) => {
      stand.on(routes.login, error(name));
      expect(await message(broker.connect(null))).toMatch(says);
      expect(stand.seen.map((seen) => seen.path)).toEqual(['/login/1.0/tradeApiLogin']);
    });

    test('a refused MPIN names KOTAK_MPIN and is not repeated', async () => {
      stand.on(routes.validate, error('mpin'));
      expect(await message(broker.connect(null))).toMatch(/Invalid MPIN.*KOTAK_MPIN/);
      expect(stand.calls(routes.validate).length).toBe(1);
      expect(made.expired).toEqual([]);
    });

    test('a sign-in answer without a lasting token is a failure', async () => {
      stand.on(routes.validate, session(stand.url, { token: null }));
      expect(await broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('without the tokens') });
    });

    test('Kotak being down is not blamed on the settings', async () => {
      stand.on(routes.login, error('unavailable'));
      expect(await message(broker.connect(null))).toMatch(/^Trade API service is unavailable(?!.*KOTAK_)/);
    });
  });

  describe('a stored login', () => {
    const stored = (more: Record<string, string> = {}, livesMs = 60_000) => ({
      values: {
        token: 'kept.t',
        sid: 'kept-s',
        base_url: stand.url,
        ucc: 'KT001',
        profile: '{"ucc":"KT001","greetingName":"KEPT"}',
        ...more,
      },
      expiresAt: new Date(Date.now() + livesMs).toISOString(),
    });
    test('is used while it lives, without a new sign-in', async () => {
      const connected = await broker.connect(stored());
      expect(connected).toMatchObject({ success: true, account: 'KT001', login: { values: { token: 'kept.t' } } });
      expect(stand.seen.map((seen) => [seen.path, seen.headers.auth])).toEqual([['/quick/user/limits', 'kept.t']]);
      expect(await broker.profile()).toEqual({ success: true, data: { ucc: 'KT001', greetingName: 'KEPT' } });
    });
    test.each([
      ['after its end', () => stored({}, -1)],
      ['of another customer', () => stored({ ucc: 'KT002' })],
      ['towards another host', () => stored({ base_url: 'http://example.com' })],
      ['that lacks a value', () => ({ ...stored(), values: { token: 'kept.t' } })],
    ])('%s is not tried', async (_what, make) => {
      expect(await broker.connect(make())).toMatchObject({ success: true, login: { values: { token: 'trade.token.c3' } } });
      expect(stand.calls(routes.limits)).toEqual([]);
    });
    test('gives way to a new sign-in when refused, and ends no session', async () => {
      stand.on(routes.limits, (seen) => (seen.headers.auth === 'kept.t' ? error('expired') : answer('funds')));
      expect(await broker.connect(stored())).toMatchObject({ success: true, login: { values: { token: 'trade.token.c3' } } });
      expect(made.expired).toEqual([]);
    });
    test('does not spend a time code while Kotak is merely down', async () => {
      stand.on(routes.limits, error('unavailable'));
      expect(await broker.connect(stored())).toMatchObject({ success: false });
      expect(stand.calls(routes.login)).toEqual([]);
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
      await broker.connect(null);
      stand.on(routes.orders, reply);
      stand.on(routes.place, reply);
      expect(await broker.orders()).toMatchObject({ success: false });
      expect(made.expired.length).toBe(ends);
      expect((await place({})).fate).not.toBe('accepted');
      expect(made.expired.length).toBe(ends);
    });
    test('a refused quote does not end it', async () => {
      await broker.connect(null);
      stand.on(routes.quote, error('totp'));
      await expect(broker.lastPrice?.('NSE', 'SBIN-EQ', '3045')).rejects.toThrow('Invalid TOTP');
      expect(made.expired).toEqual([]);
    });
    test('answered to an older login does not end the newer one', async () => {
      await broker.connect(null);
      const held = Promise.withResolvers<Answer>();
      stand.on(routes.trades, () => held.promise);
      const late = broker.tradebook?.();
      while (stand.calls(routes.trades).length === 0) await new Promise((done) => setTimeout(done, 5));
      const again = broker.connect(null);
      while (stand.calls(routes.validate).length < 2) await new Promise((done) => setTimeout(done, 5));
      held.resolve(error('expired'));
      expect(await late).toMatchObject({ success: false });
      expect(await again).toMatchObject({ success: true });
      await broker.orders();
      expect(made.expired.length).toBeLessThanOrEqual(1);
    });
    test('logging out forgets it here, asks nobody, and says what ends it there', async () => {
      await broker.connect(null);
      const before = stand.seen.length;
      expect(await broker.logout()).toMatchObject({ success: true, message: expect.stringContaining('reset the access token') });
      expect(await broker.orders()).toEqual({ success: false, message: 'Not signed in to Kotak' });
      expect(await place({})).toMatchObject({ fate: 'not_sent' });
      await expect(broker.lastPrice?.('NSE', 'SBIN-EQ', '3045')).rejects.toThrow('Not signed in');
      expect(stand.seen.length).toBe(before);
    });
  });

  test('the profile is what sign-in told, without what signs calls', async () => {
    await broker.connect(null);
    const read = await broker.profile();
    expect(read).toEqual({ success: true, data: { ...profile, baseUrl: stand.url } });
    expect(JSON.stringify(read)).not.toMatch(/trade\.token|trade-sid|view\.token/);
  });

  test('a status word named like a member of every object is UNKNOWN', async () => {
    await broker.connect(null);
    stand.on(routes.orders, { body: patched('orders', { ordSt: 'constructor' }) });
    expect(await broker.orders()).toHaveProperty('normalized.0.state', 'UNKNOWN');
  });

  test('good rows under an error status, and an Ok without rows, are not believed', async () => {
    await broker.connect(null);
    for (const reply of [
      { status: 500, body: body('orders') },
      { body: { stat: 'Ok', stCode: 200 } },
      { status: 500, body: body('noData') },
    ]) {
      stand.on(routes.orders, reply);
      expect(await broker.orders()).toMatchObject({ success: false });
    }
  });

  test('holdings may also be empty the way reports are', async () => {
    await broker.connect(null);
    stand.on(routes.holdings, error('noData'));
    expect(await broker.holdings()).toEqual({ success: true, data: [], normalized: [] });
  });

  test('orders in our words', async () => {
    await broker.connect(null);
    const read = await broker.orders();
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

  describe('the fields of an order', () => {
    const base = {
      am: 'NO',
      dq: '0',
      es: 'nse_cm',
      mp: '0',
      pc: 'MIS',
      pf: 'N',
      qt: '10',
      rt: 'DAY',
      ts: 'SBIN-EQ',
      tt: 'B',
      os: 'NEOTRADEAPI',
      ig: TAG,
    };
    test.each([
      ['MARKET', { price: '5', triggerprice: '5' }, { pt: 'MKT', pr: '0', tp: '0' }],
      ['LIMIT', { price: '812.35', triggerprice: '5' }, { pt: 'L', pr: '812.35', tp: '0' }],
      ['SL', { price: '800', triggerprice: '800.5' }, { pt: 'SL', pr: '800', tp: '800.5' }],
      ['SL-M', { price: '5', triggerprice: '820' }, { pt: 'SL', pr: '824.1', tp: '820' }],
    ])('%s', async (ordertype, given, sent) => {
      await broker.connect(null);
      expect(await place({ ordertype, ...given })).toMatchObject({ fate: 'accepted' });
      expect(sentTo(routes.place)).toEqual([{ ...base, ...sent }]);
    });
    test('an after-market sale of a future', async () => {
      await broker.connect(null);
      await place({
        ...nifty,
        tradingsymbol: nifty.symbol,
        variety: 'AMO',
        producttype: 'CARRYFORWARD',
        transactiontype: 'SELL',
        quantity: '75',
      });
      expect(sentTo(routes.place)).toEqual([
        { ...base, am: 'YES', es: 'nse_fo', pc: 'NRML', pt: 'MKT', pr: '0', tp: '0', ts: 'NIFTY26NOVFUT', tt: 'S', qt: '75' },
      ]);
    });
    test('no field is anything but text', async () => {
      await broker.connect(null);
      await place({});
      expect(Object.values(sentTo(routes.place)[0]).every((value) => typeof value === 'string')).toBe(true);
    });
  });

  describe('an SL-M order', () => {
    const [quoteRow = {}] = z.array(z.looseObject({})).parse(body('quote'));
    const quote = (patch: Record<string, unknown>) => ({ body: [{ ...quoteRow, ...patch }] });
    const narrow = { ohlc: null, depth: null };
    const wide = { low_price_range: '0.0500', high_price_range: '99999.9500', ltp: '100.0500', ...narrow };
    const nfo = { exchange: 'NFO', producttype: 'CARRYFORWARD' };
    beforeEach(() => broker.connect(null));

    test.each([
      // Shares: 2 % below 100, 1 % below 500, 0.5 % above; never wider, on the tick.
      ['BUY', '820', {}, {}, '824.1'],
      ['SELL', '800', {}, {}, '796'],
      ['SELL', '800.05', {}, {}, '796.05'],
      ['BUY', '499.95', {}, wide, '504.9'],
      ['SELL', '499.95', {}, wide, '495'],
      ['BUY', '99.95', {}, wide, '101.9'],
      ['BUY', '100', {}, wide, '101'],
      ['BUY', '500', {}, wide, '502.5'],
      // Futures by the same bands.
      ['BUY', '26000', { ...nfo, tradingsymbol: 'NIFTY26NOVFUT' }, wide, '26130'],
      // Options: 0.10 below 1, then 10, 5, 3, 2 and 1 %.
      ['BUY', '0.5', { ...nfo, tradingsymbol: 'NIFTY26NOV26000CE' }, wide, '0.6'],
      ['SELL', '4.95', { ...nfo, tradingsymbol: 'NIFTY26NOV26000PE' }, wide, '4.5'],
      ['BUY', '9.95', { ...nfo, tradingsymbol: 'NIFTY26NOV26000CE' }, wide, '10.4'],
      ['BUY', '99.95', { ...nfo, tradingsymbol: 'NIFTY26NOV26000CE' }, wide, '102.9'],
      ['BUY', '240', { ...nfo, tradingsymbol: 'NIFTY26NOV26000CE' }, wide, '244.8'],
      ['SELL', '600', { ...nfo, tradingsymbol: 'NIFTY26NOV26000PE' }, wide, '594'],
      // A share whose name ends like an option is none.
      ['BUY', '820', { tradingsymbol: 'RELIANCE-EQ' }, {}, '824.1'],
      ['BUY', '820', { exchange: 'BSE', tradingsymbol: 'NIFTY26CE' }, {}, '824.1'],
      // Inside the circuit limits.
      ['BUY', '892', {}, {}, '893.55'],
      ['SELL', '733', {}, {}, '731.1'],
      // A tick of 0.2, told by nothing but the prices in sight.
      [
        'BUY',
        '58900.2',
        { ...nfo, tradingsymbol: 'BANKNIFTY26NOVFUT' },
        { ...narrow, ltp: '58800.4', low_price_range: '53000.2', high_price_range: '64800.8' },
        '59194.6',
      ],
    ])('%s %s %o goes out as SL', async (transactiontype, triggerprice, given, patch, limit) => {
      stand.on(routes.quote, quote(patch));
      expect(await place({ ordertype: 'SL-M', transactiontype, triggerprice, ...given })).toMatchObject({ fate: 'accepted' });
      expect(sentTo(routes.place)[0]).toMatchObject({ pt: 'SL', tp: triggerprice, pr: limit });
    });

    test('asks for the quote of its token, the bar as it is', async () => {
      await place({ ordertype: 'SL-M', triggerprice: '820' });
      expect(stand.calls(routes.quote)[0]?.path).toBe('/script-details/1.0/quotes/neosymbol/nse_cm|3045/all');
    });

    test.each([
      ['without circuit limits', quote({ low_price_range: null }), /circuit limits/],
      ['with circuit limits of 0', quote({ high_price_range: '0' }), /circuit limits/],
      [
        'that shows too few prices to tell the tick',
        quote({ ...narrow, ltp: '820', low_price_range: '410', high_price_range: '1640' }),
        /tick size/,
      ],
      ['with no room to the circuit limit', quote({ high_price_range: '820.0000' }), /room to the circuit limit/],
      ['without a row', { body: [] }, /quote/],
      ['in another form', { body: { stat: 'Ok', stCode: 200 } }, /quote/],
      ['with a price that is none', quote({ ltp: null }), /ltp/],
      ['that is refused', error('totp'), /Invalid TOTP/],
      ['that does not come', 'reset' as const, /quote/],
    ])('after a quote %s is refused before sending', async (_what, reply, says) => {
      stand.on(routes.quote, reply);
      const sent = await place({ ordertype: 'SL-M', triggerprice: '820' });
      expect(sent).toMatchObject({ fate: 'rejected', message: expect.stringMatching(says) });
      expect(sent.message).toContain('limit price');
      expect(stand.calls(routes.place)).toEqual([]);
    });

    test('after a quote that took longer than 5 s is refused before sending', async () => {
      let skipMs = 0;
      use(credentials, { clock: { ...made.env.clock, now: () => Date.now() + skipMs } });
      await broker.connect(null);
      stand.on(routes.quote, () => {
        skipMs = 5_001;
        return answer('quote');
      });
      expect(await place({ ordertype: 'SL-M', triggerprice: '820' })).toMatchObject({
        fate: 'rejected',
        message: expect.stringContaining('5 s'),
      });
      expect(stand.calls(routes.place)).toEqual([]);
    });
  });

  test('every combination of the documented words is sent in Kotak’s words or refused with a reason', async () => {
    await broker.connect(null);
    const theirs = { MARKET: 'MKT', LIMIT: 'L', SL: 'SL', 'SL-M': 'SL', INTRADAY: 'MIS', DELIVERY: 'CNC', CARRYFORWARD: 'NRML' };
    let refusals = 0;
    for (const exchange of exchanges)
      for (const ordertype of orderTypes)
        for (const producttype of productTypes)
          for (const variety of varieties)
            for (const transactiontype of transactionTypes) {
              const before = stand.calls(routes.place).length;
              const sent = await place({ exchange, ordertype, producttype, variety, transactiontype, price: '810', triggerprice: '800' });
              const what = `${exchange} ${ordertype} ${producttype} ${variety} ${transactiontype}`;
              if (sent.fate === 'rejected') {
                refusals++;
                expect(sent.message, what).toMatch(/^(exchange|product_type|order_type): /);
                expect(stand.calls(routes.place).length, what).toBe(before);
              } else {
                expect(sent.fate, what).toBe('accepted');
                expect(sentTo(routes.place).at(-1), what).toMatchObject({
                  es: { NSE: 'nse_cm', BSE: 'bse_cm', NFO: 'nse_fo', MCX: '', CDS: '' }[exchange],
                  pt: theirs[ordertype],
                  pc: theirs[producttype],
                  tt: transactiontype === 'BUY' ? 'B' : 'S',
                  am: variety === 'AMO' ? 'YES' : 'NO',
                });
              }
            }
    const inDoubt = 2 * 4 * 3 * 3 * 2; // MCX and CDS
    const deliveryOnNfo = 4 * 3 * 2;
    const stopVarietyWithoutStop = 3 * 2 * 3 * 2 - 2 * 2; // the latter counted as DELIVERY on NFO
    expect(refusals).toBe(inDoubt + deliveryOnNfo + stopVarietyWithoutStop);
  });

  test('the refusal of an address names the one Kotak sees', async () => {
    await broker.connect(null);
    stand.on(routes.place, error('address'));
    stand.on(routes.address, { body: { data: [{ ip: '203.0.113.5', time: '2026-11-20 09:00:00.000' }], stCode: 1000, status: 'success' } });
    const sent = await place({});
    expect(sent).toMatchObject({ fate: 'rejected', message: expect.stringContaining('203.0.113.5') });
    expect(made.expired).toEqual([]);
    expect(stand.calls(routes.place).length).toBe(1);
  });

  describe('changing and cancelling', () => {
    const change = (given: { orderid: string } & Record<string, string>) => broker.modifyOrder({ variety: 'NORMAL', ...given });
    const open = { ordSt: 'open', fldQty: 0, unFldSz: 10, avgPrc: '0.00' };
    const booked = (patch: Record<string, unknown>) => stand.on(routes.orders, { body: patched('orders', { ...open, ...patch }) });
    const asBooked = {
      no: orderId,
      am: 'NO',
      dq: '0',
      es: 'nse_cm',
      mp: '0',
      pc: 'MIS',
      pt: 'L',
      pr: '816.05',
      qt: '10',
      tp: '0',
      vd: 'DAY',
      ts: 'SBIN-EQ',
      tt: 'B',
      tk: '3045',
      os: 'NEOTRADEAPI',
    };
    beforeEach(() => broker.connect(null));

    test.each([
      [{ price: '813.5' }, {}, { pr: '813.5' }],
      [{ quantity: '5' }, {}, { qt: '5' }],
      [{ ordertype: 'MARKET' }, {}, { pt: 'MKT', pr: '0' }],
      [{ ordertype: 'SL', triggerprice: '815' }, {}, { pt: 'SL', tp: '815' }],
      [{ triggerprice: '815' }, { prcTp: 'SL', trgPrc: '814.50' }, { pt: 'SL', tp: '815' }],
      [{ price: '817' }, { prcTp: 'SL', trgPrc: '814.50' }, { pt: 'SL', tp: '814.5', pr: '817' }],
      [{ ordertype: 'SL-M', triggerprice: '820' }, {}, { pt: 'SL', tp: '820', pr: '824.1' }],
      [{ triggerprice: '820' }, { prcTp: 'SL-M', prc: '0.00', trgPrc: '815' }, { pt: 'SL', tp: '820', pr: '824.1' }],
      [{ price: '1' }, { dscQty: 2, vldt: 'IOC', tok: '' }, { pr: '1', dq: '2', vd: 'IOC', tk: undefined }],
    ])('%o over %o changes that alone; Kotak wants the rest repeated', async (given, patch, sent) => {
      booked(patch);
      expect(await change({ orderid: orderId, ...given })).toMatchObject({ fate: 'accepted' });
      expect(sentTo(routes.modify)).toEqual([JSON.parse(JSON.stringify({ ...asBooked, ...sent }))]);
    });

    test('the limit of our own SL-M order follows its trigger, unless a price is given', async () => {
      await place({ ordertype: 'SL-M', triggerprice: '820' });
      booked({ prcTp: 'SL', prc: '824.10', trgPrc: '820.00' });
      await change({ orderid: orderId, triggerprice: '830' });
      await change({ orderid: orderId, triggerprice: '830', price: '831' });
      expect(sentTo(routes.modify)).toMatchObject([
        { pt: 'SL', tp: '830', pr: '834.15' },
        { pt: 'SL', tp: '830', pr: '831' },
      ]);
    });
    test('a stranger’s SL order keeps its limit', async () => {
      booked({ prcTp: 'SL', prc: '824.10', trgPrc: '820.00' });
      await change({ orderid: orderId, triggerprice: '822' });
      expect(sentTo(routes.modify)).toMatchObject([{ tp: '822', pr: '824.1' }]);
      expect(stand.calls(routes.quote)).toEqual([]);
    });

    test.each([
      ['a limit price of 0', { price: '0' }, /^price: /],
      ['LIMIT for an order booked without a price', { ordertype: 'LIMIT' }, /^price: /],
      ['a trigger of 0', { ordertype: 'SL', price: '800', triggerprice: '0' }, /^trigger_price: /],
      ['an unknown order type', { ordertype: 'ICEBERG' }, /^order_type: /],
      ['an unknown variety', { variety: 'ROBO', price: '1' }, /^variety: /],
      ['an order not in the report', { orderid: '42', price: '1' }, /^order_id: 42/],
    ])('%s is refused before sending', async (_what, given, says) => {
      if ('ordertype' in given && given.ordertype === 'LIMIT') booked({ prcTp: 'MKT', prc: '0.00' });
      expect(await change({ orderid: orderId, ...given })).toMatchObject({ fate: 'rejected', message: expect.stringMatching(says) });
      expect(stand.calls(routes.modify)).toEqual([]);
    });
    test('with the report unreadable nothing is changed', async () => {
      stand.on(routes.orders, error('unavailable'));
      expect(await change({ orderid: orderId, price: '1' })).toMatchObject({
        fate: 'rejected',
        message: expect.stringContaining('nothing was changed'),
      });
      expect(stand.calls(routes.modify)).toEqual([]);
    });
    test('a quantity on MCX is not changed, a price is', async () => {
      booked({ exSeg: 'mcx_fo', trdSym: 'GOLDM26DECFUT' });
      expect(await change({ orderid: orderId, quantity: '2' })).toMatchObject({
        fate: 'rejected',
        message: expect.stringMatching(/^quantity: /),
      });
      await change({ orderid: orderId, price: '124000' });
      expect(sentTo(routes.modify)).toMatchObject([{ es: 'mcx_fo', qt: '10', pr: '124000' }]);
    });
    test('a change after a partial fill is read back: a quantity that grew is told', async () => {
      booked({ fldQty: 4 });
      expect(await change({ orderid: orderId, price: '813' })).not.toHaveProperty('message');
      stand.on(routes.modify, () => {
        booked({ fldQty: 4, qty: 14 });
        return answer('placed');
      });
      expect(await change({ orderid: orderId, price: '814' })).toMatchObject({
        fate: 'accepted',
        message: expect.stringMatching(/14.*10/),
      });
      expect(sentTo(routes.modify)).toMatchObject([{ qt: '10' }, { qt: '10' }]);
    });
    test('an order held for the market’s opening is changed and cancelled as one, whatever the caller says', async () => {
      await change({ orderid: '261120000612880', price: '26000' });
      await broker.cancelOrder('261120000612880');
      expect(sentTo(routes.modify)).toMatchObject([{ am: 'YES', es: 'nse_fo' }]);
      expect(sentTo(routes.cancel)).toEqual([{ on: '261120000612880', am: 'YES', ts: 'NIFTY26NOVFUT' }]);
    });
    test('our own regular order is cancelled without a read', async () => {
      await place({});
      await broker.cancelOrder(orderId);
      expect(sentTo(routes.cancel)).toEqual([{ on: orderId, am: 'NO' }]);
      expect(stand.calls(routes.orders)).toEqual([]);
    });
    test('our own after-market order is looked up first: it may have reached the exchange by now', async () => {
      await place({ variety: 'AMO' });
      booked({ ordSt: 'open' });
      await broker.cancelOrder(orderId);
      booked({ ordSt: 'modify after market order req received' });
      await broker.cancelOrder(orderId);
      expect(sentTo(routes.cancel)).toEqual([
        { on: orderId, am: 'NO' },
        { on: orderId, am: 'YES', ts: 'SBIN-EQ' },
      ]);
    });
    test('a cancel is tried as regular when the report cannot be read', async () => {
      stand.on(routes.orders, error('unavailable'));
      expect(await broker.cancelOrder(orderId)).toMatchObject({ fate: 'accepted' });
      expect(sentTo(routes.cancel)).toEqual([{ on: orderId, am: 'NO' }]);
    });
  });

  describe('the last price', () => {
    beforeEach(() => broker.connect(null));
    test('comes from the quote, with the time it was asked for', async () => {
      const read = await broker.lastPrice?.('NSE', 'SBIN-EQ', '3045');
      expect(read).toMatchObject({ price: 812.35 });
      expect(Math.abs((read?.at ?? 0) - Date.now())).toBeLessThan(5_000);
    });
    test('is null when Kotak has none and an error when it cannot be read', async () => {
      stand.on(routes.quote, { body: [] });
      expect(await broker.lastPrice?.('NSE', 'SBIN-EQ', '3045')).toBeNull();
      stand.on(routes.quote, { body: [{ ltp: 'n/a' }] });
      await expect(broker.lastPrice?.('NSE', 'SBIN-EQ', '3045')).rejects.toThrow('ltp');
      await expect(broker.lastPrice?.('NASDAQ', 'SBIN-EQ', '3045')).rejects.toThrow('exchange');
    });
    test('a token cannot leave its place in the path', async () => {
      await broker.lastPrice?.('NSE', 'SBIN-EQ', '../x?y').catch(() => undefined);
      expect(stand.seen.at(-1)?.path).toBe('/script-details/1.0/quotes/neosymbol/nse_cm|..%2Fx%3Fy/all');
    });
  });
});
