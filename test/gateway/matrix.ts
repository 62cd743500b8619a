import { expect } from 'vitest';
import type { BrokerId } from '../../contract/words.ts';
import { type Clock, systemClock } from '../../server/clock.ts';
import { faces } from '../../server/sim/faces.ts';
import type { Faults } from '../../server/sim/faults.ts';
import { type Answer, startGateway, type TestGateway } from '../support/gateway.ts';
import { scaledClock } from '../support/scaled-clock.ts';

type Spec = Parameters<Faults['plant']>[0];
type Late = { kind: 'lateVisibility'; operation: 'place'; visibleAfterMs: number };

const SYMBOLS = [
  'SBIN',
  'INFY',
  'TCS',
  'ITC',
  'WIPRO',
  'ONGC',
  'NTPC',
  'CIPLA',
  'TITAN',
  'HDFCBANK',
  'AXISBANK',
  'POWERGRID',
  'HINDALCO',
  'TATASTEEL',
  'COALINDIA',
];
/** How many times as fast as real time a matrix runs. */
const FACTOR = 8;
/** A busy machine is late by so much of the fast time. */
const GRACE_MS = 2000;

export interface Trial {
  name: string;
  plants: Spec[];
  /** What the caller is answered within 17 s. */
  first: readonly string[];
  /** What stands in the end; null: not known within two minutes, nothing at the venue. */
  finally: 'FILLED' | null;
}

const place = { operation: 'place' } as const;
const late = (visibleAfterMs: number): Late => ({ kind: 'lateVisibility', ...place, visibleAfterMs });
const lost = { kind: 'resetAfterAccept', ...place } as const;

/** The fault matrix. An order visible within 8 s is found; one visible later is UNKNOWN first and known within 10 s of being visible. */
export const trials: readonly Trial[] = [
  { name: 'lost before', plants: [{ kind: 'lostRequest', ...place }], first: ['UNKNOWN'], finally: null },
  { name: 'stalled before', plants: [{ kind: 'hangBefore', ...place }], first: ['UNKNOWN'], finally: null },
  { name: 'reset after accept', plants: [lost], first: ['FILLED'], finally: 'FILLED' },
  { name: 'stalled after accept', plants: [{ kind: 'hangAfterAccept', ...place }], first: ['FILLED'], finally: 'FILLED' },
  { name: 'reset in the body', plants: [{ kind: 'resetInBody', ...place }], first: ['FILLED'], finally: 'FILLED' },
  { name: '5xx after accept', plants: [{ kind: 'statusAfterAccept', ...place, status: 503 }], first: ['FILLED'], finally: 'FILLED' },
  { name: '4xx time-out text', plants: [{ kind: 'timeoutTextAfterAccept', ...place }], first: ['FILLED'], finally: 'FILLED' },
  { name: 'garbage', plants: [{ kind: 'garbageAfterAccept', ...place }], first: ['FILLED'], finally: 'FILLED' },
  { name: 'empty', plants: [{ kind: 'emptyAfterAccept', ...place }], first: ['FILLED'], finally: 'FILLED' },
  { name: 'visible after 0.5 s', plants: [lost, late(500)], first: ['FILLED'], finally: 'FILLED' },
  { name: 'visible after 3 s', plants: [lost, late(3000)], first: ['FILLED'], finally: 'FILLED' },
  { name: 'visible after 7.9 s', plants: [lost, late(7900)], first: ['FILLED', 'UNKNOWN'], finally: 'FILLED' },
  { name: 'visible after 8.1 s', plants: [lost, late(8100)], first: ['FILLED', 'UNKNOWN'], finally: 'FILLED' },
  { name: 'visible after 30 s', plants: [lost, late(30_000)], first: ['UNKNOWN'], finally: 'FILLED' },
  { name: 'visible after 83 s', plants: [lost, late(83_000)], first: ['UNKNOWN'], finally: 'FILLED' },
];

/** A gateway on one broker's face whose time runs fast. */
export async function startFast(id: BrokerId): Promise<Fast> {
  const clock = scaledClock(FACTOR);
  return { clock, gateway: await startGateway({ env: { BROKERS: id }, overrides: { clock } }) };
}

export interface Fast {
  gateway: TestGateway;
  clock: Clock;
}

interface Running {
  trial: Trial;
  order: Record<string, unknown>;
  symbol: string;
  answer: Promise<Answer>;
}

function venueOf(gateway: TestGateway) {
  const { exchange } = gateway.context;
  if (!exchange) throw new Error('no practice exchange');
  return exchange;
}

/** Starts every trial, each in a symbol of its own, all under way at once. */
export async function startTrials({ gateway }: Fast, id: BrokerId): Promise<Running[]> {
  const venue = venueOf(gateway);
  const face = faces.find((one) => one.id === id);
  const running: Running[] = [];
  for (const [index, trial] of trials.entries()) {
    const instrument = venue.exchange.instruments.find((one) => one.exchange === 'NSE' && one.symbol === SYMBOLS[index]);
    if (!face || !instrument) throw new Error(`no instrument for ${trial.name}`);
    const planted = trial.plants.map((spec) => venue.faults.plant(spec));
    const sides = { transaction_type: 'BUY', order_type: 'MARKET', product_type: 'INTRADAY' };
    const order = { ...face.named(instrument), ...sides, exchange: 'NSE', quantity: 2, idempotency_key: trial.name };
    running.push({ trial, order, symbol: instrument.symbol, answer: gateway.place(order) });
    // The next order must not meet this one's faults.
    for (let waited = 0; planted.some((entry) => entry.struck === 0); waited += 2) {
      if (waited > 10_000) throw new Error(`${trial.name} was not struck`);
      await systemClock.sleep(2);
    }
  }
  return running;
}

/** Holds one trial's answers against the ledger. */
export async function judgeTrial({ gateway, clock }: Fast, { trial, order, symbol, answer }: Running): Promise<void> {
  const venue = venueOf(gateway);
  const first = (await answer).body;
  expect(trial.first, `${trial.name}: ${JSON.stringify(first)}`).toContain(first.fill_status);
  expect(first.success, trial.name).toBe(first.fill_status === 'FILLED');
  const atVenue = () => venue.exchange.ledger().orders.filter((one) => one.symbol === symbol);
  if (trial.finally === null) return expect(atVenue(), trial.name).toEqual([]);
  const visibleAfterMs = Math.max(0, ...trial.plants.map((spec) => ('visibleAfterMs' in spec ? spec.visibleAfterMs : 0)));
  // Nobody asks meanwhile: the truth must arrive by itself.
  const open = () => gateway.context.unresolved().some((attempt) => attempt.tag === atVenue()[0]?.tag);
  const giveUpAt = clock.now() + visibleAfterMs + 40_000;
  while (open()) {
    if (clock.now() > giveUpAt) throw new Error(`${trial.name}: the truth did not arrive`);
    await systemClock.sleep(20);
  }
  const [found, ...others] = atVenue();
  expect(others, trial.name).toEqual([]);
  const { body, headers } = await gateway.place(order);
  const filled = { success: true, filled_quantity: 2, avg_fill_price: Number(found?.average) };
  expect(body, trial.name).toMatchObject(filled);
  // Where a broker's own ids may change, our tag is the order's id.
  expect([found?.orderId, found?.tag], trial.name).toContain(body.order_id);
  const resolvedAt = headers.get('Order-Resolved-At');
  if (first.fill_status === 'UNKNOWN') {
    const visibleAt = (found?.receivedAt ?? 0) + visibleAfterMs;
    expect(Date.parse(resolvedAt ?? '') - visibleAt, trial.name).toBeLessThan(10_000 + GRACE_MS);
  } else expect(resolvedAt, trial.name).toBeNull();
}
