import { expect, test } from 'vitest';
import { capturedRows } from './captured-row.ts';
import { suite } from './fyers.suite.ts';
import { stubBroker } from './stub-broker.ts';

/** Rows as the real FYERS is documented or was seen to send them. */
const here = stubBroker(suite);
const captured = capturedRows('fyers');
const answerWith = (path: string, key: string, row: unknown) =>
  here.stub.on(`GET /api/v3/${path}`, { body: { s: 'ok', code: 200, message: '', [key]: [row] } });

test('a position costs what its open side was sold at', async () => {
  answerWith('positions', 'netPositions', captured.positions);
  expect(await here.broker.positions()).toMatchObject({
    normalized: [
      { symbol: 'NSE:NIFTY26NOV26000CE', exchange: 'NFO', net_quantity: -130, average_price: 67.8125, last_price: 61.4, multiplier: 1 },
    ],
  });
});

test('an order', async () => {
  answerWith('orders', 'orderBook', captured.orders);
  expect(await here.broker.orders()).toMatchObject({
    normalized: [
      {
        order_id: '26112000015105',
        symbol: 'NSE:IDEA-EQ',
        exchange: 'NSE',
        transaction_type: 'SELL',
        product_type: 'DELIVERY',
        filled_quantity: 1,
        average_price: 6.95,
        status: 'FILLED',
        tag: 'Ordertag',
      },
    ],
  });
});

test('a trade', async () => {
  answerWith('tradebook', 'tradeBook', captured.trades);
  expect(await here.broker.tradebook?.()).toMatchObject({
    normalized: [{ trade_id: '52605023', order_id: '26112000789075', symbol: 'NSE:PNB-EQ', quantity: 10, price: 102.7 }],
  });
});

test('a holding', async () => {
  answerWith('holdings', 'holdings', captured.holdings);
  expect(await here.broker.holdings()).toMatchObject({
    normalized: [
      { symbol: 'NSE:ZEEL-EQ', token: '10100000003812', quantity: 1, sellable_quantity: 1, average_price: 192.6, last_price: 149.7 },
    ],
  });
});

test('funds', async () => {
  answerWith('funds', 'fund_limit', captured.funds);
  const answer = await here.broker.funds();
  expect(answer.success && here.broker.traits.availableFunds?.(answer.data)).toBe('58.150000000000006');
});
