import { expect } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import type { Answer } from '../support/gateway.ts';
import { type Fast, type FaultSpec, marketOrder, SYMBOLS, struck, venueOf } from './fast.ts';

type Late = { kind: 'lateVisibility'; operation: 'place'; visibleAfterMs: number };

/** A busy machine is late by so much of the fast time. */
export const GRACE_MS = 2000;

export interface Trial {
  name: string;
  plants: FaultSpec[];
  /** What the caller is answered within 17 s. */
  first: readonly string[];
  /** What stands in the end; null: not known within two minutes, nothing at the venue. */
  finally: 'FILLED' | null;
}

const place = { operation: 'place' } as const;
export const late = (visibleAfterMs: number): Late => ({ kind: 'lateVisibility', ...place, visibleAfterMs });
export const lost = { kind: 'resetAfterAccept', ...place } as const;

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

interface Running {
  trial: Trial;
  order: Record<string, unknown>;
  symbol: string;
  answer: Promise<Answer>;
}

/** Starts the trials, each in a symbol of its own, all under way at once. */
export async function startTrials(fast: Fast, chosen: readonly Trial[] = trials): Promise<Running[]> {
  const { gateway } = fast;
  const running: Running[] = [];
  for (const [index, trial] of chosen.entries()) {
    const symbol = SYMBOLS[index] ?? '';
    const planted = trial.plants.map((spec) => venueOf(gateway).faults.plant(spec));
    const order = { ...marketOrder(fast, symbol), idempotency_key: trial.name };
    running.push({ trial, order, symbol, answer: gateway.place(order) });
    await struck(planted);
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
