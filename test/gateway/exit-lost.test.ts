import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fast, marketOrder, startFast, venueOf } from './fast.ts';

let fast: Fast;
beforeAll(async () => {
  fast = await startFast('zerodha');
});
afterAll(() => fast.gateway.stop());

const exit = async () => (await fast.gateway.call('POST', '/broker/exits', { all: true, idempotency_key: 'out' })).body;

test('the same request closes the position once its order is known never to have arrived', { timeout: 120_000 }, async () => {
  const { gateway, clock } = fast;
  const bought = await gateway.place({ ...marketOrder(fast, 'SBIN'), quantity: 10, idempotency_key: 'in' });
  expect(bought.body, bought.text).toMatchObject({ fill_status: 'FILLED' });
  venueOf(gateway).faults.plant({ broker: 'zerodha', kind: 'lostRequest', operation: 'place', times: 1 });
  const first = await exit();
  expect(first).toMatchObject({ flat: false, positions: [{ outcome: 'UNKNOWN', left_quantity: null }] });
  let report = first;
  for (let round = 0; round < 60 && report.positions[0].outcome === 'UNKNOWN'; round += 1) {
    await clock.sleep(5000);
    report = await exit();
  }
  expect(report).toMatchObject({ flat: true, positions: [{ outcome: 'FLAT', filled_quantity: 10, left_quantity: 0 }] });
  const answers = report.positions[0].orders.map(({ answer }: { answer: { fill_status: string } }) => answer.fill_status);
  expect(answers).toEqual(['REJECTED', 'FILLED']);
  expect(await exit()).toEqual(report);
  const sold = venueOf(gateway)
    .exchange.ledger()
    .orders.filter(({ side }) => side === 'SELL');
  expect(sold.map(({ quantity, filled }) => [quantity, filled])).toEqual([[10, 10]]);
});
