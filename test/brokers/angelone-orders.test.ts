import { describe, expect, test } from 'vitest';
import { ist, useStub } from './angelone.stub.ts';
import { changed, credentials, data, error, nifty, orderId, orderRows, patched, route, said } from './angelone.suite.ts';
import { TAG } from './conformance.ts';

describe('orders at angelone', () => {
  const here = useStub();

  describe('the body of an order', () => {
    const base = {
      variety: 'NORMAL',
      tradingsymbol: 'SBIN-EQ',
      symboltoken: '3045',
      transactiontype: 'BUY',
      exchange: 'NSE',
      producttype: 'INTRADAY',
      duration: 'DAY',
      price: '0',
      triggerprice: '0',
      squareoff: '0',
      stoploss: '0',
      quantity: '10',
      ordertag: TAG,
    };
    test.each([
      ['MARKET', { price: '5', triggerprice: '5' }, { ordertype: 'MARKET' }],
      ['LIMIT', { price: '812.35', triggerprice: '5' }, { ordertype: 'LIMIT', price: '812.35' }],
      [
        'SL',
        { price: '800', triggerprice: '800.5' },
        { ordertype: 'STOPLOSS_LIMIT', variety: 'STOPLOSS', price: '800', triggerprice: '800.5' },
      ],
      ['SL-M', { price: '5', triggerprice: '800.5' }, { ordertype: 'STOPLOSS_MARKET', variety: 'STOPLOSS', triggerprice: '800.5' }],
    ])('%s', async (ordertype, given, sent) => {
      await here.place({ ordertype, ...given });
      await here.place({ ordertype, ...given, variety: ordertype.startsWith('SL') ? 'STOPLOSS' : 'NORMAL' });
      expect(here.bodies(route.place)).toEqual([
        { ...base, ...sent },
        { ...base, ...sent },
      ]);
    });
    test('AMO goes out as a normal order, and only while the market is closed', async () => {
      const open = ['2026-11-20T09:00:00', '2026-11-20T12:00:00', '2026-11-20T15:29:59'];
      const closed = ['2026-11-20T08:59:59', '2026-11-20T15:30:00', '2026-11-20T22:00:00', '2026-11-21T12:00:00', '2026-11-22T12:00:00'];
      for (const at of open) {
        here.use(credentials, ist(at));
        expect(await here.place({ variety: 'AMO' }), at).toMatchObject({ fate: 'rejected', message: expect.stringContaining('variety') });
      }
      expect(here.stub.calls(route.place)).toEqual([]);
      for (const at of closed) {
        here.use(credentials, ist(at));
        expect(await here.place({ variety: 'AMO' }), at).toMatchObject({ fate: 'accepted' });
      }
      await here.place({ variety: 'AMO', ordertype: 'SL', price: '800', triggerprice: '800.5' });
      expect(here.bodies(route.place)).toMatchObject([...closed.map(() => ({ variety: 'NORMAL' })), { variety: 'STOPLOSS' }]);
    });
    test('a token that positions show under another name is refused', async () => {
      await here.broker.positions();
      const reliance = { symbol: 'RELIANCE-BE', tradingsymbol: 'RELIANCE-BE', token: '2885' };
      const other = { ...reliance, symbol: 'INFY-EQ', tradingsymbol: 'INFY-EQ' };
      expect(await here.place(other)).toMatchObject({ fate: 'rejected', message: expect.stringContaining('RELIANCE-EQ') });
      expect(here.stub.calls(route.place)).toEqual([]);
      // Another spelling of it is the same instrument: an exit may be called either way.
      expect(await here.place(reliance)).toMatchObject({ fate: 'accepted' });
      expect(await here.place({ ...reliance, symbol: 'RELIANCE-EQ', tradingsymbol: 'RELIANCE-EQ' })).toMatchObject({ fate: 'accepted' });
      expect(await here.place({ ...reliance, exchange: 'BSE' })).toMatchObject({ fate: 'accepted' });
    });
    test('an SL-M on a future is sent', async () => {
      await here.place({
        exchange: 'NFO',
        producttype: 'CARRYFORWARD',
        tradingsymbol: nifty.symbol,
        ordertype: 'SL-M',
        triggerprice: '25900',
      });
      expect(here.bodies(route.place)).toMatchObject([{ ordertype: 'STOPLOSS_MARKET', producttype: 'CARRYFORWARD' }]);
    });
  });

  describe('changing', () => {
    const change = (given: { orderid?: string } & Record<string, string>) =>
      here.broker.modifyOrder({ orderid: orderId, variety: 'NORMAL', ...given });
    const whole = {
      variety: 'NORMAL',
      orderid: orderId,
      ordertype: 'LIMIT',
      producttype: 'INTRADAY',
      duration: 'DAY',
      price: '812.35',
      triggerprice: '0',
      quantity: '10',
      tradingsymbol: 'SBIN-EQ',
      symboltoken: '3045',
      exchange: 'NSE',
    };
    /** The stub server's book and details show the first row so. */
    function booked(patch: Record<string, unknown>, details = patch): void {
      here.stub.on(route.orders, { body: patched('orders', { orderstatus: 'open', filledshares: '0', ...patch }) });
      here.stub.on(route.details, { body: said(changed(orderRows[0] ?? {}, { orderstatus: 'open', filledshares: '0', ...details })) });
    }
    const lastBody = () => here.bodies(route.modify).at(-1);

    test.each([
      [{ price: '813.5' }, { price: 813.5 }],
      [{ quantity: '5' }, { quantity: 5 }],
      [
        { ordertype: 'LIMIT', price: '1', quantity: '2' },
        { price: '1', quantity: '2' },
      ],
    ])('%j goes into the whole order as booked', async (given, shown) => {
      booked({}, shown);
      expect(await change(given)).toMatchObject({ fate: 'accepted', order_id: orderId });
      expect(lastBody()).toEqual({ ...whole, ...given });
      expect(here.stub.calls(route.modify).length).toBe(1);
    });
    test('to MARKET drops the price, and the protected price that comes back is believed', async () => {
      booked({}, { ordertype: 'LIMIT', price: 829.1 });
      expect(await change({ ordertype: 'MARKET' })).toMatchObject({ fate: 'accepted' });
      expect(lastBody()).toEqual({ ...whole, ordertype: 'MARKET', price: '0' });
    });
    test('a stop sends price and trigger, whichever was given', async () => {
      const stop = {
        variety: 'STOPLOSS',
        ordertype: 'STOPLOSS_LIMIT',
        price: '800.00',
        triggerprice: '800.50',
        orderstatus: 'trigger pending',
      };
      booked(stop, { ...stop, triggerprice: 801 });
      expect(await change({ triggerprice: '801' })).toMatchObject({ fate: 'accepted' });
      expect(lastBody()).toEqual({ ...whole, variety: 'STOPLOSS', ordertype: 'STOPLOSS_LIMIT', price: '800', triggerprice: '801' });
    });
    test('numbers of the book go out as plain texts', async () => {
      booked({ price: 812.5, quantity: 10 }, { quantity: 20, price: 812.5 });
      await change({ quantity: '20' });
      expect(lastBody()).toEqual({ ...whole, price: '812.5', quantity: '20' });
    });
    test('answered with success but not shown by the order is unknown, sent once', async () => {
      booked({});
      here.made.pace.speed = 20;
      expect(await change({ price: '813.5' })).toMatchObject({ fate: 'unknown', message: expect.stringContaining('does not show') });
      expect(here.stub.calls(route.modify).length).toBe(1);
      expect(here.stub.calls(route.details).length).toBe(5);
    });
    test('an order that keeps its type does not show a change of it', async () => {
      here.made.pace.speed = 20;
      booked({ exchange: 'NFO', tradingsymbol: nifty.symbol, variety: 'STOPLOSS', ordertype: 'STOPLOSS_LIMIT', triggerprice: '800' });
      expect(await change({ ordertype: 'SL-M' })).toMatchObject({ fate: 'unknown' });
      expect(lastBody()).toMatchObject({ ordertype: 'STOPLOSS_MARKET', price: '0', triggerprice: '800' });
    });
    test('is waited for until the order shows it', async () => {
      let reads = 0;
      here.made.pace.speed = 10;
      booked({});
      here.stub.on(route.details, () => ({
        body: said(changed(orderRows[0] ?? {}, { orderstatus: 'open', filledshares: '0', price: ++reads < 3 ? 812.35 : 813.5 })),
      }));
      expect(await change({ price: '813.5' })).toMatchObject({ fate: 'accepted' });
      expect(reads).toBe(3);
    });
    test('an order that cannot be read back is unknown', async () => {
      here.made.pace.speed = 20;
      let reads = 0;
      here.stub.on(route.orders, () => (++reads === 1 ? { body: said(data('orders')) } : error('internal')));
      here.stub.on(route.details, error('catchAllOrder'));
      expect(await change({ price: '813.5' })).toMatchObject({ fate: 'unknown' });
    });
    test('an order that filled meanwhile ends the wait', async () => {
      booked({}, { orderstatus: 'complete', filledshares: '10' });
      expect(await change({ price: '813.5' })).toMatchObject({ fate: 'accepted' });
      expect(here.stub.calls(route.details).length).toBe(1);
    });
    test('details of another order are not believed', async () => {
      booked({}, { orderid: '201020000000099', price: 813.5 });
      here.made.pace.speed = 20;
      expect(await change({ price: '813.5' })).toMatchObject({ fate: 'unknown' });
    });
    test.each([
      ['an order not in the book', { orderid: '42', price: '1' }, {}, 'order_id'],
      ['nothing', {}, {}, 'price'],
      ['a trigger for a LIMIT order', { triggerprice: '1' }, {}, 'price'],
      ['a price for an SL-M order', { price: '1' }, { variety: 'STOPLOSS', ordertype: 'STOPLOSS_MARKET', triggerprice: '800' }, 'price'],
      ['a stop out of a LIMIT order', { ordertype: 'SL', price: '1', triggerprice: '1' }, {}, 'cancel it'],
      [
        'a LIMIT order out of a stop',
        { ordertype: 'LIMIT', price: '1' },
        { variety: 'STOPLOSS', ordertype: 'STOPLOSS_LIMIT' },
        'cancel it',
      ],
      ['SL-M on BSE', { ordertype: 'SL-M' }, { exchange: 'BSE', variety: 'STOPLOSS', ordertype: 'STOPLOSS_LIMIT' }, 'SL-M'],
      ['a price of 0', { price: '0' }, {}, 'price'],
      ['an order on MCX', { price: '1' }, { exchange: 'MCX' }, 'lots or units'],
      ['an order filled in part', { price: '1' }, { filledshares: '4' }, 'cancel the rest'],
      ['an order without a token', { price: '1' }, { symboltoken: null }, 'token'],
    ])('%s is refused before sending', async (_what, given, row, says) => {
      booked(row);
      expect(await change(given)).toMatchObject({ fate: 'rejected', message: expect.stringContaining(says) });
      expect(here.stub.calls(route.modify)).toEqual([]);
    });
    test('with the book unreadable nothing is sent', async () => {
      here.stub.on(route.orders, error('internal'));
      expect(await change({ price: '1' })).toMatchObject({ fate: 'rejected', message: expect.stringContaining('order_id') });
      expect(here.stub.calls(route.modify)).toEqual([]);
    });
    test('our own order is read by its details, not by the book', async () => {
      await here.place({ ordertype: 'LIMIT', price: '812.35' });
      expect(await change({ price: '813.5' })).toMatchObject({ fate: 'accepted' });
      expect(here.stub.calls(route.details)[0]?.path).toMatch(/\/details\/34reqfachdfih$/);
      expect(here.stub.calls(route.orders)).toEqual([]);
    });
    test('an after-market order is changed under its own variety, and as NORMAL when that is refused for certain', async () => {
      const amo = { orderid: '091389e428f2AO', price: '26000' };
      here.stub.on(route.details, { body: said({ ...orderRows[4], price: 26000 }) });
      expect(await change(amo)).toMatchObject({ fate: 'accepted' });
      here.stub.on(route.modify, (seen) => (seen.body.includes('"AMO"') ? error('variety') : { body: said({ orderid: amo.orderid }) }));
      expect(await change(amo)).toMatchObject({ fate: 'accepted', order_id: amo.orderid });
      expect(here.bodies(route.modify)).toMatchObject([{ variety: 'AMO' }, { variety: 'AMO' }, { variety: 'NORMAL' }]);
      here.stub.on(route.modify, error('catchAll'));
      expect(await change(amo)).toMatchObject({ fate: 'unknown' });
      expect(here.stub.calls(route.modify).length).toBe(4);
    });
  });

  describe('cancelling', () => {
    test('takes the variety from the book', async () => {
      await here.broker.cancelOrder('201020000000082');
      expect(here.bodies(route.cancel)).toEqual([{ variety: 'STOPLOSS', orderid: '201020000000082' }]);
    });
    test('remembers the variety of our own order', async () => {
      await here.place({ ordertype: 'SL', price: '800', triggerprice: '800.5' });
      here.stub.on(route.orders, error('internal'));
      expect(await here.broker.cancelOrder(orderId)).toMatchObject({ fate: 'accepted', order_id: orderId });
      expect(here.bodies(route.cancel)).toEqual([{ variety: 'STOPLOSS', orderid: orderId }]);
      expect(here.stub.calls(route.orders)).toEqual([]);
    });
    test('remembers what the book showed', async () => {
      await here.broker.orders();
      await here.broker.cancelOrder('091389e428f2AO');
      expect(here.bodies(route.cancel)).toEqual([{ variety: 'AMO', orderid: '091389e428f2AO' }]);
      expect(here.stub.calls(route.orders).length).toBe(1);
    });
    test('is tried as NORMAL when the book cannot be read', async () => {
      here.stub.on(route.orders, error('internal'));
      await here.broker.cancelOrder('201020000000082');
      expect(here.bodies(route.cancel)).toEqual([{ variety: 'NORMAL', orderid: '201020000000082' }]);
    });
    test.each([
      ['variety', 'accepted', ['AMO', 'NORMAL']],
      ['catchAll', 'unknown', ['AMO']],
    ] as const)('of an after-market order refused as %s is %s', async (name, fate, sent) => {
      here.stub.on(route.cancel, (seen) => (seen.body.includes('"AMO"') ? error(name) : { body: said({ orderid: '091389e428f2AO' }) }));
      expect(await here.broker.cancelOrder('091389e428f2AO')).toMatchObject({ fate });
      expect(here.bodies(route.cancel)).toMatchObject(sent.map((variety) => ({ variety })));
    });
  });

  test('an order refused for margin is accepted and then a rejected row, found by its tag; a twin has another', async () => {
    await here.broker.connect(null);
    expect(await here.place({})).toMatchObject({ fate: 'accepted', order_id: orderId });
    here.stub.on(route.orders, { body: patched('orders', { orderstatus: '', status: 'rejected', filledshares: '0', averageprice: '0' }) });
    const book = await here.broker.orders();
    expect(book.success && book.normalized.filter((row) => row.tag === TAG)).toMatchObject([{ order_id: orderId, status: 'REJECTED' }]);
  });
});
