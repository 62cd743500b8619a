import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { kotakStub } from './kotak.stub.ts';
import { answer, body, credentials, error, nifty, patched, routes, sbin } from './kotak.suite.ts';
import type { Answer } from './stub-server.ts';

const rowsOf = (name: string) => z.array(z.record(z.string(), z.unknown())).parse(body(name).data);
const [share = {}, future = {}] = rowsOf('positions');
const [holding = {}] = rowsOf('holdings');
const [trade = {}] = rowsOf('trades');
const none = {
  cfBuyQty: '0',
  cfBuyAmt: '0.00',
  cfSellQty: '0',
  cfSellAmt: '0.00',
  flBuyQty: '0',
  buyAmt: '0.00',
  flSellQty: '0',
  sellAmt: '0.00',
};
const list = (...rows: unknown[]): Answer => ({ body: { stat: 'ok', stCode: 200, data: rows } });

describe('positions at kotak', () => {
  const at = kotakStub();
  const read = async () => {
    const answered = await at.broker.positions();
    if (!answered.success) throw new Error(answered.message);
    return answered;
  };
  const rows = async () => (await read()).normalized;

  describe('lie where the client 3.0.9 asks, or where they lay before', () => {
    const asked = () => ['positions', 'oldPositions'].map((name) => at.stub.calls(routes[name as 'positions']).length);
    beforeEach(async () => {
      await at.broker.connect(null);
      at.stub.on(routes.oldPositions, answer('positions'));
    });

    test('the newer path alone is asked while it answers', async () => {
      await rows();
      expect(asked()).toEqual([1, 0]);
    });
    test.each<[string, Answer]>([
      ['HTTP 404', { status: 404, body: { stat: 'Not_Ok', emsg: 'resource not found', stCode: 404 } }],
      ['a page under HTTP 404', { status: 404, body: '<html>not here</html>' }],
      ['a refusal that speaks of the path', { status: 400, body: { stat: 'Not_Ok', emsg: 'No matching resource found', stCode: 900906 } }],
    ])('after %s the older one is, for as long as the login lasts', async (_what, reply) => {
      at.stub.on(routes.positions, reply);
      expect((await rows()).map((row) => row.net_quantity)).toEqual([10, -150, 0]);
      await rows();
      expect(asked()).toEqual([1, 2]);
      await at.broker.connect(null);
      await rows();
      expect(asked()).toEqual([2, 3]);
    });
    test.each<[string, Answer]>([
      ['a broken connection', 'reset'],
      ['HTTP 503', error('unavailable')],
      ['a page under HTTP 502 that speaks of the path', { status: 502, body: { stat: 'Not_Ok', emsg: 'resource not found', stCode: 502 } }],
      ['another refusal', error('symbol')],
    ])('%s says nothing about the path', async (_what, reply) => {
      at.stub.on(routes.positions, reply);
      expect(await at.broker.positions()).toMatchObject({ success: false });
      at.stub.on(routes.positions, answer('positions'));
      await rows();
      expect(at.stub.calls(routes.oldPositions)).toEqual([]);
    });
    test('an older path that is gone is forgotten', async () => {
      at.stub.on(routes.positions, { status: 404, body: {} });
      await rows();
      at.stub.on(routes.oldPositions, { status: 404, body: {} });
      at.stub.on(routes.positions, answer('positions'));
      expect(await at.broker.positions()).toMatchObject({ success: false });
      expect(await rows()).toHaveLength(3);
      expect(asked()).toEqual([2, 2]);
    });
    test('a path unknown in both places is asked for again', async () => {
      for (const route of [routes.positions, routes.oldPositions]) at.stub.on(route, { status: 404, body: {} });
      expect(await at.broker.positions()).toMatchObject({ success: false });
      await at.broker.positions();
      expect(asked()).toEqual([2, 2]);
    });
    test('rows in an envelope without stat are read', async () => {
      at.stub.on(routes.positions, { body: { data: rowsOf('positions') } });
      expect((await rows()).map((row) => row.net_quantity)).toEqual([10, -150, 0]);
    });
  });

  describe('a row in the shorter form of the documents', () => {
    const named = { actId: 'KT001', exSeg: 'nse_cm', trdSym: 'SBIN-EQ', prod: 'MIS', sym: 'SBIN' };
    const short = { ...named, qty: '9', flBuyQty: '9', flSellQty: '0', buyAmt: '7300.80', sellAmt: '0.00', posFlg: 'true', lotSz: '1' };
    beforeEach(() => at.broker.connect(null));

    test('is read by its net', async () => {
      at.stub.on(routes.positions, list(short));
      expect(await rows()).toMatchObject([{ symbol: 'SBIN-EQ', token: null, net_quantity: 9, average_price: 811.2, multiplier: 1 }]);
    });
    test('counts what its net tells beyond today as carried, at a cost that is not known', async () => {
      at.stub.on(
        routes.positions,
        list({ ...short, exSeg: 'nse_fo', trdSym: 'NIFTY26NOVFUT', prod: 'NRML', qty: '-75', flBuyQty: '0', buyAmt: '0' }),
      );
      expect(await rows()).toMatchObject([{ net_quantity: -75, average_price: null }]);
    });
    test.each([
      ['without a net', { qty: undefined }, 'cfBuyQty'],
      ['with a net that is none', { qty: 'nine' }, 'qty'],
      ['of MCX, where money needs the multiplier', { exSeg: 'mcx_fo' }, 'multiplier'],
    ])('%s is unreadable', async (_what, patch, reason) => {
      at.stub.on(routes.positions, list({ ...short, ...patch }));
      expect(await read()).toMatchObject({ normalized: [], unreadable: [{ symbol: 'SBIN-EQ', reason: expect.stringContaining(reason) }] });
    });
  });

  describe('what was carried', () => {
    const carried = { ...share, ...none, cfBuyQty: '10', cfBuyAmt: '8123.50' };
    beforeEach(() => at.broker.connect(null));

    test.each([
      // The holdings' average, not what Kotak put into cfBuyAmt.
      ['NRML shares', { prod: 'NRML' }, {}, { net_quantity: 10, average_price: 790.4 }],
      ['shares with some of today', { prod: 'NRML', flBuyQty: '10', buyAmt: '8112.00' }, {}, { net_quantity: 20, average_price: 800.8 }],
      ['shares the holdings do not name', { prod: 'NRML', tok: '1' }, {}, { net_quantity: 10, average_price: null }],
      ['shares the holdings have no price of', { prod: 'NRML' }, { averagePrice: 0 }, { net_quantity: 10, average_price: null }],
      // Delivery shares are in the holdings: counted there, they are not counted here.
      ['delivery shares that may be sold', { prod: 'CNC' }, {}, { net_quantity: 0, average_price: 0 }],
      ['delivery shares that may not', { prod: 'CNC' }, { sellableQuantity: 0 }, { net_quantity: 10, average_price: 790.4 }],
      [
        'delivery shares and some of today',
        { prod: 'CNC', flBuyQty: '4', buyAmt: '3244.80' },
        {},
        { net_quantity: 4, average_price: 811.2 },
      ],
      ['delivery shares, some sold', { prod: 'CNC', flSellQty: '4', sellAmt: '3244.80' }, { sellableQuantity: 6 }, { net_quantity: 0 }],
    ])('%s', async (_what, patch, inHoldings, told) => {
      at.stub.on(routes.positions, list({ ...carried, ...patch }));
      at.stub.on(routes.holdings, { body: { data: [{ ...holding, ...inHoldings }] } });
      expect(await rows()).toMatchObject([told]);
    });
    test('in contracts costs what the row says, and 0 is no cost', async () => {
      at.stub.on(
        routes.positions,
        list({ ...future, ...none, cfBuyQty: '75', cfBuyAmt: '1950000.00' }, { ...future, ...none, prod: 'MIS', cfSellQty: '75' }),
      );
      expect(await rows()).toMatchObject([
        { net_quantity: 75, average_price: 26000 },
        { net_quantity: -75, average_price: null },
      ]);
      expect(at.stub.calls(routes.holdings)).toEqual([]);
    });
    test('asks for the holdings once a minute, and is told without them too', async () => {
      at.stub.on(routes.positions, list({ ...carried, prod: 'NRML' }));
      await rows();
      await rows();
      expect(at.stub.calls(routes.holdings)).toHaveLength(1);
      at.use(credentials);
      await at.broker.connect(null);
      at.stub.on(routes.holdings, error('unavailable'));
      expect(await rows()).toMatchObject([{ net_quantity: 10, average_price: null }]);
    });
  });

  describe('a row that is left out', () => {
    let [now, mono] = [0, 0];
    beforeEach(async () => {
      now = Date.parse('2026-11-20T10:00:00+05:30');
      mono = 0;
      at.use(credentials, { clock: { ...at.made.env.clock, now: () => now, mono: () => mono } });
      await at.broker.connect(null);
      at.stub.on(routes.positions, list(share, future));
    });
    const other = { ...future, trdSym: 'BANKNIFTY26NOVFUT', tok: '47002' };

    test('of INTRADAY is made of the trades of the day', async () => {
      await rows();
      at.stub.on(routes.positions, list(future));
      at.stub.on(routes.trades, list(trade, { ...trade, flId: '2', trnsTp: 'S', fldQty: 4, avgPrc: '812.00' }));
      const told = await read();
      expect(told.normalized).toMatchObject([{ ...nifty }, { ...sbin, product_type: 'INTRADAY', net_quantity: 6, average_price: 811.2 }]);
      expect(told.data).toHaveLength(2);
      expect(told).not.toHaveProperty('unreadable');
    });
    test('after which nothing was traded is flat', async () => {
      await rows();
      at.stub.on(routes.positions, list(future));
      at.stub.on(routes.trades, { body: body('noData') });
      expect(await read()).toMatchObject({ normalized: [nifty] });
    });
    test('of CARRYFORWARD leaves its instrument unreadable, and no other, until it is back', async () => {
      await rows();
      at.stub.on(routes.positions, list(share, other));
      const told = await read();
      expect(told.normalized.map((row) => row.symbol)).toEqual(['SBIN-EQ', 'BANKNIFTY26NOVFUT']);
      expect(told.unreadable).toEqual([{ row: told.data[2], ...nifty, reason: expect.stringContaining('may have been carried') }]);
      at.stub.on(routes.positions, list(share, future, other));
      expect(await read()).not.toHaveProperty('unreadable');
      expect(at.made.logged.filter((line) => line.includes('leaves a position out'))).toHaveLength(1);
    });
    test('of an earlier day is expected only while a carried contract runs', async () => {
      at.stub.on(routes.positions, list(share, { ...future, exp: String(Date.parse('2026-11-24') / 1_000) }, other));
      await rows();
      at.stub.on(routes.positions, { body: body('noData') });
      now = Date.parse('2026-11-24T15:00:00+05:30');
      expect((await read()).unreadable).toMatchObject([{ symbol: 'NIFTY26NOVFUT' }]);
      now = Date.parse('2026-11-25T09:00:00+05:30');
      expect(await read()).not.toHaveProperty('unreadable');
    });
    test('of an order that filled is missed once the positions had time to show it', async () => {
      at.stub.on(routes.positions, { body: body('noData') });
      at.stub.on(routes.orders, answer('orders'));
      await at.broker.orders();
      expect((await rows()).length).toBe(0);
      mono = 5_001;
      expect(await rows()).toMatchObject([{ ...sbin, net_quantity: 10, average_price: 811.2 }]);
    });
    test('is unreadable when the trades cannot be read, whole or in part', async () => {
      await rows();
      at.stub.on(routes.positions, list(future));
      for (const reply of [error('unavailable'), { body: patched('tradebook', { fldQty: null }) }]) {
        at.stub.on(routes.trades, reply);
        expect(await read()).toMatchObject({ normalized: [nifty], unreadable: [{ ...sbin, reason: expect.stringContaining('trades') }] });
      }
    });
    test('is not looked for beside a row that may be it', async () => {
      await rows();
      at.stub.on(routes.positions, list({ ...share, flBuyQty: null }, future));
      expect((await read()).unreadable).toHaveLength(1);
      at.stub.on(routes.positions, list({ ...share, trdSym: null, exSeg: null }));
      expect((await read()).unreadable).toMatchObject([{ symbol: null, exchange: null }]);
      expect(at.stub.calls(routes.trades)).toEqual([]);
    });
  });
});
