import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { mountDisk } from './disk.ts';
import { type Finish, runHistory } from './history.ts';
import type { Job } from './plan.ts';
import { apartStand, ownStand, type Stand, smallDiskStand, treeStand } from './stand.ts';
import { type Store, startStore } from './store.ts';
import type { Tallies } from './tally.ts';

export interface LaneOptions {
  /** Shared by all lanes. */
  jobs: Iterator<Job>;
  dataDir: string;
  orders: number;
  tallies: Tallies;
  findings: string[];
  over(): boolean;
  report(line: string): void;
}

/** Works through jobs, one after the other; while the last history is judged the next one runs. Returns the version of PostgreSQL. */
export async function runLane(options: LaneOptions): Promise<string> {
  const { jobs, dataDir, over } = options;
  mkdirSync(dataDir, { recursive: true });
  const store = await startStore(dataDir);
  let judged: Promise<void> = Promise.resolve();
  try {
    for (let number = 1; !over(); number += 1) {
      const next = jobs.next();
      if (next.done) break;
      const job = next.value;
      const home = join(dataDir, `h${number}`);
      const stand = await openStand(job, home, number, store);
      if (!stand) {
        options.report('disk full: skipped, a small disk cannot be mounted here (that takes root)');
        continue;
      }
      const began = performance.now();
      const finish = await runHistory({ stand, seed: job.seed, kinds: job.kinds, orders: options.orders, over }).catch(
        failed(options, job),
      );
      const seconds = (performance.now() - began) / 1000;
      await judged;
      judged = finish ? judgeAndTell(options, job, finish, seconds, home).catch(failed(options, job)) : Promise.resolve();
    }
    await judged;
  } finally {
    await store.stop();
  }
  return store.version;
}

/** A history that cannot be run to its end proves nothing, and is a finding. */
function failed({ findings, report }: LaneOptions, job: Job): (error: unknown) => void {
  return (error) => {
    const finding = `seed ${job.seed}, ${job.broker}: not run to its end: ${inspect(error)}`;
    findings.push(finding);
    report(finding);
  };
}

async function judgeAndTell(options: LaneOptions, job: Job, finish: Finish, seconds: number, home: string): Promise<void> {
  const found = await finish.judge(options.tallies);
  options.findings.push(...found.map((finding) => `seed ${job.seed}, ${job.broker}: ${finding}`));
  const pace = finish.cycles === 0 ? '' : `, ${(seconds / finish.cycles).toFixed(1)} s each`;
  options.report(`${job.broker}, seed ${job.seed}: ${finish.cycles} of ${job.kinds.length} cycles${pace}, ${found.length} findings`);
  for (const finding of found) options.report(`  ${finding}`);
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}

async function openStand(job: Job, home: string, number: number, store: Store): Promise<Stand | null> {
  const { broker, seed } = job;
  mkdirSync(home, { recursive: true });
  if (job.stand === 'tree') return treeStand(broker, home);
  if (job.stand === 'own') return await ownStand({ broker, dataDir: home, seed });
  if (job.stand === 'apart') return await apartStand({ broker, dataDir: home, seed, store, name: `h${number}` });
  const disk = mountDisk(join(home, 'disk'));
  return disk && (await smallDiskStand({ broker, dataDir: home, seed, disk }));
}
