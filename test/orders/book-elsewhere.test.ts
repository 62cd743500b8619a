import { describe, expect, it } from 'vitest';
import { type TradedBy, tradedByNumber, tradedBySymbol } from '../../server/brokers/instrument.ts';
import { entryOf, order, position, SBIN, stand } from './account-stand.ts';
import { orderRow } from './parts.ts';

/** A book that has read both lists once, ten milliseconds before each step. */
async function stood(tradedBy: TradedBy = tradedByNumber) {
  const { clock, told, account, book } = stand({ tradedBy });
  const readOrders = async () => {
    await clock.pass(10);
    await clock.settle(account.orderBook.next('orders'));
  };
  const readPositions = async (...rows: typeof told.positions) => {
    told.positions = rows;
    await clock.pass(10);
    await clock.settle(account.positions.next('orders'));
  };
  /** What the order book says of a sale placed elsewhere. */
  const sold = async (filled_quantity: number, name = order('NSE', 'SBIN')) => {
    told.orders = [orderRow({ ...name, order_id: '77', transaction_type: 'SELL', quantity: 50, filled_quantity, tag: null })];
    await readOrders();
  };
  const elsewhere = (side = 'SELL') => book.instrument(SBIN).situation({ product: 'INTRADAY', side }, true).elsewhere();
  await readOrders();
  await readPositions();
  return { clock, told, book, readOrders, readPositions, sold, elsewhere };
}

describe('what an order placed elsewhere filled', () => {
  it('is in the positions that showed the instrument flat long after, also once an order of ours is open in it', async () => {
    const { clock, book, readPositions, sold, elsewhere } = await stood();
    await sold(7);
    expect(elsewhere()).toBe(7);
    await clock.pass(6000);
    await readPositions();
    expect(elsewhere()).toBe(0);
    book.add(entryOf(), book.instrument(SBIN));
    expect(elsewhere()).toBe(0);
  });
  it('counts on while positions may lack a fill of ours, also where another order of ours comes', async () => {
    const { clock, book, readPositions, sold, elsewhere } = await stood();
    const bought = entryOf({ tag: 'bought' });
    book.add(bought, book.instrument(SBIN));
    await sold(7);
    await clock.pass(6000);
    book.filled(bought, 10);
    // Ten bought and seven sold, or three of the ten alone.
    await readPositions(position('SBIN', '3045', 3));
    expect(elsewhere()).toBe(7);
    book.add(entryOf({ tag: 'other' }), book.instrument(SBIN));
    expect(elsewhere()).toBe(7);
  });
  it('counts on while a row of the positions cannot be read', async () => {
    const { clock, told, readPositions, sold, elsewhere } = await stood();
    await sold(7);
    await clock.pass(6000);
    told.unreadable = [{ row: {}, exchange: 'NSE', symbol: 'INFY', token: '1594', reason: 'netQty: not a number' }];
    await readPositions();
    expect(elsewhere()).toBe(7);
    told.unreadable = [];
    await readPositions();
    expect(elsewhere()).toBe(0);
  });
  it('is that of the instrument that the broker trades by this symbol, and of none whose symbol begins alike', async () => {
    const { sold, elsewhere } = await stood(tradedBySymbol);
    await sold(7, order('NSE', 'SBIN-EQ', '3045'));
    expect(elsewhere()).toBe(0);
    await sold(9, order('NSE', 'sbin', '1'));
    expect(elsewhere()).toBe(9);
  });
  it('may be any instrument’s whose row lacks what the broker trades by, and of a name that begins alike', async () => {
    const { sold, elsewhere } = await stood();
    await sold(7, order('NSE', 'SBIN-EQ'));
    expect(elsewhere()).toBe(7);
    await sold(9, order('NSE', 'INFY'));
    expect(elsewhere()).toBe(0);
  });
  it('is not that of an order of ours whose id is known only with its end, as a person told it', async () => {
    const { book, sold, elsewhere } = await stood();
    const entry = entryOf({ side: 'SELL', quantity: 50 });
    book.add(entry, book.instrument(SBIN));
    await sold(50);
    expect(elsewhere()).toBe(0);
    entry.orderId = '77';
    entry.stage = 'over';
    book.filled(entry, 50);
    book.settle(entry);
    expect(elsewhere()).toBe(0);
  });
  it('is not what an order of ours filled that ended before any order book showed it', async () => {
    const { told, book, readOrders, elsewhere } = await stood();
    const entry = entryOf({ orderId: '1001', side: 'SELL' });
    book.add(entry, book.instrument(SBIN));
    entry.stage = 'over';
    book.settle(entry);
    told.orders = [orderRow({ transaction_type: 'SELL', filled_quantity: 4 })];
    await readOrders();
    expect(elsewhere()).toBe(0);
  });
});
