import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aliceblue } from '../../server/brokers/aliceblue/adapter.ts';
import type { Broker } from '../../server/brokers/broker.ts';
import { depth, type FeedStand, openFeed } from './aliceblue.stub.ts';
import { credentials, error, healthy, order, routes } from './aliceblue.suite.ts';
import { TAG } from './conformance.ts';
import { envFor, openStub, type StubServer } from './stub-server.ts';

describe('the price feed of aliceblue', () => {
  let stub: StubServer;
  let feed: FeedStand;
  let made: ReturnType<typeof envFor>;
  let broker: Broker;
  beforeEach(async () => {
    [stub, feed] = await Promise.all([openStub(), openFeed()]);
    healthy(stub);
    made = envFor(aliceblue, stub.url, credentials);
    broker = aliceblue.create({ ...made.env, feedUrl: feed.url });
    await broker.connect(null);
  });
  afterEach(async () => {
    await broker.close();
    await Promise.all([stub.close(), feed.close()]);
  });
  const price = (token = '3045') => broker.lastPrice?.('NSE', 'SBIN', token);
  const market = () => broker.placeOrder({ ...order, ordertype: 'MARKET' }, TAG);

  test('opens a session, then a socket, and tells the price and when it was read', async () => {
    const read = await price();
    expect(read).toEqual({ price: 812.35, at: expect.any(Number) });
    expect(Math.abs((read?.at ?? 0) - Date.now())).toBeLessThan(5_000);
    const json = { source: 'API', userId: '912444' };
    expect(stub.seen.slice(1).map((seen) => [`${seen.method} ${seen.path}`, JSON.parse(seen.body)])).toEqual([
      [routes.endSocket, json],
      [routes.socket, json],
    ]);
    const hash = (text: string) => createHash('sha256').update(text).digest('hex');
    const user = '912444_API';
    await expect
      .poll(() => feed.seen)
      .toEqual([
        { susertoken: hash(hash('living-token-4e5f')), t: 'c', actid: user, uid: user, source: 'API' },
        { k: 'NSE|3045', t: 'd' },
        { k: 'NSE|3045', t: 'ud' },
      ]);
  });
  test('dials the path of the official SDKs, with the slash at its end', async () => {
    await price();
    expect(feed.paths).toEqual(['/NorenWS/']);
    expect(aliceblue.urls.feed).toBe('wss://ws1.aliceblueonline.com/NorenWS/');
  });
  test('serves many prices on one socket, each asked anew', async () => {
    expect((await Promise.all(['1', '2', '3'].map(price))).map((read) => read?.price)).toEqual([812.35, 812.35, 812.35]);
    feed.depth = { ...depth, lp: '813.00' };
    expect(await price('1')).toMatchObject({ price: 813 });
    expect(feed.came()).toBe(1);
    expect(stub.calls(routes.socket).length).toBe(1);
  });
  test('one question serves all who ask for one price at once', async () => {
    await Promise.all([price(), price(), price()]);
    expect(feed.seen.filter((frame) => frame.t === 'd').length).toBe(1);
  });
  test('takes the acknowledgement of the documents too', async () => {
    feed.acknowledgement = { t: 'cf', k: 'OK' };
    expect(await price()).toMatchObject({ price: 812.35 });
  });
  test.each([
    ['a refused greeting', { t: 'ck', s: 'NOT_OK' }],
    ['one refused in the words of the documents', { t: 'cf', k: 'failed' }],
  ])('after %s a market order is not sent', async (_what, acknowledgement) => {
    feed.acknowledgement = acknowledgement;
    expect(await market()).toMatchObject({ fate: 'rejected', message: expect.stringMatching(/^order_type: .*refused the market data/) });
    expect(stub.calls(routes.place)).toEqual([]);
    feed.acknowledgement = { t: 'ck', s: 'OK' };
    expect(await market()).toMatchObject({ fate: 'accepted' });
  });
  test.each(['generic', 'expired', 'unavailable'])('without a session (%s) a market order is not sent', async (name) => {
    stub.on(routes.socket, error(name));
    expect(await market()).toMatchObject({ fate: 'rejected', message: expect.stringMatching(/^order_type: .*EC\d{3}/) });
    expect(made.expired.length).toBe(name === 'expired' ? 1 : 0);
    expect(feed.came()).toBe(0);
    expect(stub.calls(routes.place)).toEqual([]);
  });
  test('an older session that cannot be ended does not matter', async () => {
    stub.on(routes.endSocket, error('generic'));
    expect(await price()).toMatchObject({ price: 812.35 });
  });
  test('with nobody listening a market order is not sent', async () => {
    await feed.close();
    expect(await market()).toMatchObject({ fate: 'rejected', message: expect.stringContaining('market data socket') });
    expect(stub.calls(routes.place)).toEqual([]);
  });
  test.each([
    ['silence', null],
    ['a frame that is no JSON', '<html>'],
    ['a price that is none', { ...depth, lp: '1,000' }],
    ['a frame of changes alone', { ...depth, t: 'df' }],
  ])('after %s a market order is not sent, and the next one asks on a new socket', async (_what, answer) => {
    made.pace.speed = 20;
    feed.depth = answer;
    expect(await market()).toMatchObject({ fate: 'rejected', message: expect.stringContaining('no price within 5 s') });
    expect(stub.calls(routes.place)).toEqual([]);
    feed.depth = depth;
    made.pace.speed = 1;
    expect(await market()).toMatchObject({ fate: 'accepted' });
    expect(feed.came()).toBe(2);
  });
  test('a greeting without an answer is waited for 5 s at most', async () => {
    made.pace.speed = 20;
    feed.acknowledgement = null;
    await expect(price()).rejects.toThrow('no price within 5 s');
  });
  test('a socket that was lost is opened anew', async () => {
    await price();
    feed.drop();
    await expect.poll(() => feed.open()).toBe(0);
    await sleep(20);
    expect(await price()).toMatchObject({ price: 812.35 });
    expect([feed.came(), stub.calls(routes.socket).length]).toEqual([2, 2]);
  });
  test('a socket is closed when it is idle, and when the session is', async () => {
    // Fast enough to be idle soon, slow enough for a price on a busy machine.
    made.pace.speed = 20;
    await price();
    await expect.poll(() => feed.open(), { timeout: 10_000 }).toBe(0);
    made.pace.speed = 1;
    await price();
    expect(feed.open()).toBe(1);
    await broker.close();
    await expect.poll(() => feed.open()).toBe(0);
    await expect(price()).rejects.toThrow(/./);
    expect(feed.came()).toBe(2);
  });
});
