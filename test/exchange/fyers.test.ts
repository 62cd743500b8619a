import { describe, expect, it } from 'vitest';
import { fyers } from '../../server/brokers/fyers/adapter.ts';
import { createRedactor } from '../../server/brokers/redactor.ts';
import { tradingCalendar } from '../../server/calendar/calendar.ts';
import { systemClock, systemRandom } from '../../server/clock.ts';
import { silentLog } from '../../server/log.ts';
import { practice } from './practice.ts';

/** What is its own; what all ten share is in test/gateway/ten.test.ts. */
const gateway = practice('fyers', { SBIN: '812', INFY: '1568', TCS: '3105', WIPRO: '244' });
const { read, venue, venueOrders: ordersOf } = gateway;
/** What an order at FYERS names: a share of NSE, ten of it. */
const share = (name: string) => ({
  symbol: `NSE:${name}-EQ`,
  token: '10100000000000',
  exchange: 'NSE',
  transaction_type: 'BUY',
  order_type: 'MARKET',
  product_type: 'INTRADAY',
  quantity: 10,
});

describe('the session', () => {
  it('connects by itself, again on request, and passes the self-test', async () => {
    expect((await gateway.call('GET', '/')).body).toMatchObject({ broker: 'fyers', status: 'ready' });
    expect((await gateway.call('POST', '/broker/connect?broker=fyers')).body).toMatchObject({ success: true, broker: 'fyers' });
    const { body, text } = await gateway.call('POST', '/broker/test/fyers');
    expect(body).toMatchObject({ status: 'PASSED', passed: 6, failed: 0, total: 6 });
    expect(text).not.toContain('practiceaccesstoken');
  });

  it('signs in through the page a person would open', async () => {
    const credentials = { ...gateway.gateway().config.broker.fyers.credentials, APP_ID: 'PRACTICE01-100', SECRET_KEY: 'practicesecret' };
    const api = venue().urls.fyers?.api ?? '';
    const env = {
      credentials: { ...credentials, REDIRECT_URI: 'http://127.0.0.1:5001/' },
      redactor: createRedactor({}),
      apiUrl: api,
      loginUrl: venue().urls.fyers?.login ?? '',
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
    const page = await fetch(fyers.login?.url(env) ?? '', { redirect: 'manual' });
    const back = new URL(page.headers.get('location') ?? '');
    expect(back.origin).toBe('http://127.0.0.1:5001');
    const query = Object.fromEntries(back.searchParams);
    const connected = await fyers.login?.exchange(env, query);
    expect(connected).toMatchObject({ success: true, account: 'FP0001', login: { expiresAt: expect.stringMatching(/T00:30:00\.000Z$/) } });
    expect(await fyers.login?.exchange(env, query)).toMatchObject({
      success: false,
      message: expect.stringContaining('invalid auth code'),
    });
  });
});

describe('orders', () => {
  it('MARKET fills with quantity and average as the ledger has them, and is booked as LIMIT', async () => {
    const { body } = await gateway.place(share('SBIN'));
    const [order] = ordersOf('SBIN');
    expect(order?.tag).toMatch(/^[a-z][a-z0-9]{15}$/);
    expect(body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10, order_id: order?.orderId });
    expect(body.avg_fill_price).toBe(Number(order?.average));
    expect(await read(body.order_id)).toMatchObject({ id: body.order_id, order_id: body.order_id, type: 1, status: 2, side: 1 });
  });

  it('SL-M rests as a stop with a protected limit; another trigger takes the limit along', async () => {
    const placed = await gateway.place({ ...share('TCS'), order_type: 'SL-M', trigger_price: 3200 });
    expect(placed.body).toMatchObject({ success: true, fill_status: 'PENDING' });
    const { order_id } = placed.body;
    expect(await read(order_id)).toMatchObject({ type: 4, stopPrice: 3200, limitPrice: 3280 });
    expect((await gateway.call('POST', '/broker/orders/modify', { order_id, trigger_price: 3250 })).body.success).toBe(true);
    await expect.poll(() => read(order_id)).toMatchObject({ type: 4, stopPrice: 3250, limitPrice: 3331.2 });
    expect((await gateway.call('POST', '/broker/orders/cancel', { order_id })).body.success).toBe(true);
  });

  it('a margin shortfall shows in the book, a price outside the circuit at once', async () => {
    const short = await gateway.place({ ...share('TCS'), quantity: 1_000_000 });
    expect(short.body).toMatchObject({ success: true, fill_status: 'REJECTED', message: expect.stringContaining('Margin Shortfall') });
    const far = await gateway.place({ ...share('TCS'), order_type: 'LIMIT', price: 9000 });
    expect(far.body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('circuit') });
  });

  it.each([
    ['NFO', 'NSE:SBIN26DECFUT', 'INTRADAY', 750],
    ['NFO', 'NSE:NIFTY26DEC26000CE', 'CARRYFORWARD', 65],
    ['MCX', 'MCX:NATURALGAS26DECFUT', 'CARRYFORWARD', 1],
    ['CDS', 'NSE:USDINR26DECFUT', 'INTRADAY', 2],
    ['BSE', 'BSE:SBIN-A', 'INTRADAY', 3],
  ])('%s %s trades, and its position stops a second entry', async (exchange, symbol, product_type, quantity) => {
    const order = { ...share(''), exchange, symbol, token: 'any', product_type, quantity, order_type: 'MARKET' };
    expect((await gateway.place(order)).body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: quantity });
    expect((await gateway.place({ ...order, idempotency_key: `${symbol} again` })).body).toMatchObject({ status: 'BLOCKED' });
    const { body } = await gateway.call('GET', '/broker/positions');
    expect(body.normalized.find((row: { symbol: string }) => row.symbol === symbol)).toMatchObject({
      exchange,
      product_type,
      net_quantity: quantity,
      multiplier: { 'MCX:NATURALGAS26DECFUT': 1250, 'NSE:USDINR26DECFUT': 1000 }[symbol] ?? 1,
    });
  });
});

it('a short that was larger costs what was sold, whatever was earned on the way', async () => {
  const sold = await gateway.place({ ...share('INFY'), transaction_type: 'SELL', quantity: 20 });
  venue().exchange.setPrice('NSE', 'INFY', '1540');
  const bought = await gateway.place({ ...share('INFY'), quantity: 5 });
  expect([sold.body.fill_status, bought.body.fill_status]).toEqual(['FILLED', 'FILLED']);
  const { data, normalized } = (await gateway.call('GET', '/broker/positions')).body;
  const named = (row: { symbol: string }) => row.symbol === 'NSE:INFY-EQ';
  expect(data.find(named)).toMatchObject({ netQty: -15, sellAvg: sold.body.avg_fill_price, buyAvg: bought.body.avg_fill_price });
  expect(data.find(named).netAvg).toBeGreaterThan(sold.body.avg_fill_price);
  expect(normalized.find(named)).toMatchObject({ net_quantity: -15, average_price: sold.body.avg_fill_price });
});

it('an ended login ends the session', async () => {
  venue().faults.plant({ kind: 'sessionExpired', operation: 'orders' });
  expect((await gateway.call('GET', '/broker/orders')).body).toMatchObject({ success: false, message: expect.stringContaining('expired') });
  expect((await gateway.call('GET', '/broker/profile')).body).toEqual({ success: false, message: 'Broker Not Connected' });
});
