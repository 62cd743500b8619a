import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { descendants } from '../../server/db/embedded/descendants.ts';
import { type Kind, points } from './kinds.ts';
import { runLane } from './lanes.ts';
import { MOST_ORDERS } from './orders.ts';
import { endlessJobs, type Family, families, familyJobs, type Job, planJobs } from './plan.ts';
import { record, summary } from './record.ts';
import { type Tallies, total, violations } from './tally.ts';

/**
 * `npm run chaos -- --cycles 1000 --disk 20 --points 100 --orders 20 --seed 1 --lanes 2 --record`, or all kinds mixed for `--minutes 3`.
 * `-- --kind kill-switch --cycles 90 --seed 1`: the kill switch alone, at each of its moments in turn;
 * `-- --kind frozen-database --cycles 500 --lanes 10`: a PostgreSQL process that stands still for a minute likewise.
 * Prints a line a history and the table; exits 1 when anything was lost, doubled, contradicted or changed.
 */
const { values } = parseArgs({
  options: {
    kind: { type: 'string' },
    cycles: { type: 'string', default: '0' },
    disk: { type: 'string', default: '0' },
    points: { type: 'string', default: '0' },
    minutes: { type: 'string' },
    orders: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    lanes: { type: 'string', default: '2' },
    record: { type: 'boolean', default: false },
  },
});
const [seed, lanes, orders] = [Number(values.seed), Number(values.lanes), Math.min(Number(values.orders), MOST_ORDERS)];
const began = performance.now();
const endAt = values.minutes === undefined ? Number.POSITIVE_INFINITY : began + Number(values.minutes) * 60_000;
const dataDir = mkdtempSync(join(tmpdir(), 'gateway-chaos-'));
const tallies: Tallies = new Map();
const findings: string[] = [];
let postgres = '';

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function runJobs(jobs: Iterator<Job>, round: number): Promise<void> {
  const over = () => performance.now() > endAt;
  const running = Array.from({ length: lanes }, (_, lane) =>
    runLane({ jobs, dataDir: join(dataDir, `r${round}-${lane}`), orders, tallies, findings, over, report: say }),
  );
  [postgres = ''] = await Promise.all(running);
}

/** Points that were not passed in their cycle are tried again. */
function missing(): Partial<Record<Kind, number>> {
  return Object.fromEntries(points.map((point) => [point, Math.max(0, Number(values.points) - (tallies.get(point)?.cycles ?? 0))]));
}

/** Never in the way of a verdict: a gateway that was given up may still hold a small disk. */
function clear(): void {
  try {
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  } catch (error) {
    say(`left behind: ${error instanceof Error ? error.message : String(error)}`);
  }
}

// Whatever was started would go on without us.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const pid of descendants(process.pid)) process.kill(pid, 'SIGKILL');
    clear();
    process.exit(1);
  });

say(`seed ${seed}`);
if (values.kind !== undefined && !(values.kind in families))
  throw new Error(`--kind ${values.kind}: there are ${Object.keys(families).join(' and ')}, and all others together without it`);
if (values.kind !== undefined) await runJobs(familyJobs(values.kind as Family, Number(values.cycles), seed).values(), 0);
else if (values.minutes !== undefined) await runJobs(endlessJobs(seed), 0);
else {
  await runJobs(planJobs({ cycles: Number(values.cycles), disk: Number(values.disk), points: missing() }, seed).values(), 0);
  for (let round = 1; round <= 5 && Object.values(missing()).some((count) => count > 0); round += 1)
    await runJobs(planJobs({ cycles: 0, disk: 0, points: missing() }, seed + round).values(), round);
}
const text = summary({ tallies, seed, lanes, seconds: (performance.now() - began) / 1000, postgres });
say(`\n${findings.join('\n')}\n${text}`);
if (values.record) record(text);
clear();
process.exit(violations(total(tallies)) + findings.length > 0 ? 1 : 0);
