import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { HoldingRow, OrderRow, PositionRow, TradeRow } from '../../contract/rows.ts';
import { shoonya } from '../../server/brokers/shoonya/adapter.ts';
import { shoonya as face } from '../../server/sim/shoonya.ts';
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
  gateway = await startGateway({ env: { BROKERS: 'shoonya' } });
});
afterEach(() => venue().faults.clear());
afterAll(() => gateway.stop());

describe('the session', () => {
  it('is connected at start, and connects again', async () => {
    expect((await gateway.call('GET', '/')).body).toMatchObject({ broker: 'shoonya', status: 'ready' });
    expect((await gateway.call('POST', '/broker/connect?broker=shoonya')).body).toMatchObject({ success: true, broker: 'shoonya' });
  });
  it('passes the six tests of a broker', async () => {
    const { body } = await gateway.call('POST', '/broker/test/shoonya');
    expect(body).toMatchObject({ broker: 'shoonya', passed: 6, failed: 0, total: 6, status: 'PASSED' });
    expect(JSON.stringify(body)).not.toContain(face.credentials.ACCESS_TOKEN);
  });
  it('is signed in to through the browser', async () => {
    const urls = venue().urls.shoonya;
    const { env } = envFor(shoonya, urls?.api ?? '', { ...face.credentials, ACCESS_TOKEN: '' });
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
    const { body } = await gateway.place(order('SBIN'));
    const [made] = venueOrders('SBIN');
    expect(made).toMatchObject({ tag: expect.stringMatching(/^[a-z][a-z0-9]{15}$/), side: 'BUY', orderType: 'LIMIT', quantity: 10 });
    expect(body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10, order_id: made?.orderId });
    expect(body.avg_fill_price).toBe(Number(made?.average));
    expect(await read(body.order_id)).toMatchObject({ norenordno: body.order_id, status: 'COMPLETE', prctyp: 'LMT' });
    const book = await gateway.call('GET', '/broker/tradebook');
    expect(book.body.normalized.filter((trade: { order_id: string }) => trade.order_id === body.order_id)).toHaveLength(1);
  });
  it('a further entry on that side is BLOCKED, an exit passes', async () => {
    const { body } = await gateway.place(order('SBIN', { quantity: 3 }));
    expect(body).toMatchObject({
      success: false,
      status: 'BLOCKED',
      fill_status: 'REJECTED',
      message: expect.stringMatching(/SBIN-EQ.*LONG/),
    });
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
    await expect.poll(async () => await read(order_id)).toMatchObject({ prc: `${price + 2}.00`, qty: '10', status: 'OPEN' });
    expect((await gateway.call('POST', '/broker/orders/modify', { order_id, quantity: 12 })).body).toMatchObject({ success: true });
    await expect.poll(async () => await read(order_id)).toMatchObject({ prc: `${price + 2}.00`, qty: '12' });
    expect((await gateway.call('POST', '/broker/orders/cancel', { order_id })).body).toMatchObject({ success: true });
    await expect.poll(async () => (await read(order_id)).status).toBe('CANCELED');
    expect((await gateway.call('POST', '/broker/orders/cancel', { order_id })).body).toMatchObject({
      success: false,
      message: expect.stringContaining('ORA:Order is CANCELLED'),
    });
  });
  it('SL-M waits for its trigger with a limit beyond it', async () => {
    const trigger_price = Math.round(bid('RELIANCE') * 1.05);
    const { body } = await gateway.place(order('RELIANCE', { order_type: 'SL-M', variety: 'STOPLOSS', trigger_price }));
    expect(body).toMatchObject({ success: true, fill_status: 'PENDING' });
    const row = await read(body.order_id);
    expect(row).toMatchObject({ status: 'TRIGGER_PENDING', prctyp: 'SL-LMT', trgprc: `${trigger_price}.00` });
    expect(Number(row.prc)).toBeGreaterThan(trigger_price);
  });
  it('contracts are counted in units, also cheap ones', async () => {
    const future = await gateway.place(order('NIFTY26DECFUT', { quantity: 65 }, 'NFO'));
    expect(future.body).toMatchObject({ fill_status: 'FILLED', filled_quantity: 65 });
    const option = await gateway.place(order('RELIANCE26DEC1540CE', { quantity: 500 }, 'NFO'));
    expect(option.body).toMatchObject({ fill_status: 'FILLED', filled_quantity: 500 });
  });
  it('a share with an ampersand', async () => {
    expect((await gateway.place(order('M&M'))).body).toMatchObject({ fill_status: 'FILLED', filled_quantity: 10 });
    expect((await gateway.place(order('M&M', { quantity: 3 }))).body).toMatchObject({ status: 'BLOCKED' });
  });
  it.each([
    ['MCX', 'GOLDM26DECFUT', 'GOLDM'],
    ['CDS', 'USDINR26DECFUT', 'USDINR'],
  ])('%s is refused before anything is sent', async (exchange, symbol) => {
    const { body } = await gateway.place(order(symbol, { quantity: 1, product_type: 'CARRYFORWARD' }, exchange));
    expect(body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('lots or in units') });
    expect(venueOrders(symbol)).toHaveLength(0);
  });
  it('too little money is told by the book', async () => {
    const { body } = await gateway.place(order('LT', { quantity: 1_000_000 }));
    expect(body).toMatchObject({ success: true, fill_status: 'REJECTED', filled_quantity: 0 });
    expect(await read(body.order_id)).toMatchObject({ status: 'REJECTED', rejreason: expect.stringMatching(/^RED:Margin Shortfall/) });
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
    expect(venue().exchange.placeByHand('shoonya', twin).ok).toBe(true);
    venue().faults.plant({ kind, operation: 'place' });
    const { body } = await gateway.place(order(symbol));
    expect(body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10 });
    const [byHand, ours] = venueOrders(symbol);
    expect(byHand?.byHand).toBe(true);
    expect(body.order_id).toBe(ours?.orderId);
    expect(venueOrders(symbol)).toHaveLength(2);
  });
  it('an unregistered address is REJECTED at once', async () => {
    venue().faults.plant({ kind: 'unregisteredAddress', operation: 'place' });
    const { body } = await gateway.place(order('AXISBANK'));
    expect(body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringMatching(/203\.0\.113\.5/) });
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
});
