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
  it('a name that is not that of the token is REJECTED', async () => {
    const { body } = await place(order('SBIN', { symbol: 'STATEBANK', transaction_type: 'SELL' }));
    expect(body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('is SBIN in') });
    expect(venueOrders('SBIN')).toHaveLength(1);
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

describe('ALICEBLUE_CARRYFORWARD_PRODUCT', () => {
  it('holds in practice mode too', async () => {
    const gateway = await startGateway({ env: { BROKERS: 'aliceblue', ALICEBLUE_CARRYFORWARD_PRODUCT: 'LONGTERM' } });
    const carried = order('NIFTY26DECFUT', { quantity: 65, product_type: 'CARRYFORWARD' }, 'NFO');
    const { body } = await gateway.place(carried);
    expect(body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('EC969') });
    await gateway.stop();
  });
});
