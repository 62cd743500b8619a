import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runChaos } from './cycles.ts';

it('kill -9 of the whole tree with orders in flight: nothing doubled, lost or contradicted', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-chaos-'));
  const seed = Math.floor(Math.random() * 1_000_000);
  const tally = await runChaos({ cycles: 3, orders: 8, seed, dataDir });
  rmSync(dataDir, { recursive: true, force: true });
  expect(tally, `seed ${seed}`).toMatchObject({ asked: 24, duplicates: 0, lost: 0, contradictions: 0, changed: 0, findings: [] });
  expect(tally.atVenue, `seed ${seed}`).toBeGreaterThan(0);
}, 120_000);
