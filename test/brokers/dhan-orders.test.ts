import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { stopLimit } from '../../server/brokers/dhan/order.ts';
import { createBroker } from '../../server/brokers/index.ts';
import { Big } from '../../server/money.ts';
import { TAG } from './conformance.ts';
import { dhanStub } from './dhan.stub.ts';
import { client, error, orderId, patched, suite } from './dhan.suite.ts';

describe('orders at dhan', () => {
  const here = dhanStub();

  describe('the body of an order', () => {
    const base = {
      dhanClientId: client,
      correlationId: TAG,
      transactionType: 'BUY',
      exchangeSegment: 'NSE_EQ',
      productType: 'INTRADAY',
      validity: 'DAY',
      securityId: '3045',
      quantity: 10,
      afterMarketOrder: false,
    };
    beforeEach(async () => void (await here.broker.connect(null)));
    test.each([
      ['MARKET', { price: '5', triggerprice: '5' }, { orderType: 'MARKET', price: 0 }],
      ['LIMIT', { price: '812.35', triggerprice: '5' }, { orderType: 'LIMIT', price: 812.35 }],
      ['SL', { price: '800', triggerprice: '800.5' }, { orderType: 'STOP_LOSS', price: 800, triggerPrice: 800.5 }],
      ['SL-M', { price: '5', triggerprice: '800.5' }, { orderType: 'STOP_LOSS', price: 820.5, triggerPrice: 800.5 }],
    ])('%s', async (ordertype, given, sent) => {
      await here.place({ ordertype, ...given });
      expect(here.sentTo('POST /orders')).toEqual({ ...base, ...sent });
    });
    test('AMO is said with its time', async () => {
      await here.place({ variety: 'AMO' });
      expect(here.sentTo('POST /orders')).toEqual({ ...base, orderType: 'MARKET', price: 0, afterMarketOrder: true, amoTime: 'OPEN' });
    });
    test.each([
      ['BUY', '100', 'NSE', '', 102.5],
      ['SELL', '100', 'NSE', '', 97.5],
      ['BUY', '12.35', 'NSE', '', 12.85],
      ['BUY', '812.33', 'NSE', '', 832.6],
      ['SELL', '812.33', 'NSE', '', 792.1],
      ['BUY', '1524.3', 'BSE', '', 1562.4],
      ['SELL', '1524.3', 'BSE', '', 1486.2],
      ['BUY', '3105', 'NSE', '', 3182.5],
      ['SELL', '7201', 'NSE', '', 7021],
      ['BUY', '26060.1', 'NFO', 'NIFTY-Dec2026-FUT', 26_710],
      ['SELL', '26060.1', 'NFO', 'NIFTY-Dec2026-FUT', 25_410],
      ['BUY', '120', 'NFO', 'NIFTY-Dec2026-26000-CE', 126],
      ['SELL', '1200.1', 'NFO', 'NIFTY-Dec2026-26000-PE', 1140.1],
      ['SELL', '120', 'NFO', 'a symbol of no known form', 117],
      ['SELL', '0.1', 'NFO', 'NIFTY-Dec2026-26000-PE', 0.05],
    ])(
      'an SL-M %s stop at %s on %s %s is sent with limit %d and says so',
      async (transactiontype, triggerprice, exchange, symbol, limit) => {
        const producttype = exchange === 'NFO' ? 'CARRYFORWARD' : 'INTRADAY';
        const sent = await here.place({ ordertype: 'SL-M', transactiontype, triggerprice, exchange, symbol, producttype });
        expect(sent).toMatchObject({ fate: 'accepted', message: expect.stringContaining(`limit ${limit}:`) });
        expect(here.sentTo('POST /orders')).toMatchObject({ orderType: 'STOP_LOSS', price: limit, triggerPrice: Number(triggerprice) });
      },
    );
    test.each([
      ['0.05', 'NFO', 'NIFTY-Dec2026-26000-PE'],
      ['0.05', 'NSE', 'SBIN'],
      ['0.07', 'NSE', 'SBIN'],
    ])('an SL-M SELL stop at %s on %s %s, with no limit below, is refused', async (triggerprice, exchange, symbol) => {
      const producttype = exchange === 'NFO' ? 'CARRYFORWARD' : 'INTRADAY';
      expect(await here.place({ ordertype: 'SL-M', transactiontype: 'SELL', triggerprice, exchange, symbol, producttype })).toMatchObject({
        fate: 'rejected',
        message: expect.stringMatching(/^trigger_price: /),
      });
      expect(here.stub.calls('POST /orders')).toEqual([]);
    });
    test('the limit of an SL-M stop lies inside the exchange’s band, on every tick and beyond its trigger, at any trigger', () => {
      const instruments = {
        share: { segment: 'NSE_EQ', symbol: 'SBIN', ticks: shareTicks },
        future: { segment: 'NSE_FNO', symbol: 'NIFTY-Dec2026-FUT', ticks: shareTicks },
        option: { segment: 'NSE_FNO', symbol: 'NIFTY-Dec2026-26000-CE', ticks: () => ['0.05'] },
        'option of BSE': { segment: 'BSE_FNO', symbol: 'SENSEX-Dec2026-85500-CE', ticks: () => ['0.05'] },
      };
      const one = fc.record({
        kind: fc.constantFrom('share', 'future', 'option', 'option of BSE'),
        side: fc.constantFrom('BUY', 'SELL'),
        paise: fc.oneof(fc.integer({ min: 11, max: 10_000 }), fc.integer({ min: 11, max: 5_000_000 })),
      });
      fc.assert(
        fc.property(one, ({ kind, side, paise }) => {
          const { ticks, ...about } = instruments[kind];
          const trigger = new Big(paise).div(100);
          const limit = new Big(stopLimit(Number(trigger), { side, ...about }));
          const beyond = limit.minus(trigger).times(side === 'BUY' ? 1 : -1);
          const counted = trigger.lte(50) ? new Big(50) : trigger;
          expect(beyond.lte(counted.times(kind.startsWith('option') ? '0.2' : '0.03'))).toBe(true);
          expect(limit.gt(0)).toBe(true);
          for (const tick of ticks(Number(trigger))) {
            expect(limit.mod(tick).eq(0), `${limit} on ${tick}`).toBe(true);
            expect(beyond.gte(tick)).toBe(true);
          }
        }),
        { numRuns: 500 },
      );
    });
    test.each([
      // Tick 0.05, 0.1, 1 and 10.
      ['ZINC', 'BUY', 290.05, 297],
      ['NATURALGAS', 'SELL', 404.5, 395],
      ['CRUDEOIL', 'BUY', 2_200, 2_255],
      ['GOLDM', 'SELL', 124_503, 121_400],
      ['COTTON', 'BUY', 55_010, 56_380],
    ])('the limit of an SL-M stop of %s lies on the tick of its contract', (contract, side, trigger, limit) => {
      expect(stopLimit(trigger, { side, segment: 'MCX_COMM', symbol: `${contract}-18Dec2026-FUT` })).toBe(limit);
    });
    test.each(['SL-M', 'MARKET'])('a refused %s order keeps Dhan’s words', async (ordertype) => {
      here.stub.on('POST /orders', error('margin'));
      expect(await here.place({ ordertype, triggerprice: '800' })).toMatchObject({
        fate: 'rejected',
        message: expect.stringContaining('Margin Exceeds'),
      });
    });
  });

  test.each(['TRANSIT', 'PENDING', 'TRADED', 'PART_TRADED', 'EXPIRED', 'NEW WORD', undefined])(
    'a placement answered %s is accepted',
    async (word) => {
      here.stub.on('POST /orders', { body: { orderId, orderStatus: word } });
      expect(await here.place({})).toMatchObject({ fate: 'accepted', order_id: orderId });
    },
  );
  test('a placement answered REJECTED is rejected', async () => {
    here.stub.on('POST /orders', { body: { orderId, orderStatus: 'REJECTED' } });
    expect(await here.place({})).toMatchObject({ fate: 'rejected', order_id: '', message: expect.stringContaining(orderId) });
  });
  test.each(['modifyOrder', 'cancelOrder'] as const)('a %s answered REJECTED leaves open what the order is', async (name) => {
    const { route, run } = suite.calls[name];
    here.stub.on(route, { body: { orderId, orderStatus: 'REJECTED' } });
    expect(await run(here.broker)).toMatchObject({ fate: 'unknown' });
  });
  test.each([200, 202])('a cancel answered HTTP %d is accepted', async (status) => {
    here.stub.on('DELETE /orders/*', { status, body: { orderId, orderStatus: 'CANCELLED' } });
    expect(await here.broker.cancelOrder(orderId)).toMatchObject({ fate: 'accepted', order_id: orderId });
    expect(here.stub.seen.at(-1)?.body).toBe('');
  });

  describe('changing and cancelling', () => {
    const change = (given: { orderid: string } & Record<string, string>) => here.broker.modifyOrder({ variety: 'NORMAL', ...given });
    const sent = () => here.sentTo('PUT /orders/*');
    const plain = { dhanClientId: client, quantity: 10, disclosedQuantity: 0, validity: 'DAY' };
    const limit = { ...plain, orderId: '112611200002', orderType: 'LIMIT', price: 812.35, triggerPrice: 0 };
    const stop = { ...plain, orderId: '112611200003', orderType: 'STOP_LOSS', price: 800, triggerPrice: 800.5 };
    beforeEach(async () => void (await here.broker.connect(null)));

    test.each([
      [
        { orderid: '112611200002', price: '813.5' },
        { ...limit, price: 813.5 },
      ],
      [
        { orderid: '112611200002', quantity: '12' },
        { ...limit, quantity: 12 },
      ],
      [
        { orderid: '112611200002', ordertype: 'MARKET' },
        { ...limit, orderType: 'MARKET', price: 0 },
      ],
      [
        { orderid: '112611200002', ordertype: 'MARKET', price: '0', triggerprice: '0' },
        { ...limit, orderType: 'MARKET', price: 0 },
      ],
      [
        { orderid: '112611200002', ordertype: 'SL', triggerprice: '811' },
        { ...limit, orderType: 'STOP_LOSS', triggerPrice: 811 },
      ],
      [
        { orderid: '112611200003', triggerprice: '801' },
        { ...stop, triggerPrice: 801 },
      ],
      [
        { orderid: '112611200003', ordertype: 'LIMIT' },
        { ...stop, orderType: 'LIMIT', triggerPrice: 0 },
      ],
      [
        { orderid: '112611200003', ordertype: 'SL-M', triggerprice: '790' },
        { ...stop, price: 770.3, triggerPrice: 790 },
      ],
    ])('%o is put over the order as it is booked', async (given, body) => {
      expect(await change(given)).toMatchObject({ fate: 'accepted' });
      expect(sent()).toEqual(body);
    });
    test('a validity, a disclosed quantity and a leg of the booked order are kept', async () => {
      const kept = { validity: 'IOC', disclosedQuantity: 5, legName: 'ENTRY_LEG' };
      here.stub.on('GET /orders/*', { body: patched('orders', kept)[0] });
      await change({ orderid: orderId, price: '813' });
      expect(sent()).toMatchObject({ price: 813, ...kept });
    });
    test('an SL-M order stays one: its limit moves with the trigger until it is given a price', async () => {
      await here.place({ ordertype: 'SL-M', triggerprice: '820' });
      const [booked] = patched('orders', { orderType: 'STOP_LOSS', price: 840.5, triggerPrice: 820 });
      here.stub.on('GET /orders/*', { body: [booked] });
      expect(await change({ orderid: orderId, triggerprice: '830' })).toMatchObject({ message: expect.stringContaining('limit 850.7:') });
      expect(sent()).toMatchObject({ orderType: 'STOP_LOSS', price: 850.7, triggerPrice: 830 });
      await change({ orderid: orderId, price: '850' });
      expect(sent()).toMatchObject({ orderType: 'STOP_LOSS', price: 850, triggerPrice: 830 });
      await change({ orderid: orderId, triggerprice: '825' });
      expect(sent()).toMatchObject({ orderType: 'STOP_LOSS', price: 850, triggerPrice: 825 });
    });
    test('a change is not undone by the next one, while reads still show the order before it', async () => {
      await change({ orderid: '112611200002', price: '813.5' });
      await change({ orderid: '112611200002', quantity: '12' });
      await change({ orderid: '112611200002', price: '814' });
      expect(sent()).toEqual({ ...limit, price: 814, quantity: 12 });
      here.stub.on('PUT /orders/*', error('price'));
      await change({ orderid: '112611200002', quantity: '1' });
      await change({ orderid: '112611200002', price: '815' });
      expect(sent()).toEqual({ ...limit, price: 815, quantity: 12 });
    });
    test('later the order is what the book says', async () => {
      const clock = { ...here.made.env.clock };
      const broker = createBroker('dhan', { ...here.made.env, clock });
      await broker.connect(null);
      await broker.modifyOrder({ orderid: '112611200002', variety: 'NORMAL', price: '813.5' });
      clock.mono = () => here.made.env.clock.mono() + 5_000;
      await broker.modifyOrder({ orderid: '112611200002', variety: 'NORMAL', quantity: '12' });
      expect(sent()).toEqual({ ...limit, quantity: 12 });
      await broker.close();
    });
    test('an order booked as a stop without a limit gets one', async () => {
      here.stub.on('GET /orders/*', { body: patched('orders', { orderType: 'STOP_LOSS_MARKET', price: 0, triggerPrice: 820 })[0] });
      await change({ orderid: orderId, triggerprice: '830' });
      expect(sent()).toMatchObject({ orderType: 'STOP_LOSS', price: 850.7, triggerPrice: 830 });
    });
    test.each([
      [{ orderid: orderId, ordertype: 'LIMIT', price: '0' }, 'price'],
      [{ orderid: orderId, triggerprice: '800' }, 'trigger_price'],
      [{ orderid: '112611200003', ordertype: 'SL-M', triggerprice: '0.05' }, 'trigger_price: SL-M goes out'],
      [{ orderid: orderId, ordertype: 'MARKET', price: '800' }, 'price'],
      [{ orderid: '42', price: '1' }, 'order_id'],
    ])('%o is refused before sending', async (given, field) => {
      expect(await change(given)).toMatchObject({ fate: 'rejected', message: expect.stringContaining(field) });
      expect(here.stub.calls('PUT /orders/*')).toEqual([]);
    });
    test.each([
      [{ orderType: 'MARKET', price: 0 }, { price: '812' }, 'price'],
      [{ orderType: 'ICEBERG' }, { price: '812' }, 'order_type'],
      [{ exchangeSegment: 'NSE_CURRENCY' }, { quantity: '2' }, 'CDS orders are not sent'],
      [{ quantity: null }, { price: '812' }, 'order_id'],
      [{ price: 'n/a' }, { quantity: '2' }, 'order_id'],
      [{ orderId: '112611200099' }, { price: '812' }, 'order_id'],
    ])('a booked order with %o: %o is refused before sending', async (patch, given, field) => {
      here.stub.on('GET /orders/*', { body: patched('orders', patch)[0] });
      expect(await change({ orderid: orderId, ...given })).toMatchObject({ fate: 'rejected', message: expect.stringContaining(field) });
      expect(here.stub.calls('PUT /orders/*')).toEqual([]);
    });
    test.each(['reset', 'half'] as const)('with the book unreadable (%s) nothing is changed', async (answer) => {
      here.stub.on('GET /orders/*', answer);
      expect(await change({ orderid: orderId, price: '812' })).toMatchObject({
        fate: 'rejected',
        message: expect.stringContaining('order_id'),
      });
      expect(here.stub.calls('PUT /orders/*')).toEqual([]);
    });
    test('the price of an order on CDS may move', async () => {
      here.stub.on('GET /orders/*', { body: patched('orders', { exchangeSegment: 'NSE_CURRENCY' })[0] });
      expect(await change({ orderid: orderId, price: '812' })).toMatchObject({ fate: 'accepted' });
    });
    test('an order id cannot leave its place in the path', async () => {
      await here.broker.cancelOrder('1/../../positions?x=1');
      expect(here.stub.seen.filter((seen) => seen.method === 'DELETE').map((seen) => seen.path)).toEqual([
        '/orders/1%2F..%2F..%2Fpositions%3Fx%3D1',
      ]);
    });
  });
});

/** The ticks of NSE a share may have at a price: that of the price, and that of up to twice the price, by which it was set. */
function shareTicks(price: number): string[] {
  const from: [number, string][] = [
    [0, '0.01'],
    [250, '0.05'],
    [1_000, '0.1'],
    [5_000, '0.5'],
    [10_000, '1'],
    [20_000, '5'],
  ];
  const index = (at: number) => from.findLastIndex(([least]) => at >= least);
  return from.slice(index(price / 2), index(price * 2) + 1).map(([, tick]) => tick);
}
