import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { HoldingRow, OrderRow, PositionRow, TradeRow } from '../../contract/rows.ts';
import { upstox } from '../../server/brokers/upstox/adapter.ts';
import { upstox as face } from '../../server/sim/upstox.ts';
import { envFor } from '../brokers/stand.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

/** The adapter against the face, over HTTP, through the whole gateway. */
let gateway: TestGateway;

function venue() {
  const { exchange } = gateway.context;
  if (!exchange) throw new Error('no practice exchange');
  return exchange;
}
function instrument(exchange: string, symbol: string) {
  const found = venue().exchange.instruments.find((one) => one.exchange === exchange && one.symbol === symbol);
  if (!found) throw new Error(`no instrument ${symbol}`);
  return found;
}
const venueOrders = (symbol: string) =>
  venue()
    .exchange.ledger()
    .orders.filter((order) => order.symbol === symbol);

function order(symbol: string, changed: Record<string, unknown> = {}, exchange = 'NSE') {
  const market = { exchange, transaction_type: 'BUY', order_type: 'MARKET', product_type: 'INTRADAY', quantity: 10 };
  return { ...market, ...face.named(instrument(exchange, symbol)), ...changed };
}
const bid = (symbol: string) => Number(venue().exchange.quote(instrument('NSE', symbol)).bid);
const read = async (id: string) => (await gateway.call('GET', `/broker/orders/${id}`)).body.data;

beforeAll(async () => {
  gateway = await startGateway({ env: { BROKERS: 'upstox' } });
});
afterEach(() => venue().faults.clear());
afterAll(() => gateway.stop());

describe('the session', () => {
  it('is connected at start, and connects again', async () => {
    expect((await gateway.call('GET', '/')).body).toMatchObject({ broker: 'upstox', status: 'ready' });
    expect((await gateway.call('POST', '/broker/connect?broker=upstox')).body).toMatchObject({ success: true, broker: 'upstox' });
  });
  it('passes the six tests of a broker', async () => {
    const { body } = await gateway.call('POST', '/broker/test/upstox');
    expect(body).toMatchObject({ broker: 'upstox', passed: 6, failed: 0, total: 6, status: 'PASSED' });
    expect(JSON.stringify(body)).not.toContain('access_token');
  });
  it('is signed in to through the browser', async () => {
    const urls = venue().urls.upstox;
    const { env } = envFor(upstox, urls?.api ?? '', { ...face.credentials, ACCESS_TOKEN: '' });
    const page = await fetch(upstox.login?.url({ ...env, loginUrl: urls?.login ?? '' }) ?? '', { redirect: 'manual' });
    const query = Object.fromEntries(new URL(page.headers.get('location') ?? '').searchParams);
    expect(await upstox.login?.exchange(env, query)).toMatchObject({ success: true, account: 'PU0001' });
    expect(await upstox.login?.exchange(env, query)).toMatchObject({ success: false, message: expect.stringContaining('UDAPI100057') });
  });
});

describe('orders', () => {
  it('MARKET is FILLED as the venue says', async () => {
    const { body } = await gateway.place(order('SBIN'));
    const [made] = venueOrders('SBIN');
    expect(made).toMatchObject({ tag: expect.stringMatching(/^[a-z][a-z0-9]{15}$/), side: 'BUY', product: 'INTRADAY', quantity: 10 });
    expect(body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10, order_id: made?.orderId });
    expect(body.avg_fill_price).toBe(Number(made?.average));
    expect(await read(body.order_id)).toMatchObject({ order_id: body.order_id, status: 'complete', order_type: 'MARKET' });
    const book = await gateway.call('GET', '/broker/tradebook');
    expect(book.body.normalized.filter((trade: { order_id: string }) => trade.order_id === body.order_id)).toHaveLength(1);
  });
  it('a further entry on that side is BLOCKED, an exit passes', async () => {
    const { body } = await gateway.place(order('SBIN', { quantity: 3 }));
    expect(body).toMatchObject({
      success: false,
      status: 'BLOCKED',
      fill_status: 'REJECTED',
      message: expect.stringMatching(/SBIN.*LONG/),
    });
    const other = await gateway.place(order('SBIN', { symbol: 'STATEBANK', transaction_type: 'SELL' }));
    expect(other.body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('write SBIN') });
    expect((await gateway.place(order('SBIN', { transaction_type: 'SELL' }))).body).toMatchObject({ fill_status: 'FILLED' });
    expect(venueOrders('SBIN')).toHaveLength(2);
  });
  it('LIMIT at the market is FILLED as the venue says', async () => {
    const price = Math.ceil(bid('INFY') * 1.02);
    const { body } = await gateway.place(order('INFY', { order_type: 'LIMIT', price }));
    expect(body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10 });
    expect(body.avg_fill_price).toBe(Number(venueOrders('INFY')[0]?.average));
  });
  it('a resting order is PENDING, modified, found and cancelled', async () => {
    const price = Math.round(bid('TCS') * 0.95);
    const { body } = await gateway.place(order('TCS', { order_type: 'LIMIT', price }));
    expect(body).toMatchObject({ success: true, fill_status: 'PENDING', filled_quantity: 0, avg_fill_price: 0 });
    const { order_id } = body;
    expect((await gateway.call('POST', '/broker/orders/modify', { order_id, price: price + 2 })).body).toMatchObject({ success: true });
    await expect.poll(async () => await read(order_id)).toMatchObject({ price: price + 2, quantity: 10, status: 'open' });
    expect((await gateway.call('POST', '/broker/orders/modify', { order_id, quantity: 12 })).body).toMatchObject({ success: true });
    await expect.poll(async () => await read(order_id)).toMatchObject({ price: price + 2, quantity: 12 });
    expect((await gateway.call('POST', '/broker/orders/cancel', { order_id })).body).toMatchObject({ success: true });
    await expect.poll(async () => (await read(order_id)).status).toBe('cancelled');
    expect((await gateway.call('POST', '/broker/orders/cancel', { order_id })).body).toMatchObject({
      success: false,
      message: expect.stringContaining('UDAPI100040'),
    });
  });
  it('a stop waits for its trigger', async () => {
    const trigger_price = Math.round(bid('RELIANCE') * 1.05);
    const { body } = await gateway.place(order('RELIANCE', { order_type: 'SL-M', variety: 'STOPLOSS', trigger_price }));
    expect(body).toMatchObject({ success: true, fill_status: 'PENDING' });
    expect(await read(body.order_id)).toMatchObject({ status: 'trigger pending', order_type: 'SL-M', trigger_price });
  });
  it('contracts are counted in units, currency too', async () => {
    const future = await gateway.place(order('NIFTY26DECFUT', { quantity: 65 }, 'NFO'));
    expect(future.body).toMatchObject({ fill_status: 'FILLED', filled_quantity: 65 });
    const currency = await gateway.place(order('USDINR26DECFUT', { quantity: 3_000 }, 'CDS'));
    expect(currency.body).toMatchObject({ fill_status: 'FILLED', filled_quantity: 3_000 });
    expect(venueOrders('USDINR26DECFUT')).toMatchObject([{ quantity: 3, filled: 3 }]);
    const { body } = await gateway.call('GET', '/broker/positions');
    expect(body.normalized).toContainEqual(expect.objectContaining({ exchange: 'CDS', net_quantity: 3_000, multiplier: 1 }));
  });
  it('MCX is refused before anything is sent', async () => {
    const { body } = await gateway.place(order('GOLDM26DECFUT', { quantity: 1, product_type: 'CARRYFORWARD' }, 'MCX'));
    expect(body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('MCX') });
    expect(venueOrders('GOLDM26DECFUT')).toHaveLength(0);
  });
  it('too little money is told by the book', async () => {
    const { body } = await gateway.place(order('LT', { quantity: 1_000_000 }));
    expect(body).toMatchObject({ success: true, fill_status: 'REJECTED', filled_quantity: 0 });
    expect(await read(body.order_id)).toMatchObject({ status: 'rejected', status_message: expect.stringMatching(/^You need to add Rs\./) });
  });
  it('parts add up', async () => {
    const plan = [
      { quantity: 3, afterMs: 0 },
      { quantity: 7, afterMs: 200 },
    ];
    venue().faults.plant({ kind: 'partialFills', operation: 'place', plan });
    const { body } = await gateway.place(order('WIPRO'));
    expect(body).toMatchObject({ fill_status: 'FILLED', filled_quantity: 10, avg_fill_price: Number(venueOrders('WIPRO')[0]?.average) });
  });
});

describe('a lost answer', () => {
  it.each([
    ['resetAfterAccept', 'ITC'],
    ['timeoutTextAfterAccept', 'HDFCBANK'],
    ['statusAfterAccept', 'TITAN'],
    ['garbageAfterAccept', 'CIPLA'],
  ] as const)('after %s the order is found by its tag, beside a twin placed by hand', async (kind, symbol) => {
    const twin = {
      exchange: 'NSE',
      symbol,
      side: 'BUY',
      orderType: 'LIMIT',
      product: 'INTRADAY',
      quantity: 10,
      price: String(Math.round(bid(symbol) * 0.95)),
    } as const;
    expect(venue().exchange.placeByHand('upstox', twin).ok).toBe(true);
    venue().faults.plant({ kind, operation: 'place' });
    const { body } = await gateway.place(order(symbol));
    expect(body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10 });
    const [byHand, ours] = venueOrders(symbol);
    expect(byHand?.byHand).toBe(true);
    expect(body.order_id).toBe(ours?.orderId);
    expect(venueOrders(symbol)).toHaveLength(2);
  });
  it.each([
    ['rateLimited', /Too Many Request.*UDAPI10005/],
    ['unregisteredAddress', /203\.0\.113\.5/],
  ] as const)('%s is REJECTED at once', async (kind, message) => {
    venue().faults.plant({ kind, operation: 'place' });
    const { body } = await gateway.place(order('AXISBANK', { idempotency_key: kind }));
    expect(body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringMatching(message) });
    expect(venueOrders('AXISBANK')).toHaveLength(0);
  });
});

it.each([
  ['holdings', HoldingRow],
  ['positions', PositionRow],
  ['orders', OrderRow],
  ['tradebook', TradeRow],
] as const)('normalized %s fit the contract', async (path, schema) => {
  const { body } = await gateway.call('GET', `/broker/${path}`);
  const normalized = z.array(schema.strict()).min(1).parse(body.normalized);
  expect(normalized.length).toBe(body.data.length);
  expect(normalized.filter((row) => row.symbol.includes('-EQ'))).toEqual([]);
});
