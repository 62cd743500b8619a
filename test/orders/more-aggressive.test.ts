import { expect, it } from 'vitest';
import { isMoreAggressive } from '../../server/orders/more-aggressive.ts';
import { orderRow } from './parts.ts';

const limit = { order_type: 'LIMIT', price: 100, quantity: 10 };
const stop = { order_type: 'SL', price: 105, trigger_price: 104, quantity: 10 };
const order = { orderid: '1001', variety: 'NORMAL' };

it.each([
  // The entry's side, how it rests, what is asked, and whether it does more: as an entry, and as an exit.
  ['BUY', limit, {}, false, false],
  ['BUY', limit, { quantity: '11' }, true, true],
  ['BUY', limit, { quantity: '10' }, false, false],
  ['BUY', limit, { quantity: '9' }, false, false],
  ['BUY', limit, { price: '100.05' }, true, false],
  ['BUY', limit, { price: '100.00' }, false, false],
  ['BUY', limit, { price: '99.95' }, false, false],
  ['SELL', limit, { price: '99.95' }, true, false],
  ['SELL', limit, { price: '100.05' }, false, false],
  ['SELL', limit, { price: '100.00' }, false, false],
  ['BUY', limit, { price: '0' }, true, false],
  ['SELL', limit, { price: '0' }, true, false],
  ['BUY', limit, { ordertype: 'MARKET' }, true, false],
  ['BUY', limit, { ordertype: 'SL' }, true, false],
  ['BUY', limit, { ordertype: 'LIMIT', price: '99' }, false, false],
  ['BUY', stop, { triggerprice: '103' }, true, false],
  ['BUY', stop, { triggerprice: '105' }, false, false],
  ['BUY', stop, { triggerprice: '104' }, false, false],
  ['SELL', stop, { triggerprice: '105' }, true, false],
  ['SELL', stop, { triggerprice: '103' }, false, false],
  ['BUY', { ...limit, price: null }, { price: '1' }, true, false],
  // What cannot be compared counts as more.
  ['BUY', limit, { triggerprice: '90' }, true, false],
] as const)('a %s %o changed to %o does more: %s as an entry, %s as an exit', (side, row, change, asEntry, asExit) => {
  const resting = orderRow({ transaction_type: side, ...row });
  expect(isMoreAggressive({ ...order, ...change }, resting, true)).toBe(asEntry);
  expect(isMoreAggressive({ ...order, ...change }, resting, false)).toBe(asExit);
});
