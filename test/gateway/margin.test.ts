import { describe, expect, test } from 'vitest';
import type { BrokerId } from '../../contract/words.ts';
import type { Margin } from '../../server/brokers/broker.ts';
import { practice } from '../exchange/practice.ts';
import { startGateway } from '../support/gateway.ts';
import { standIn } from '../support/stand-in-broker.ts';

/** Each broker's calculator, and whether its answer tells what is free. */
const calculators: readonly [BrokerId, boolean][] = [
  ['aliceblue', false],
  ['angelone', false],
  ['dhan', true],
  ['fivepaisa', true],
  ['fyers', true],
  ['groww', false],
  ['kotak', true],
  ['shoonya', true],
  ['upstox', false],
  ['zerodha', false],
];
/** These are sent MARKET as a limit order, and are asked for the margin of that. */
const limiting: readonly BrokerId[] = ['aliceblue', 'fivepaisa', 'shoonya'];
/** Shares bought INTRADAY bind a fifth of their value, DELIVERY all of it. */
const SHARE = 5;

describe.each(calculators)('POST /broker/margin at %s', (id, tellsFree) => {
  const { call, order, place, venue, gateway, venueOrders } = practice(id, { SBIN: '800', TCS: '3000', INFY: '1500' });
  const margin = async (asked: Record<string, unknown>) => (await call('POST', '/broker/margin', asked)).body;

  test('tells what the broker would hold, by the price of the order, else by the last one, and what is free', async () => {
    const limit = await margin(order('SBIN', { order_type: 'LIMIT', price: 790 }));
    expect(limit).toMatchObject({ success: true, required: (790 * 10) / SHARE, available: tellsFree ? expect.any(Number) : null });
    expect(limit.data).toBeTruthy();
    const delivery = await margin(order('SBIN', { order_type: 'LIMIT', price: 790, product_type: 'DELIVERY' }));
    expect(delivery).toMatchObject({ success: true, required: 7900 });
    // At the touch, which stands some ticks beside the last price, or at a limit some percent beyond.
    const market = await margin(order('SBIN'));
    expect(market.success).toBe(true);
    expect(Math.abs(market.required - (800 * 10) / SHARE)).toBeLessThan(limiting.includes(id) ? 64 : 16);
    const stop = await margin(order('SBIN', { order_type: 'SL', price: 812, trigger_price: 811, variety: 'STOPLOSS' }));
    expect(stop).toMatchObject({ success: true, required: (812 * 10) / SHARE });
  });

  test('tells of a MARKET order what the limit needs that it goes out with', async () => {
    if (!limiting.includes(id)) return;
    const told = await margin(order('INFY'));
    const placed = (await place(order('INFY'))).body;
    const sent = (await call('GET', '/broker/orders')).body.normalized.find(
      (row: { order_id: string }) => row.order_id === placed.order_id,
    );
    expect(sent.price).toBeGreaterThan(1500);
    expect(told).toMatchObject({ success: true, required: expect.closeTo((sent.price * 10) / SHARE, 2) });
  });

  test('does not count what is open as the order’s, and says the free funds as GET /broker/funds does', async () => {
    await place(order('TCS', { quantity: 5 }));
    const { normalized } = (await call('GET', '/broker/funds')).body;
    const told = await margin(order('SBIN', { order_type: 'LIMIT', price: 790 }));
    expect(told.required).toBe((790 * 10) / SHARE);
    if (tellsFree) expect(told.available).toBeCloseTo(normalized.available, 0);
  });

  test('says what the broker does not take, in its words or ours, and places nothing', async () => {
    expect(await margin(order('SBIN', { product_type: 'CARRYFORWARD', order_type: 'WISH' }))).toMatchObject({
      success: false,
      message: expect.stringMatching(/order_type|product_type/),
    });
    venue().faults.plant({ kind: 'status5xxBefore', operation: 'funds' });
    const failed = await margin(order('SBIN', { order_type: 'LIMIT', price: 790 }));
    expect(failed).toMatchObject({ success: false, message: expect.stringMatching(/./) });
    expect(venueOrders('SBIN')).toEqual([]);
    expect((await gateway().context.sql`select 1 from tsm_events where symbol = 'SBIN'`).length).toBe(0);
  });

  test('refuses members of an order that a margin does not have', async () => {
    const { status, body } = await call('POST', '/broker/margin', { ...order('SBIN'), idempotency_key: 'k' });
    expect([status, body.success]).toEqual([422, false]);
  });

  test('says that the broker knows no such instrument, and that the login is over', async () => {
    const asked = order('SBIN', { order_type: 'LIMIT', price: 790 });
    const stranger = {
      ...asked,
      symbol: `${asked.symbol}`.replace('SBIN', 'NOBODY'),
      token: id === 'upstox' ? 'NSE_EQ|INE000X01010' : '99999999',
    };
    expect(await margin(stranger)).toEqual({ success: false, message: expect.stringMatching(/./) });
    venue().faults.plant({ kind: 'sessionExpired', operation: 'funds' });
    expect(await margin(asked)).toEqual({ success: false, message: expect.stringMatching(/expired|session|token|auth/i) });
  });
});

describe('where no margin is told', () => {
  const asked = { symbol: 'SBIN', token: '', exchange: 'NSE', transaction_type: 'BUY', order_type: 'LIMIT', product_type: 'INTRADAY' };
  const body = { ...asked, quantity: 1, price: 800 };

  test('a broker without a calculator and no broker are said', async () => {
    const gateway = await startGateway({ env: { BROKERS: 'dhan' }, overrides: { brokers: standIn() } });
    const margin = async () => (await gateway.call('POST', '/broker/margin', body)).body;
    expect(await margin()).toEqual({ success: false, message: 'dhan has no margin calculator that the gateway knows' });
    await gateway.call('POST', '/broker/disconnect');
    expect(await margin()).toEqual({ success: false, message: 'Broker Not Connected' });
    await gateway.stop();
  });

  test('what a broker throws is said, and its own figures as they are', async () => {
    let told: () => Promise<Margin> = () => Promise.reject(new Error('torn'));
    const brokers = standIn({ orderMargin: () => told() });
    const gateway = await startGateway({ env: { BROKERS: 'dhan' }, overrides: { brokers } });
    const margin = async () => (await gateway.call('POST', '/broker/margin', body)).body;
    expect(await margin()).toEqual({ success: false, message: 'torn' });
    told = async () => ({ success: true, required: '160.25', available: null, data: { own: 1 } });
    expect(await margin()).toEqual({ success: true, required: 160.25, available: null, data: { own: 1 } });
    await gateway.stop();
  });
});
