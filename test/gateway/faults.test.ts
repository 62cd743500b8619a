import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
function venue() {
  const { exchange } = gateway.context;
  if (!exchange) throw new Error('no practice exchange');
  return exchange;
}
const venueOrders = (symbol: string) =>
  venue()
    .exchange.ledger()
    .orders.filter((order) => order.symbol === symbol);

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

/** Every fault has its symbol, so that all run at once. */
const afterAccept = [
  ['resetAfterAccept', 'SBIN'],
  ['hangAfterAccept', 'INFY'],
  ['statusAfterAccept', 'TCS'],
  ['timeoutTextAfterAccept', 'RELIANCE'],
  ['garbageAfterAccept', 'HDFCBANK'],
  ['emptyAfterAccept', 'ICICIBANK'],
  ['resetInBody', 'ITC'],
] as const;

describe('an answer that is lost after the broker accepted', () => {
  it('is found by its tag within 8 s of the failure and never sent again', async () => {
    for (const [kind, symbol] of afterAccept) {
      venue().faults.plant({ kind, operation: 'place' });
      const began = Date.now();
      const { body } = await gateway.place({ ...sbin, symbol, idempotency_key: kind });
      expect(body, kind).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10 });
      expect(Date.now() - began, kind).toBeLessThan(kind === 'hangAfterAccept' ? 15_500 : 8000);
      const orders = venueOrders(symbol);
      expect(orders, kind).toHaveLength(1);
      expect(body.order_id, kind).toBe(orders[0]?.orderId);
      expect((await gateway.place({ ...sbin, symbol, idempotency_key: kind })).body, kind).toEqual(body);
      expect(venueOrders(symbol), kind).toHaveLength(1);
    }
  }, 60_000);
});

describe('a request that is lost before the broker saw it', () => {
  it('ends UNKNOWN within 9 s, blocks the same side meanwhile, places nothing', async () => {
    venue().faults.plant({ kind: 'lostRequest', operation: 'place' });
    const began = Date.now();
    const order = { ...sbin, symbol: 'WIPRO', idempotency_key: 'lost' };
    const waiting = gateway.place(order);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const twin = await gateway.place({ ...order, idempotency_key: 'lost-2' });
    expect(twin.body).toMatchObject({ success: false, status: 'BLOCKED', message: expect.stringContaining('not resolved') });
    const first = await waiting;
    expect(Date.now() - began).toBeLessThan(9000);
    expect(first.body).toMatchObject({ success: false, fill_status: 'UNKNOWN', order_id: '' });
    const again = await gateway.place({ ...order, idempotency_key: 'lost-3' });
    expect(again.body.status).toBe('BLOCKED');
    expect(venueOrders('WIPRO')).toHaveLength(0);
    expect(gateway.context.unresolved().map((attempt) => attempt.symbol)).toEqual(['WIPRO']);
    const known = await gateway.place(order);
    expect(known.text).toBe(first.text);
    expect(venueOrders('WIPRO')).toHaveLength(0);
  }, 40_000);

  it('opposite-side orders pass', async () => {
    const exit = await gateway.place({ ...sbin, symbol: 'WIPRO', transaction_type: 'SELL', idempotency_key: 'lost-exit' });
    expect(exit.body.fill_status).toBe('FILLED');
  });
});

describe('definite refusals', () => {
  it.each([
    ['rateLimited', 'LT', /too many requests/i],
    ['unregisteredAddress', 'AXISBANK', /203\.0\.113\.5/],
  ] as const)('%s is REJECTED at once', async (kind, symbol, message) => {
    venue().faults.plant({ kind, operation: 'place' });
    const { body } = await gateway.place({ ...sbin, symbol });
    expect(body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringMatching(message) });
    expect(venueOrders(symbol)).toHaveLength(0);
  });
  it('an order seen late replaces the stored UNKNOWN once', async () => {
    venue().faults.plant({ kind: 'lateVisibility', operation: 'place', visibleAfterMs: 9000 });
    venue().faults.plant({ kind: 'resetAfterAccept', operation: 'place' });
    const order = { ...sbin, symbol: 'KOTAKBANK', idempotency_key: 'late' };
    const first = await gateway.place(order);
    expect(first.body).toMatchObject({ success: false, fill_status: 'UNKNOWN' });
    const later = await gateway.place(order);
    expect(later.body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10 });
    expect(later.headers.get('Order-Resolved-At')).toMatch(/^\d{4}-/);
    const again = await gateway.place(order);
    expect(again.text).toBe(later.text);
    expect(venueOrders('KOTAKBANK')).toHaveLength(1);
  }, 40_000);
});
