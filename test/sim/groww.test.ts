import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { HoldingRow, OrderRow, PositionRow, TradeRow } from '../../contract/rows.ts';
import { groww as face } from '../../server/sim/groww.ts';
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
  gateway = await startGateway({ env: { BROKERS: 'groww' } });
});
afterEach(() => venue().faults.clear());
afterAll(() => gateway.stop());

describe('the session', () => {
  it('is connected at start, and connects again', async () => {
    expect((await gateway.call('GET', '/')).body).toMatchObject({ broker: 'groww', status: 'ready' });
    expect((await gateway.call('POST', '/broker/connect?broker=groww')).body).toMatchObject({ success: true, broker: 'groww' });
  });
  it('passes the six tests of a broker', async () => {
    const { body } = await gateway.call('POST', '/broker/test/groww');
    expect(body).toMatchObject({ broker: 'groww', passed: 6, failed: 0, total: 6, status: 'PASSED' });
    expect(JSON.stringify(body)).not.toContain('access_token');
  });
});

describe('orders', () => {
  it('MARKET is FILLED as the venue says, booked as a protected LIMIT', async () => {
    const { body } = await gateway.place(order('SBIN'));
    const [made] = venueOrders('SBIN');
    expect(made).toMatchObject({ tag: expect.stringMatching(/^[a-z][a-z0-9]{15}$/), side: 'BUY', product: 'INTRADAY', quantity: 10 });
    expect(body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10, order_id: made?.orderId });
    expect(body.avg_fill_price).toBe(Number(made?.average));
    expect(body.order_id).toMatch(/^GMK[0-9A-Z]{16}$/);
    expect(await read(body.order_id)).toMatchObject({ order_id: body.order_id, order_status: 'EXECUTED', order_type: 'LIMIT' });
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
    expect((await gateway.place(order('SBIN', { transaction_type: 'SELL', quantity: 25 }))).body).toMatchObject({ fill_status: 'FILLED' });
    const short = await gateway.place(order('SBIN', { transaction_type: 'SELL', quantity: 2 }));
    expect(short.body).toMatchObject({ status: 'BLOCKED', message: expect.stringMatching(/SBIN.*SHORT/) });
    expect(venueOrders('SBIN')).toHaveLength(2);
  });
  it('LIMIT at the market is FILLED as the venue says', async () => {
    const price = Math.ceil(bid('INFY') * 1.02);
    const { body } = await gateway.place(order('INFY', { order_type: 'LIMIT', price, product_type: 'DELIVERY' }));
    expect(body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10 });
    expect(body.avg_fill_price).toBe(Number(venueOrders('INFY')[0]?.average));
    expect(await read(body.order_id)).toMatchObject({ order_status: 'DELIVERY_AWAITED' });
  });
  it('a resting order is PENDING, modified, found and cancelled', async () => {
    const price = Math.round(bid('TCS') * 0.95);
    const { body } = await gateway.place(order('TCS', { order_type: 'LIMIT', price }));
    expect(body).toMatchObject({ success: true, fill_status: 'PENDING', filled_quantity: 0, avg_fill_price: 0 });
    const { order_id } = body;
    expect((await gateway.call('POST', '/broker/orders/modify', { order_id, price: price + 2 })).body).toMatchObject({ success: true });
    await expect
      .poll(async () => await read(order_id))
      .toMatchObject({ price: price + 2, quantity: 10, order_status: expect.stringMatching(/^(OPEN|APPROVED)$/) });
    expect((await gateway.call('POST', '/broker/orders/modify', { order_id, quantity: 12 })).body).toMatchObject({ success: true });
    await expect.poll(async () => await read(order_id)).toMatchObject({ price: price + 2, quantity: 12 });
    expect((await gateway.call('POST', '/broker/orders/cancel', { order_id })).body).toMatchObject({ success: true });
    await expect.poll(async () => (await read(order_id)).order_status).toBe('CANCELLED');
    // GA006 leaves open what happened, so the order is read again.
    const again = await gateway.call('POST', '/broker/orders/cancel', { order_id });
    expect(again.body).toMatchObject({ success: true, message: 'The order is cancelled' });
  });
  it('a stop waits for its trigger', async () => {
    const trigger_price = Math.round(bid('RELIANCE') * 1.05);
    const { body } = await gateway.place(order('RELIANCE', { order_type: 'SL-M', variety: 'STOPLOSS', trigger_price }));
    expect(body).toMatchObject({ success: true, fill_status: 'PENDING' });
    expect(await read(body.order_id)).toMatchObject({ order_status: 'TRIGGER_PENDING', order_type: 'SL_M', trigger_price });
  });
  it('contracts are counted in units and read in their own segment', async () => {
    const { body } = await gateway.place(order('NIFTY26DECFUT', { quantity: 65 }, 'NFO'));
    expect(body).toMatchObject({ fill_status: 'FILLED', filled_quantity: 65 });
    const positions = await gateway.call('GET', '/broker/positions');
    expect(positions.body.normalized).toContainEqual(
      expect.objectContaining({ exchange: 'NFO', symbol: 'NIFTY26DECFUT', net_quantity: 65, average_price: body.avg_fill_price }),
    );
  });
  it('MCX and AMO are refused with a reason, and nothing is sent', async () => {
    const before = venue().exchange.ledger().requests.length;
    const metal = await gateway.place(order('GOLDM26DECFUT', { quantity: 1, product_type: 'CARRYFORWARD' }, 'MCX'));
    expect(metal.body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('lots or units') });
    const late = await gateway.place(order('CIPLA', { variety: 'AMO' }));
    expect(late.body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('AMO') });
    expect(venue().exchange.ledger().requests.length).toBe(before);
  });
  it('is rejected in Groww’s words, at once or in the book', async () => {
    const tick = await gateway.place(order('MARUTI', { order_type: 'LIMIT', price: 15_000.5 }));
    expect(tick.body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('tick size') });
    const poor = await gateway.place(order('ITC', { quantity: 10_000_000 }));
    expect(poor.body).toMatchObject({ success: true, fill_status: 'REJECTED', filled_quantity: 0 });
    expect(await read(poor.body.order_id)).toMatchObject({
      order_status: 'REJECTED',
      remark: expect.stringContaining('Insufficient balance'),
    });
  });
});

describe('a lost answer', () => {
  it.each([
    ['resetAfterAccept', 'AXISBANK'],
    ['timeoutTextAfterAccept', 'LT'],
  ] as const)('%s is found again by its reference, sent once', async (kind, symbol) => {
    venue().faults.plant({ kind, operation: 'place' });
    const { body } = await gateway.place(order(symbol));
    const [made] = venueOrders(symbol);
    expect(body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10, order_id: made?.orderId });
    expect(venueOrders(symbol)).toHaveLength(1);
  });
  it('an unregistered address is a definite refusal', async () => {
    venue().faults.plant({ kind: 'unregisteredAddress', operation: 'place' });
    const { body } = await gateway.place(order('WIPRO'));
    expect(body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('203.0.113.5') });
  });
  it('a dead session is signed in again without a person', async () => {
    venue().faults.plant({ kind: 'sessionExpired', operation: 'holdings' });
    expect((await gateway.call('GET', '/broker/holdings')).body.success).toBe(false);
    await expect.poll(async () => (await gateway.call('GET', '/broker/holdings')).body.success).toBe(true);
  });
});

describe('the rows', () => {
  it.each([
    ['orders', OrderRow],
    ['positions', PositionRow],
    ['holdings', HoldingRow],
    ['tradebook', TradeRow],
  ])('of %s fit the contract', async (path, row) => {
    const { body } = await gateway.call('GET', `/broker/${path}`);
    const { data, normalized } = z.object({ data: z.array(z.unknown()), normalized: z.array(row).min(1) }).parse(body);
    expect(normalized.length).toBe(data.length);
  });
  it('of positions carry what they cost, also after turning over', async () => {
    const { body } = await gateway.call('GET', '/broker/positions');
    const infy = Number(venueOrders('INFY')[0]?.average);
    const sbin = Number(venueOrders('SBIN')[1]?.average);
    expect(body.normalized).toContainEqual(expect.objectContaining({ symbol: 'INFY', product_type: 'DELIVERY', average_price: infy }));
    expect(body.normalized).toContainEqual(expect.objectContaining({ symbol: 'SBIN', net_quantity: -15, average_price: sbin }));
  });
});
