import { describe, expect, it } from 'vitest';
import type { HoldingRow } from '../../server/brokers/broker.ts';
import { tradedBySymbol } from '../../server/brokers/instrument.ts';
import { entryOf, money, order, position, record, SBIN, stand } from './account-stand.ts';
import { orderRow } from './parts.ts';

const sells = { product: 'INTRADAY', side: 'SELL' };
const row = (change: Parameters<typeof orderRow>[0] = {}) => orderRow({ transaction_type: 'SELL', tag: null, ...change });
const since = (time: string) => new Date(`${time}+05:30`).toISOString();

describe('a list that cannot be read', () => {
  it('teaches the book nothing, and whoever asked for it is told why', async () => {
    const { told, account, clock, book } = stand({ left: { orders: [record({ tradingDay: '2026-11-19' })] } });
    told.positions = [position('SBIN', '3045', 10)];
    await clock.settle(account.positions.next('orders'));
    told.failure = 'HTTP 503';
    for (const list of [account.positions, account.orderBook, account.holdings])
      expect(await clock.settle<unknown>(list.next('orders'))).toEqual({ success: false, message: 'HTTP 503' });
    expect(book.instrument(SBIN).situation(sells, true)).toMatchObject({ own: { low: 10, high: 10 }, working: 6 });
  });
});

describe('a row of the order book', () => {
  it('with the id of an order of ours, of a day before that was begun, is another order’s', async () => {
    const { told, book, readOrders } = stand();
    const entry = entryOf({ orderId: '1001', side: 'SELL' });
    book.add(entry, book.instrument(SBIN));
    told.orders = [row({ filled_quantity: 4, placed_at: since('2026-11-19T15:00:00') })];
    await readOrders();
    expect(entry.filled).toBe(0);
    told.orders = [row({ filled_quantity: 4, placed_at: since('2026-11-20T10:00:00') })];
    await readOrders();
    expect(entry.filled).toBe(4);
  });
  it('without a tag is not an order of ours that has none either', async () => {
    const { told, book, readOrders } = stand({ left: { orders: [record()] } });
    told.orders = [row({ order_id: '9', filled_quantity: 9 })];
    await readOrders();
    expect(book.instrument(SBIN).situation(sells, true)).toMatchObject({ own: { low: 0, high: 0 }, working: 6 });
  });
  it.each([
    ['its id', row({ filled_quantity: 9 })],
    ['its tag', orderRow({ order_id: '9', transaction_type: 'SELL', filled_quantity: 9 })],
  ])('of an order that is over, known by %s, counts no more', async (_, shown) => {
    const { told, book, readOrders } = stand();
    const entry = entryOf({ orderId: '1001', side: 'SELL' });
    book.add(entry, book.instrument(SBIN));
    entry.stage = 'over';
    book.settle(entry);
    told.orders = [shown];
    await readOrders();
    expect([entry.filled, book.order('1001'), book.instrument(SBIN).orders.size]).toEqual([0, undefined, 0]);
    expect(book.instrument(SBIN).belief('INTRADAY').range).toEqual({ low: 0, high: 0 });
  });
  it('with a tag is the order’s that was taken up under it last, whatever became of one before', async () => {
    const { told, book, readOrders } = stand();
    const [lost, taken] = [entryOf({ side: 'SELL' }), entryOf({ side: 'SELL' })];
    for (const entry of [lost, taken]) book.add(entry, book.instrument(SBIN));
    lost.stage = 'over';
    book.settle(lost);
    told.orders = [orderRow({ order_id: '9', transaction_type: 'SELL', filled_quantity: 4 })];
    await readOrders();
    expect([lost.filled, taken.filled]).toEqual([0, 4]);
  });
  it('tells the token of an instrument that was known by its symbol alone', async () => {
    const { told, book, readOrders } = stand();
    const entry = entryOf();
    book.add(entry, book.instrument(order('NSE', 'SBIN')));
    told.orders = [orderRow({ token: '3045' })];
    await readOrders();
    expect([...book.instrument(SBIN).orders]).toEqual([entry]);
    expect(book.living()).toEqual([book.instrument(SBIN)]);
  });
  it('of another order teaches nothing: it may be any spelling', async () => {
    const { told, book, readOrders } = stand();
    const byName = book.instrument(order('NSE', 'SBIN'));
    told.orders = [row({ order_id: '9', token: '3045' })];
    await readOrders();
    expect(book.instrument(order('NSE', 'SBIN'))).toBe(byName);
    expect(book.instrument(SBIN)).not.toBe(byName);
  });
});

describe('an order of an earlier day', () => {
  const yesterday = { tradingDay: '2026-11-19' };
  it('rests on while the order book shows it', async () => {
    const { told, book, readOrders } = stand({ left: { orders: [record(yesterday)] } });
    told.orders = [row({ filled_quantity: 4, placed_at: since('2026-11-19T15:00:00') })];
    await readOrders();
    expect(book.instrument(SBIN).situation(sells, true)).toMatchObject({ working: 6 });
  });
  it('rests on while a row of the order book cannot be read: it may be its own', async () => {
    const { told, book, readOrders } = stand({ left: { orders: [record(yesterday)] } });
    told.unreadableOrders = [{ row: {}, reason: 'quantity', exchange: null, symbol: null, token: null }];
    await readOrders();
    expect(book.instrument(SBIN).situation(sells, true)).toMatchObject({ working: 6 });
    told.unreadableOrders = [];
    await readOrders();
    expect([book.order('1001'), book.instrument(SBIN).orders.size]).toEqual([undefined, 0]);
  });
  it('whose fate is not known is not over because the order book lacks it', async () => {
    const { book, readOrders } = stand();
    const entry = entryOf({ ...yesterday, orderId: '1001', side: 'SELL' });
    book.add(entry, book.instrument(SBIN));
    await readOrders();
    expect([entry.stage, book.order('1001')]).toEqual(['unknown', entry]);
  });
});

describe('an instrument', () => {
  it('lives while something is held or open in it, and no longer', async () => {
    const { told, book, net, readOrders } = stand();
    expect(book.living()).toEqual([]);
    told.positions = [position('INFY', '1594', -4)];
    await net(SBIN);
    expect(book.living().map(({ alias }) => alias.symbol)).toEqual(['INFY']);
    book.add(entryOf({ orderId: '1001' }), book.instrument(SBIN));
    expect(book.living().map(({ alias }) => alias.symbol)).toEqual(['INFY', 'SBIN']);
    told.positions = [];
    await net(SBIN);
    expect(book.living().map(({ alias }) => alias.symbol)).toEqual(['SBIN']);
    const entry = book.order('1001');
    if (entry) entry.stage = 'resting';
    told.orders = [orderRow({ state: 'CANCELLED' })];
    await readOrders();
    await net(SBIN);
    expect(book.living()).toEqual([]);
  });
  it('is readable as long as no list says otherwise', () => {
    for (const made of [stand(), stand({ tradedBy: tradedBySymbol })]) expect(made.book.instrument(SBIN).unreadable).toBe(false);
  });
  it('holds what the positions say whose key alone was asked for before they told its token', async () => {
    const { told, book, net } = stand();
    const key = book.names.key(order('NSE', 'SBIN'));
    told.positions = [position('SBIN', '3045', 10)];
    expect(await net(order('NSE', 'SBIN'))).toBe(10);
    expect(book.names.key(order('NSE', 'SBIN'))).not.toBe(key);
    expect(book.living()).toEqual([book.instrument(SBIN)]);
  });
  it('is sold for delivery from all that is held of it, on either exchange, and from nothing else', async () => {
    const { told, account, clock, book } = stand({ traits: { holdingsFall: false } });
    const held = (name: ReturnType<typeof order>, sellable_quantity: number): HoldingRow => {
      const { average_price, last_price } = money;
      return { ...name, isin: null, quantity: 99, sellable_quantity, average_price, last_price, pnl: null };
    };
    told.holdings = [held(SBIN, 5), held(order('NSE', 'INFY', '1594'), 7), held(order('BSE', 'SBIN', '500112'), 2)];
    told.positions = [{ ...position('SBIN', '3045', -3), product_type: 'DELIVERY' }];
    await clock.settle(Promise.all([account.holdings.next('orders'), account.positions.next('orders')]));
    const { own } = book.instrument(SBIN).situation({ product: 'DELIVERY', side: 'SELL' }, true);
    expect(own).toEqual({ low: 4, high: 4 });
  });
  it.each([
    [undefined, 4990, 10],
    [undefined, 5010, 0],
    [9000, 8990, 10],
    [9000, 9010, 0],
  ])('may be shown without a fill of ours for %s ms by the broker’s traits, 5 s unless told: after %i ms it holds %i', async (...told) => {
    const [positionsLagMs, ageMs, held] = told;
    const { clock, book, net } = stand({ traits: positionsLagMs === undefined ? {} : { positionsLagMs } });
    const entry = entryOf();
    book.add(entry, book.instrument(SBIN));
    await clock.pass(1);
    book.filled(entry, 10);
    entry.filled = 10;
    await clock.pass(ageMs);
    expect(await net(SBIN)).toBe(held);
  });
});
