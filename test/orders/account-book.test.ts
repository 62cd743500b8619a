import { describe, expect, it } from 'vitest';
import type { Unreadable } from '../../server/brokers/broker.ts';
import { type TradedBy, tradedByNumber, tradedBySymbol } from '../../server/brokers/instrument.ts';
import type { AccountBook } from '../../server/orders/account-book.ts';
import { entryOf, money, order, position, record, SBIN, stand } from './account-stand.ts';
import { orderRow } from './parts.ts';

describe('one instrument', () => {
  const rows = [position('SBIN', '3045', 10), position('SBIN', '500112', 7, 'BSE'), position('INFY', '1594', -4), position('ITC', null, 3)];
  it('is one under every spelling where the broker trades by token', async () => {
    const { told, net } = stand();
    told.positions = rows;
    expect(await net(order('NSE', 'SBIN-EQ', '03045'))).toBe(10);
    expect(await net(order('NSE', 'X', '3045'))).toBe(10);
    expect(await net(order('BSE', 'X', '3045'))).toBe(0);
    expect(await net(order('BSE', 'SBIN', '500112'))).toBe(7);
  });
  it('is one under every token where the broker trades by symbol', async () => {
    const { told, net } = stand({ tradedBy: tradedBySymbol });
    told.positions = rows;
    expect(await net(order('NSE', 'sbin', '1'))).toBe(10);
    expect(await net(order('NSE', 'SBIN-EQ', '3045'))).toBe(0);
  });
  it('is one with what was known by its symbol alone, once a row tells the token', async () => {
    const { told, book, net } = stand();
    const byName = book.instrument(order('NSE', 'SBIN'));
    const entry = entryOf();
    book.add(entry, byName);
    told.positions = [position('SBIN', '3045', 30)];
    expect(await net(SBIN)).toBe(30);
    expect(book.instrument(order('NSE', 'SBIN'))).toBe(book.instrument(SBIN));
    expect(book.instrument(SBIN).orders).toContain(entry);
    expect(book.living()).toEqual([book.instrument(SBIN)]);
  });
  it('is one within a read of which a later row tells the token', async () => {
    const { told, net } = stand();
    told.positions = [{ ...position('SBIN', null, 5), product_type: 'DELIVERY' }, position('SBIN', '3045', 10)];
    expect(await net(SBIN)).toBe(15);
  });
  it('keeps what records said of it when another list tells its token', async () => {
    const held = { broker: 'dhan', account: 'TEST1', exchange: 'NSE', symbol: 'SBIN-EQ', token: null, product: 'INTRADAY', net: -5 };
    const { told, book, account, clock } = stand({ left: { positions: [held] } });
    const { average_price, last_price } = money;
    told.holdings = [
      { ...order('NSE', 'SBIN-EQ', '3045'), isin: null, quantity: 1, sellable_quantity: 1, average_price, last_price, pnl: null },
    ];
    await clock.settle(account.holdings.next('orders'));
    const instrument = book.instrument(SBIN);
    expect(instrument.situation({ product: 'INTRADAY', side: 'BUY' }, false).own).toEqual({ low: -5, high: -5 });
    expect(instrument.name).toBe('SBIN-EQ');
    expect(book.living()).toEqual([instrument]);
  });
  it('is told by the read that began last, in whatever order they end', async () => {
    const { clock, told, account, book } = stand();
    told.positions = [position('SBIN', '3045', 10)];
    const takes = [1000, 100];
    account.broker.positions = async () => {
      const { positions } = told;
      await clock.sleep(takes.shift() ?? 0);
      return { success: true, data: [], normalized: positions };
    };
    const slow = account.positions.next('orders');
    await clock.pass(10);
    told.positions = [];
    await clock.settle(account.positions.next('orders'));
    await clock.settle(slow);
    expect(book.instrument(SBIN).situation({ product: 'INTRADAY', side: 'BUY' }, true).sum.low).toBe(0);
  });
  it('sums several rows of one product, and is flat when a later read names it no more', async () => {
    const { told, net } = stand();
    told.positions = [position('SBIN', '3045', 10), position('SBIN-EQ', '3045', -3)];
    expect(await net(SBIN)).toBe(7);
    told.positions = [];
    expect(await net(SBIN)).toBe(0);
  });
});

describe('a row that cannot be read', () => {
  const unread = (change: Partial<Unreadable>): Unreadable => ({
    row: {},
    reason: '',
    exchange: 'NSE',
    symbol: null,
    token: null,
    ...change,
  });
  it.each<[Partial<Unreadable>, boolean, TradedBy]>([
    [{ token: '03045' }, true, tradedByNumber],
    [{ token: '1594' }, false, tradedByNumber],
    [{ symbol: 'SBIN-EQ' }, true, tradedByNumber],
    [{ symbol: 'INFY' }, false, tradedByNumber],
    [{ symbol: 'SBIN', exchange: 'BSE' }, false, tradedByNumber],
    [{}, true, tradedByNumber],
    [{ symbol: 'SBIN', exchange: null }, true, tradedByNumber],
    [{ symbol: 'INFY', exchange: null }, true, tradedByNumber],
    [{ exchange: 'BSE' }, true, tradedByNumber],
    [{ symbol: 'SBIN', token: '1' }, true, tradedBySymbol],
    [{ symbol: 'ITC', token: '3045' }, false, tradedBySymbol],
    [{ symbol: 'SBIN-EQ' }, false, tradedBySymbol],
    [{ token: '3045' }, true, tradedBySymbol],
  ])('named %o makes SBIN unreadable: %s', async (row, doubtful, tradedBy) => {
    const { told, book, net } = stand({ tradedBy });
    told.positions = [position('SBIN', '3045', 10)];
    await net(SBIN);
    told.unreadable = [unread(row)];
    told.positions = [position('SBIN', '3045', 99)];
    expect(await net(SBIN)).toBe(doubtful ? 10 : 99);
    expect(book.instrument(SBIN).unreadable).toBe(doubtful);
    told.unreadable = [];
    expect(await net(SBIN)).toBe(99);
    expect(book.instrument(SBIN).unreadable).toBe(false);
  });
  it('makes an instrument unreadable that nothing was known of before', async () => {
    const { told, book, net } = stand();
    const instrument = book.instrument(SBIN);
    told.unreadable = [unread({ token: '3045' })];
    await net(SBIN);
    expect(instrument.unreadable).toBe(true);
    told.unreadable = [];
    await net(SBIN);
    expect(instrument.unreadable).toBe(false);
  });
});

const working = (book: AccountBook) => book.instrument(SBIN).situation({ product: 'INTRADAY', side: 'SELL' }, true).working;

describe('what an earlier process left', () => {
  it('rests: orders of ours, and no stranger’s', () => {
    const { book } = stand({ left: { orders: [record(), record({ orderId: '2', external: true })] } });
    expect(working(book)).toBe(6);
    expect(book.instrument(SBIN).name).toBe('SBIN');
  });
  it('counts an order once that has its attempt too', () => {
    const entry = entryOf({ orderId: '1001', side: 'SELL', token: '3045' });
    const { book } = stand({ left: { orders: [record()], entries: [{ entry, filled: 0 }] } });
    const { unknown } = book.instrument(SBIN).situation({ product: 'INTRADAY', side: 'SELL' }, true);
    expect([unknown.own, working(book), book.order('1001')]).toEqual([10, 0, entry]);
  });
  it('holds until a read says more, and under our own symbol', () => {
    const held = { broker: 'dhan', account: 'TEST1', exchange: 'NSE', symbol: 'SBIN', token: '3045', product: 'INTRADAY', net: -5 };
    const { book } = stand({ left: { positions: [held] } });
    const instrument = book.instrument(order('NSE', 'SBIN-EQ', '03045'));
    expect(instrument.situation({ product: 'INTRADAY', side: 'BUY' }, false).own).toEqual({ low: -5, high: -5 });
    expect(instrument.name).toBe('SBIN');
  });
  it('sums up what two symbols of one instrument hold, with its token or without', () => {
    const held = { broker: 'dhan', account: 'TEST1', exchange: 'NSE', product: 'INTRADAY' };
    const positions = [
      { ...held, symbol: 'SBIN', token: null, net: 3 },
      { ...held, symbol: 'SBIN-EQ', token: '3045', net: 4 },
      { ...held, symbol: 'SBIN', token: '3045', net: 5 },
    ];
    const { book } = stand({ left: { positions } });
    expect(book.instrument(SBIN).situation({ product: 'INTRADAY', side: 'SELL' }, false).own).toEqual({ low: 12, high: 12 });
  });
});

describe('what is known of an order by its id', () => {
  it('is how much of it has filled, then that it is over, and of another hand’s nothing', async () => {
    const { told, book, readOrders } = stand({ left: { orders: [record()] } });
    expect([book.known('1001'), book.known('77')]).toEqual([{ filled: 4, over: false }, null]);
    told.orders = [orderRow({ transaction_type: 'SELL', filled_quantity: 7, tag: null }), orderRow({ order_id: '77', tag: null })];
    await readOrders();
    expect([book.known('1001'), book.known('77')]).toEqual([{ filled: 7, over: false }, null]);
    told.orders = [orderRow({ transaction_type: 'SELL', filled_quantity: 10, tag: null, state: 'FILLED' })];
    await readOrders();
    expect(book.known('1001')).toEqual({ filled: 0, over: true });
    book.countElsewhere({
      name: order('NSE', 'SBIN', '3045'),
      orderId: '1001',
      product: 'INTRADAY',
      side: 'SELL',
      quantity: 10,
      filled: 0,
    });
    expect(working(book)).toBe(0);
  });
});

describe('a resting order', () => {
  it('fills by what the order book shows, and is over when it says so', async () => {
    const { told, book, readOrders } = stand({ left: { orders: [record()] } });
    told.orders = [orderRow({ transaction_type: 'SELL', filled_quantity: 7, tag: null })];
    await readOrders();
    expect(working(book)).toBe(3);
    expect(book.instrument(SBIN).belief('INTRADAY').range).toEqual({ low: -3, high: -3 });
    told.orders = [orderRow({ transaction_type: 'SELL', filled_quantity: 7, tag: null, state: 'CANCELLED' })];
    await readOrders();
    expect([working(book), book.order('1001')]).toEqual([0, undefined]);
  });
  it('of yesterday that has left the order book is over, one of today is not', async () => {
    for (const [tradingDay, left] of [
      ['2026-11-19', 0],
      ['2026-11-20', 6],
    ] as const) {
      const { book, readOrders } = stand({ left: { orders: [record({ tradingDay })] } });
      await readOrders();
      expect(working(book)).toBe(left);
    }
  });
  it('is met by its tag in other letters while it has no id', async () => {
    const { told, book, readOrders } = stand();
    const entry = entryOf({ tag: 'k3v9c0m2p7q1x8za' });
    book.add(entry, book.instrument(SBIN));
    told.orders = [orderRow({ order_id: '9', tag: 'K3V9C0M2P7Q1X8ZA', filled_quantity: 4 })];
    await readOrders();
    expect(entry.filled).toBe(4);
  });
  it('is not the order to which a later day gives its id: it is over', async () => {
    const { told, book, readOrders } = stand({ left: { orders: [record({ tradingDay: '2026-11-19' })] } });
    told.orders = [orderRow({ transaction_type: 'BUY', quantity: 50, filled_quantity: 50, tag: null })];
    await readOrders();
    expect(working(book)).toBe(0);
    expect(book.instrument(SBIN).belief('INTRADAY').range).toEqual({ low: 0, high: 0 });
  });
  it('is over when an order of ours of a later day is given its id', () => {
    const { book } = stand({ left: { orders: [record({ tradingDay: '2026-11-19' })] } });
    const entry = entryOf({ orderId: '1001', side: 'BUY', token: '3045' });
    book.add(entry, book.instrument(SBIN));
    expect([working(book), book.order('1001')]).toEqual([0, entry]);
  });
  it('is over with its day too where it was known to rest only after its id was given again', async () => {
    const { clock, book, readOrders } = stand();
    const before = entryOf({ orderId: '1001', side: 'SELL', token: '3045', tradingDay: '2026-11-19' });
    book.add(before, book.instrument(SBIN));
    book.add(entryOf({ orderId: '1001', side: 'BUY', token: '3045', tag: 'another' }), book.instrument(SBIN));
    before.stage = 'resting';
    book.settle(before);
    expect(working(book)).toBe(10);
    await clock.pass(1);
    await readOrders();
    expect(working(book)).toBe(0);
  });
  it('is the newer one of two records with one id', () => {
    const [older, newer] = [record({ tradingDay: '2026-11-19' }), record({ quantity: 50 })];
    for (const orders of [
      [older, newer],
      [newer, older],
    ])
      expect(working(stand({ left: { orders } }).book)).toBe(46);
  });
  it('of an AMO is met by its row, which is older than its session', async () => {
    const { told, book, readOrders } = stand({ left: { orders: [record({ tradingDay: '2026-11-23' })] } });
    told.orders = [orderRow({ transaction_type: 'SELL', filled_quantity: 7, tag: null })];
    await readOrders();
    expect(working(book)).toBe(3);
  });
});

describe('what an order placed elsewhere filled', () => {
  const stood = async () => {
    const { clock, told, book, ...reads } = stand();
    // One read after the other: what is heard first is known first.
    const later = () => clock.settle(clock.sleep(10));
    const net = (name: typeof SBIN) => later().then(() => reads.net(name));
    const readOrders = () => later().then(reads.readOrders);
    const byHand = (filled_quantity: number) => orderRow({ order_id: '77', transaction_type: 'SELL', filled_quantity, tag: null });
    const elsewhere = (side: string) => book.instrument(SBIN).situation({ product: 'INTRADAY', side }, true).elsewhere();
    told.orders = [byHand(2)];
    await readOrders();
    await net(SBIN);
    return { clock, told, book, net, readOrders, byHand, elsewhere };
  };
  it('counts on its own side until positions are read that cannot lack it', async () => {
    const { clock, told, readOrders, byHand, elsewhere, net } = await stood();
    expect(elsewhere('SELL')).toBe(0);
    told.orders = [{ ...byHand(9), token: '3045' }];
    await readOrders();
    expect([elsewhere('SELL'), elsewhere('BUY')]).toEqual([7, 0]);
    await net(SBIN);
    expect(elsewhere('SELL')).toBe(7);
    await clock.settle(clock.sleep(6000));
    await net(SBIN);
    expect(elsewhere('SELL')).toBe(0);
  });
  it('counts as far as positions have not shown it yet', async () => {
    const { clock, told, readOrders, byHand, elsewhere, net } = await stood();
    told.positions = [position('SBIN', '3045', 10)];
    await net(SBIN);
    await clock.settle(clock.sleep(6000));
    await net(SBIN);
    told.orders = [byHand(9)];
    await readOrders();
    told.positions = [position('SBIN', '3045', 5)];
    await net(SBIN);
    expect(elsewhere('SELL')).toBe(2);
    told.positions = [position('SBIN', '3045', 3)];
    await net(SBIN);
    expect(elsewhere('SELL')).toBe(0);
  });
  it('is shown by positions that were read before it was heard of', async () => {
    const { clock, told, readOrders, byHand, elsewhere, net } = await stood();
    told.positions = [position('SBIN', '3045', 10)];
    await net(SBIN);
    await clock.settle(clock.sleep(6000));
    await net(SBIN);
    told.positions = [position('SBIN', '3045', 3)];
    await net(SBIN);
    told.orders = [byHand(9)];
    await readOrders();
    expect(elsewhere('SELL')).toBe(0);
  });
  it('is not shown by what the first positions tell', async () => {
    const { told, book, readOrders, byHand, elsewhere, net } = await stood();
    told.positions = [position('SBIN', '3045', -10)];
    await net(SBIN);
    const bought = entryOf({ tag: 'k3v9c0m2p7q1x8za' });
    book.add(bought, book.instrument(SBIN));
    book.filled(bought, 20);
    told.orders = [byHand(6)];
    await readOrders();
    expect(elsewhere('SELL')).toBe(4);
  });
  it('counts on while positions may lack a fill of ours, and no longer', async () => {
    const { told, book, clock, readOrders, byHand, elsewhere, net } = await stood();
    const bought = entryOf({ tag: 'k3v9c0m2p7q1x8za' });
    book.add(bought, book.instrument(SBIN));
    book.filled(bought, 10);
    told.orders = [byHand(9)];
    await readOrders();
    told.positions = [position('SBIN', '3045', 3)];
    await net(SBIN);
    expect(elsewhere('SELL')).toBe(7);
    await clock.settle(clock.sleep(6000));
    await net(SBIN);
    expect(elsewhere('SELL')).toBe(0);
  });
  it('counts on while a row of the positions cannot be read', async () => {
    const { told, readOrders, byHand, elsewhere, net } = await stood();
    told.orders = [byHand(9)];
    await readOrders();
    told.unreadable = [{ row: {}, exchange: null, symbol: null, token: null, reason: 'netQty: not a number' }];
    await net(SBIN);
    expect(elsewhere('SELL')).toBe(7);
  });
  it('is not what an order of ours filled', async () => {
    const { told, book, readOrders, elsewhere } = await stood();
    book.add(entryOf({ tag: 'k3v9c0m2p7q1x8za' }), book.instrument(SBIN));
    told.orders = [orderRow({ order_id: '9', transaction_type: 'SELL', tag: 'K3V9C0M2P7Q1X8ZA', filled_quantity: 4 })];
    await readOrders();
    expect(elsewhere('SELL')).toBe(0);
  });
});
