import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Broker, BrokerOrder } from '../../server/brokers/broker.ts';
import { fyers } from '../../server/brokers/fyers/adapter.ts';
import { stopLimit } from '../../server/brokers/fyers/order.ts';
import { createBroker } from '../../server/brokers/index.ts';
import { Refusal } from '../../server/brokers/parse.ts';
import { Big } from '../../server/money.ts';
import { TAG } from './conformance.ts';
import { credentials, error, healthy, order, orderId, patched } from './fyers.suite.ts';
import { type Answer, envFor, openStub, type StubServer } from './stub-server.ts';

const SYNC = '/api/v3/orders/sync';

describe('orders of fyers', () => {
  let stub: StubServer;
  let broker: Broker;
  beforeEach(async () => {
    stub = await openStub();
    healthy(stub);
    broker = createBroker('fyers', envFor(fyers, stub.url, credentials).env);
  });
  afterEach(async () => {
    await broker.close();
    await stub.close();
  });
  const place = (change: Partial<BrokerOrder>) => broker.placeOrder({ ...order, ...change }, TAG);
  const sentTo = (route: string) => JSON.parse(stub.calls(route).at(-1)?.body ?? 'null');

  describe('the body of an order', () => {
    const base = {
      symbol: 'NSE:SBIN-EQ',
      qty: 10,
      type: 2,
      side: 1,
      productType: 'INTRADAY',
      limitPrice: 0,
      stopPrice: 0,
      validity: 'DAY',
      disclosedQty: 0,
      offlineOrder: false,
      orderTag: TAG,
      isSliceOrder: false,
    };
    test.each([
      ['MARKET', { price: '5', triggerprice: '5' }, { type: 2 }],
      ['LIMIT', { price: '812.35', triggerprice: '5' }, { type: 1, limitPrice: 812.35 }],
      ['SL', { price: '800', triggerprice: '800.5', transactiontype: 'SELL' }, { type: 4, side: -1, limitPrice: 800, stopPrice: 800.5 }],
      ['SL-M', { price: '5', triggerprice: '820' }, { type: 4, limitPrice: 840.5, stopPrice: 820 }],
      ['SL-M', { triggerprice: '799.95', transactiontype: 'SELL' }, { type: 4, side: -1, limitPrice: 780, stopPrice: 799.95 }],
      ['SL-M', { triggerprice: '800.05' }, { type: 4, limitPrice: 820.05, stopPrice: 800.05 }],
      ['SL-M', { triggerprice: '800.2', transactiontype: 'SELL' }, { type: 4, side: -1, limitPrice: 780.2, stopPrice: 800.2 }],
      ['SL-M', { triggerprice: '880' }, { type: 4, limitPrice: 892.3, stopPrice: 880 }],
      ['SL-M', { triggerprice: '740', transactiontype: 'SELL' }, { type: 4, side: -1, limitPrice: 730.1, stopPrice: 740 }],
      ['LIMIT', { variety: 'AMO', price: '812.35' }, { type: 1, limitPrice: 812.35, offlineOrder: true }],
    ])('%s with %o', async (ordertype, given, sent) => {
      expect(await place({ ordertype, ...given })).toMatchObject({ fate: 'accepted' });
      expect(sentTo(`POST ${SYNC}`)).toEqual({ ...base, ...sent });
    });
    test('asks for the market of the symbol alone, and only for SL-M', async () => {
      await place({ ordertype: 'LIMIT', price: '800' });
      expect(stub.calls('GET /data/depth')).toEqual([]);
      await place({ ordertype: 'SL-M', triggerprice: '820', tradingsymbol: 'NSE:M&M-EQ' });
      expect(stub.calls('GET /data/depth').map((seen) => seen.query)).toEqual([{ symbol: 'NSE:M&M-EQ', ohlcv_flag: '1' }]);
    });
    test('the limit of an SL-M order on an option may lie further off', async () => {
      const symbol = 'NSE:NIFTY26DEC26000CE';
      stub.on('GET /data/depth', { body: { s: 'ok', d: { [symbol]: { tick_Size: 0.05, lower_ckt: 0.05, upper_ckt: 600 } } } });
      const option = { exchange: 'NFO', tradingsymbol: symbol, token: '', ordertype: 'SL-M' };
      await place({ ...option, triggerprice: '120.3' });
      expect(sentTo(`POST ${SYNC}`)).toMatchObject({ limitPrice: 126.3, stopPrice: 120.3 });
      await place({ ...option, triggerprice: '0.1', transactiontype: 'SELL' });
      expect(sentTo(`POST ${SYNC}`)).toMatchObject({ limitPrice: 0.05, stopPrice: 0.1 });
      expect(await place({ ...option, triggerprice: '0.05', transactiontype: 'SELL' })).toMatchObject({
        fate: 'rejected',
        message: expect.stringMatching(/^trigger_price: .*0\.05 and the circuit limit 0\.05/),
      });
      expect(stub.calls(`POST ${SYNC}`)).toHaveLength(2);
    });
    test.each([
      ['BUY', '892.3'],
      ['BUY', '700'],
      ['SELL', '730.1'],
      ['SELL', '900'],
    ])('an SL-M %s with trigger %s at or outside a circuit limit is refused', async (transactiontype, triggerprice) => {
      expect(await place({ ordertype: 'SL-M', triggerprice, transactiontype })).toMatchObject({
        fate: 'rejected',
        message: expect.stringMatching(/^trigger_price: /),
      });
      expect(stub.calls(`POST ${SYNC}`)).toEqual([]);
    });
    test('the limit of an SL-M order lies inside the exchange’s band, on the tick and inside the circuit, at any trigger', () => {
      const symbols = fc.constantFrom('NSE:SBIN-EQ', 'NSE:NIFTY26DECFUT', 'NSE:NIFTY26DEC26000PE');
      const ticks = fc.constantFrom(0.01, 0.05, 0.1, 0.5, 1, 5);
      const one = fc.record({
        symbol: symbols,
        tick_Size: ticks,
        steps: fc.integer({ min: 2, max: 40_000 }),
        side: fc.constantFrom(1, -1),
      });
      fc.assert(
        fc.property(one, ({ symbol, tick_Size, steps, side }) => {
          const trigger = new Big(tick_Size).times(steps);
          const [lower, upper] = [trigger.times('0.98'), trigger.times('1.2')];
          const circuit = { lower_ckt: Math.max(0.01, Number(lower)), upper_ckt: Number(upper) };
          const limit = limitOf({ symbol, side, stopPrice: Number(trigger) }, { tick_Size, ...circuit });
          if (limit === null) return;
          const beyond = new Big(limit).minus(trigger).times(side);
          const counted = trigger.lte(50) ? new Big(50) : trigger;
          expect(beyond.gte(tick_Size)).toBe(true);
          expect(beyond.lte(counted.times(symbol.endsWith('PE') ? '0.2' : '0.03'))).toBe(true);
          expect(new Big(limit).mod(tick_Size).eq(0)).toBe(true);
          expect(limit >= circuit.lower_ckt && limit <= circuit.upper_ckt).toBe(true);
        }),
        { numRuns: 500 },
      );
    });
    test.each(
      Object.entries<Answer>({
        'is down': error('general'),
        'is broken': 'reset',
        'has no circuit': { body: { s: 'ok', d: { 'NSE:SBIN-EQ': { tick_Size: 0.05, lower_ckt: 0, upper_ckt: 0 } } } },
        'has no tick': { body: { s: 'ok', d: { 'NSE:SBIN-EQ': { tick_Size: 0, lower_ckt: 730.1, upper_ckt: 892.3 } } } },
        'says nothing': { body: { s: 'ok', d: {} } },
        'is a list': { body: { s: 'ok', d: ['NSE:SBIN-EQ'] } },
      }),
    )('SL-M is refused when the market %s', async (_what, answer) => {
      stub.on('GET /data/depth', answer);
      expect(await place({ ordertype: 'SL-M', triggerprice: '820' })).toMatchObject({
        fate: 'rejected',
        message: expect.stringMatching(/SL-M.*nothing was sent/),
      });
      expect(stub.calls(`POST ${SYNC}`)).toEqual([]);
    });
  });

  describe('changing and cancelling', () => {
    const change = (given: { orderid: string } & Record<string, string>) => broker.modifyOrder({ variety: 'NORMAL', ...given });
    const sent = () => sentTo(`PATCH ${SYNC}`);
    const open = '26112000000102';
    const stop = '26112000000103';
    test('sends the fields that were given, the type, and the prices the type needs as they are booked', async () => {
      await change({ orderid: open, price: '813.5' });
      expect(sent()).toEqual({ id: open, type: 1, limitPrice: 813.5 });
      await change({ orderid: open, quantity: '5' });
      expect(sent()).toEqual({ id: open, type: 1, qty: 5, limitPrice: 812.35 });
      await change({ orderid: stop, triggerprice: '801' });
      expect(sent()).toEqual({ id: stop, type: 4, stopPrice: 801, limitPrice: 800 });
      await change({ orderid: stop, price: '799', quantity: '4' });
      expect(sent()).toEqual({ id: stop, type: 4, qty: 4, stopPrice: 800.5, limitPrice: 799 });
      await change({ orderid: stop, ordertype: 'LIMIT', price: '805' });
      expect(sent()).toEqual({ id: stop, type: 1, limitPrice: 805 });
      await change({ orderid: stop, ordertype: 'MARKET' });
      expect(sent()).toEqual({ id: stop, type: 2 });
      expect(stub.calls('GET /api/v3/orders').map((seen) => seen.query.id)).toEqual([open, open, stop, stop, stop, stop]);
      expect(stub.calls('GET /data/depth')).toEqual([]);
    });
    test('an order that becomes SL-M gets a protected limit on its side', async () => {
      await change({ orderid: open, ordertype: 'SL-M', triggerprice: '820' });
      expect(sent()).toEqual({ id: open, type: 4, stopPrice: 820, limitPrice: 840.5 });
      await change({ orderid: stop, ordertype: 'SL-M', triggerprice: '799.95' });
      expect(sent()).toEqual({ id: stop, type: 4, stopPrice: 799.95, limitPrice: 780 });
    });
    test('the limit of our own SL-M order moves with its trigger, until it is told otherwise', async () => {
      await place({ ordertype: 'SL-M', triggerprice: '820' });
      stub.on('GET /api/v3/orders', { body: patched('orders', { type: 4, limitPrice: 844.6, stopPrice: 820 }) });
      await change({ orderid: orderId, triggerprice: '840' });
      expect(sent()).toEqual({ id: orderId, type: 4, stopPrice: 840, limitPrice: 861 });
      await change({ orderid: orderId, quantity: '4' });
      expect(sent()).toEqual({ id: orderId, type: 4, qty: 4, stopPrice: 820, limitPrice: 844.6 });
      await change({ orderid: orderId, price: '850', triggerprice: '840' });
      expect(sent()).toEqual({ id: orderId, type: 4, stopPrice: 840, limitPrice: 850 });
      await change({ orderid: orderId, triggerprice: '840' });
      expect(sent()).toEqual({ id: orderId, type: 4, stopPrice: 840, limitPrice: 844.6 });
      await change({ orderid: orderId, ordertype: 'SL-M' });
      await change({ orderid: orderId, triggerprice: '830' });
      expect(sent()).toEqual({ id: orderId, type: 4, stopPrice: 830, limitPrice: 850.75 });
      await change({ orderid: orderId, ordertype: 'SL', price: '850' });
      await change({ orderid: orderId, triggerprice: '830' });
      expect(sent()).toEqual({ id: orderId, type: 4, stopPrice: 830, limitPrice: 844.6 });
    });
    test('an SL-M order placed elsewhere keeps its type and moves by its trigger', async () => {
      stub.on('GET /api/v3/orders', { body: patched('orders', { type: 3, limitPrice: 0, stopPrice: 820 }) });
      await change({ orderid: orderId, triggerprice: '821' });
      expect(sent()).toEqual({ id: orderId, type: 3, stopPrice: 821 });
      expect(await change({ orderid: orderId, price: '821' })).toMatchObject({
        fate: 'rejected',
        message: expect.stringContaining('price'),
      });
    });
    test.each([
      ['a price for an order at market', { orderid: '26112000000104', price: '1' }, 'price'],
      ['a price of 0 for an order at market', { orderid: '26112000000104', price: '0' }, 'price'],
      ['a trigger for a limit order', { orderid: open, triggerprice: '800' }, 'trigger_price'],
      ['LIMIT for an order without a price', { orderid: '26112000000104', ordertype: 'LIMIT' }, 'price'],
      ['SL without a trigger', { orderid: open, ordertype: 'SL', price: '800' }, 'trigger_price'],
      ['a price of nothing', { orderid: open, price: '0' }, 'price'],
      ['SL-M with a trigger at its circuit limit', { orderid: open, ordertype: 'SL-M', triggerprice: '892.3' }, 'trigger_price'],
      ['an order not in the book', { orderid: '42', price: '1' }, 'order_id'],
    ])('%s is refused before sending', async (_what, given, field) => {
      expect(await change(given)).toMatchObject({ fate: 'rejected', message: expect.stringContaining(field) });
      expect(stub.calls(`PATCH ${SYNC}`)).toEqual([]);
    });
    test('nothing is changed while the book cannot be read', async () => {
      stub.on('GET /api/v3/orders', error('general'));
      expect(await change({ orderid: open, price: '1' })).toMatchObject({ fate: 'rejected', message: expect.stringContaining('nothing') });
      expect(stub.calls(`PATCH ${SYNC}`)).toEqual([]);
    });
    test('a cancel names the one order and reads nothing before', async () => {
      expect(await broker.cancelOrder(stop)).toMatchObject({ fate: 'accepted' });
      expect(stub.seen.map((seen) => [seen.method, seen.path, seen.body])).toEqual([['DELETE', SYNC, JSON.stringify({ id: stop })]]);
    });
  });
});

/** The limit of a stop; null where it is refused. */
function limitOf(...given: Parameters<typeof stopLimit>): number | null {
  try {
    return stopLimit(...given);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
