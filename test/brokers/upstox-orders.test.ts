import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Broker, BrokerOrder } from '../../server/brokers/broker.ts';
import { createBroker } from '../../server/brokers/index.ts';
import { upstox } from '../../server/brokers/upstox/adapter.ts';
import { TAG } from './conformance.ts';
import { envFor, openStub, type StubServer } from './stub-server.ts';
import { body, credentials, currency, error, future, healthy, order, orderId } from './upstox.suite.ts';

/** A Friday in India. */
const inSession = Date.parse('2026-11-20T10:00:00+05:30');
const afterHours = Date.parse('2026-11-20T17:30:00+05:30');

describe('upstox orders', () => {
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
  function use(given: Record<string, string>, more: { algoId?: string; marketProtection?: string; now?: number } = {}): void {
    made = envFor(upstox, stub.url, given);
    const { algoId, marketProtection, now } = more;
    const clock = now === undefined ? made.env.clock : { ...made.env.clock, now: () => now };
    broker = createBroker('upstox', { ...made.env, algoId, marketProtection, clock });
  }
  const place = (change: Partial<BrokerOrder>) => broker.placeOrder({ ...order, ...change }, TAG);
  const jsonOf = (route: string) => JSON.parse(stub.calls(route).at(-1)?.body ?? 'null');
  const POST = 'POST /v3/order/place';
  const PUT = 'PUT /v3/order/modify';
  const DELETE = 'DELETE /v3/order/cancel';

  describe('the body of an order', () => {
    const base = {
      quantity: 10,
      product: 'I',
      validity: 'DAY',
      price: 0,
      tag: TAG,
      instrument_token: 'NSE_EQ|INE062A01020',
      transaction_type: 'BUY',
      disclosed_quantity: 0,
      trigger_price: 0,
      is_amo: false,
      slice: false,
    };
    test.each([
      ['MARKET', { price: '5', triggerprice: '5' }, { market_protection: -1 }],
      ['LIMIT', { price: '812.35', triggerprice: '5' }, { price: 812.35 }],
      ['SL', { price: '800', triggerprice: '800.5' }, { price: 800, trigger_price: 800.5 }],
      ['SL-M', { price: '5', triggerprice: '800.5' }, { trigger_price: 800.5, market_protection: -1 }],
    ])('%s', async (ordertype, given, sent) => {
      await place({ ordertype, ...given });
      expect(jsonOf(POST)).toEqual({ ...base, order_type: ordertype, ...sent });
    });
    test('carries the algo name when there is one, on all three calls', async () => {
      await place({});
      expect(stub.calls(POST)[0]?.headers['x-algo-name']).toBeUndefined();
      use(credentials, { algoId: 'A-77' });
      await place({});
      await broker.modifyOrder({ orderid: orderId, variety: 'NORMAL', price: '1' });
      await broker.cancelOrder(orderId);
      expect([POST, PUT, DELETE].map((route) => stub.calls(route).at(-1)?.headers['x-algo-name'])).toEqual(['A-77', 'A-77', 'A-77']);
    });
    test('carries the market protection that was set, where the order has no limit of its own', async () => {
      use(credentials, { marketProtection: '5' });
      for (const given of [{ ordertype: 'MARKET' }, { ordertype: 'SL-M', triggerprice: '800' }]) {
        const protectedBy = { order_type: given.ordertype, market_protection: 5 };
        await place(given);
        expect(jsonOf(POST)).toMatchObject(protectedBy);
        await broker.modifyOrder({ orderid: '261120025562881', variety: 'NORMAL', ...given });
        expect(jsonOf(PUT)).toMatchObject(protectedBy);
      }
      await place({ ordertype: 'LIMIT', price: '812.35' });
      expect(jsonOf(POST)).not.toHaveProperty('market_protection');
    });
    test('an SL-M on a future is sent, as either master names it', async () => {
      for (const symbol of ['NIFTY26NOVFUT', 'NIFTY FUT 24 NOV 26']) {
        const stop = { producttype: 'CARRYFORWARD', ordertype: 'SL-M', triggerprice: '25900' };
        expect(await place({ ...future, ...stop, symbol, tradingsymbol: symbol })).toMatchObject({ fate: 'accepted' });
        expect(jsonOf(POST)).toMatchObject({ order_type: 'SL-M', market_protection: -1, product: 'D' });
      }
    });
    test('a placement reads its id from the list, a change from the member', async () => {
      expect(await place({})).toMatchObject({ fate: 'accepted', order_id: orderId, data: { order_ids: [orderId] } });
      expect(await broker.cancelOrder(orderId)).toMatchObject({ fate: 'accepted', order_id: orderId, data: { order_id: orderId } });
      stub.on(POST, { body: body('changed') });
      expect(await place({})).toMatchObject({ fate: 'unknown' });
    });
  });

  describe('the symbol', () => {
    test('must be the one the positions show for the key', async () => {
      await broker.connect(null);
      await broker.positions();
      expect(await place({})).toMatchObject({ fate: 'accepted' });
      const wrong = { symbol: 'STATEBANK', tradingsymbol: 'STATEBANK' };
      expect(await place(wrong)).toMatchObject({ fate: 'rejected', message: expect.stringMatching(/^symbol: .*is SBIN in/) });
      expect(stub.calls(POST).length).toBe(1);
    });
    test('is free while no position has the key', async () => {
      await broker.connect(null);
      await broker.positions();
      expect(await place({ symbol: 'RELIANCE', tradingsymbol: 'RELIANCE', token: 'NSE_EQ|INE002A01018' })).toMatchObject({
        fate: 'accepted',
      });
    });
  });

  describe('after-market orders', () => {
    const warned = () => made.logged.filter((line) => line.includes('outside market hours')).length;
    test('are refused while the session is on', async () => {
      for (const at of ['09:00:00', '15:29:59']) {
        use(credentials, { now: Date.parse(`2026-11-20T${at}+05:30`) });
        expect(await place({ variety: 'AMO' }), at).toMatchObject({ fate: 'rejected', message: expect.stringMatching(/^variety: /) });
      }
      expect(stub.calls(POST)).toEqual([]);
    });
    test.each(['2026-11-20T08:59:59+05:30', '2026-11-20T15:30:00+05:30', '2026-11-21T11:00:00+05:30', '2026-11-22T11:00:00+05:30'])(
      'are sent as such at %s',
      async (at) => {
        use(credentials, { now: Date.parse(at) });
        expect(await place({ variety: 'AMO' })).toMatchObject({ fate: 'accepted' });
        expect(jsonOf(POST)).toMatchObject({ is_amo: true });
        expect(warned()).toBe(0);
      },
    );
    test('in currency wait for 17:00', async () => {
      use(credentials, { now: Date.parse('2026-11-20T16:59:59+05:30') });
      const amo = { ...currency, variety: 'AMO' };
      expect(await place(amo)).toMatchObject({ fate: 'rejected' });
      use(credentials, { now: Date.parse('2026-11-20T17:00:00+05:30') });
      expect(await place(amo)).toMatchObject({ fate: 'accepted' });
    });
    test('a normal order after hours is sent as it is, with a warning', async () => {
      use(credentials, { now: afterHours });
      await place({});
      expect(jsonOf(POST)).toMatchObject({ is_amo: false });
      expect(warned()).toBe(1);
      use(credentials, { now: inSession });
      await place({});
      expect(warned()).toBe(0);
    });
  });

  describe('changing and cancelling', () => {
    const change = (given: Record<string, string>) => broker.modifyOrder({ orderid: '261120025562881', variety: 'NORMAL', ...given });
    const book = (patch: Record<string, unknown>) =>
      stub.on('GET /v2/order/details', { body: { status: 'success', data: { ...(body('details').data as object), ...patch } } });
    const base = { order_id: '261120025562881', validity: 'DAY', order_type: 'LIMIT', trigger_price: 0 };

    test('sends what was given, and the rest Upstox demands as it is booked', async () => {
      await change({ price: '813.5' });
      expect(stub.calls('GET /v2/order/details')[0]?.query).toEqual({ order_id: '261120025562881' });
      expect(jsonOf(PUT)).toEqual({ ...base, price: 813.5 });
      await change({ quantity: '5' });
      expect(jsonOf(PUT)).toEqual({ ...base, price: 812.35, quantity: 5 });
      await change({ ordertype: 'SL', triggerprice: '811' });
      expect(jsonOf(PUT)).toEqual({ ...base, order_type: 'SL', price: 812.35, trigger_price: 811 });
    });
    test.each([
      ['MARKET', {}, { trigger_price: 0 }],
      ['SL-M', { triggerprice: '811' }, { trigger_price: 811 }],
    ])('an order that becomes %s is protected and has no price', async (ordertype, given, sent) => {
      await change({ ordertype, ...given });
      expect(jsonOf(PUT)).toEqual({ ...base, order_type: ordertype, price: 0, ...sent, market_protection: -1 });
    });
    test('a booked stop stays what it is', async () => {
      book({ order_type: 'SL-M', price: 0, trigger_price: 820, validity: 'IOC' });
      await change({ quantity: '7' });
      expect(jsonOf(PUT)).toEqual({
        ...base,
        validity: 'IOC',
        order_type: 'SL-M',
        price: 0,
        trigger_price: 820,
        quantity: 7,
        market_protection: -1,
      });
    });
    test.each<[string, Record<string, unknown>, Record<string, string>, RegExp]>([
      ['a price for what is booked as MARKET', { order_type: 'MARKET', price: 0 }, { price: '812' }, /^price: /],
      ['a price for what is booked as SL-M', { order_type: 'SL-M', price: 0, trigger_price: 9 }, { price: '812' }, /^price: /],
      ['a trigger for a LIMIT order', {}, { triggerprice: '811' }, /^trigger_price: /],
      ['a stop without a trigger', {}, { ordertype: 'SL' }, /^trigger_price: /],
      ['a limit without a price', { order_type: 'MARKET', price: 0 }, { ordertype: 'LIMIT' }, /^price: /],
      ['SL-M on BSE', { exchange: 'BSE' }, { ordertype: 'SL-M', triggerprice: '811' }, /^order_type: /],
      ['a new quantity of a partly filled order', { filled_quantity: 4 }, { quantity: '12' }, /^quantity: /],
      ['a new quantity on MCX', { exchange: 'MCX' }, { quantity: '12' }, /^quantity: .*UDAPI1161/],
      ['an order type of the book that has no word here', { order_type: 'OCO' }, { price: '1' }, /^order_type: /],
      ['a price of the book that is none', { price: null }, { quantity: '5' }, /^order_id: .*nothing was changed/],
    ])('%s is refused before sending', async (_what, patch, given, says) => {
      book(patch);
      expect(await change(given)).toMatchObject({ fate: 'rejected', message: expect.stringMatching(says) });
      expect(stub.calls(PUT)).toEqual([]);
    });
    test('the price of a partly filled order may change', async () => {
      book({ filled_quantity: 4 });
      expect(await change({ price: '812' })).toMatchObject({ fate: 'accepted' });
      expect(jsonOf(PUT)).toEqual({ ...base, price: 812 });
    });
    test.each(['order', 'unavailable', 'rate'])('without the order (%s) nothing is changed', async (name) => {
      stub.on('GET /v2/order/details', error(name));
      expect(await change({ price: '1' })).toMatchObject({ fate: 'rejected', message: expect.stringMatching(/^order_id: .*UDAPI/) });
      expect(stub.calls(PUT)).toEqual([]);
    });
    test('a cancel asks by id alone, without a read', async () => {
      await broker.cancelOrder(orderId);
      expect(stub.seen.map((seen) => [seen.method, seen.path, seen.query, seen.body])).toEqual([
        ['DELETE', '/v3/order/cancel', { order_id: orderId }, ''],
      ]);
    });
    test('an order id cannot leave its place in the query', async () => {
      await broker.cancelOrder('1&order_id=2#x');
      expect(stub.seen[0]?.query).toEqual({ order_id: '1&order_id=2#x' });
    });
  });
});
