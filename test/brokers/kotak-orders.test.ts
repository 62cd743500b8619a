import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { TAG } from './conformance.ts';
import { kotakStub } from './kotak.stub.ts';
import { answer, body, credentials, error, nifty, orderId, patched, routes } from './kotak.suite.ts';

describe('orders at kotak', () => {
  const at = kotakStub();

  test('orders, the quotes that price them and reads stay under the ten calls a second that Kotak counts', () => {
    const { orderLimits, readLimits } = at.broker.traits;
    const most = (windows: typeof orderLimits) =>
      Math.min(...windows.filter(({ perMs }) => perMs === 1_000).map(({ requests }) => requests));
    expect(2 * most(orderLimits) + most(readLimits)).toBeLessThan(10);
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
      ['MARKET', { price: '5', triggerprice: '5' }, { pt: 'L', pr: '816.4', tp: '0' }],
      ['LIMIT', { price: '812.35', triggerprice: '5' }, { pt: 'L', pr: '812.35', tp: '0' }],
      ['SL', { price: '800', triggerprice: '800.5' }, { pt: 'SL', pr: '800', tp: '800.5' }],
      ['SL-M', { price: '5', triggerprice: '820' }, { pt: 'SL', pr: '824.1', tp: '820' }],
    ])('%s', async (ordertype, given, sent) => {
      await at.broker.connect(null);
      expect(await at.place({ ordertype, ...given })).toMatchObject({ fate: 'accepted' });
      expect(at.sentTo(routes.place)).toEqual([{ ...base, ...sent }]);
    });
    test('an after-market sale of a future', async () => {
      await at.broker.connect(null);
      await at.place({
        ...nifty,
        tradingsymbol: nifty.symbol,
        variety: 'AMO',
        producttype: 'CARRYFORWARD',
        transactiontype: 'SELL',
        quantity: '75',
      });
      expect(at.sentTo(routes.place)).toEqual([
        { ...base, am: 'YES', es: 'nse_fo', pc: 'NRML', pt: 'L', pr: '808.3', tp: '0', ts: 'NIFTY26NOVFUT', tt: 'S', qt: '75' },
      ]);
    });
    test('no field is anything but text', async () => {
      await at.broker.connect(null);
      await at.place({});
      expect(Object.values(at.sentTo(routes.place)[0] ?? { none: null }).every((value) => typeof value === 'string')).toBe(true);
    });
  });

  describe('a MARKET or SL-M order', () => {
    const [quoteRow = {}] = z.array(z.looseObject({})).parse(body('quote'));
    const quote = (patch: Record<string, unknown>) => ({ body: [{ ...quoteRow, ...patch }] });
    const narrow = { ohlc: null, depth: null };
    const wide = { low_price_range: '0.0500', high_price_range: '99999.9500', ltp: '100.0500', ...narrow };
    const nfo = { exchange: 'NFO', producttype: 'CARRYFORWARD' };
    beforeEach(() => at.broker.connect(null));

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
      // The tick is told by all prices in sight together.
      ['BUY', '820', {}, { ltp: '812.0000', low_price_range: '731.0000', high_price_range: '893.0000' }, '824.1'],
      ['BUY', '820', {}, { ...narrow, ltp: '812.0000', low_price_range: '731.0000', high_price_range: '893.0000' }, '824'],
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
      at.stub.on(routes.quote, quote(patch));
      expect(await at.place({ ordertype: 'SL-M', transactiontype, triggerprice, ...given })).toMatchObject({ fate: 'accepted' });
      expect(at.sentTo(routes.place)[0]).toMatchObject({ pt: 'SL', tp: triggerprice, pr: limit });
    });

    test.each([
      // Kotak's bands around the last price: shares and futures, then options.
      ['BUY', {}, {}, '816.4'],
      ['SELL', {}, {}, '808.3'],
      ['SELL', {}, { ...wide, ltp: '99.9500' }, '98'],
      ['BUY', { ...nfo, tradingsymbol: 'NIFTY26NOVFUT' }, { ...wide, ltp: '26000' }, '26130'],
      ['SELL', { ...nfo, tradingsymbol: 'NIFTY26NOV26000PE' }, { ...wide, ltp: '172.05' }, '168.65'],
      ['BUY', { ...nfo, tradingsymbol: 'NIFTY26NOV26000CE' }, { ...wide, ltp: '0.5000' }, '0.6'],
      // Inside the circuit limits, at them, and where Kotak tells none.
      ['BUY', {}, { ltp: '892.0000' }, '893.55'],
      ['SELL', {}, { ltp: '731.1000' }, '731.1'],
      ['SELL', {}, { low_price_range: null, high_price_range: '0' }, '808.3'],
    ])('%s %o at the market goes out as LIMIT, and says so', async (transactiontype, given, patch, limit) => {
      at.stub.on(routes.quote, quote(patch));
      expect(await at.place({ transactiontype, ...given })).toMatchObject({
        fate: 'accepted',
        message: `MARKET went to Kotak as LIMIT with a limit of ${limit}`,
      });
      expect(at.sentTo(routes.place)[0]).toMatchObject({ pt: 'L', tp: '0', pr: limit });
    });

    test.each([
      ['has not traded', quote({ ltp: '0.0000' }), /not traded/],
      ['lies outside the circuit limits', quote({ ltp: '900' }), /outside the circuit limits/],
      ['does not come', 'reset' as const, /quote/],
      ['is of nothing', { body: [] }, /quote/],
    ])('MARKET is refused before sending when the price %s', async (_what, reply, says) => {
      at.stub.on(routes.quote, reply);
      expect(await at.place({})).toMatchObject({ fate: 'rejected', message: expect.stringMatching(says) });
      expect(at.stub.calls(routes.place)).toEqual([]);
    });

    test('a change to MARKET or SL-M says what it went as', async () => {
      at.stub.on(routes.orders, { body: patched('orders', { ordSt: 'open', fldQty: 0, unFldSz: 10, avgPrc: '0.00' }) });
      const change = (given: object) => at.broker.modifyOrder({ orderid: orderId, variety: 'NORMAL', ...given });
      expect(await change({ ordertype: 'MARKET' })).toMatchObject({ message: 'MARKET went to Kotak as LIMIT with a limit of 816.4' });
      expect(await change({ ordertype: 'SL-M', triggerprice: '820' })).toMatchObject({
        message: 'SL-M went to Kotak as SL with a limit of 824.1',
      });
      expect(await change({ price: '813' })).not.toHaveProperty('message');
    });

    test('asks for the quote of its token, the bar as it is', async () => {
      await at.place({ ordertype: 'SL-M', triggerprice: '820' });
      expect(at.stub.calls(routes.quote)[0]?.path).toBe('/script-details/1.0/quotes/neosymbol/nse_cm|3045/all');
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
      at.stub.on(routes.quote, reply);
      const sent = await at.place({ ordertype: 'SL-M', triggerprice: '820' });
      expect(sent).toMatchObject({ fate: 'rejected', message: expect.stringMatching(says) });
      expect(sent.message).toContain('limit price');
      expect(at.stub.calls(routes.place)).toEqual([]);
    });

    test('after a quote that took longer than 5 s is refused before sending', async () => {
      let skipMs = 0;
      at.use(credentials, { clock: { ...at.made.env.clock, now: () => Date.now() + skipMs } });
      await at.broker.connect(null);
      at.stub.on(routes.quote, () => {
        skipMs = 5_001;
        return answer('quote');
      });
      for (const given of [{ ordertype: 'SL-M', triggerprice: '820' }, {}]) {
        skipMs = 0;
        expect(await at.place(given)).toMatchObject({ fate: 'rejected', message: expect.stringContaining('5 s') });
      }
      expect(at.stub.calls(routes.place)).toEqual([]);
    });
  });

  test('the refusal of an address names the one Kotak sees', async () => {
    await at.broker.connect(null);
    at.stub.on(routes.place, error('address'));
    at.stub.on(routes.address, {
      body: { data: [{ ip: '203.0.113.5', time: '2026-11-20 09:00:00.000' }], stCode: 1000, status: 'success' },
    });
    const sent = await at.place({});
    expect(sent).toMatchObject({ fate: 'rejected', message: expect.stringContaining('203.0.113.5') });
    expect(at.made.expired).toEqual([]);
    expect(at.stub.calls(routes.place).length).toBe(1);
  });

  describe('changing and cancelling', () => {
    const change = (given: { orderid: string } & Record<string, string>) => at.broker.modifyOrder({ variety: 'NORMAL', ...given });
    const open = { ordSt: 'open', fldQty: 0, unFldSz: 10, avgPrc: '0.00' };
    const booked = (patch: Record<string, unknown>) => at.stub.on(routes.orders, { body: patched('orders', { ...open, ...patch }) });
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
    beforeEach(() => at.broker.connect(null));

    test.each([
      [{ price: '813.5' }, {}, { pr: '813.5' }],
      [{ quantity: '5' }, {}, { qt: '5' }],
      [{ ordertype: 'MARKET' }, {}, { pt: 'L', pr: '816.4' }],
      [{ ordertype: 'MARKET' }, { trnsTp: 'S' }, { pt: 'L', pr: '808.3', tt: 'S' }],
      [{ quantity: '5' }, { prcTp: 'MKT', prc: '0.00' }, { pt: 'L', pr: '816.4', qt: '5' }],
      [{ ordertype: 'SL', triggerprice: '815' }, {}, { pt: 'SL', tp: '815' }],
      [{ triggerprice: '815' }, { prcTp: 'SL', trgPrc: '814.50' }, { pt: 'SL', tp: '815' }],
      [{ price: '817' }, { prcTp: 'SL', trgPrc: '814.50' }, { pt: 'SL', tp: '814.5', pr: '817' }],
      [{ ordertype: 'SL-M', triggerprice: '820' }, {}, { pt: 'SL', tp: '820', pr: '824.1' }],
      [{ triggerprice: '820' }, { prcTp: 'SL-M', prc: '0.00', trgPrc: '815' }, { pt: 'SL', tp: '820', pr: '824.1' }],
      [{ price: '1' }, { dscQty: 2, vldt: 'IOC', tok: '' }, { pr: '1', dq: '2', vd: 'IOC', tk: undefined }],
    ])('%o over %o changes that alone; Kotak wants the rest repeated', async (given, patch, sent) => {
      booked(patch);
      expect(await change({ orderid: orderId, ...given })).toMatchObject({ fate: 'accepted' });
      expect(at.sentTo(routes.modify)).toEqual([JSON.parse(JSON.stringify({ ...asBooked, ...sent }))]);
    });

    test('the limit of our own SL-M order follows its trigger, unless a price is given', async () => {
      await at.place({ ordertype: 'SL-M', triggerprice: '820' });
      booked({ prcTp: 'SL', prc: '824.10', trgPrc: '820.00' });
      await change({ orderid: orderId, triggerprice: '830' });
      await change({ orderid: orderId, triggerprice: '830', price: '831' });
      expect(at.sentTo(routes.modify)).toMatchObject([
        { pt: 'SL', tp: '830', pr: '834.15' },
        { pt: 'SL', tp: '830', pr: '831' },
      ]);
    });
    test('a stranger’s SL order keeps its limit', async () => {
      booked({ prcTp: 'SL', prc: '824.10', trgPrc: '820.00' });
      await change({ orderid: orderId, triggerprice: '822' });
      expect(at.sentTo(routes.modify)).toMatchObject([{ tp: '822', pr: '824.1' }]);
      expect(at.stub.calls(routes.quote)).toEqual([]);
    });

    test.each([
      ['a limit price of 0', { price: '0' }, /^price: /],
      ['LIMIT for an order booked without a price', { ordertype: 'LIMIT' }, /^price: /],
      ['a trigger of 0', { ordertype: 'SL', price: '800', triggerprice: '0' }, /^trigger_price: /],
      ['an order not in the report', { orderid: '42', price: '1' }, /^order_id: 42/],
    ])('%s is refused before sending', async (_what, given, says) => {
      if ('ordertype' in given && given.ordertype === 'LIMIT') booked({ prcTp: 'MKT', prc: '0.00' });
      expect(await change({ orderid: orderId, ...given })).toMatchObject({ fate: 'rejected', message: expect.stringMatching(says) });
      expect(at.stub.calls(routes.modify)).toEqual([]);
    });
    test('with the report unreadable nothing is changed', async () => {
      at.stub.on(routes.orders, error('unavailable'));
      expect(await change({ orderid: orderId, price: '1' })).toMatchObject({
        fate: 'rejected',
        message: expect.stringContaining('nothing was changed'),
      });
      expect(at.stub.calls(routes.modify)).toEqual([]);
    });
    test('a quantity on CDS is not changed, a price is', async () => {
      booked({ exSeg: 'cde_fo', trdSym: 'USDINR26DECFUT' });
      expect(await change({ orderid: orderId, quantity: '2' })).toMatchObject({
        fate: 'rejected',
        message: expect.stringMatching(/^quantity: /),
      });
      await change({ orderid: orderId, price: '89.5' });
      expect(at.sentTo(routes.modify)).toMatchObject([{ es: 'cde_fo', qt: '10', pr: '89.5' }]);
    });
    test('a change after a partial fill is read back: a quantity that grew is told', async () => {
      booked({ fldQty: 4 });
      expect(await change({ orderid: orderId, price: '813' })).not.toHaveProperty('message');
      at.stub.on(routes.modify, () => {
        booked({ fldQty: 4, qty: 14 });
        return answer('placed');
      });
      expect(await change({ orderid: orderId, price: '814' })).toMatchObject({
        fate: 'accepted',
        message: expect.stringMatching(/14.*10/),
      });
      expect(at.sentTo(routes.modify)).toMatchObject([{ qt: '10' }, { qt: '10' }]);
    });
    test('an order held for the market’s opening is changed and cancelled as one, whatever the caller says', async () => {
      await change({ orderid: '261120000612880', price: '26000' });
      await at.broker.cancelOrder('261120000612880');
      expect(at.sentTo(routes.modify)).toMatchObject([{ am: 'YES', es: 'nse_fo' }]);
      expect(at.sentTo(routes.cancel)).toEqual([{ on: '261120000612880', am: 'YES', ts: 'NIFTY26NOVFUT' }]);
    });
    test('our own regular order is cancelled without a read', async () => {
      await at.place({});
      await at.broker.cancelOrder(orderId);
      expect(at.sentTo(routes.cancel)).toEqual([{ on: orderId, am: 'NO' }]);
      expect(at.stub.calls(routes.orders)).toEqual([]);
    });
    test('our own after-market order is looked up first: it may have reached the exchange by now', async () => {
      await at.place({ variety: 'AMO' });
      booked({ ordSt: 'open' });
      await at.broker.cancelOrder(orderId);
      booked({ ordSt: 'modify after market order req received' });
      await at.broker.cancelOrder(orderId);
      expect(at.sentTo(routes.cancel)).toEqual([
        { on: orderId, am: 'NO' },
        { on: orderId, am: 'YES', ts: 'SBIN-EQ' },
      ]);
    });
    test('a cancel is tried as regular when the report cannot be read', async () => {
      at.stub.on(routes.orders, error('unavailable'));
      expect(await at.broker.cancelOrder(orderId)).toMatchObject({ fate: 'accepted' });
      expect(at.sentTo(routes.cancel)).toEqual([{ on: orderId, am: 'NO' }]);
    });
  });
});
