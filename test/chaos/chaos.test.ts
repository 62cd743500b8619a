import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../../server/clock.ts';
import { everything } from '../support/proven.ts';
import { type Kind, points } from './kinds.ts';
import { runLane } from './lanes.ts';
import type { Job } from './plan.ts';
import { type Tallies, total, violations } from './tally.ts';

const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});

async function run(stand: Job['stand'], kinds: Kind[]): Promise<void> {
  const seed = Math.floor(Math.random() * 1_000_000);
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-chaos-'));
  homes.push(dataDir);
  const brokers = ['zerodha', 'upstox', 'dhan', 'kotak'] as const;
  const broker = brokers[Math.floor(seededRandom(seed).next() * brokers.length)] ?? 'zerodha';
  const tallies: Tallies = new Map();
  const findings: string[] = [];
  const jobs = [{ stand, kinds, broker, seed }].values();
  await runLane({ jobs, dataDir, orders: 8, tallies, findings, over: () => false, report: () => undefined });
  expect(findings, `seed ${seed}, ${broker}`).toEqual([]);
  const all = total(tallies);
  expect(violations(all), `seed ${seed}, ${broker}`).toBe(0);
  expect(all.atVenue, `seed ${seed}, ${broker}`).toBeGreaterThan(0);
  expect(all.asked, `seed ${seed}, ${broker}`).toBe(8 * kinds.length);
}

describe('real processes killed with orders in flight: nothing doubled, lost or contradicted', () => {
  it('at the eight named points', () => run('apart', [...points]), 180_000);

  if (everything) {
    it(
      'gateway, database, both, a faulty wire, a clock that jumps',
      () => run('apart', ['gateway', 'database', 'gateway and database', 'faulty wire', 'clock jump']),
      180_000,
    );

    it('the whole tree at once', () => run('tree', ['everything']), 120_000);
  }
});
