import { describe, expect, it } from 'vitest';
import { fivepaisa } from '../../server/brokers/fivepaisa/adapter.ts';
import { createRedactor } from '../../server/brokers/redactor.ts';
import { tradingCalendar } from '../../server/calendar/calendar.ts';
import { systemClock, systemRandom } from '../../server/clock.ts';
import { fivepaisa as emulator } from '../../server/exchange/fivepaisa/emulator.ts';
import { silentLog } from '../../server/log.ts';
import { practice } from './practice.ts';

/** What is its own; what all ten share is in test/gateway/ten.test.ts. */
const gateway = practice('fivepaisa', { SBIN: '812', INFY: '1568', TCS: '3105', WIPRO: '244' });
const { instrument, read, venue, venueOrders: ordersOf } = gateway;
/** What an order at 5paisa names: a share of NSE, ten of it. */
const share = (name: string) => ({
  ...emulator.named(instrument('NSE', name)),
  exchange: 'NSE',
  transaction_type: 'BUY',
  order_type: 'MARKET',
  product_type: 'INTRADAY',
  quantity: 10,
});

describe('the session', () => {
  it('connects by itself, again on request, and passes the self-test', async () => {
    expect((await gateway.call('GET', '/')).body).toMatchObject({ broker: 'fivepaisa', status: 'ready' });
    expect((await gateway.call('POST', '/broker/connect?broker=fivepaisa')).body).toMatchObject({ success: true, broker: 'fivepaisa' });
    const { body, text } = await gateway.call('POST', '/broker/test/fivepaisa');
    expect(body).toMatchObject({ status: 'PASSED', passed: 6, failed: 0, total: 6 });
    for (const secret of Object.values(emulator.credentials).filter((value) => value !== emulator.credentials.CLIENT_CODE))
      expect(text).not.toContain(secret);
    expect(text).not.toMatch(/AccessToken|RefreshToken|RequestToken/);
  });

  it('signs in through the page a person would open, and a request token works once', async () => {
    const { fivepaisa: urls } = venue().urls;
    const env = {
      credentials: { ...emulator.credentials, PIN: undefined, TOTP_SECRET: undefined, REDIRECT_URI: 'http://127.0.0.1:5001/' },
      redactor: createRedactor({}),
      apiUrl: urls?.api ?? '',
      loginUrl: urls?.login ?? '',
      feedUrl: '',
      localAddress: undefined,
      algoId: undefined,
      marketProtection: undefined,
      isOpen: tradingCalendar().isOpen,
      clock: systemClock,
      random: systemRandom,
      log: silentLog(),
      onExpired: () => undefined,
    };
    const page = await fetch(fivepaisa.login?.url(env) ?? '', { redirect: 'manual' });
    const back = new URL(page.headers.get('location') ?? '');
    expect(back.origin).toBe('http://127.0.0.1:5001');
    const query = Object.fromEntries(back.searchParams);
    const connected = await fivepaisa.login?.exchange(env, query);
    expect(connected).toMatchObject({
      success: true,
      account: '50000000',
      login: { expiresAt: expect.stringMatching(/T18:29:00\.000Z$/) },
    });
    expect(await fivepaisa.login?.exchange(env, query)).toMatchObject({
      success: false,
      message: expect.stringContaining('Token Expired'),
    });
  });
});

describe('orders', () => {
  it('MARKET fills with quantity and average as the ledger has them, sent as a protected LIMIT', async () => {
    const { body } = await gateway.place(share('SBIN'));
    const [order] = ordersOf('SBIN');
    expect(order).toMatchObject({ orderType: 'LIMIT', tag: expect.stringMatching(/^[a-z][a-z0-9]{15}$/) });
    expect(body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10, order_id: order?.tag });
    expect(body.avg_fill_price).toBe(Number(order?.average));
    expect(await read(body.order_id)).toMatchObject({
      RemoteOrderID: body.order_id,
      OrderStatus: 'Fully Executed',
      Rate: 828.2,
      AtMarket: 'N',
    });
  });

  it('SL-M rests as a stop with a protected limit; another trigger takes the limit along', async () => {
    const placed = await gateway.place({ ...share('TCS'), order_type: 'SL-M', trigger_price: 3200 });
    expect(placed.body).toMatchObject({ success: true, fill_status: 'PENDING' });
    const { order_id } = placed.body;
    expect(await read(order_id)).toMatchObject({ WithSL: 'Y', SLTriggerRate: 3200, Rate: 3280 });
    expect((await gateway.call('POST', '/broker/orders/modify', { order_id, trigger_price: 3250 })).body.success).toBe(true);
    await expect.poll(() => read(order_id)).toMatchObject({ SLTriggerRate: 3250, Rate: 3331 });
    await expect.poll(async () => (await read(order_id)).OrderStatus).toBe('Pending');
    expect((await gateway.call('POST', '/broker/orders/cancel', { order_id })).body.success).toBe(true);
  });

  it('a margin shortfall shows in the book, a price outside the circuit at once', async () => {
    const short = await gateway.place({ ...share('WIPRO'), quantity: 1_000_000 });
    expect(short.body).toMatchObject({ success: true, fill_status: 'REJECTED', message: expect.stringContaining('Margin Shortfall') });
    const far = await gateway.place({ ...share('TCS'), order_type: 'LIMIT', price: 9000 });
    expect(far.body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('circuit') });
  });

  it.each([
    ['NFO', 'SBIN26DECFUT', 'INTRADAY', 750],
    ['NFO', 'NIFTY26DEC26000CE', 'CARRYFORWARD', 65],
    ['BSE', 'SBIN', 'INTRADAY', 3],
    ['NSE', 'IDEA', 'DELIVERY', 5],
  ])('%s %s trades, and its position stops a second entry', async (exchange, name, product_type, quantity) => {
    const order = { ...share('SBIN'), ...emulator.named(instrument(exchange, name)), exchange, product_type, quantity };
    expect((await gateway.place(order)).body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: quantity });
    expect((await gateway.place({ ...order, idempotency_key: `${name} again` })).body).toMatchObject({ status: 'BLOCKED' });
    const { body } = await gateway.call('GET', '/broker/positions');
    expect(
      body.normalized.find((row: { symbol: string; exchange: string }) => row.symbol === order.symbol && row.exchange === exchange),
    ).toMatchObject({
      product_type,
      net_quantity: quantity,
      multiplier: 1,
    });
  });

  it.each([
    ['MCX', 'GOLDM26DECFUT'],
    ['CDS', 'USDINR26DECFUT'],
  ])('nothing is sent to %s, whose unit is in doubt', async (exchange, name) => {
    const order = { ...share('SBIN'), ...emulator.named(instrument(exchange, name)), exchange, quantity: 1 };
    expect((await gateway.place(order)).body).toMatchObject({
      success: false,
      fill_status: 'REJECTED',
      message: expect.stringContaining(exchange),
    });
    expect(ordersOf(name)).toEqual([]);
  });
});

it('an ended login signs in anew by itself', async () => {
  // Nobody reads the funds at just that moment, as the records may the orders.
  venue().faults.plant({ kind: 'sessionExpired', operation: 'funds' });
  expect((await gateway.call('GET', '/broker/funds')).body).toMatchObject({
    success: false,
    message: expect.stringContaining('Invalid Session'),
  });
  await expect.poll(async () => (await gateway.call('GET', '/broker/profile')).body.success).toBe(true);
});
