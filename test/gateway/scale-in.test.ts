import { afterAll, beforeAll, expect, it } from 'vitest';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { POSITION_GUARD: 'off' } });
});
afterAll(() => gateway.stop());

const faults = () => gateway.context.exchange?.faults;
const atVenue = (symbol: string) => gateway.context.exchange?.exchange.ledger().orders.filter((order) => order.symbol === symbol);

it('with POSITION_GUARD=off a second entry on the same side passes', async () => {
  for (const key of ['first', 'second']) {
    const { body, text } = await gateway.place({ ...sbin, idempotency_key: key });
    expect(body, text).toMatchObject({ success: true, fill_status: 'FILLED' });
  }
  expect(atVenue('SBIN')).toHaveLength(2);
});

it('with POSITION_GUARD=off an entry is still BLOCKED beside one whose fate is not known, and not for good', async () => {
  const tcs = { ...sbin, symbol: 'TCS' };
  faults()?.plant({ kind: 'hangAfterAccept', operation: 'place' });
  faults()?.plant({ kind: 'status5xxBefore', operation: 'orders', times: 'always' });
  const first = await gateway.place({ ...tcs, idempotency_key: 'lost' });
  expect(first.body, first.text).toMatchObject({ fill_status: 'UNKNOWN' });
  const second = await gateway.place({ ...tcs, idempotency_key: 'beside' });
  expect(second.body, second.text).toMatchObject({ success: false, status: 'BLOCKED', message: expect.stringContaining('not resolved') });
  expect(second.headers.get('Retry-After')).not.toBeNull();
  expect(atVenue('TCS')).toHaveLength(1);
  faults()?.clear();
  await expect.poll(() => gateway.context.unresolved(), { timeout: 15_000 }).toEqual([]);
  const again = await gateway.place({ ...tcs, idempotency_key: 'beside' });
  expect(again.body, again.text).toMatchObject({ success: true, fill_status: 'FILLED' });
}, 60_000);
