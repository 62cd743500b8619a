import { expect, test } from 'vitest';
import type { PositionRow } from '../../server/brokers/broker.ts';
import { netQuantity } from '../../server/orders/guard.ts';

const money = { average_price: null, last_price: null, realized_pnl: null, unrealized_pnl: null, multiplier: 1 };

function position(symbol: string, token: string | null, net: number, exchange = 'NSE'): PositionRow {
  return { symbol, token, exchange, product_type: 'INTRADAY', net_quantity: net, ...money };
}

const rows = [position('SBIN', '3045', 10), position('SBIN', '500112', 7, 'BSE'), position('INFY', '1594', -4), position('ITC', null, 3)];

test('where the broker trades by token, a position under another spelling of the symbol still counts', () => {
  const order = { exchange: 'NSE', symbol: 'SBIN-EQ', token: '3045' };
  expect(netQuantity(rows, order, true)).toBe(10);
  expect(netQuantity(rows, order)).toBe(0);
});

test('a symbol that contradicts its token counts both instruments', () => {
  expect(netQuantity(rows, { exchange: 'NSE', symbol: 'INFY', token: '3045' }, true)).toBe(6);
});

test('tokens are those of one exchange, and a row without a token goes by its symbol', () => {
  expect(netQuantity(rows, { exchange: 'BSE', symbol: 'X', token: '3045' }, true)).toBe(0);
  expect(netQuantity(rows, { exchange: 'NSE', symbol: 'ITC', token: '1660' }, true)).toBe(3);
});
