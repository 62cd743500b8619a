import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BrokerId } from '../../contract/words.ts';
import { type Random, seededRandom, systemClock } from '../../server/clock.ts';
import { emulators } from '../../server/exchange/emulators.ts';
import { type PracticeExchange, practiceCredentials, startExchange } from '../../server/exchange/host.ts';
import { silentLog } from '../../server/log.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { everything } from '../support/proven.ts';

/** `npm run proofs`: 500 of them. */
const TRIES = everything ? 500 : 24;
const ORDERS = 10;
const WAYS = ['disconnect', 'switch', 'shutdown'] as const;
const BROKERS = ['zerodha', 'upstox'] as const;
/** Orders come at random moments of this long; the session ends within twice of it. */
const SPREAD_MS = 60;
const seed = Math.floor(Math.random() * 1_000_000);

let venue: PracticeExchange;
/** Mutating requests each broker has received so far. */
const arrived: Partial<Record<BrokerId, number>> = {};
let first: TestGateway | null = null;

beforeAll(async () => {
  venue = await startExchange({ ports: 'free', seed, limits: false, clock: systemClock, log: silentLog() });
  const strike = venue.faults.strike.bind(venue.faults);
  venue.faults.strike = (broker, operation) => {
    if (operation === 'place' || operation === 'modify' || operation === 'cancel') arrived[broker] = (arrived[broker] ?? 0) + 1;
    return strike(broker, operation);
  };
  for (const operation of ['place', 'modify', 'cancel'] as const)
    venue.faults.plant({ kind: 'delay', operation, delayMs: 40, probability: 0.5, times: 'always' });
});
afterAll(async () => {
  await first?.stop();
  await venue.close();
});

/** Where the practice exchange of this test, which outlives every gateway, serves a broker. */
function settings(id: BrokerId): Record<string, string> {
  const urls = venue.urls[id];
  const name = id.toUpperCase();
  const credentials = Object.entries(practiceCredentials(id)).map(([setting, value]) => [`${name}_${setting}`, value]);
  return { ...Object.fromEntries(credentials), [`${name}_API_URL`]: urls?.api ?? '', [`${name}_LOGIN_URL`]: urls?.login ?? '' };
}

async function start(): Promise<TestGateway> {
  const env = { BROKERS: BROKERS[0], ...settings(BROKERS[0]), ...settings(BROKERS[1]) };
  const gateway = await startGateway({ env, ...(first && { from: first }) });
  first ??= gateway;
  return gateway;
}

/** An order the exchange takes and refuses at once, for its price: nothing of it stays. */
function order(id: BrokerId, index: number): Record<string, unknown> {
  const share = venue.exchange.instruments.filter((one) => one.exchange === 'NSE')[index];
  const emulator = emulators.find((one) => one.id === id);
  if (!share || !emulator) throw new Error('not traded here');
  const terms = { exchange: 'NSE', transaction_type: 'BUY', order_type: 'LIMIT', product_type: 'INTRADAY', quantity: 1, price: 1 };
  return { ...emulator.named(share), ...terms };
}

/** Orders, and between them cancels and modifies, each at a moment of its own. Resolves when all are answered or cut off. */
function crowd(gateway: TestGateway, id: BrokerId, number: number, random: Random): Promise<unknown> {
  const calls = Array.from({ length: ORDERS }, async (_, index) => {
    await systemClock.sleep(random.next() * SPREAD_MS);
    if (index === 0) return await gateway.call('POST', '/broker/orders/cancel', { order_id: '250101000000001' });
    if (index === 1) return await gateway.call('POST', '/broker/orders/modify', { order_id: '250101000000001', price: 10 });
    return await gateway.place({ ...order(id, index), idempotency_key: `${number}-${index}` });
  });
  return Promise.allSettled(calls);
}

/** Ends the session in one of the ways; resolves when that is answered. */
async function leave(gateway: TestGateway, way: (typeof WAYS)[number]): Promise<void> {
  if (way === 'shutdown') return await gateway.halt();
  const path = way === 'switch' ? `/broker/connect?broker=${BROKERS[1]}` : '/broker/disconnect';
  expect((await gateway.call('POST', path)).body.success).toBe(true);
}

it(`nothing reaches a broker once a disconnect, a switch or a shutdown has answered (${TRIES} tries, seed ${seed})`, async () => {
  const random = seededRandom(seed);
  const late: string[] = [];
  let gateway = await start();
  for (let number = 0; number < TRIES; number += 1) {
    const way = WAYS[number % WAYS.length] ?? 'disconnect';
    const [id] = BROKERS;
    const answers = crowd(gateway, id, number, random);
    await systemClock.sleep(random.next() * 2 * SPREAD_MS);
    await leave(gateway, way);
    const atAnswer = arrived[id] ?? 0;
    await answers;
    await systemClock.sleep(100);
    const since = (arrived[id] ?? 0) - atAnswer;
    if (since > 0) late.push(`try ${number}, ${way}: ${since}`);
    if (way === 'shutdown') gateway = await start();
    else expect((await gateway.call('POST', `/broker/connect?broker=${id}`)).body.success).toBe(true);
  }
  await gateway.halt();
  expect(late, `seed ${seed}`).toEqual([]);
  // Sessions ended both before and after orders had left.
  expect(arrived[BROKERS[0]]).toBeGreaterThan(TRIES);
  expect(arrived[BROKERS[0]]).toBeLessThan(TRIES * ORDERS);
}, 1_200_000);
