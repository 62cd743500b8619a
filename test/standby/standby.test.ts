import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startStore } from '../chaos/store.ts';
import { type Tallies, total, violations } from '../chaos/tally.ts';
import { everything } from '../support/proven.ts';
import { singleDatabase } from './database.ts';
import { runHistory } from './history.ts';
import type { Strike } from './strike.ts';

/** `npm test` tries one that nobody plans, another each time, and one that somebody does. */
function drawn(): Strike[] {
  const unplanned = ['kill', 'freeze', 'cut'] as const;
  return everything ? [...unplanned, 'stop', 'hand over'] : [unplanned[Math.floor(Math.random() * 3)] ?? 'kill', 'hand over'];
}

it('a standby follows a leader that is struck with orders in flight: nothing doubled, lost or contradicted, nothing sent by two', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-standby-'));
  const [seed, strikes] = [Math.floor(Math.random() * 1_000_000), drawn()];
  const tallies: Tallies = new Map();
  const store = await startStore(dataDir);
  try {
    const { findings, recovery, takeOvers } = await runHistory({
      database: await singleDatabase(store, 'pair'),
      broker: 'zerodha',
      dataDir,
      seed,
      strikes,
      tallies,
    });
    const told = `seed ${seed}: ${JSON.stringify(recovery)}`;
    expect(findings, told).toEqual([]);
    expect(violations(total(tallies)), told).toBe(0);
    // A freeze or a cut may be shorter than the lease.
    expect(takeOvers, told).toBeGreaterThan(0);
  } finally {
    await store.stop();
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}, 120_000);
