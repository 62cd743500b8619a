import { describe, expect, it } from 'vitest';
import { aliceblue } from '../../server/brokers/aliceblue/adapter.ts';
import { aliceblue as emulator } from '../../server/exchange/aliceblue/emulator.ts';
import { envFor } from '../brokers/stub-server.ts';
import { startGateway } from '../support/gateway.ts';
import { practice } from './practice.ts';

/** What is aliceblue's own; what all ten share is in test/gateway/ten.test.ts. */
const here = practice('aliceblue');
const { bid, call, order, place, read, venue, venueOrders } = here;

describe('the session', () => {
  it('is signed in to through the browser, a code once', async () => {
    const urls = venue().urls.aliceblue;
    const { env } = envFor(aliceblue, urls?.api ?? '', { ...emulator.credentials, USER_SESSION: '' });
    const page = await fetch(aliceblue.login?.url({ ...env, loginUrl: urls?.login ?? '' }) ?? '', { redirect: 'manual' });
    const query = Object.fromEntries(new URL(page.headers.get('location') ?? '').searchParams);
    const connected = await aliceblue.login?.exchange(env, query);
    expect(connected).toMatchObject({ success: true, account: '912444' });
    const days = (Date.parse(connected?.success ? connected.login.expiresAt : '') - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(59);
    expect(days).toBeLessThan(61);
    expect(await aliceblue.login?.exchange(env, query)).toMatchObject({
      success: false,
      message: expect.stringContaining('Invalid auth code'),
    });
  });
});

describe('orders', () => {
  it('MARKET goes out as a protected LIMIT and is FILLED as the venue says', async () => {
    const { body } = await place(order('SBIN'));
    const [made] = venueOrders('SBIN');
    expect(made).toMatchObject({ tag: expect.stringMatching(/^[a-z][a-z0-9]{15}$/), side: 'BUY', orderType: 'LIMIT', quantity: 10 });
    expect(body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10, order_id: made?.orderId });
    expect(body.avg_fill_price).toBe(Number(made?.average));
    const row = await read(body.order_id);
    expect(row).toMatchObject({ order_id: body.order_id, brokerOrderId: body.order_id, orderStatus: 'COMPLETE', orderType: 'LIMIT' });
    expect(row.price).toBeGreaterThanOrEqual(body.avg_fill_price);
    expect(row.price).toBeLessThan(body.avg_fill_price * 1.01);
    const book = await call('GET', '/broker/tradebook');
    expect(book.body.normalized.filter((trade: { order_id: string }) => trade.order_id === body.order_id)).toHaveLength(1);
  });
  it('a further entry on that side is BLOCKED, an exit passes', async () => {
    const { body } = await place(order('SBIN', { quantity: 3 }));
    expect(body).toMatchObject({
      success: false,
      status: 'BLOCKED',
      fill_status: 'REJECTED',
      message: expect.stringMatching(/SBIN.*LONG/),
    });
    const other = await place(order('SBIN', { symbol: 'STATEBANK', transaction_type: 'SELL' }));
    expect(other.body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('is SBIN in') });
    expect((await place(order('SBIN', { transaction_type: 'SELL' }))).body).toMatchObject({ fill_status: 'FILLED' });
    expect(venueOrders('SBIN')).toHaveLength(2);
  });
  it('a resting order is PENDING, modified, found and cancelled', async () => {
    const price = Math.round(bid('TCS') * 0.95);
    const { body } = await place(order('TCS', { order_type: 'LIMIT', price }));
    expect(body).toMatchObject({ success: true, fill_status: 'PENDING', filled_quantity: 0, avg_fill_price: 0 });
    const { order_id } = body;
    expect((await call('POST', '/broker/orders/modify', { order_id, price: price + 2 })).body).toMatchObject({ success: true });
    await expect.poll(async () => await read(order_id)).toMatchObject({ price: price + 2, quantity: 10, orderStatus: 'OPEN' });
    expect((await call('POST', '/broker/orders/modify', { order_id, quantity: 12 })).body).toMatchObject({ success: true });
    await expect.poll(async () => await read(order_id)).toMatchObject({ price: price + 2, quantity: 12 });
    expect((await call('POST', '/broker/orders/cancel', { order_id })).body).toMatchObject({ success: true });
    await expect.poll(async () => (await read(order_id)).orderStatus).toBe('CANCELED');
    expect((await call('POST', '/broker/orders/cancel', { order_id })).body).toMatchObject({
      success: false,
      message: expect.stringContaining('EC992'),
    });
  });
  it('a stop waits for its trigger, with a protected limit', async () => {
    const trigger_price = Math.round(bid('RELIANCE') * 1.05);
    const { body } = await place(order('RELIANCE', { order_type: 'SL-M', variety: 'STOPLOSS', trigger_price }));
    expect(body).toMatchObject({ success: true, fill_status: 'PENDING' });
    const row = await read(body.order_id);
    expect(row).toMatchObject({ orderStatus: 'TRIGGER_PENDING', orderType: 'SL', slTriggerPrice: trigger_price });
    expect(row.price).toBeGreaterThan(trigger_price);
  });
  it('contracts of NFO are counted in units', async () => {
    const product_type = 'CARRYFORWARD';
    const future = await place(order('NIFTY26DECFUT', { quantity: 65 }, 'NFO'));
    expect(future.body).toMatchObject({ fill_status: 'FILLED', filled_quantity: 65 });
    const option = await place(order('NIFTY26DEC26000CE', { quantity: 65, product_type }, 'NFO'));
    expect(option.body).toMatchObject({ fill_status: 'FILLED', filled_quantity: 65 });
    const { body } = await call('GET', '/broker/positions');
    const row = { exchange: 'NFO', symbol: 'NIFTY29DEC26C26000', net_quantity: 65, product_type, last_price: null };
    expect(body.normalized).toContainEqual(expect.objectContaining(row));
    const lot = await place(order('BANKNIFTY26DECFUT', { quantity: 7, product_type }, 'NFO'));
    expect(lot.body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('EC954') });
  });
  it.each([
    ['MCX', 'GOLDM26DECFUT'],
    ['CDS', 'USDINR26DECFUT'],
  ])('%s is refused before anything is sent', async (exchange, symbol) => {
    const { body } = await place(order(symbol, { quantity: 1, product_type: 'CARRYFORWARD' }, exchange));
    expect(body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining(exchange) });
    expect(venueOrders(symbol)).toHaveLength(0);
  });
  it('too little money is told by the book', async () => {
    const { body } = await place(order('LT', { quantity: 1_000_000 }));
    expect(body).toMatchObject({ success: true, fill_status: 'REJECTED', filled_quantity: 0 });
    const row = { orderStatus: 'REJECTED', rejectionReason: expect.stringMatching(/^RED:Margin Shortfall:INR/) };
    expect(await read(body.order_id)).toMatchObject(row);
  });
});

describe('a lost answer', () => {
  it.each([
    ['rateLimited', /Too many requests/],
    ['unregisteredAddress', /203\.0\.113\.5.*EC097/],
  ] as const)('%s is REJECTED at once', async (kind, message) => {
    venue().faults.plant({ kind, operation: 'place' });
    const { body } = await place(order('AXISBANK', { idempotency_key: kind }));
    expect(body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringMatching(message) });
    expect(venueOrders('AXISBANK')).toHaveLength(0);
  });
});

describe('ALICEBLUE_CARRYFORWARD_PRODUCT', () => {
  it('holds in practice mode too', async () => {
    const gateway = await startGateway({ env: { BROKERS: 'aliceblue', ALICEBLUE_CARRYFORWARD_PRODUCT: 'LONGTERM' } });
    const carried = order('NIFTY26DECFUT', { quantity: 65, product_type: 'CARRYFORWARD' }, 'NFO');
    const { body } = await gateway.place(carried);
    expect(body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('EC969') });
    await gateway.stop();
  });
});
