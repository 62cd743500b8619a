import { afterAll, beforeAll, expect, it } from 'vitest';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';

/** Zerodha's emulator books a MARKET order as a limit order, as the broker does. */
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { BROKERS: 'zerodha', ZERODHA_MARKET_PROTECTION: '4.5' } });
  venue().exchange.setPrice('NSE', 'SBIN', '800');
});
afterAll(() => gateway.stop());

function venue() {
  const { exchange } = gateway.context;
  if (!exchange) throw new Error('no practice exchange');
  return exchange;
}
/** The next placed order fills this much at once and nothing more. */
function fillOnly(quantity: number): void {
  const never = { quantity: 'rest' as const, afterMs: 3_600_000 };
  venue().faults.plant({ kind: 'partialFills', operation: 'place', plan: quantity > 0 ? [{ quantity, afterMs: 0 }, never] : [never] });
}
const cancel = async (order_id: string) =>
  expect((await gateway.call('POST', '/broker/orders/cancel', { order_id })).body).toMatchObject({ success: true });

it('the protection that was set reaches the exchange, and an order it holds says what is to be done', async () => {
  fillOnly(0);
  const { body } = await gateway.place({ ...sbin, idempotency_key: 'resting' });
  expect(body).toMatchObject({ success: true, fill_status: 'PENDING', filled_quantity: 0 });
  expect(body.message).toMatch(/^This MARKET order has not filled: it rests at the exchange .* Modify or cancel it$/);
  const book = await gateway.call('GET', '/broker/orders');
  expect(book.body.data).toContainEqual(
    expect.objectContaining({ order_id: body.order_id, price: 836, tags: expect.arrayContaining(['mktp:4.50']) }),
  );
  const again = await gateway.place({ ...sbin, idempotency_key: 'resting' });
  expect(again.body).toEqual(body);
  await cancel(body.order_id);
});

it('an exit that rests says that the position is open', async () => {
  expect((await gateway.place({ ...sbin, idempotency_key: 'entry' })).body).toMatchObject({ fill_status: 'FILLED' });
  const exit = { ...sbin, transaction_type: 'SELL' };
  fillOnly(4);
  const part = await gateway.place({ ...exit, idempotency_key: 'exit-1' });
  expect(part.body).toMatchObject({ fill_status: 'PARTIALLY_FILLED', filled_quantity: 4 });
  expect(part.body.message).toMatch(/^Only 4 of 10 of this MARKET order have filled, and the rest of the position is still open: /);
  await cancel(part.body.order_id);
  fillOnly(0);
  const none = await gateway.place({ ...exit, quantity: 6, idempotency_key: 'exit-2' });
  expect(none.body.message).toMatch(/^This MARKET order has not filled, and the position is still open: /);
});
