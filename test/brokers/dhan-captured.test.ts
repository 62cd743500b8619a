import { expect, test } from 'vitest';
import { capturedRows } from './captured-row.ts';
import { dhanStub } from './dhan.stub.ts';

/** Rows as the real Dhan is documented or was seen to send them. */
const here = dhanStub();
const captured = capturedRows('dhan');

test('a short position that bought costs what was sold', async () => {
  here.stub.on('GET /positions', { body: [captured.positions] });
  expect(await here.broker.positions()).toMatchObject({
    normalized: [
      { symbol: 'BANKNIFTY-Nov2026-52800-PE', token: '55231', exchange: 'NFO', net_quantity: -30, average_price: 475.85782, multiplier: 1 },
    ],
  });
});

test('an order', async () => {
  here.stub.on('GET /orders', { body: [captured.orders] });
  expect(await here.broker.orders()).toMatchObject({
    normalized: [
      {
        order_id: '112111182198',
        symbol: 'TCS',
        exchange: 'NSE',
        filled_quantity: 5,
        average_price: 3345,
        status: 'FILLED',
        tag: '123abc678',
      },
    ],
  });
});

test('a trade', async () => {
  here.stub.on('GET /trades', { body: [captured.trades] });
  expect(await here.broker.tradebook?.()).toMatchObject({
    normalized: [{ trade_id: '15112111182045', order_id: '112111182045', symbol: 'TCS', quantity: 40, price: 3345.8 }],
  });
});

test('a holding', async () => {
  here.stub.on('GET /holdings', { body: [captured.holdings] });
  expect(await here.broker.holdings()).toMatchObject({
    normalized: [
      { symbol: 'HDFCBANK', exchange: 'NSE', quantity: 1000, sellable_quantity: 1000, average_price: 855.5, last_price: 1003.2 },
    ],
  });
});

test('funds', async () => {
  here.stub.on('GET /fundlimit', { body: captured.funds });
  const answer = await here.broker.funds();
  expect(answer.success && here.broker.traits.availableFunds?.(answer.data)).toBe('98440');
});
