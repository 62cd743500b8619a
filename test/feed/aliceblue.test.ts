import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Account } from '../../server/brokers/account.ts';
import { aliceblue } from '../../server/brokers/aliceblue/adapter.ts';
import { orderTalk, priceTalk } from '../../server/brokers/aliceblue/feed.ts';
import type { Claim } from '../../server/brokers/aliceblue/quote.ts';
import type { Broker } from '../../server/brokers/broker.ts';
import { seededRandom } from '../../server/clock.ts';
import { practiceCredentials, startExchange } from '../../server/exchange/host.ts';
import { Feed } from '../../server/feed/feed.ts';
import { ReconnectingSocket } from '../../server/feed/reconnecting-socket.ts';
import { silentLog } from '../../server/log.ts';
import { depth, type FeedStand, openFeed } from '../brokers/aliceblue.stub.ts';
import { body, credentials, error, healthy, ok, order, routes } from '../brokers/aliceblue.suite.ts';
import { TAG } from '../brokers/conformance.ts';
import { envFor, openStub, type StubServer } from '../brokers/stub-server.ts';
import { scaledClock } from '../support/scaled-clock.ts';
import { feedTests } from './conformance.ts';
import { patience } from './emulator-socket.ts';
import { fuzz, hear } from './fuzz.ts';

/** A shared machine may stall for seconds. */
const poll = <Value>(read: () => Value) => expect.poll(read, patience);

const nobody: Claim = {
  openSession: async () => undefined,
  up: () => undefined,
  take: () => null,
  heard: () => undefined,
  over: () => undefined,
};
const prices = (claim = nobody) => priceTalk({ token: 'token', account: '912444' }, claim);
const orders = () => orderTalk('order-token', '912444');

/** The sheet's examples. */
const whole =
  '{"t":"tk","pp":"2","ml":"1","e":"NFO","tk":"54957","ts":"NIFTY28JUL22C16600","ls":"50","ti":"0.05","c":"42.20","lp":"84.00","pc":"99.05","ft":"1658911102","oi":"7606750","o":"37.65","h":"98.00","l":"22.00","ap":"61.35","v":"129781850","bp1":"84.00","sp1":"84.20","bq1":"1000","sq1":"300"}';
const changed = '{"t":"tf","e":"NFO","tk":"54957","lp":"84.20","pc":"99.53","ft":"1658911102"}';
const rejected =
  '{"t":"om","norenordno":"24070600000744","uid":"X","actid":"X","qty":"1","prc":"0.00","pcode":"I","remarks":"","rejreason":"..","prctyp":"MKT","ret":"DAY","dscqty":"0","trantype":"B","exch":"NSE","tsym":"MRF-EQ","status":"REJECTED","reporttype":"Rejected"}';

describe('golden frames', () => {
  test('the greeting has the token twice hashed and the suffix of API users; both forms of its answer are read', () => {
    const hash = (text: string) => createHash('sha256').update(text).digest('hex');
    const user = '912444_API';
    const greeting = { susertoken: hash(hash('token')), t: 'c', actid: user, uid: user, source: 'API' };
    expect(prices().hello.map((frame) => JSON.parse(String(frame)))).toEqual([greeting]);
    expect(hear(prices(), '{"t":"ck","s":"OK"}').ready + hear(prices(), '{"t":"cf","k":"OK"}').ready).toBe(2);
    expect(hear(prices(), '{"t":"ck","s":"NOT_OK"}', '{"t":"cf","k":"failed"}')).toMatchObject({
      ready: 0,
      refused: ['Alice Blue refused the market data socket', 'Alice Blue refused the market data socket'],
    });
  });

  test('a whole touchline, then what changed', () => {
    expect(hear(prices(), whole, changed).prices).toEqual([
      { key: 'NFO|54957', rupees: 84, at: 1_658_911_102_000 },
      { key: 'NFO|54957', rupees: 84.2, at: 1_658_911_102_000 },
    ]);
    expect(hear(prices(), '{"t":"tf","e":"NFO","tk":"54957","oi":"7606800"}', '{"t":"dk","e":"NSE","tk":"22"}').prices).toEqual([]);
  });

  test('the order socket signs in with its token and its frames name the order', () => {
    expect(orders().hello).toEqual(['{"orderToken":"order-token","userId":"912444"}']);
    expect(hear(orders(), '{"status":"Ok"}', rejected)).toMatchObject({ ready: 1, refused: [], orders: ['24070600000744'] });
    expect(hear(orders(), '{"status":"Not_ok","message":"Invalid token"}').refused).toEqual(['Invalid token']);
    expect(hear(orders(), '{"t":"om","status":"COMPLETE"}')).toMatchObject({ ready: 0, refused: [], orders: [null] });
  });

  test('what says nothing', () => {
    const frames = ['{"t":"tf","e":"NSE","tk":"22","lp":"1,156.80"}', 'not json', '[]', 'null', '{"t":"h"}'];
    expect(hear(prices(), ...frames)).toEqual({ prices: [], quotes: [], orders: [], ready: 0, refused: [], replies: [] });
    expect(hear(orders(), ...frames)).toEqual({ prices: [], quotes: [], orders: [], ready: 0, refused: [], replies: [] });
  });

  test('subscriptions are cut into frames of fifty names', () => {
    const keys = Array.from({ length: 51 }, (_, index) => `NSE|${index}`);
    expect(prices().subscribe(['NSE|26000', 'NFO|54957'])).toEqual(['{"k":"NSE|26000#NFO|54957","t":"t"}']);
    expect(prices().unsubscribe(keys)).toEqual([`{"k":"${keys.slice(0, 50).join('#')}","t":"u"}`, '{"k":"NSE|50","t":"u"}']);
  });
});

test('random frames', { timeout: 120_000 }, () => {
  const taking = { ...nobody, take: () => 'NSE|22' };
  fuzz(() => prices(taking), [whole, changed, whole.replace('tk', 'dk'), '{"t":"ck","s":"OK"}', '{"t":"cf","k":"failed"}']);
  fuzz(orders, [rejected, '{"status":"Ok"}', '{"status":"Not_ok","message":"Invalid token"}']);
});

describe('quotes and the live feed share one session', () => {
  let stub: StubServer;
  let socket: FeedStand;
  let broker: Broker;
  let line: ReconnectingSocket;
  let pace: { speed: number };
  /** Prices the live feed told. */
  let told: number[] = [];
  /** How much later the broker's clock says it is, ms. */
  let late = 0;
  const sbin = { exchange: 'NSE', symbol: 'SBIN', token: '3045' };

  beforeEach(async () => {
    [stub, socket] = await Promise.all([openStub(), openFeed()]);
    healthy(stub);
    // One session at a time may listen.
    stub.on(routes.endSocket, () => {
      socket.drop();
      return { body: body('socketSession') };
    });
    const made = envFor(aliceblue, stub.url, credentials);
    late = 0;
    const clock = { ...made.env.clock, now: () => made.env.clock.now() + late };
    const env = { ...made.env, clock };
    pace = made.pace;
    broker = aliceblue.create({ ...env, feedUrl: socket.url });
    await broker.connect(null);
    const channel = broker.feed?.find((each) => each.prices);
    if (!channel) throw new Error('no price channel');
    told = [];
    const nothing = () => undefined;
    const price = (_instrument: unknown, rupees: number) => void told.push(rupees);
    const heard = { price, order: nothing, up: nothing, down: nothing, refused: nothing };
    line = new ReconnectingSocket({
      ...env,
      ...heard,
      channel,
      broker: 'aliceblue',
      random: { ...seededRandom(1), next: () => 0.5 },
      trading: () => false,
    });
    line.want([sbin]);
  });
  afterEach(async () => {
    await line.stop();
    await broker.close();
    await Promise.all([stub.close(), socket.close()]);
  });
  const price = (token = '3045') => broker.lastPrice?.('NSE', 'SBIN', token);
  const up = () => poll(() => line.up).toBe(true);
  const sessions = () => stub.calls(routes.socket).length;
  const kinds = () => socket.seen.map(({ t, k }) => [t, k].filter(Boolean).join(' '));

  test('a price is asked for over the live socket, and the subscription is as before', async () => {
    line.start();
    await up();
    expect(await price()).toMatchObject({ price: 812.35 });
    expect(await price('22')).toMatchObject({ price: 812.35 });
    await poll(kinds).toEqual([
      'c',
      't NSE|3045',
      ...['u NSE|3045', 'd NSE|3045', 't NSE|3045', 'ud NSE|3045', 't NSE|3045'],
      ...['d NSE|22', 'ud NSE|22'],
    ]);
    await Promise.all(Array.from({ length: 20 }, (_, index) => price(String(index))));
    expect([sessions(), socket.came(), socket.open()]).toEqual([1, 1, 1]);
  });

  test('a price asked for while the live socket opens waits for it', async () => {
    stub.on(routes.socket, async () => {
      await new Promise((done) => setTimeout(done, 300));
      return { body: body('socketSession') };
    });
    line.start();
    await poll(sessions).toBe(1);
    expect(await price()).toMatchObject({ price: 812.35 });
    expect([sessions(), socket.came()]).toEqual([1, 1]);
  });

  test.each(['its session is refused', 'its greeting is refused'])(
    'with the live feed away because %s a price comes over a socket of its own, which gives way when the feed is back',
    { timeout: 30_000 },
    async (why) => {
      const bySession = why.includes('session');
      if (bySession) stub.on(routes.socket, error('generic'));
      else socket.acknowledgement = { t: 'ck', s: 'NOT_OK' };
      line.start();
      // Three refusals: the next try is four seconds away.
      await poll(() => (bySession ? sessions() : kinds().length)).toBe(3);
      await poll(() => socket.open()).toBe(0);
      if (bySession) stub.on(routes.socket, { body: body('socketSession') });
      else socket.acknowledgement = { t: 'ck', s: 'OK' };
      const failed = socket.came();
      expect(await price()).toMatchObject({ price: 812.35 });
      expect([socket.came() - failed, line.up]).toEqual([1, false]);
      await up();
      expect(await price()).toMatchObject({ price: 812.35 });
      const after = [sessions(), socket.came() - failed];
      expect(after).toEqual([5, 2]);
      await new Promise((done) => setTimeout(done, 2500));
      expect([sessions(), socket.came() - failed, socket.open()]).toEqual([...after, 1]);
    },
  );

  test('a question that was open when the live socket was lost is asked again on the next one', async () => {
    line.start();
    await up();
    socket.depth = null;
    const asked = price();
    await poll(kinds).toContain('d NSE|3045');
    socket.depth = depth;
    socket.drop();
    expect(await asked).toMatchObject({ price: 812.35 });
    await up();
    const came = socket.came();
    expect(came).toBeLessThanOrEqual(3);
    await new Promise((done) => setTimeout(done, 1500));
    expect([socket.came(), socket.open()]).toEqual([came, 1]);
  });

  test('the live socket is dialled with the slash at its end', async () => {
    line.start();
    await up();
    expect(socket.paths).toEqual(['/NorenWS/']);
  });

  describe('a depth that is never told', () => {
    const buy = { ...order, ordertype: 'MARKET' };
    const sent = () => JSON.parse(stub.calls(routes.place).at(-1)?.body ?? '[{}]')[0];
    beforeEach(async () => {
      pace.speed = 20;
      socket.depth = null;
      socket.touchline = { t: 'tk', lp: '812.35', ti: '0.05' };
      line.start();
      await poll(() => told).toEqual([812.35]);
    });

    test('is stood in for by the last tick of the live feed', async () => {
      expect(await price()).toMatchObject({ price: 812.35 });
      expect(await broker.placeOrder(buy, TAG)).toMatchObject({ fate: 'accepted' });
      expect(sent()).toMatchObject({ orderType: 'LIMIT', price: '816.4' });
    });
    test('is not for an instrument that is not followed', async () => {
      await expect(price('22')).rejects.toThrow('no price within 5 s');
    });
    test('is not while the tick is older than 10 s', async () => {
      socket.touchline = null;
      late = 10_001;
      expect(await broker.placeOrder(buy, TAG)).toMatchObject({
        fate: 'rejected',
        message: expect.stringMatching(/^order_type: .*no price/),
      });
      expect(stub.calls(routes.place)).toEqual([]);
    });
    test('refuses where the tick size was not told', async () => {
      socket.touchline = { t: 'tk', lp: '812.35' };
      const other = { ...buy, token: '22', symbol: 'ACC', tradingsymbol: 'ACC' };
      line.want([sbin, { exchange: 'NSE', symbol: 'ACC', token: '22' }]);
      await poll(kinds).toContain('t NSE|22');
      expect(await broker.placeOrder(other, TAG)).toMatchObject({ fate: 'rejected', message: expect.stringMatching(/tick size/) });
    });
  });

  test('a quote without an answer does not end the live socket', { timeout: 15_000 }, async () => {
    line.start();
    await up();
    socket.depth = null;
    await expect(price()).rejects.toThrow('no price within 5 s');
    expect([line.up, sessions(), socket.came()]).toEqual([true, 1, 1]);
  });
});

describe('an account without order updates', () => {
  test('is told from one whose order socket cannot be had, said once and not asked again in the session', async () => {
    const stub = await openStub();
    healthy(stub);
    stub.on(routes.orderSocket, { status: 200 });
    const made = envFor(aliceblue, stub.url, credentials);
    made.pace.speed = 50;
    const broker = aliceblue.create(made.env);
    await broker.connect(null);
    const reasons: string[] = [];
    const parts = { ...made.env, isOpen: () => false, watched: async () => ({ instruments: [], held: [] }), record: async () => undefined };
    const feed = new Feed({ ...parts, wake: (reason) => reasons.push(reason) });
    const account = { id: '912444', broker: { ...broker, feed: (broker.feed ?? []).filter((each) => each.orders) } } as unknown as Account;
    feed.follow(account);
    const told = () => made.logged.filter((line) => line.includes('no such feed for this account'));
    await poll(() => told().length).toBe(1);
    await made.env.clock.sleep(60_000);
    expect([stub.calls(routes.orderSocket).length, told().length, feed.live(), reasons]).toEqual([1, 1, [], []]);
    expect(told()[0]).toContain('Alice Blue has no order updates for this account');
    // Any other failure is tried again.
    stub.on(routes.orderSocket, { body: ok({}) });
    feed.follow(account);
    await poll(() => stub.calls(routes.orderSocket).length).toBeGreaterThan(3);
    await feed.stop();
    await broker.close();
    await stub.close();
  });
});

test('heartbeats keep both sockets', { timeout: 60_000 }, async () => {
  const clock = scaledClock(20);
  const host = await startExchange({ ports: 'free', seed: 1, limits: false, clock, log: silentLog() });
  const urls = host.urls.aliceblue;
  if (!urls) throw new Error('no emulator');
  const { env } = envFor(aliceblue, urls.api, { ...practiceCredentials('aliceblue') });
  const broker = aliceblue.create({ ...env, clock, feedUrl: urls.feed });
  expect(await broker.connect(null)).toMatchObject({ success: true });
  const ups: string[] = [];
  const lines = (broker.feed ?? []).map((channel) => {
    const heard = { price: () => undefined, order: () => undefined, down: () => undefined, refused: () => undefined };
    const up = () => ups.push(channel.name);
    return new ReconnectingSocket({ ...env, ...heard, clock, up, channel, broker: 'aliceblue', trading: () => false });
  });
  for (const line of lines) line.start();
  await poll(() => lines.every((line) => line.up)).toBe(true);
  // Without one they are closed after 50 and 60 s.
  await clock.sleep(150_000);
  expect([ups.sort(), lines.map((line) => line.up)]).toEqual([
    ['orders', 'prices'],
    [true, true],
  ]);
  await Promise.all(lines.map((line) => line.stop()));
  await broker.close();
  await host.close();
});

describe('over the practice exchange', () => feedTests('aliceblue', { pricedByFeed: true }));
