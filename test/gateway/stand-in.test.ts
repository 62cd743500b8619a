import { afterEach, describe, expect, it } from 'vitest';
import type { Broker, BrokerChange, BrokerOrder, Sent } from '../../server/brokers/broker.ts';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';
import { standIn } from '../support/stand-in-broker.ts';

let gateway: TestGateway | null = null;
afterEach(async () => {
  await gateway?.stop();
  gateway = null;
});

async function startWith(change: Partial<Broker>): Promise<TestGateway> {
  gateway = await startGateway({ env: { BROKERS: 'dhan' }, overrides: { brokers: standIn(change) } });
  return gateway;
}

const trades = { success: true as const, data: [{ trade: 1 }], normalized: [] };
const failing = async () => {
  throw new Error('the native call failed');
};

describe('the trade book, in the order the specification resolves it', () => {
  const older = { trade_book: async () => ['third'], get_tradebook: async () => ['fourth'], get_trade_book: async () => ['fifth'] };
  it.each<[string, Partial<Broker>, unknown]>([
    ["the broker's own operation", { tradebook: async () => trades, client: { tradebook: async () => ['second'] }, ...older }, trades],
    ["its native client's call", { client: { tradebook: async () => ['second'] }, ...older }, ['second']],
    ['trade_book', older, ['third']],
    ['get_tradebook', { get_tradebook: older.get_tradebook, get_trade_book: older.get_trade_book }, ['fourth']],
    ['get_trade_book', { get_trade_book: older.get_trade_book }, ['fifth']],
    [
      'a native answer with success passes as it came',
      { client: { tradebook: async () => ({ success: true, data: { x: 1 }, more: 2 }) } },
      { success: true, data: { x: 1 }, more: 2 },
    ],
    [
      'an exception of the native client',
      { client: { tradebook: failing }, ...older },
      { success: false, message: 'the native call failed' },
    ],
    ['an exception of an older name', { get_tradebook: failing }, { success: false, message: 'the native call failed' }],
    ['none', {}, { success: false, message: 'Trade book not yet implemented for this broker. Add a tradebook() method to its class.' }],
  ])('%s', async (_, change, expected) => {
    const { call } = await startWith(change);
    expect((await call('GET', '/broker/tradebook')).body).toEqual(expected);
  });
});

describe('a row that cannot be read', () => {
  const bad = { tradingSymbol: 'INFY', netQty: null };
  const unreadable = [{ row: bad, reason: 'netQty must be a number', exchange: 'NSE', symbol: 'INFY', token: null }];
  it('stands in data, is missing in normalized and told beside it; its own instrument alone is blocked', async () => {
    const { call, place } = await startWith({
      positions: async () => ({ success: true, data: [bad], normalized: [], unreadable }),
      placeOrder: async () => ({ fate: 'rejected', order_id: '', message: 'market closed' }),
    });
    expect((await call('GET', '/broker/positions')).body).toEqual({ success: true, data: [bad], normalized: [], unreadable });
    expect((await place({ ...sbin, symbol: 'INFY' })).body).toMatchObject({ status: 'BLOCKED', message: expect.stringContaining('INFY') });
    expect((await place({ ...sbin })).body).toMatchObject({ success: false, message: 'market closed' });
  });
});

describe('one order', () => {
  it('goes by orderid, and by order_id where that is absent or empty', async () => {
    const list = [{ orderid: '', order_id: 7 }, { orderid: 8, order_id: '9' }, { order_id: '10' }, { orderid: null, order_id: '11' }];
    const { call } = await startWith({ orders: async () => ({ success: true, data: list, normalized: [] }) });
    const read = async (id: string) => (await call('GET', `/broker/orders/${id}`)).body;
    expect(await read('7')).toEqual({ success: true, data: list[0] });
    expect(await read('8')).toEqual({ success: true, data: list[1] });
    expect(await read('9')).toEqual({ success: false, message: 'Order 9 not found' });
    expect(await read('10')).toEqual({ success: true, data: list[2] });
    expect(await read('11')).toEqual({ success: true, data: list[3] });
  });
  it('is found in a bare list too, which the list of orders passes on', async () => {
    const list = [{ orderid: '8', qty: 1 }, { order_id: 9 }];
    // What a native client answers with, whatever the type of the operation says.
    const { call } = await startWith({ orders: async () => JSON.parse(JSON.stringify(list)) });
    expect(await call('GET', '/broker/orders/9')).toMatchObject({ status: 200, body: { success: true, data: { order_id: 9 } } });
    expect((await call('GET', '/broker/orders/7')).body).toEqual({ success: false, message: 'Order 7 not found' });
    expect(await call('GET', '/broker/orders')).toMatchObject({ status: 200, body: { success: true, data: list, normalized: [] } });
  });
  it('a throwing read is said, not taken for absence', async () => {
    const { call } = await startWith({ orders: async () => Promise.reject(new Error('book closed')) });
    expect((await call('GET', '/broker/orders/7')).body).toEqual({ success: false, message: 'book closed' });
  });
});

describe('what is sent', () => {
  it('place: exactly the members of rule 5, numbers as text', async () => {
    const sent: BrokerOrder[] = [];
    const { place } = await startWith({
      placeOrder: async (order): Promise<Sent> => {
        sent.push(order);
        return { fate: 'rejected', order_id: '', message: 'not today', data: { code: 5 } };
      },
    });
    const { body } = await place({ ...sbin, order_type: 'SL', price: 812.5, trigger_price: 811, variety: 'STOPLOSS' });
    expect(body).toEqual({ success: false, order_id: '', message: 'not today', fill_status: 'REJECTED', data: { code: 5 } });
    expect(sent).toEqual([
      {
        symbol: 'SBIN',
        token: '779521',
        exchange: 'NSE',
        transactiontype: 'BUY',
        ordertype: 'SL',
        producttype: 'INTRADAY',
        quantity: '10',
        price: '812.5',
        triggerprice: '811',
        variety: 'STOPLOSS',
        duration: 'DAY',
        tradingsymbol: 'SBIN',
      },
    ]);
  });
  it('modify: order id, variety and only what is not null; cancel: the id alone', async () => {
    const changes: BrokerChange[] = [];
    const cancelled: unknown[][] = [];
    const { call } = await startWith({
      modifyOrder: async (change): Promise<Sent> => {
        changes.push(change);
        return { fate: 'accepted', order_id: '5', data: { order_id: '5' } };
      },
      cancelOrder: async (...args): Promise<Sent> => {
        cancelled.push(args);
        return { fate: 'rejected', order_id: '', message: 'already filled' };
      },
    });
    const modified = await call('POST', '/broker/orders/modify', { order_id: '5', price: 10.5, quantity: null });
    expect(modified.body).toEqual({ success: true, data: { order_id: '5' } });
    await call('POST', '/broker/orders/modify', { order_id: '5', order_type: 'LIMIT', quantity: 3, trigger_price: 0, variety: 'AMO' });
    expect(changes).toEqual([
      { orderid: '5', variety: 'NORMAL', price: '10.5' },
      { orderid: '5', variety: 'AMO', ordertype: 'LIMIT', quantity: '3', triggerprice: '0' },
    ]);
    expect((await call('POST', '/broker/orders/cancel', { order_id: '5', variety: 'AMO' })).body).toEqual({
      success: false,
      message: 'already filled',
    });
    expect(cancelled).toEqual([['5']]);
  });
  it('a connection that was never made is NOT_SENT: rejected at once', async () => {
    const { place } = await startWith({ placeOrder: async () => ({ fate: 'not_sent', order_id: '', message: 'No connection' }) });
    const { body } = await place(sbin);
    expect(body).toEqual({ success: false, order_id: '', message: 'No connection', fill_status: 'REJECTED' });
  });
  it('an adapter that throws leaves the outcome UNKNOWN, and is asked once', async () => {
    let asked = 0;
    const { place } = await startWith({
      placeOrder: async () => {
        asked += 1;
        throw new Error('bug with a secret');
      },
    });
    const { body, text } = await place({ ...sbin, idempotency_key: 'thrown' });
    expect(body).toMatchObject({ success: false, fill_status: 'UNKNOWN', order_id: '' });
    expect(text).not.toContain('secret');
    await place({ ...sbin, idempotency_key: 'thrown' });
    expect(asked).toBe(1);
  }, 30_000);
});

describe('sessions', () => {
  it('a self-test by name shows no token', async () => {
    const { call } = await startWith({ funds: async () => ({ success: false, message: '' }) });
    const { text, body } = await call('POST', '/broker/test/dhan');
    expect(text).not.toContain('planted-secret');
    expect(body).toMatchObject({ passed: 5, failed: 1, total: 6, status: 'PARTIAL' });
    expect(body.tests.funds.error).toBe('Returned success=False');
  });
  it('nothing passing is FAILED', async () => {
    const down = async () => Promise.reject(new Error('down'));
    const { call } = await startWith({ profile: down, funds: down, holdings: down, positions: down, orders: down });
    expect((await call('POST', '/broker/test')).body).toMatchObject({ passed: 0, failed: 5, total: 5, status: 'FAILED' });
  });
});
