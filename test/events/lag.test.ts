import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';
import { type Follower, follow } from './sse.ts';

/** How late a strategy learns that its resting order filled: told by the stream, or asking every POLL_MS, in turns. */
const ROUNDS = 4;
/** One series of rounds on a busy machine says little: the next one may. */
const SERIES_MS = 100_000;
/** What the stream takes beyond one read: the update is heard, the order read, the fill committed, its event read and written. As many calls as that are its due. */
const STEPS = 5;
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
let callsMs: number[] = [];
async function asked(orderId: string): Promise<boolean> {
  const began = systemClock.mono();
  const { body } = await gateway.call('GET', `/broker/orders/${orderId}`);
  callsMs.push(systemClock.mono() - began);
  return body.normalized?.state === 'FILLED';
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Whether a fill was known by the stream as soon as by asking. */
async function series(): Promise<boolean> {
  callsMs = [];
  const [told, polled]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    told.push(await lag(heard, 2));
    polled.push(await lag(asked, POLL_MS));
  }
  const [byStream, byAsking] = [median(told), median(polled)].map(Math.round);
  console.log(`a fill is known after ${byStream} ms by the stream, after ${byAsking} ms by asking every ${POLL_MS} ms`);
  return (byStream ?? Number.NaN) <= (byAsking ?? Number.NaN) + STEPS * median(callsMs);
}

test('by the stream not later than by asking', { timeout: 120_000 }, async () => {
  await expect.poll(series, { timeout: SERIES_MS }).toBe(true);
});
