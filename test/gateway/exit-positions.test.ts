import { afterAll, beforeAll, expect, test } from 'vitest';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';
import { shareAt, venueOf } from './fast.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { POSITION_GUARD: 'off' } });
});
afterAll(() => gateway.stop());

const exit = (body: object) => gateway.call('POST', '/broker/exits', body);
const plan = async () => (await gateway.call('GET', '/broker/exits')).body;
const orders = () => venueOf(gateway).exchange.ledger().orders;

test('an exit of all leaves nothing, replays byte for byte and sends nothing twice', async () => {
  await gateway.place({ ...sbin, idempotency_key: 'in' });
  const price = Math.floor(Number(shareAt(gateway, 'SBIN').lowerCircuit)) + 5;
  const stop = { ...sbin, transaction_type: 'SELL', order_type: 'SL', price, trigger_price: price + 1, variety: 'STOPLOSS' };
  const resting = (await gateway.place({ ...stop, idempotency_key: 'stop' })).body;
  expect(resting.fill_status).toBe('PENDING');
  const planned = await plan();
  expect(planned).toMatchObject({ success: true, broker: 'zerodha', warnings: [] });
  expect(planned.positions).toMatchObject([
    {
      symbol: 'SBIN',
      side: 'SELL',
      net_quantity: 10,
      quantity: 10,
      cancels: [{ order_id: resting.order_id, order_type: 'SL', quantity: 10 }],
    },
  ]);
  expect(planned.positions[0].warnings[0]).toContain(`The stop ${resting.order_id} is cancelled first`);
  const first = await exit({ all: true, idempotency_key: 'out' });
  expect(first.body).toMatchObject({ success: true, flat: true, finished: true, idempotency_key: 'out' });
  expect(first.body.positions).toMatchObject([
    {
      outcome: 'FLAT',
      left_quantity: 0,
      filled_quantity: 10,
      cancels: [{ success: true }],
      orders: [{ quantity: 10, answer: { fill_status: 'FILLED' } }],
    },
  ]);
  const sent = orders().length;
  const again = await exit({ all: true, idempotency_key: 'out' });
  expect(again.text).toBe(first.text);
  expect(again.headers.get('Idempotency-Replayed')).toBe('true');
  expect((await exit({ all: true })).body).toMatchObject({ flat: true, positions: [] });
  expect(orders()).toHaveLength(sent);
});

test('two exits at once of shares bought today sell none of those held from earlier days', async () => {
  const { body: holdings } = await gateway.call('GET', '/broker/holdings');
  expect(holdings.normalized.find(({ symbol }: { symbol: string }) => symbol === 'SBIN').sellable_quantity).toBeGreaterThan(7);
  const before = orders().length;
  await gateway.place({ ...sbin, product_type: 'DELIVERY', quantity: 7, idempotency_key: 'today' });
  venueOf(gateway).faults.plant({ broker: 'zerodha', kind: 'delay', operation: 'place', delayMs: 1000, times: 1 });
  const keys = ['one', 'two', 'three'];
  const exits = await Promise.all(keys.map((key) => exit({ all: true, idempotency_key: `at once ${key}` })));
  expect(exits.map(({ body }) => body.flat)).toEqual([true, true, true]);
  const sold = orders().slice(before + 1);
  expect(sold.map(({ side, quantity }) => [side, quantity])).toEqual([['SELL', 7]]);
});

test('one of several products is exited alone, by its one name, with the kill switch on', async () => {
  await gateway.place({ ...sbin, idempotency_key: 'a' });
  await gateway.place({ ...sbin, product_type: 'DELIVERY', quantity: 7, idempotency_key: 'b' });
  await gateway.call('POST', '/broker/kill-switch', { on: true });
  const { body } = await exit({ positions: [{ exchange: 'NSE', symbol: 'SBIN', token: '', product_type: 'DELIVERY' }] });
  expect(body.positions).toMatchObject([{ product_type: 'DELIVERY', outcome: 'FLAT', filled_quantity: 7 }]);
  expect((await plan()).positions).toMatchObject([{ product_type: 'INTRADAY', net_quantity: 10 }]);
  expect((await exit({ all: true })).body).toMatchObject({ flat: true });
  await gateway.call('POST', '/broker/kill-switch', { on: false });
});

test('asked with Idempotency-Replay-Only it tells what is known and sends nothing', async () => {
  const only = (body: object) => gateway.call('POST', '/broker/exits', body, { 'Idempotency-Replay-Only': 'true' });
  await gateway.place({ ...sbin, idempotency_key: 'asked' });
  const sent = orders().length;
  const asked = { all: true, idempotency_key: 'asked' };
  const unknown = await only(asked);
  expect(unknown.body).toMatchObject({ success: false, message: expect.stringContaining('nothing was sent') });
  expect(unknown.headers.get('idempotency-key-known')).toBe('false');
  expect(orders()).toHaveLength(sent);
  const done = await exit(asked);
  expect(done.body).toMatchObject({ flat: true });
  const told = await only(asked);
  expect(told.text).toBe(done.text);
  expect(told.headers.get('idempotency-replayed')).toBe('true');
});

test('says what it cannot read of a request', async () => {
  for (const body of [{}, { all: true, positions: [{ exchange: 'NSE', symbol: 'SBIN', product_type: 'INTRADAY' }] }, { all: false }])
    expect(await exit(body)).toMatchObject({ status: 422 });
  const { body } = await exit({ positions: [{ exchange: 'NSE', symbol: 'INFY', product_type: 'INTRADAY' }] });
  expect(body).toMatchObject({
    success: true,
    flat: true,
    positions: [{ outcome: 'NOTHING_TO_DO', message: 'No such position is open.' }],
  });
});
