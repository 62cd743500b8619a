import { describe, expect, it } from 'vitest';
import type { Stage } from '../../server/orders/entry.ts';
import { entryOf, order, record, SBIN, stand } from './account-stand.ts';
import { orderRow } from './parts.ts';

describe('an order at rest that has no attempt here', () => {
  const rests = { attempt: null, begunAt: null, key: '', requestHash: '', tag: '', stage: 'resting', orderId: '1001', side: 'SELL' };
  it('is what its record says, also where that lacks the product', () => {
    const { book } = stand({ left: { orders: [record({ tradingDay: '2026-11-18' }), record({ orderId: '1002', product: null })] } });
    expect(book.order('1001')).toMatchObject({ ...rests, product: 'INTRADAY', held: 10, filled: 4, day: '2026-11-18' });
    expect(book.order('1002')).toMatchObject({ ...rests, orderId: '1002', product: '', held: 10, filled: 4, day: '2026-11-20' });
  });
  it('is what an exit found of another hand’s, as of today', () => {
    const { book } = stand();
    book.countElsewhere({ name: SBIN, orderId: '1001', product: 'MTF', side: 'SELL', quantity: 6, filled: 1 });
    expect(book.order('1001')).toMatchObject({ ...rests, product: 'MTF', held: 6, filled: 1, day: '2026-11-20' });
    expect(book.living()).toEqual([book.instrument(SBIN)]);
  });
});

describe('an order that an earlier process left open', () => {
  it('gives its instrument the symbol of its record', () => {
    const entry = entryOf({ symbol: 'SBIN-EQ', token: '3045' });
    const { book } = stand({ left: { entries: [{ entry, filled: 0 }] } });
    expect(book.instrument(SBIN).name).toBe('SBIN-EQ');
    expect([...book.instrument(SBIN).orders]).toEqual([entry]);
  });
  it('counts no more where a person has settled it before its account signed in', () => {
    const entry = entryOf({ orderId: '1001', token: '3045' });
    entry.stage = 'over';
    const { book } = stand({ left: { entries: [{ entry, filled: 0 }] } });
    expect([book.instrument(SBIN).orders.size, book.living(), book.order('1001')]).toEqual([0, [], undefined]);
  });
  it('has moved the position by what it has filled since, over or not', () => {
    const held = { broker: 'dhan', account: 'TEST1', ...order('NSE', 'SBIN', '3045'), product: 'INTRADAY', net: -5 };
    const own = (more: number, stage: Stage) => {
      const entry = entryOf({ orderId: '1001', token: '3045', side: 'BUY', quantity: 3, filledQuantity: 1 });
      [entry.filled, entry.stage] = [1 + more, stage];
      const { book } = stand({ left: { positions: [held], entries: [{ entry, filled: 1 }] } });
      const { own: range } = book.instrument(SBIN).situation({ product: 'INTRADAY', side: 'BUY' }, false);
      return { ...range, orders: book.instrument(SBIN).orders.size, known: book.order('1001') !== undefined };
    };
    expect(own(2, 'over')).toEqual({ low: -3, high: -3, orders: 0, known: false });
    expect(own(1, 'unknown')).toEqual({ low: -4, high: -4, orders: 1, known: true });
    expect(own(0, 'unknown')).toEqual({ low: -5, high: -5, orders: 1, known: true });
  });
});

it('an order at rest may fill what a modify of an earlier process asked for, until a read says what it has', async () => {
  const attempted = { entry: entryOf({ orderId: '1002', token: '3045', side: 'SELL', quantity: 3 }), filled: 0 };
  const asked = [
    { orderId: '1001', quantity: 25 },
    { orderId: '1002', quantity: 2 },
    { orderId: 'gone', quantity: 99 },
  ];
  const { book, told, clock, readOrders } = stand({ left: { orders: [record()], entries: [attempted], asked } });
  expect([book.order('1001')?.open, book.order('1002')?.open]).toEqual([21, 3]);
  told.orders = [orderRow({ order_id: '1001', tag: null, transaction_type: 'SELL', quantity: 12, filled_quantity: 4 })];
  await clock.pass(1);
  await readOrders();
  expect([book.order('1001')?.open, book.order('1002')?.open]).toEqual([8, 3]);
});

describe('the id of an order of ours', () => {
  it('finds it from the moment it is told', () => {
    const { book } = stand();
    const entry = entryOf({ orderId: '' });
    book.add(entry, book.instrument(SBIN));
    expect([book.order(''), book.order('77')]).toEqual([undefined, undefined]);
    entry.orderId = '77';
    book.settle(entry);
    expect([book.order(''), book.order('77')]).toEqual([undefined, entry]);
  });
  it('given to two orders in turn finds the one of the later day, whichever is told of last', () => {
    const { book } = stand();
    const [today, yesterday] = [entryOf({ orderId: '77' }), entryOf({ orderId: '77', tag: 'other', tradingDay: '2026-11-19' })];
    for (const entry of [today, yesterday]) book.add(entry, book.instrument(SBIN));
    expect([book.order('77'), today.stage, yesterday.stage]).toEqual([today, 'unknown', 'unknown']);
    yesterday.stage = 'over';
    book.settle(yesterday);
    expect(book.order('77')).toBe(today);
  });
});

it('a position of an earlier process lives from the start', () => {
  const held = { broker: 'dhan', account: 'TEST1', ...order('NSE', 'SBIN', '3045'), product: 'INTRADAY', net: 5 };
  const { book } = stand({ left: { positions: [held] } });
  expect(book.living()).toEqual([book.instrument(SBIN)]);
  expect(book.instrument(SBIN).situation({ product: 'INTRADAY', side: 'SELL' }, false).own).toEqual({ low: 5, high: 5 });
});
