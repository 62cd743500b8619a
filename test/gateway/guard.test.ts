import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
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
afterEach(() => venue().faults.clear());
afterAll(() => gateway.stop());

describe('one position per symbol', () => {
  it('ten entries at once: one order, nine BLOCKED', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => gateway.place({ ...sbin, symbol: 'INFY', idempotency_key: `ten-${index}` })),
    );
    const bodies = answers.map((answer) => answer.body);
    expect(bodies.filter((body) => body.fill_status === 'FILLED')).toHaveLength(1);
    expect(bodies.filter((body) => body.status === 'BLOCKED' && body.fill_status === 'REJECTED' && !body.success)).toHaveLength(9);
    expect(venueOrders('INFY')).toHaveLength(1);
  });
  it('names symbol, direction and the way out', async () => {
    const { body } = await gateway.place({ ...sbin, symbol: 'INFY', quantity: 7 });
    expect(body).toMatchObject({ success: false, status: 'BLOCKED', fill_status: 'REJECTED' });
    expect(body.message).toMatch(/INFY.*LONG.*SELL/);
    expect(Object.keys(body).sort()).toEqual(['fill_status', 'message', 'status', 'success']);
  });
  it('lets the opposite side pass at any quantity, then blocks the other way', async () => {
    const exit = await gateway.place({ ...sbin, symbol: 'INFY', transaction_type: 'SELL', quantity: 15 });
    expect(exit.body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 15 });
    const more = await gateway.place({ ...sbin, symbol: 'INFY', transaction_type: 'SELL', quantity: 2 });
    expect(more.body.message).toMatch(/INFY.*SHORT.*BUY/);
    const back = await gateway.place({ ...sbin, symbol: 'INFY', quantity: 5, idempotency_key: 'cover' });
    expect(back.body.fill_status).toBe('FILLED');
  });
  it('is not fooled by positions that lag behind our own fill', async () => {
    const first = await gateway.place({ ...sbin, symbol: 'TCS', idempotency_key: 'lag-1' });
    expect(first.body.fill_status).toBe('FILLED');
    venue().faults.plant({ kind: 'laggingPositions', operation: 'positions', lagMs: 4000, times: 'always' });
    const second = await gateway.place({ ...sbin, symbol: 'TCS', idempotency_key: 'lag-2' });
    expect(second.body.status).toBe('BLOCKED');
    const exit = await gateway.place({ ...sbin, symbol: 'TCS', transaction_type: 'SELL', idempotency_key: 'lag-3' });
    expect(exit.body.fill_status).toBe('FILLED');
    const flip = await gateway.place({ ...sbin, symbol: 'TCS', transaction_type: 'SELL', idempotency_key: 'lag-4' });
    expect(flip.body.fill_status).toBe('FILLED');
  });
  it('never takes unreadable positions for flat', async () => {
    venue().faults.plant({ kind: 'status5xxBefore', operation: 'positions', times: 'always' });
    const entry = await gateway.place({ ...sbin, symbol: 'WIPRO', idempotency_key: 'blind-1' });
    expect(entry.body).toMatchObject({ success: false, status: 'BLOCKED', message: expect.stringContaining('could not be read') });
    expect(venueOrders('WIPRO')).toHaveLength(0);
    venue().faults.clear();
    expect((await gateway.place({ ...sbin, symbol: 'WIPRO', idempotency_key: 'blind-2' })).body.fill_status).toBe('FILLED');
    venue().faults.plant({ kind: 'status5xxBefore', operation: 'positions', times: 'always' });
    const tooMuch = await gateway.place({ ...sbin, symbol: 'WIPRO', transaction_type: 'SELL', quantity: 11, idempotency_key: 'blind-3' });
    expect(tooMuch.body.status).toBe('BLOCKED');
    const exit = await gateway.place({ ...sbin, symbol: 'WIPRO', transaction_type: 'SELL', idempotency_key: 'blind-4' });
    expect(exit.body.fill_status).toBe('FILLED');
  });
});
