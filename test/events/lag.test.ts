import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';
import { type Follower, follow } from './sse.ts';

/** How late a strategy learns that its resting order filled: told by the stream, or asking every POLL_MS, in turns. */
const ROUNDS = 4;
const POLL_MS = 200;
let gateway: TestGateway;
let stream: Follower;

beforeAll(async () => {
  gateway = await startGateway({ env: { POSITION_GUARD: 'off' } });
  stream = await follow(gateway);
});
afterAll(async () => {
  stream?.destroy();
  await gateway?.stop();
});

function price(rupees: string): void {
  gateway.context.exchange?.exchange.setPrice('NSE', 'SBIN', rupees);
}

/** Milliseconds from the moment the price crosses the order's limit. */
async function lag(learn: (orderId: string) => Promise<boolean>, everyMs: number): Promise<number> {
  price('812.35');
  const { body } = await gateway.place({ ...sbin, order_type: 'LIMIT', price: 805, idempotency_key: crypto.randomUUID() });
  expect(body).toMatchObject({ success: true, fill_status: 'PENDING' });
  // Whoever asks does so at some moment of his own.
  await systemClock.sleep(Math.random() * POLL_MS);
  const waiting = vi.waitUntil(() => learn(body.order_id), { interval: everyMs, timeout: 20_000 });
  await systemClock.sleep(Math.random() * POLL_MS);
  price('804.05');
  const began = systemClock.mono();
  await waiting;
  return systemClock.mono() - began;
}
const heard = async (orderId: string) =>
  stream.events().some(({ order_id, detail }) => order_id === orderId && /"FILLED"/.test(JSON.stringify(detail)));
const asked = async (orderId: string) => (await gateway.call('GET', `/broker/orders/${orderId}`)).body.normalized?.state === 'FILLED';

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

test('by the stream not later than by asking', { timeout: 120_000 }, async () => {
  const [told, polled]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    told.push(await lag(heard, 2));
    polled.push(await lag(asked, POLL_MS));
  }
  const [byStream, byAsking] = [median(told), median(polled)].map(Math.round);
  console.log(`a fill is known after ${byStream} ms by the stream, after ${byAsking} ms by asking every ${POLL_MS} ms`);
  expect(byStream).toBeLessThanOrEqual(byAsking ?? 0);
});
