import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
const shares = ['SBIN', 'INFY', 'TCS', 'RELIANCE', 'HDFCBANK', 'ICICIBANK', 'ITC', 'LT', 'AXISBANK', 'WIPRO'];
let next = 0;
/** A symbol no earlier test of this file has touched. */
function fresh(): string {
  const symbol = shares[next];
  next += 1;
  if (!symbol) throw new Error('more symbols are needed');
  return symbol;
}

function venue() {
  const { exchange } = gateway.context;
  if (!exchange) throw new Error('no practice exchange');
  return exchange;
}
const venueOrders = (symbol: string) =>
  venue()
    .exchange.ledger()
    .orders.filter((order) => order.symbol === symbol);

/** A whole-rupee price some 5 % under the market: a BUY limit there rests. */
function restingPrice(symbol: string): number {
  const instrument = venue().exchange.instruments.find((one) => one.exchange === 'NSE' && one.symbol === symbol);
  if (!instrument) throw new Error(`no instrument ${symbol}`);
  return Math.round(Number(venue().exchange.quote(instrument).bid) * 0.95);
}

beforeAll(async () => {
  gateway = await startGateway();
});
afterEach(() => venue().faults.clear());
afterAll(() => gateway.stop());

describe('a plain order', () => {
  it('is FILLED with quantity and average price, as the venue says', async () => {
    const { status, body } = await gateway.place({ ...sbin, symbol: fresh(), idempotency_key: 'plain-1' });
    expect(status).toBe(200);
    const [order] = venueOrders('SBIN');
    expect(body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10, order_id: order?.orderId });
    expect(body.avg_fill_price).toBe(Number(order?.average));
    const found = await gateway.call('GET', `/broker/orders/${body.order_id}`);
    expect(found.body).toMatchObject({ success: true, data: { order_id: body.order_id, status: 'COMPLETE' } });
    const book = await gateway.call('GET', '/broker/tradebook');
    expect(book.body.normalized.filter((trade: { order_id: string }) => trade.order_id === body.order_id)).toHaveLength(1);
  });
  it('sends the members of the spec and the tag', async () => {
    const [order] = venueOrders('SBIN');
    expect(order).toMatchObject({ exchange: 'NSE', side: 'BUY', product: 'INTRADAY', quantity: 10 });
    expect(order?.tag).toMatch(/^[a-z][a-z0-9]{15}$/);
  });
  it('rests as PENDING, is modified, found and cancelled', async () => {
    const symbol = fresh();
    const price = restingPrice(symbol);
    const placed = await gateway.place({ ...sbin, symbol, order_type: 'LIMIT', price });
    expect(placed.body).toMatchObject({ success: true, fill_status: 'PENDING', filled_quantity: 0, avg_fill_price: 0 });
    const order_id = placed.body.order_id;
    const modified = await gateway.call('POST', '/broker/orders/modify', { order_id, price: price + 1.5 });
    expect(modified.body.success).toBe(true);
    const read = async () => (await gateway.call('GET', `/broker/orders/${order_id}`)).body.data;
    await expect.poll(read).toMatchObject({ price: price + 1.5, quantity: 10, status: 'OPEN' });
    expect((await gateway.call('POST', '/broker/orders/cancel', { order_id, variety: 'AMO' })).body.success).toBe(true);
    // A cancel answered with success is taken, not done: the exchange acknowledges it a moment later.
    await expect.poll(async () => (await read()).status).toBe('CANCELLED');
  });
  it("is rejected in the broker's words", async () => {
    const { body } = await gateway.place({ ...sbin, symbol: fresh(), quantity: 10_000_000 });
    expect(body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringMatching(/margin|funds/i) });
  });
  it('accepted and then rejected by the risk system is success with REJECTED', async () => {
    venue().faults.plant({ kind: 'rejectByRisk', operation: 'place' });
    const { body } = await gateway.place({ ...sbin, symbol: fresh() });
    expect(body).toMatchObject({ success: true, fill_status: 'REJECTED', filled_quantity: 0 });
    expect(body.message).toEqual(expect.any(String));
  });
  it('adds up partial fills', async () => {
    const symbol = fresh();
    venue().faults.plant({
      kind: 'partialFills',
      operation: 'place',
      plan: [
        { quantity: 3, afterMs: 0 },
        { quantity: 7, afterMs: 300 },
      ],
    });
    const { body } = await gateway.place({ ...sbin, symbol });
    const [order] = venueOrders(symbol);
    expect(body).toMatchObject({ fill_status: 'FILLED', filled_quantity: 10, avg_fill_price: Number(order?.average) });
  });
});

describe('duplicates', () => {
  it('the same key replays the same bytes', async () => {
    const symbol = fresh();
    const order = { ...sbin, symbol, idempotency_key: 'twice' };
    const first = await gateway.place(order);
    const second = await gateway.place(order);
    expect(second.text).toBe(first.text);
    expect(first.headers.get('Idempotency-Replayed')).toBeNull();
    expect(second.headers.get('Idempotency-Replayed')).toBe('true');
    expect(venueOrders(symbol)).toHaveLength(1);
    const other = await gateway.place({ ...order, quantity: 11 });
    expect(other.text).toBe(first.text);
    expect(other.headers.get('Idempotency-Key-Mismatch')).toBe('true');
  });
  it('the same order without a key replays too; the same price written three ways is one', async () => {
    const symbol = fresh();
    const limit = { ...sbin, symbol, order_type: 'LIMIT' };
    const price = restingPrice(symbol);
    const bodies = [`${price}`, `${price}.0`, `${price / 100}e2`].map((text) => `${JSON.stringify(limit).slice(0, -1)},"price":${text}}`);
    const answers = [];
    for (const body of bodies) answers.push(await gateway.call('POST', '/broker/orders/place', body));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(venueOrders(symbol)).toHaveLength(1);
    const trigger = await gateway.place({ ...limit, price, trigger_price: price - 1, idempotency_key: '' });
    expect(trigger.text).toBe(answers[0]?.text);
  });
  it('200 callers with one key: one order, one body', async () => {
    const symbol = fresh();
    const answers = await Promise.all(Array.from({ length: 200 }, () => gateway.place({ ...sbin, symbol, idempotency_key: 'crowd' })));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers.filter((answer) => answer.headers.get('Idempotency-Replayed') === null)).toHaveLength(1);
    expect(venueOrders(symbol)).toHaveLength(1);
  });
  it('asks whether a key was placed without placing', async () => {
    const only = { 'Idempotency-Replay-Only': 'true' };
    const known = await gateway.place({ ...sbin, symbol: 'TCS', idempotency_key: 'twice' }, only);
    expect(known.body.order_id).toEqual(expect.any(String));
    const before = venue().exchange.ledger().requests.length;
    const unknown = await gateway.place({ ...sbin, idempotency_key: 'never' }, only);
    expect(unknown.body.success).toBe(false);
    expect(venue().exchange.ledger().requests.length).toBe(before);
  });
});
