import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Broker, BrokerOrder } from '../../server/brokers/broker.ts';
import { fivepaisa } from '../../server/brokers/fivepaisa/adapter.ts';
import { createBroker } from '../../server/brokers/index.ts';
import { TAG } from './conformance.ts';
import {
  BOOK,
  CANCEL,
  credentials,
  error,
  good,
  healthy,
  listOf,
  MODIFY,
  market,
  order,
  PLACE,
  patched,
  receipt,
  refusal,
  traded,
} from './fivepaisa.suite.ts';
import { type Answer, envFor, openStub, type StubServer } from './stub-server.ts';

const SNAPSHOT = 'POST /MarketSnapshot';

describe('orders of fivepaisa', () => {
  let stub: StubServer;
  let made: ReturnType<typeof envFor>;
  let broker: Broker;
  beforeEach(async () => {
    stub = await openStub();
    healthy(stub);
    made = envFor(fivepaisa, stub.url, credentials);
    broker = createBroker('fivepaisa', made.env);
    await broker.connect(null);
  });
  afterEach(async () => {
    await broker.close();
    await stub.close();
  });
  const place = (change: Partial<BrokerOrder>) => broker.placeOrder({ ...order, ...change }, TAG);
  const sentTo = (route: string) => JSON.parse(stub.calls(route).at(-1)?.body ?? 'null').body;
  const refusedWith = (text: string | RegExp) => ({ fate: 'rejected', message: expect.stringMatching(text) });

  describe('the body of an order', () => {
    const base = {
      ClientCode: '50000011',
      Exchange: 'N',
      ExchangeType: 'C',
      ScripCode: 3045,
      OrderType: 'B',
      Qty: 10,
      DisQty: 0,
      Price: 812.35,
      StopLossPrice: 0,
      IsIntraday: true,
      AHPlaced: 'N',
      iOrderValidity: 0,
      RemoteOrderID: TAG,
      isMTF: false,
      AlgoID: 0,
    };
    test.each<[string, Partial<BrokerOrder>, Record<string, unknown>]>([
      ['LIMIT', { triggerprice: '5' }, {}],
      ['LIMIT', { ...traded.BSE, producttype: 'DELIVERY' }, { Exchange: 'B', ScripCode: 500112, IsIntraday: false }],
      ['LIMIT', { variety: 'AMO' }, { AHPlaced: 'Y' }],
      ['SL', { price: '800', triggerprice: '800.5', transactiontype: 'SELL' }, { OrderType: 'S', Price: 800, StopLossPrice: 800.5 }],
      ['MARKET', { price: '5', triggerprice: '5' }, { Price: 828.55 }],
      ['MARKET', { transactiontype: 'SELL' }, { OrderType: 'S', Price: 796.15 }],
      ['SL-M', { price: '5', triggerprice: '820' }, { Price: 840.5, StopLossPrice: 820 }],
      ['SL-M', { triggerprice: '800.05', transactiontype: 'SELL' }, { OrderType: 'S', Price: 780.05, StopLossPrice: 800.05 }],
      // Without circuit limits the percent alone.
      ['SL-M', { triggerprice: '880' }, { Price: 902, StopLossPrice: 880 }],
      ['SL-M', { triggerprice: '735', transactiontype: 'SELL' }, { OrderType: 'S', Price: 716.65, StopLossPrice: 735 }],
    ])('%s with %o', async (ordertype, given, sent) => {
      expect(await place({ ordertype, ...given })).toMatchObject({ fate: 'accepted', order_id: TAG });
      expect(sentTo(PLACE)).toEqual({ ...base, ...sent });
    });
    test('carries app key and token, and the algo id as a number where it is one', async () => {
      await place({});
      expect(stub.calls(PLACE)[0]?.headers.authorization).toBe('Bearer e30.access-token-5d6e.s');
      expect(JSON.parse(stub.calls(PLACE)[0]?.body ?? '{}').head).toEqual({ key: credentials.USER_KEY });
      for (const [algoId, sent] of [
        ['7001', 7001],
        ['ALGO-1', 'ALGO-1'],
      ] as const) {
        const own = createBroker('fivepaisa', { ...made.env, algoId });
        await own.placeOrder(order, TAG);
        expect(sentTo(PLACE).AlgoID).toBe(sent);
        await own.close();
      }
    });
  });

  describe('a protected limit', () => {
    test('asks for the market of the scrip alone, and only without a limit of its own', async () => {
      await place({});
      expect(stub.calls(SNAPSHOT)).toEqual([]);
      await place({ ordertype: 'MARKET' });
      expect(sentTo(SNAPSHOT).Data).toEqual([{ Exchange: 'N', ExchangeType: 'C', ScripCode: 3045, ScripData: '' }]);
    });
    test.each<[string, Record<string, unknown>, Partial<BrokerOrder>, number]>([
      [
        'of an option is 5 % away',
        { ScripCode: 48001, LastTradedPrice: 240, UpperCircuitLimit: 480, LowerCircuitLimit: 0.05 },
        traded.NFO,
        252,
      ],
      [
        'of a cheap option is 0.10 away',
        { ScripCode: 48001, LastTradedPrice: 0.5, UpperCircuitLimit: 5, LowerCircuitLimit: 0.05 },
        traded.NFO,
        0.6,
      ],
      ['takes the last price where no room is left', { LastTradedPrice: 892.3 }, {}, 892.3],
      ['needs no prices beside the circuits', { Open: 0, High: null, Low: undefined, PClose: 0 }, {}, 828.55],
      [
        'stays on a tick where few prices are known',
        { LastTradedPrice: 800, Open: 0, High: 0, Low: 0, PClose: 0, UpperCircuitLimit: 880, LowerCircuitLimit: 720 },
        {},
        816,
      ],
      [
        'takes the tick of a month that began above 1,000',
        { LastTradedPrice: 999.4, Open: 1004, High: 1004, Low: 999, PClose: 1004, UpperCircuitLimit: 1104.4, LowerCircuitLimit: 903.6 },
        {},
        1019.3,
      ],
      ['takes prices as text', { LastTradedPrice: '812.35', UpperCircuitLimit: '892.30', LowerCircuitLimit: '730.10' }, {}, 828.55],
    ])('%s', async (_what, patch, given, price) => {
      stub.on(SNAPSHOT, market({ Open: 0, High: 0, Low: 0, PClose: 0, ...patch }));
      expect(await place({ ordertype: 'MARKET', ...given })).toMatchObject({ fate: 'accepted' });
      expect(sentTo(PLACE).Price).toBe(price);
    });
    test.each<[string, Partial<BrokerOrder>, number]>([
      ['above', { triggerprice: '880' }, 892.3],
      ['below', { triggerprice: '735', transactiontype: 'SELL' }, 730.1],
    ])('of a stop lies inside a circuit limit %s, where it is told', async (_what, given, price) => {
      stub.on(SNAPSHOT, good('fullSnapshot'));
      expect(await place({ ordertype: 'SL-M', ...given })).toMatchObject({ fate: 'accepted' });
      expect(sentTo(PLACE).Price).toBe(price);
    });
    test.each([
      ['outside the circuit limits', '900', /^trigger_price: 900 is outside the circuit limits/],
      ['at one', '892.3', /^trigger_price: no limit fits/],
    ])('of a stop whose trigger is %s is refused', async (_what, triggerprice, says) => {
      stub.on(SNAPSHOT, good('fullSnapshot'));
      expect(await place({ ordertype: 'SL-M', triggerprice })).toMatchObject(refusedWith(says));
      expect(stub.calls(PLACE)).toEqual([]);
    });
    test.each<[string, Record<string, unknown>, number]>([
      ['no circuit limits', { UpperCircuitLimit: undefined, LowerCircuitLimit: null }, 828.55],
      ['circuit limits of 0', { UpperCircuitLimit: 0, LowerCircuitLimit: 0 }, 828.55],
      ['an upper limit alone', { UpperCircuitLimit: 820, LowerCircuitLimit: undefined }, 820],
      ['the last price under both names', { LastRate: 812.35, Token: 3045 }, 828.55],
    ])('is set from a snapshot with %s', async (_what, patch, price) => {
      stub.on(SNAPSHOT, market(patch));
      expect(await place({ ordertype: 'MARKET' })).toMatchObject({ fate: 'accepted' });
      expect(sentTo(PLACE).Price).toBe(price);
    });
    test.each(
      Object.entries<Answer>({
        'is down': error('server'),
        'is broken': 'reset',
        'has no last price under any name': market({ LastTradedPrice: undefined }),
        'has a token of another scrip': market({ Token: 1660 }),
        'has no last price': market({ LastTradedPrice: 0 }),
        'has a last price that is none': market({ LastTradedPrice: 'n/a' }),
        'is that of another scrip': market({ ScripCode: 1660 }),
        'has left its circuits': market({ LastTradedPrice: 900 }),
        'says nothing': { body: { head: { status: '0' }, body: { Status: 0, Message: 'Success', Data: [] } } },
      }),
    )('is refused when the market %s', async (_what, answer) => {
      stub.on(SNAPSHOT, answer);
      expect(await place({ ordertype: 'MARKET' })).toMatchObject(refusedWith(/^order_type: /));
      expect(stub.calls(PLACE)).toEqual([]);
    });
    test('is refused from a last price older than 5 s', async () => {
      let late = 0;
      stub.on(SNAPSHOT, () => {
        late = 5_001;
        return good('snapshot');
      });
      const slow = createBroker('fivepaisa', { ...made.env, clock: { ...made.env.clock, now: () => Date.now() + late } });
      expect(await slow.placeOrder({ ...order, ordertype: 'MARKET' }, TAG)).toMatchObject(refusedWith(/too late.*nothing was sent/));
      expect(stub.calls(PLACE)).toEqual([]);
      await slow.close();
    });
    test('the last price is told from the fuller snapshot too', async () => {
      stub.on(SNAPSHOT, good('fullSnapshot'));
      expect(await broker.lastPrice?.('NSE', 'SBIN', '3045')).toMatchObject({ price: 812.35 });
    });
    test('the last price is told with its time', async () => {
      const before = Date.now();
      const last = await broker.lastPrice?.('NSE', 'SBIN', '3045');
      expect(last?.price).toBe(812.35);
      expect(last?.at).toBeGreaterThanOrEqual(before);
      stub.on(SNAPSHOT, market({ LastTradedPrice: 0 }));
      expect(await broker.lastPrice?.('NSE', 'SBIN', '3045')).toBeNull();
    });
  });

  describe('the answer to a placement', () => {
    test.each<[string, Answer]>([
      ['names another order', receipt({ RemoteOrderID: 'z3v9c0m2p7q1x8za' })],
      ['refuses and names an order', refusal('margin', { BrokerOrderID: 182747604 })],
    ])('that %s is unknown', async (_what, answer) => {
      stub.on(PLACE, answer);
      expect(await place({})).toMatchObject({ fate: 'unknown', order_id: '' });
    });
    test('without the tag is accepted', async () => {
      stub.on(PLACE, receipt({ RemoteOrderID: undefined }));
      expect(await place({})).toMatchObject({ fate: 'accepted', order_id: TAG });
    });
  });

  describe('changing and cancelling', () => {
    const change = (given: { orderid: string } & Record<string, string>) => broker.modifyOrder({ variety: 'NORMAL', ...given });
    const open = '1500000035029170';
    const stop = '1500000035029171';
    const client = { ClientCode: '50000011' };
    const asOpen = { ...client, ExchOrderID: open, Price: 812.35, Qty: 10, StopLossPrice: 0, DisQty: 0 };
    const asStop = { ...client, ExchOrderID: stop, Price: 800, Qty: 10, StopLossPrice: 800.5, DisQty: 2 };
    test.each([
      [
        { orderid: open, price: '813.5' },
        { ...asOpen, Price: 813.5 },
      ],
      [
        { orderid: open, quantity: '5' },
        { ...asOpen, Qty: 5 },
      ],
      [
        { orderid: open, ordertype: 'MARKET' },
        { ...asOpen, Price: 828.55 },
      ],
      [
        { orderid: stop, triggerprice: '801' },
        { ...asStop, StopLossPrice: 801 },
      ],
      [
        { orderid: stop, price: '799', quantity: '4' },
        { ...asStop, Price: 799, Qty: 4 },
      ],
      [
        { orderid: stop, ordertype: 'SL-M', triggerprice: '801' },
        { ...asStop, Price: 781, StopLossPrice: 801 },
      ],
    ])('%o sends all four values, the others as they are booked', async (given, sent) => {
      expect(await change(given)).toMatchObject({ fate: 'accepted', order_id: given.orderid });
      expect(sentTo(MODIFY)).toEqual(sent);
    });
    test('the limit of our own SL-M order moves with its trigger, until it is told otherwise', async () => {
      await place({ ordertype: 'SL-M', triggerprice: '820' });
      stub.on(BOOK, { body: patched('orders', { SLTriggerRate: 820, Rate: 836.4, OrderStatus: 'Pending', TradedQty: 0 }) });
      await change({ orderid: TAG, triggerprice: '830' });
      expect(sentTo(MODIFY)).toMatchObject({ StopLossPrice: 830, Price: 850.75 });
      await change({ orderid: TAG, quantity: '4' });
      expect(sentTo(MODIFY)).toMatchObject({ StopLossPrice: 820, Price: 836.4, Qty: 4 });
      await change({ orderid: TAG, price: '850' });
      await change({ orderid: TAG, triggerprice: '830' });
      expect(sentTo(MODIFY)).toMatchObject({ StopLossPrice: 830, Price: 836.4 });
    });
    test.each([
      ['MCX', { Exch: 'M', ExchType: 'D' }],
      ['CDS', { Exch: 'N', ExchType: 'U' }],
    ])('on %s a quantity is not changed, a price is', async (exchange, booked) => {
      stub.on(BOOK, { body: patched('orders', { ...booked, OrderStatus: 'Pending', TradedQty: 0 }) });
      expect(await change({ orderid: TAG, quantity: '5' })).toMatchObject(refusedWith(new RegExp(`^quantity: .*${exchange}`)));
      expect(stub.calls(MODIFY)).toEqual([]);
      expect(await change({ orderid: TAG, price: '813' })).toMatchObject({ fate: 'accepted' });
    });
    test.each([
      ['a trigger for a limit order', { orderid: open, triggerprice: '800' }, /^trigger_price/],
      ['a limit order that becomes a stop', { orderid: open, ordertype: 'SL', price: '800', triggerprice: '800' }, /^order_type/],
      ['a stop that becomes a limit order', { orderid: stop, ordertype: 'LIMIT' }, /^order_type/],
      ['a price for MARKET', { orderid: open, ordertype: 'MARKET', price: '5' }, /^price/],
      ['a price of 0 for MARKET', { orderid: open, ordertype: 'MARKET', price: '0' }, /^price/],
      ['a price of nothing', { orderid: open, price: '0' }, /^price/],
      ['an order not in the book', { orderid: '42', price: '1' }, /^order_id.*nothing was sent/],
      ['an order the exchange has not acknowledged', { orderid: '182747608', price: '1' }, /^order_id.*acknowledged/],
    ])('%s is refused before sending', async (_what, given, text) => {
      expect(await change(given)).toMatchObject(refusedWith(text));
      expect(stub.calls(MODIFY)).toEqual([]);
    });
    test('nothing is changed or cancelled while the book cannot be read or names two orders', async () => {
      const [row = {}] = listOf('orders');
      const twins = {
        head: { status: '0' },
        body: { Status: 0, Message: 'Success', OrderBookDetail: [row, { ...row, BrokerOrderId: 9 }] },
      };
      for (const answer of [error('server'), { body: twins }]) {
        stub.on(BOOK, answer);
        expect(await change({ orderid: TAG, price: '1' })).toMatchObject(refusedWith(/nothing was sent/));
        expect(await broker.cancelOrder(TAG)).toMatchObject(refusedWith(/nothing was sent/));
      }
      expect([...stub.calls(MODIFY), ...stub.calls(CANCEL)]).toEqual([]);
    });
    test('a cancel names the order by its number at the exchange, read from the book', async () => {
      expect(await broker.cancelOrder(TAG)).toMatchObject({ fate: 'accepted', order_id: TAG });
      expect(sentTo(CANCEL)).toEqual({ ...client, ExchOrderID: '1500000035029169' });
      expect(await broker.cancelOrder('182747608')).toMatchObject(refusedWith(/acknowledged.*nothing was sent/));
      expect(stub.calls(CANCEL).length).toBe(1);
    });
    test('a refused change that names its order is still refused', async () => {
      stub.on(MODIFY, refusal('closed', { BrokerOrderID: 182747605 }));
      expect(await change({ orderid: open, price: '813' })).toMatchObject(refusedWith(/closed/));
    });
  });
});
