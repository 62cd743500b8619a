import { describe, expect, it } from 'vitest';
import { upstox } from '../../server/brokers/upstox/adapter.ts';
import { upstox as emulator } from '../../server/exchange/upstox/emulator.ts';
import { envFor } from '../brokers/stub-server.ts';
import { practice } from './practice.ts';

/** What is upstox's own; what all ten share is in test/gateway/ten.test.ts. */
const here = practice('upstox');
const { bid, call, order, place, read, venue, venueOrders } = here;

describe('the session', () => {
  it('is signed in to through the browser', async () => {
    const urls = venue().urls.upstox;
    const { env } = envFor(upstox, urls?.api ?? '', { ...emulator.credentials, ACCESS_TOKEN: '' });
    const page = await fetch(upstox.login?.url({ ...env, loginUrl: urls?.login ?? '' }) ?? '', { redirect: 'manual' });
    const query = Object.fromEntries(new URL(page.headers.get('location') ?? '').searchParams);
    expect(await upstox.login?.exchange(env, query)).toMatchObject({ success: true, account: 'PU0001' });
    expect(await upstox.login?.exchange(env, query)).toMatchObject({ success: false, message: expect.stringContaining('UDAPI100057') });
  });
});

describe('orders', () => {
  it('MARKET is FILLED as the venue says', async () => {
    const { body } = await place(order('SBIN'));
    const [made] = venueOrders('SBIN');
    expect(made).toMatchObject({ tag: expect.stringMatching(/^[a-z][a-z0-9]{15}$/), side: 'BUY', product: 'INTRADAY', quantity: 10 });
    expect(body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10, order_id: made?.orderId });
    expect(body.avg_fill_price).toBe(Number(made?.average));
    expect(await read(body.order_id)).toMatchObject({ order_id: body.order_id, status: 'complete', order_type: 'MARKET' });
    const book = await call('GET', '/broker/tradebook');
    const trades = book.body.normalized.filter((trade: { order_id: string }) => trade.order_id === body.order_id);
    expect(trades).toEqual([expect.objectContaining({ traded_at: expect.stringMatching(/^\d{4}-.*Z$/) })]);
  });
  it('a name that is not that of the token is REJECTED', async () => {
    const { body } = await place(order('SBIN', { symbol: 'STATEBANK', transaction_type: 'SELL' }));
    expect(body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('is SBIN in') });
    expect(venueOrders('SBIN')).toHaveLength(1);
  });
  it('a stop waits for its trigger', async () => {
    const trigger_price = Math.round(bid('RELIANCE') * 1.05);
    const { body } = await place(order('RELIANCE', { order_type: 'SL-M', variety: 'STOPLOSS', trigger_price }));
    expect(body).toMatchObject({ success: true, fill_status: 'PENDING' });
    expect(await read(body.order_id)).toMatchObject({ status: 'trigger pending', order_type: 'SL-M', trigger_price });
  });
  it('contracts are counted in units, currency in lots', async () => {
    const future = await place(order('NIFTY26DECFUT', { quantity: 65 }, 'NFO'));
    expect(future.body).toMatchObject({ fill_status: 'FILLED', filled_quantity: 65 });
    const currency = await place(order('USDINR26DECFUT', { quantity: 3 }, 'CDS'));
    expect(currency.body).toMatchObject({ fill_status: 'FILLED', filled_quantity: 3 });
    expect(venueOrders('USDINR26DECFUT')).toMatchObject([{ quantity: 3, filled: 3 }]);
    const { body } = await call('GET', '/broker/positions');
    expect(body.normalized).toContainEqual(expect.objectContaining({ exchange: 'CDS', net_quantity: 3, multiplier: 1_000 }));
    // Of what was opened today the broker tells no average, only what was bought and sold at.
    const told = { exchange: 'CDS', average_price: currency.body.avg_fill_price };
    expect(body.data).toContainEqual(expect.objectContaining({ exchange: 'CDS', average_price: 0 }));
    expect(body.normalized).toContainEqual(expect.objectContaining(told));
  });
  it('MCX is refused before anything is sent', async () => {
    const { body } = await place(order('GOLDM26DECFUT', { quantity: 1, product_type: 'CARRYFORWARD' }, 'MCX'));
    expect(body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('MCX') });
    expect(venueOrders('GOLDM26DECFUT')).toHaveLength(0);
  });
  it.each([
    [0, 'UDAPI1158'],
    [26, 'UDAPI1159'],
    [2.5, 'UDAPI1160'],
  ])('a market protection of %s is refused by the broker itself', async (market_protection, error_code) => {
    const numbers = { quantity: 1, price: 0, trigger_price: 0, disclosed_quantity: 0, is_amo: false, market_protection };
    const words = { product: 'I', validity: 'DAY', order_type: 'MARKET', transaction_type: 'BUY', instrument_token: 'NSE_EQ|INE062A01020' };
    const answer = await fetch(`${venue().urls.upstox?.api}/v3/order/place`, {
      method: 'POST',
      headers: { authorization: `Bearer ${emulator.credentials.ACCESS_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...numbers, ...words }),
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ errors: [{ error_code }] });
  });
  it('too little money is told by the book', async () => {
    const { body } = await place(order('LT', { quantity: 1_000_000 }));
    expect(body).toMatchObject({ success: true, fill_status: 'REJECTED', filled_quantity: 0 });
    expect(await read(body.order_id)).toMatchObject({ status: 'rejected', status_message: expect.stringMatching(/^You need to add Rs\./) });
  });
});
