import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runChaos } from './cycles.ts';

/** `npm run chaos -- --cycles 50 --orders 8 --seed 1`: prints the tally, exits 1 when anything was lost, doubled or contradicted. */
const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '50' },
    orders: { type: 'string', default: '8' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const dataDir = mkdtempSync(join(tmpdir(), 'gateway-chaos-'));
const seed = Number(values.seed);
process.stdout.write(`seed ${seed}\n`);
const tally = await runChaos({
  cycles: Number(values.cycles),
  orders: Number(values.orders),
  seed,
  dataDir,
  report: (line) => process.stdout.write(`${line}\n`),
});
const { findings, ...counts } = tally;
process.stdout.write(`${findings.join('\n')}\n${JSON.stringify(counts, null, 2)}\n`);
rmSync(dataDir, { recursive: true, force: true });
process.exit(tally.duplicates + tally.lost + tally.contradictions + tally.changed > 0 ? 1 : 0);
