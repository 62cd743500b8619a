import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RecordedOrder } from '../../contract/records.ts';
import { venueOf } from '../gateway/fast.ts';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';

type Recorded = Pick<RecordedOrder, 'order_id' | 'symbol' | 'steps'>;

let first: TestGateway;
let gateway: TestGateway;
beforeAll(async () => {
  first = await startGateway();
  gateway = first;
});
afterAll(async () => {
  await gateway?.halt();
  await first?.stop();
});

/** Each of these tests finds the day as the one before left it: a second try would not. */
const once = { retry: 0 };
const restarted = () => startGateway({ from: first, connect: false });
const quiet = { timeout: 30_000, interval: 200 };

const get = async (path: string) => (await gateway.call('GET', `/broker/${path}`)).body;
const orders = async () => (await get('records/orders')).orders;
const stepsOf = (order: { steps: { step: string }[] }) => order.steps.map(({ step }) => step);

test('tells how the gateway stands', async () => {
  const stands = expect.poll(() => get('overview'), { timeout: 20_000 });
  await stands.toMatchObject({
    ...{ success: true, mode: 'practice', broker: 'zerodha', account: 'PR0001', unresolved: 0 },
    session: { active: true, message: null },
    feed: { prices: 'LIVE', orders: 'LIVE' },
    database: { kind: 'external', ok: true },
    kill_switch: { on: false },
  });
  expect(Math.abs((await get('overview')).clock.offset_ms)).toBeLessThanOrEqual(1000);
});

test('an order that fills, with its steps in order', once, async () => {
  const { order_id, avg_fill_price } = (await gateway.place({ ...sbin, strategy: 'breakout' })).body;
  const [order] = await orders();
  expect(order).toMatchObject({ order_id, status: 'FILLED', filled_quantity: 10, average_price: avg_fill_price, strategy: 'breakout' });
  expect(order).toMatchObject({ price: 0, trigger_price: 0, unresolved: false, external: false, advice: null });
  expect(stepsOf(order)).toEqual(['claimed', 'sent', 'accepted', 'first_fill', 'filled']);
  const after = order.steps.map(({ after_ms }: { after_ms: number }) => after_ms);
  expect(after).toEqual(after.toSorted((a: number, b: number) => a - b));
  const { positions } = await get('records/positions');
  expect(positions).toMatchObject([{ symbol: 'SBIN', net_quantity: 10, average_price: avg_fill_price, realised_today: 0, unknown: null }]);
});

test('what was refused before it was sent, and why', async () => {
  const { message } = (await gateway.place({ ...sbin, quantity: 7 })).body;
  const refused = (await orders()).find(({ quantity }: { quantity: number }) => quantity === 7);
  expect(refused).toMatchObject({ order_id: null, status: 'REFUSED', reason: message, transaction_type: 'BUY', symbol: 'SBIN' });
  expect(refused).toMatchObject({ order_type: 'MARKET', product_type: 'INTRADAY', exchange: 'NSE', attempt_state: 'NOT_SENT' });
});

test('a day must be one', async () => {
  const { status, body } = await gateway.call('GET', '/broker/records/orders?day=2026-13-45');
  expect({ status, issues: body.issues }).toMatchObject({ status: 422, issues: [{ path: 'day' }] });
  expect((await get('records/orders?day=2026-01-02')).orders).toEqual([]);
});

test('the states an order goes through, and what the venue did by itself', { ...once, timeout: 120_000 }, async () => {
  const { exchange, faults } = venueOf(gateway);
  const find = async (fits: (order: Recorded) => boolean) => (await orders()).find(fits);
  const place = async (fields: object) => (await gateway.place({ ...sbin, ...fields })).body;

  // Partly filled, changed, cancelled.
  exchange.setPrice('NSE', 'INFY', '1500');
  faults.plant({
    kind: 'partialFills',
    operation: 'place',
    plan: [
      { quantity: 4, afterMs: 0 },
      { quantity: 6, afterMs: 600_000 },
    ],
  });
  const partly = await place({ symbol: 'INFY', order_type: 'LIMIT', price: 1510 });
  const rest = async () => await find(({ order_id }) => order_id === partly.order_id);
  await expect.poll(rest, quiet).toMatchObject({ status: 'PARTIALLY_FILLED', filled_quantity: 4 });
  await gateway.call('POST', '/broker/orders/modify', { order_id: partly.order_id, price: 1499 });
  await gateway.call('POST', '/broker/orders/cancel', { order_id: partly.order_id });
  await expect.poll(rest, quiet).toMatchObject({ status: 'CANCELLED', filled_quantity: 4, unresolved: false });
  const steps = stepsOf((await rest()) ?? { steps: [] });
  const order = ['claimed', 'sent', 'accepted', 'first_fill', 'modify_sent', 'modified', 'cancel_sent', 'cancel_accepted', 'cancelled'];
  expect(order.map((step) => steps.indexOf(step))).toEqual(order.map((step) => steps.indexOf(step)).toSorted((a, b) => a - b));
  expect(steps).toEqual(expect.arrayContaining(order));

  // Rejected by the broker, and by its risk system after it had accepted.
  const refused = await place({ symbol: 'TCS', product_type: 'CARRYFORWARD' });
  expect(await find(({ symbol }) => symbol === 'TCS')).toMatchObject({ status: 'REJECTED', reason: refused.message });
  faults.plant({ kind: 'rejectByRisk', operation: 'place' });
  const risky = await place({ symbol: 'ITC' });
  await expect.poll(() => find(({ order_id }) => order_id === risky.order_id), quiet).toMatchObject({ status: 'REJECTED' });

  // Its answer was lost, and it is found later.
  faults.plant({ kind: 'lateVisibility', operation: 'place', visibleAfterMs: 13_000 });
  faults.plant({ kind: 'resetAfterAccept', operation: 'place' });
  const lost = place({ symbol: 'WIPRO' });
  const advice = expect.stringContaining('do not place it again');
  const unknown = { symbol: 'WIPRO', status: 'UNKNOWN', unresolved: true, order_id: null, attempt_state: 'AMBIGUOUS', advice };
  await expect.poll(async () => (await orders())[0], quiet).toMatchObject(unknown);
  await expect.poll(async () => (await get('overview')).unresolved, quiet).toBe(1);
  expect(await lost).toMatchObject({ fill_status: 'UNKNOWN' });

  // Placed in the broker's own app.
  exchange.setPrice('NSE', 'ONGC', '250');
  const hand = { exchange: 'NSE', symbol: 'ONGC', side: 'BUY', orderType: 'MARKET', product: 'INTRADAY', quantity: 3 } as const;
  exchange.placeByHand('zerodha', hand);
  await gateway.call('POST', '/broker/connect?broker=zerodha');
  await expect
    .poll(() => find(({ symbol }) => symbol === 'ONGC'), quiet)
    .toMatchObject({ external: true, status: 'FILLED', attempt_state: null });

  await expect
    .poll(() => find(({ symbol }) => symbol === 'WIPRO'), quiet)
    .toMatchObject({ status: 'FILLED', unresolved: false, advice: null });
  expect(stepsOf((await find(({ symbol }) => symbol === 'WIPRO')) ?? { steps: [] })).toEqual(
    expect.arrayContaining(['unknown', 'resolved', 'filled']),
  );

  // A restart changes none of it.
  const before = (await orders()).map(({ steps: _, ...one }: Recorded) => one);
  await gateway.halt();
  gateway = await restarted();
  expect((await orders()).map(({ steps: _, ...one }: Recorded) => one)).toEqual(before);
});
