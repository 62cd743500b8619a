import { describe, expect, it } from 'vitest';
import { shoonya } from '../../server/brokers/shoonya/adapter.ts';
import { shoonya as emulator } from '../../server/exchange/shoonya/emulator.ts';
import { envFor } from '../brokers/stub-server.ts';
import { practice } from './practice.ts';

/** What is shoonya's own; what all ten share is in test/gateway/ten.test.ts. */
const here = practice('shoonya');
const { bid, call, order, place, read, venue, venueOrders } = here;

describe('the session', () => {
  it('is signed in to through the browser', async () => {
    const urls = venue().urls.shoonya;
    const { env } = envFor(shoonya, urls?.api ?? '', { ...emulator.credentials, ACCESS_TOKEN: '' });
    const page = await fetch(shoonya.login?.url({ ...env, loginUrl: urls?.login ?? '' }) ?? '', { redirect: 'manual' });
    const query = Object.fromEntries(new URL(page.headers.get('location') ?? '').searchParams);
    expect(await shoonya.login?.exchange(env, query)).toMatchObject({ success: true, account: 'PRAC01' });
    expect(await shoonya.login?.exchange(env, query)).toMatchObject({
      success: false,
      message: expect.stringContaining('INVALID_VERIFIER'),
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
    expect(await read(body.order_id)).toMatchObject({ norenordno: body.order_id, status: 'COMPLETE', prctyp: 'LMT' });
    const book = await call('GET', '/broker/tradebook');
    expect(book.body.normalized.filter((trade: { order_id: string }) => trade.order_id === body.order_id)).toHaveLength(1);
  });
  it('SL-M waits for its trigger with a limit beyond it', async () => {
    const trigger_price = Math.round(bid('RELIANCE') * 1.05);
    const { body } = await place(order('RELIANCE', { order_type: 'SL-M', variety: 'STOPLOSS', trigger_price }));
    expect(body).toMatchObject({ success: true, fill_status: 'PENDING' });
    const row = await read(body.order_id);
    expect(row).toMatchObject({ status: 'TRIGGER_PENDING', prctyp: 'SL-LMT', trgprc: `${trigger_price}.00` });
    expect(Number(row.prc)).toBeGreaterThan(trigger_price);
  });
  it('contracts are counted in units, also cheap ones', async () => {
    const future = await place(order('NIFTY26DECFUT', { quantity: 65 }, 'NFO'));
    expect(future.body).toMatchObject({ fill_status: 'FILLED', filled_quantity: 65 });
    const option = await place(order('RELIANCE26DEC1540CE', { quantity: 500 }, 'NFO'));
    expect(option.body).toMatchObject({ fill_status: 'FILLED', filled_quantity: 500 });
  });
  it('a share with an ampersand', async () => {
    expect((await place(order('M&M'))).body).toMatchObject({ fill_status: 'FILLED', filled_quantity: 10 });
    expect((await place(order('M&M', { quantity: 3 }))).body).toMatchObject({ status: 'BLOCKED' });
  });
  it.each([
    ['MCX', 'GOLDM26DECFUT', 'GOLDM'],
    ['CDS', 'USDINR26DECFUT', 'USDINR'],
  ])('%s is refused before anything is sent', async (exchange, symbol) => {
    const { body } = await place(order(symbol, { quantity: 1, product_type: 'CARRYFORWARD' }, exchange));
    expect(body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('lots or in units') });
    expect(venueOrders(symbol)).toHaveLength(0);
  });
  it('too little money is told by the book', async () => {
    const { body } = await place(order('LT', { quantity: 1_000_000 }));
    expect(body).toMatchObject({ success: true, fill_status: 'REJECTED', filled_quantity: 0 });
    expect(await read(body.order_id)).toMatchObject({ status: 'REJECTED', rejreason: expect.stringMatching(/^RED:Margin Shortfall/) });
  });
});
