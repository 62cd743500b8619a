import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aliceblue } from '../../server/brokers/aliceblue/adapter.ts';
import type { Broker, BrokerOrder } from '../../server/brokers/broker.ts';
import { depth, type FeedStand, openFeed } from './aliceblue.stub.ts';
import { bse, credentials, error, healthy, ok, option, order, orderId, routes, rowsOf } from './aliceblue.suite.ts';
import { TAG } from './conformance.ts';
import { envFor, openStub, type StubServer } from './stub-server.ts';

describe('aliceblue orders', () => {
  let stub: StubServer;
  let feed: FeedStand;
  let made: ReturnType<typeof envFor>;
  let broker: Broker;
  beforeEach(async () => {
    [stub, feed] = await Promise.all([openStub(), openFeed()]);
    healthy(stub);
    await use(credentials);
  });
  afterEach(async () => {
    await broker.close();
    await Promise.all([stub.close(), feed.close()]);
  });
  async function use(given: Record<string, string>, algoId?: string): Promise<void> {
    await broker?.close();
    made = envFor(aliceblue, stub.url, given);
    broker = aliceblue.create({ ...made.env, feedUrl: feed.url, algoId });
    await broker.connect(null);
  }
  const place = (change: Partial<BrokerOrder>) => broker.placeOrder({ ...order, ...change }, TAG);
  const jsonOf = (route: string) => JSON.parse(stub.calls(route).at(-1)?.body ?? 'null');

  describe('the body of an order', () => {
    const base = {
      exchange: 'NSE',
      instrumentId: '3045',
      transactionType: 'BUY',
      quantity: 10,
      product: 'INTRADAY',
      orderComplexity: 'REGULAR',
      validity: 'DAY',
      slTriggerPrice: '',
      disclosedQuantity: '0',
      deviceId: 'broker-gateway',
      orderTag: TAG,
    };
    test.each([
      ['LIMIT', { price: '812.35', triggerprice: '5' }, { orderType: 'LIMIT', price: '812.35' }],
      ['SL', { price: '820', triggerprice: '819.5' }, { orderType: 'SL', price: '820', slTriggerPrice: '819.5' }],
      // 0.5 % of 812.35 is 4.06: to the tick, not beyond.
      ['MARKET', { price: '5', triggerprice: '5' }, { orderType: 'LIMIT', price: '816.4' }],
      ['SL-M', { price: '5', triggerprice: '820.5' }, { orderType: 'SL', price: '841', slTriggerPrice: '820.5' }],
    ])('%s', async (ordertype, given, sent) => {
      expect(await place({ ordertype, ...given })).toMatchObject({ fate: 'accepted', order_id: orderId });
      expect(jsonOf(routes.place)).toEqual([{ ...base, ...sent }]);
    });
    test.each([
      ['MARKET', { triggerprice: '0' }, { orderType: 'LIMIT', price: '808.3' }],
      ['SL-M', { triggerprice: '800' }, { orderType: 'SL', price: '780', slTriggerPrice: '800' }],
    ])('a sale at %s has its limit below', async (ordertype, given, sent) => {
      await place({ ordertype, transactiontype: 'SELL', ...given });
      expect(jsonOf(routes.place)).toEqual([{ ...base, transactionType: 'SELL', ...sent }]);
    });
    test('carries the algo id when there is one', async () => {
      await use(credentials, 'A-77');
      await place({});
      expect(jsonOf(routes.place)).toEqual([{ ...base, orderType: 'LIMIT', price: '812.35', algoId: 'A-77' }]);
    });
    test('a carried contract goes out as NORMAL, or by the word that was set', async () => {
      const carried = { ...option, quantity: '65', producttype: 'CARRYFORWARD' };
      await place(carried);
      expect(jsonOf(routes.place)).toMatchObject([{ exchange: 'NFO', product: 'NORMAL', quantity: 65 }]);
      await use({ ...credentials, CARRYFORWARD_PRODUCT: 'NRML' });
      await place(carried);
      expect(jsonOf(routes.place)).toMatchObject([{ product: 'NRML' }]);
      await place({ producttype: 'DELIVERY' });
      expect(jsonOf(routes.place)).toMatchObject([{ product: 'LONGTERM' }]);
    });
    test('a token that the positions call otherwise is refused with that name', async () => {
      await broker.positions();
      const sent = await place({ symbol: 'STATEBANK', tradingsymbol: 'STATEBANK' });
      expect(sent).toMatchObject({ fate: 'rejected', message: expect.stringMatching(/^symbol: .*is SBIN in/) });
      expect(await place({ ...bse, token: '3045', symbol: 'OTHER', tradingsymbol: 'OTHER' })).toMatchObject({ fate: 'accepted' });
    });
  });

  describe('a protected limit', () => {
    const priceAt = async (lp: string, more: Record<string, string | undefined>, change: Partial<BrokerOrder>) => {
      feed.depth = { ...depth, lp, ...more };
      const sent = await place({ ordertype: 'MARKET', ...change });
      return sent.fate === 'accepted' ? jsonOf(routes.place)[0].price : sent.message;
    };
    const wide = { lc: '0.01', uc: '99999' };
    test.each([
      ['99.95', {}, '101.9'],
      ['100', {}, '101'],
      ['499.95', {}, '504.9'],
      ['500', {}, '502.5'],
      ['9.95', option, '10.4'],
      ['10', option, '10.3'],
      ['100', option, '102'],
      ['500', option, '505'],
      ['500', { ...option, symbol: 'NIFTY29DEC26F' }, '502.5'],
      ['1', {}, '1'],
    ])('of %s in %j is %s', async (last, change, limit) => {
      const more = last === '1' ? { ...wide, uc: '1' } : wide;
      expect(await priceAt(last, more, change)).toBe(limit);
    });
    test('is at least one tick away', async () => {
      expect(await priceAt('0.5', { ...wide, ti: '0.05' }, {})).toBe('0.55');
      expect(await priceAt('0.5', { ...wide, ti: '0.05' }, { transactiontype: 'SELL' })).toBe('0.45');
    });
    test('is the last price itself where no better one can trade', async () => {
      expect(await priceAt('0.05', { lc: undefined, ti: '0.05' }, { transactiontype: 'SELL' })).toBe('0.05');
      expect(await priceAt('893.2', {}, {})).toBe('893.2');
      expect(await priceAt('730.8', {}, { transactiontype: 'SELL' })).toBe('730.8');
      expect(await priceAt('900', {}, {})).toMatch(/^order_type: .*outside its circuit limits/);
    });
    test.each([
      ['at the circuit limit', { ordertype: 'SL-M', triggerprice: '893.2' }, {}],
      ['above nothing', { ordertype: 'SL-M', triggerprice: '0.05', transactiontype: 'SELL' }, { lc: undefined }],
      ['with a tick wider than the exchange allows', { ordertype: 'SL-M', triggerprice: '100' }, { ti: '5' }],
    ])('of a stop %s is refused before sending', async (_what, change, more) => {
      expect(await priceAt('812.35', more, change)).toMatch(/^trigger_price: .*send SL with a price/);
      expect(stub.calls(routes.place)).toEqual([]);
    });
    test('stays inside the circuit limits, where they are told', async () => {
      expect(await priceAt('892', {}, {})).toBe('893.2');
      expect(await priceAt('731', {}, { transactiontype: 'SELL' })).toBe('730.8');
      expect(await priceAt('892', { lc: undefined, uc: undefined }, {})).toBe('896.45');
    });
    test.each([
      ['without a tick size', { ti: undefined }, /tick size/],
      ['with a tick size of 0', { ti: '0' }, /tick size/],
      ['without a last price', { lp: undefined }, /no last price/],
      ['with a last price of 0', { lp: '0.00' }, /no last price/],
    ])('%s is refused before sending', async (_what, more, says) => {
      feed.depth = { ...depth, ...more };
      for (const ordertype of ['MARKET', 'SL-M']) {
        expect(await place({ ordertype, triggerprice: '820' })).toMatchObject({ fate: 'rejected', message: expect.stringMatching(says) });
      }
      expect(stub.calls(routes.place)).toEqual([]);
    });
  });

  describe('changing and cancelling', () => {
    const resting = '261120000112230';
    const change = (given: Record<string, string>) => broker.modifyOrder({ orderid: resting, variety: 'NORMAL', ...given });
    const book = (patch: Record<string, unknown>) =>
      stub.on(routes.orders, { body: ok(...rowsOf('orders').map((row) => (row.brokerOrderId === resting ? { ...row, ...patch } : row))) });
    const base = { brokerOrderId: resting, orderType: 'LIMIT', slTriggerPrice: '', validity: 'DAY' };

    test('sends what was given, with type and prices as they are booked', async () => {
      await change({ price: '813.5' });
      expect(jsonOf(routes.modify)).toEqual({ ...base, price: '813.5' });
      await change({ quantity: '5' });
      expect(jsonOf(routes.modify)).toEqual({ ...base, price: '812.35', quantity: 5 });
      await change({ ordertype: 'SL', triggerprice: '811' });
      expect(jsonOf(routes.modify)).toEqual({ ...base, orderType: 'SL', price: '812.35', slTriggerPrice: '811' });
    });
    test.each([
      ['MARKET', {}, { price: '816.4' }],
      ['SL-M', { triggerprice: '820' }, { orderType: 'SL', price: '840.5', slTriggerPrice: '820' }],
    ])('an order that becomes %s gets a protected limit', async (ordertype, given, sent) => {
      await change({ ordertype, ...given });
      expect(jsonOf(routes.modify)).toEqual({ ...base, ...sent });
    });
    test('a booked stop stays what it is, its validity too', async () => {
      book({ orderType: 'SL', price: 824.6, slTriggerPrice: 820.5, validity: 'IOC' });
      await change({ quantity: '7' });
      const stop = { orderType: 'SL', price: '824.6', slTriggerPrice: '820.5', quantity: 7, validity: 'IOC' };
      expect(jsonOf(routes.modify)).toEqual({ ...base, ...stop });
    });
    test('a row without a trigger price can be changed, unless the order is a stop', async () => {
      book({ slTriggerPrice: undefined });
      expect(await change({ price: '813.5' })).toMatchObject({ fate: 'accepted' });
      book({ orderType: 'SL', slTriggerPrice: undefined });
      expect(await change({ price: '813.5' })).toMatchObject({ fate: 'rejected', message: expect.stringMatching(/^trigger_price: /) });
    });
    test('a stop of another program keeps no market price', async () => {
      book({ orderType: 'SLM', price: 0, slTriggerPrice: 820.5 });
      await change({ quantity: '7' });
      expect(jsonOf(routes.modify)).toMatchObject({ orderType: 'SL', price: '841', slTriggerPrice: '820.5' });
    });
    test.each<[string, Record<string, unknown>, Record<string, string>, RegExp]>([
      ['a price for what is booked as MARKET', { orderType: 'MARKET' }, { price: '812' }, /^price: /],
      ['a price for what is booked as SLM', { orderType: 'SLM', slTriggerPrice: 9 }, { price: '812' }, /^price: /],
      ['a trigger for a LIMIT order', {}, { triggerprice: '811' }, /^trigger_price: /],
      ['a stop without a trigger', {}, { ordertype: 'SL' }, /^trigger_price: /],
      ['a limit without a price', { orderType: 'MARKET', price: 0 }, { ordertype: 'LIMIT' }, /^price: /],
      ['a limit whose booked price is empty', { price: '' }, { quantity: '5' }, /^price: /],
      ['a new quantity of a partly filled order', { filledQuantity: 4 }, { quantity: '12' }, /^quantity: /],
      ['no quantity', {}, { quantity: '0' }, /^quantity: /],
      ['an order type of the book that has no word here', { orderType: 'OCO' }, { price: '1' }, /^order_type: /],
      ['a row that cannot be read', { filledQuantity: null }, { price: '1' }, /^order_id: .*nothing was changed/],
      ['an order of MCX', { exchange: 'MCX' }, { price: '1' }, /^exchange: .*cancel it instead/],
      ['an order of CDS', { exchange: 'CDS' }, { price: '1' }, /^exchange: /],
    ])('%s is refused before sending', async (_what, patch, given, says) => {
      book(patch);
      expect(await change(given)).toMatchObject({ fate: 'rejected', message: expect.stringMatching(says) });
      expect(stub.calls(routes.modify)).toEqual([]);
    });
    test('the price of a partly filled order may change, its quantity stays unsaid', async () => {
      book({ filledQuantity: 4 });
      expect(await change({ price: '812' })).toMatchObject({ fate: 'accepted' });
      expect(jsonOf(routes.modify)).toEqual({ ...base, price: '812' });
    });
    test.each(['noOrders', 'generic', 'unavailable'])('without the book (%s) nothing is changed', async (name) => {
      stub.on(routes.orders, error(name));
      expect(await change({ price: '1' })).toMatchObject({ fate: 'rejected', message: expect.stringMatching(/^order_id: .*EC/) });
      expect(stub.calls(routes.modify)).toEqual([]);
    });
    test('an order that is not in the book is not changed', async () => {
      const sent = await broker.modifyOrder({ orderid: '42', variety: 'NORMAL', price: '1' });
      expect(sent).toMatchObject({ fate: 'rejected', message: expect.stringMatching(/^order_id: 42 .*not in the order book/) });
      expect(stub.calls(routes.modify)).toEqual([]);
    });
    test('a cancel asks by id alone, without a read, on MCX too', async () => {
      const before = stub.seen.length;
      await broker.cancelOrder('261120000112231');
      expect(stub.seen.slice(before).map((seen) => [`${seen.method} ${seen.path}`, seen.body])).toEqual([
        [routes.cancel, '{"brokerOrderId":"261120000112231"}'],
      ]);
    });
    test.each(['EC992', 'EC993', 'EC994', 'EC997', 'EC999'])('%s refuses a change and a cancel for certain, an order not', async (code) => {
      for (const route of [routes.modify, routes.cancel, routes.place]) stub.on(route, { body: { status: code, message: 'not possible' } });
      expect(await change({ price: '1' })).toMatchObject({ fate: 'rejected' });
      expect(await broker.cancelOrder(resting)).toMatchObject({ fate: 'rejected' });
      expect(await place({})).toMatchObject({ fate: 'unknown' });
    });
  });
});
