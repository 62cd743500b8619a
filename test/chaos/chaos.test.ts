import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../server/clock.ts';
import { everything } from '../support/proven.ts';
import { frozenKinds, type Kind, points, switchKinds } from './kinds.ts';
import { runLane } from './lanes.ts';
import type { Job } from './plan.ts';
import { type Tallies, total, violations } from './tally.ts';

/** `npm test` tries some of them, others each time. */
function drawn<One>(all: readonly One[], count: number): One[] {
  return all
    .map((one) => ({ one, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .slice(0, count)
    .map(({ one }) => one);
}

async function run(stand: Job['stand'], kinds: Kind[]): Promise<void> {
  const seed = Math.floor(Math.random() * 1_000_000);
  const { all, told } = await lane(stand, kinds, seed);
  expect(all.asked, told).toBe(8 * kinds.length);
}

/** One history; what it came to, and how to run it again. */
async function lane(stand: Job['stand'], kinds: Kind[], seed: number) {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-chaos-'));
  const brokers = ['zerodha', 'upstox', 'dhan', 'kotak'] as const;
  const broker = brokers[Math.floor(seededRandom(seed).next() * brokers.length)] ?? 'zerodha';
  const tallies: Tallies = new Map();
  const findings: string[] = [];
  const jobs = [{ stand, kinds, broker, seed }].values();
  // Its own alone: others run beside it.
  await runLane({ jobs, dataDir, orders: 8, tallies, findings, over: () => false, report: () => undefined }).finally(() =>
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }),
  );
  const told = `${kinds}: seed ${seed}, ${broker}`;
  expect(findings, told).toEqual([]);
  const all = total(tallies);
  expect(violations(all), told).toBe(0);
  expect(all.atVenue, told).toBeGreaterThan(0);
  return { all, told };
}

describe('the kill switch of a real process, turned with orders and modifies in flight', () => {
  const short: Kind[] = ['kill switch: after SENDING', 'kill switch: store stall'];
  it.each(everything ? switchKinds : drawn(short, 1))(
    '%s: nothing that grows a position arrives later, and every exit leaves',
    async (kind) => {
      const { all, told } = await lane('apart', [kind], Math.floor(Math.random() * 1_000_000));
      // Entries were stopped, by the switch alone.
      expect(all.refused, told).toBeGreaterThan(0);
    },
    180_000,
  );
});

describe.runIf(everything)('a PostgreSQL process that stands still for a minute, among entries, exits and cancels', () => {
  it.concurrent.each(frozenKinds)(
    '%s: nothing leaves late, nothing is kept in',
    async (kind) => {
      await lane('own', [kind], Math.floor(Math.random() * 1_000_000));
    },
    180_000,
  );
});

describe('real processes killed with orders in flight: nothing doubled, lost or contradicted', () => {
  it('at the named points', () => run('apart', everything ? [...points] : drawn(points, 4)), 180_000);

  if (everything) {
    it(
      'gateway, database, both, a faulty wire, a clock that jumps',
      () => run('apart', ['gateway', 'database', 'gateway and database', 'faulty wire', 'clock jump']),
      180_000,
    );

    it('the whole tree at once', () => run('tree', ['everything']), 120_000);
  }
});
