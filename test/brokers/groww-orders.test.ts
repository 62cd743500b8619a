import { beforeEach, describe, expect, test } from 'vitest';
import type { BrokerChange, BrokerOrder } from '../../server/brokers/broker.ts';
import { TAG } from './conformance.ts';
import { growwStub } from './groww.stub.ts';
import { body, credentials, error, ok, order, orderId, patched, rowsOf } from './groww.suite.ts';

describe('orders at groww', () => {
  const here = growwStub();
  const place = (change: Partial<BrokerOrder>) => here.broker.placeOrder({ ...order, ...change }, TAG);

  describe('the body of an order', () => {
    const base = {
      trading_symbol: 'WIPRO',
      quantity: 100,
      validity: 'DAY',
      exchange: 'NSE',
      segment: 'CASH',
      product: 'MIS',
      transaction_type: 'BUY',
      order_reference_id: TAG,
    };
    test.each([
      ['MARKET', { price: '5', triggerprice: '5' }, { order_type: 'MARKET' }],
      ['LIMIT', { price: '812.35', triggerprice: '5' }, { order_type: 'LIMIT', price: 812.35 }],
      ['SL', { price: '800', triggerprice: '800.05' }, { order_type: 'SL', price: 800, trigger_price: 800.05 }],
      ['SL-M', { price: '5', triggerprice: '805' }, { order_type: 'SL', price: 825.1, trigger_price: 805 }],
    ])('%s', async (ordertype, given, sent) => {
      await place({ ordertype, ...given });
      expect(here.jsonOf('POST /v1/order/create')).toEqual({ ...base, ...sent });
    });
    test.each([
      ['NSE', 'NSE', 'CASH'],
      ['BSE', 'BSE', 'CASH'],
      ['NFO', 'NSE', 'FNO'],
      ['BFO', 'BSE', 'FNO'],
    ])('%s is %s %s', async (ours, exchange, segment) => {
      await place({ exchange: ours });
      expect(here.jsonOf('POST /v1/order/create')).toMatchObject({ exchange, segment });
    });
  });

  describe('an SL-M order goes out as SL', () => {
    const [quote] = [body('quote').payload as Record<string, unknown>];
    const quoted = (patch: Record<string, unknown>) => here.stub.on('GET /v1/live-data/quote', { body: ok({ ...quote, ...patch }) });
    const slm = (given: Partial<BrokerOrder>) => place({ ordertype: 'SL-M', ...given });
    const nfo = { exchange: 'NFO', producttype: 'CARRYFORWARD' };
    const wide = { upper_circuit_limit: 99_999.95, lower_circuit_limit: 0.05 };

    test.each([
      ['BUY', '805', {}, {}, 825.1],
      ['SELL', '795', {}, {}, 775.15],
      ['SELL', '721', {}, {}, 720.05],
      ['BUY', '100.05', { ...nfo, tradingsymbol: 'NIFTY26NOV26000CE' }, wide, 105.05],
      ['SELL', '6', { ...nfo, tradingsymbol: 'NIFTY26NOV26000CE' }, wide, 5.5],
      ['BUY', '26000', { ...nfo, tradingsymbol: 'NIFTY26NOVFUT' }, wide, 26650],
      ['BUY', '805', {}, { upper_circuit_limit: null, lower_circuit_limit: 0, ohlc: null, depth: 'none' }, 825.1],
    ])('%s at %s %o', async (transactiontype, triggerprice, given, patch, limit) => {
      quoted(patch);
      expect(await slm({ transactiontype, triggerprice, ...given })).toMatchObject({
        fate: 'accepted',
        message: `SL-M went to Groww as SL with a limit of ${limit}`,
      });
      expect(here.jsonOf('POST /v1/order/create')).toMatchObject({ order_type: 'SL', trigger_price: Number(triggerprice), price: limit });
    });
    test('by the quote of its own name', async () => {
      await slm({ exchange: 'BFO', producttype: 'CARRYFORWARD', tradingsymbol: 'SENSEX26NOVFUT', triggerprice: '805' });
      const asked = here.stub.calls('GET /v1/live-data/quote').map((seen) => seen.query);
      expect(asked).toEqual([{ exchange: 'BSE', segment: 'FNO', trading_symbol: 'SENSEX26NOVFUT' }]);
    });
    test.each([
      ['a trigger beyond the circuit limits', {}, '900', /^trigger_price: 900/],
      ['no room to the circuit limit', { upper_circuit_limit: 805 }, '805', /room to the circuit limit/],
      ['a price that is none', { last_price: 'n/a' }, '805', /last_price/],
    ])('but is refused before sending with %s', async (_what, patch, triggerprice, says) => {
      quoted(patch);
      expect(await slm({ triggerprice })).toMatchObject({ fate: 'rejected', message: expect.stringMatching(says) });
      expect(here.stub.calls('POST /v1/order/create')).toEqual([]);
    });
    test('but is refused before sending without a quote, or with an old one', async () => {
      let skipMs = 0;
      here.use(credentials, { clock: { ...here.made.env.clock, now: () => Date.now() + skipMs } });
      here.stub.on('GET /v1/live-data/quote', () => {
        skipMs = 5_001;
        return { body: body('quote') };
      });
      expect(await slm({ triggerprice: '805' })).toMatchObject({ fate: 'rejected', message: expect.stringContaining('5 s') });
      here.stub.on('GET /v1/live-data/quote', error('unable'));
      expect(await slm({ triggerprice: '805' })).toMatchObject({ fate: 'rejected', message: expect.stringContaining('limit price') });
      expect(here.stub.calls('POST /v1/order/create')).toEqual([]);
    });
    test('and its limit follows its trigger, unless a price is given', async () => {
      await here.broker.connect(null);
      await slm({ triggerprice: '805' });
      here.stub.on('GET /v1/order/detail/*', { body: ok({ ...rowsOf('orders')[2], groww_order_id: orderId }) });
      const change = (given: object) => here.broker.modifyOrder({ orderid: orderId, variety: 'NORMAL', ...given });
      const sent = () => here.jsonOf('POST /v1/order/modify');
      expect(await change({ triggerprice: '790' })).toMatchObject({ message: 'SL-M went to Groww as SL with a limit of 770.25' });
      expect(sent()).toMatchObject({ order_type: 'SL', trigger_price: 790, price: 770.25 });
      expect(await change({ triggerprice: '790', price: '780' })).not.toHaveProperty('message');
      expect(sent()).toMatchObject({ order_type: 'SL', trigger_price: 790, price: 780 });
    });
  });

  describe('changing and cancelling', () => {
    const stop = 'GMK39038RDT490CCVR2';
    const change = (given: { orderid: string } & Partial<BrokerChange>) => here.broker.modifyOrder({ variety: 'NORMAL', ...given });
    const sent = () => here.jsonOf('POST /v1/order/modify');
    const asBooked = { groww_order_id: stop, segment: 'CASH', order_type: 'SL', quantity: 10, price: 800, trigger_price: 800.5 };
    const refusedFor = async (given: { orderid: string } & Partial<BrokerChange>, says: string) => {
      expect(await change(given)).toMatchObject({ fate: 'rejected', message: expect.stringContaining(says) });
      expect(here.stub.calls('POST /v1/order/modify')).toEqual([]);
    };
    beforeEach(() => here.broker.connect(null));

    test('keeps what was not given as the book has it', async () => {
      await change({ orderid: stop, price: '799.5' });
      expect(sent()).toEqual({ ...asBooked, price: 799.5 });
      await change({ orderid: stop, quantity: '5', triggerprice: '801' });
      expect(sent()).toEqual({ ...asBooked, quantity: 5, trigger_price: 801 });
      await change({ orderid: stop, ordertype: 'LIMIT', price: '790' });
      expect(sent()).toEqual({ groww_order_id: stop, segment: 'CASH', order_type: 'LIMIT', quantity: 10, price: 790 });
      await change({ orderid: stop, ordertype: 'SL-M' });
      expect(sent()).toEqual({ groww_order_id: stop, segment: 'CASH', order_type: 'SL', quantity: 10, price: 780.5, trigger_price: 800.5 });
      await change({ orderid: stop, ordertype: 'MARKET', price: '0' });
      expect(sent()).toEqual({ groww_order_id: stop, segment: 'CASH', order_type: 'MARKET', quantity: 10 });
    });
    test('a partly filled order keeps its quantity unsaid', async () => {
      await change({ orderid: 'GMK39038RDT490CCVR1', price: '251' });
      expect(sent()).toEqual({ groww_order_id: 'GMK39038RDT490CCVR1', segment: 'CASH', order_type: 'LIMIT', price: 251 });
    });
    test('a new quantity of a partly filled order is refused', async () => {
      await refusedFor({ orderid: 'GMK39038RDT490CCVR1', quantity: '60' }, '40 of 100 are filled');
    });
    test('what the order type has no use for is refused', async () => {
      await refusedFor({ orderid: 'GMK39038RDT490CCVR4', triggerprice: '5' }, 'trigger_price: LIMIT has none');
      await refusedFor({ orderid: stop, ordertype: 'SL-M', price: '801' }, 'price: SL-M has none');
      await refusedFor({ orderid: 'GMK39038RDT490CCVR4', ordertype: 'SL' }, 'trigger_price: SL needs');
    });
    test('an after-market variety and an order not in the book are refused before sending', async () => {
      await refusedFor({ orderid: stop, variety: 'AMO', price: '1' }, 'variety');
      await refusedFor({ orderid: '42', price: '1' }, 'order_id');
    });
    test('an order booked in words nobody knows is not changed', async () => {
      here.stub.on('GET /v1/order/list', { body: patched('orders', { order_type: 'BASKET' }) });
      await refusedFor({ orderid: orderId, price: '1' }, 'order_type: "BASKET"');
    });
    test('the quantity of an order on MCX is not changed, a price is', async () => {
      const gold = { trading_symbol: 'GOLDM26DECFUT', exchange: 'MCX', segment: 'COMMODITY', filled_quantity: 0, order_status: 'OPEN' };
      here.stub.on('GET /v1/order/list', ({ query }) => ({
        body: query.segment === 'COMMODITY' ? patched('orders', gold) : ok({ order_list: [] }),
      }));
      await refusedFor({ orderid: orderId, quantity: '5' }, 'quantity: MCX');
      await change({ orderid: orderId, price: '251' });
      expect(sent()).toMatchObject({ segment: 'COMMODITY', price: 251 });
    });
    test('an order that cannot be read is not changed', async () => {
      here.stub.on('GET /v1/order/list', error('unable'));
      await refusedFor({ orderid: stop, price: '1' }, 'cannot be read');
    });
    test('our own order is read by its id in its segment', async () => {
      await place({ exchange: 'NFO', producttype: 'CARRYFORWARD', tradingsymbol: 'NIFTY26NOVFUT' });
      here.stub.on('GET /v1/order/detail/*', { body: ok({ ...rowsOf('orders')[4], groww_order_id: orderId }) });
      await change({ orderid: orderId, price: '26000' });
      expect(sent()).toEqual({ groww_order_id: orderId, segment: 'FNO', order_type: 'LIMIT', quantity: 75, price: 26000 });
      expect(here.stub.calls('GET /v1/order/list')).toEqual([]);
    });
    test('our MARKET order that was booked as LIMIT is changed as a LIMIT order', async () => {
      await place({});
      await change({ orderid: orderId, price: '251' });
      expect(sent()).toMatchObject({ order_type: 'LIMIT', price: 251 });
    });
    test.each([
      [stop, 'CASH'],
      ['GMK39038RDT490CCVR4', 'FNO'],
    ])('%s is cancelled in its segment %s', async (id, segment) => {
      expect(await here.broker.cancelOrder(id)).toMatchObject({ fate: 'accepted' });
      expect(here.jsonOf('POST /v1/order/cancel')).toEqual({ segment, groww_order_id: id });
    });
    test('our own order is cancelled without a look', async () => {
      await place({ exchange: 'NFO', producttype: 'CARRYFORWARD' });
      await here.broker.cancelOrder(orderId);
      expect(here.jsonOf('POST /v1/order/cancel')).toEqual({ segment: 'FNO', groww_order_id: orderId });
      expect(here.stub.calls('GET /v1/order/list')).toEqual([]);
    });
    test('a cancel is tried in CASH when the book cannot be read', async () => {
      here.stub.on('GET /v1/order/list', error('unable'));
      await here.broker.cancelOrder('GMK39038RDT490CCVR4');
      expect(here.jsonOf('POST /v1/order/cancel')).toEqual({ segment: 'CASH', groww_order_id: 'GMK39038RDT490CCVR4' });
    });
    test('an order id cannot leave its place in the path', async () => {
      here.stub.on('POST /v1/order/create', { body: ok({ groww_order_id: '../user/detail?x=1' }) });
      await place({});
      await change({ orderid: '../user/detail?x=1', price: '1' });
      expect(here.stub.seen.at(-1)?.path).toBe('/v1/order/detail/..%2Fuser%2Fdetail%3Fx%3D1');
    });
  });
});
