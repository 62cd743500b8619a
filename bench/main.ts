import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { feedReport } from './feed.ts';
import { instrumentsReport } from './instruments.ts';
import { type Condition, fill, type Lane, measure, measureReplay, type Sample } from './measure.ts';
import { profile } from './profile.ts';
import { measureReplays, replayReport } from './replay.ts';
import { report } from './report.ts';
import { startStand } from './stand.ts';

/**
 * `npm run bench`: what the gateway costs beside the same calls made directly and through bare proxies, in one run, in turns.
 * `-- --quick` takes under a minute, proves that it works and writes nothing, `-- --node-options='--cpu-prof --cpu-prof-dir=profile'`
 * starts the gateway's node so and writes nothing either; `-- --replays` measures the last part alone, the replays, and writes nothing;
 * `-- --before ../old` places the same orders through the gateway of another checkout too, in the same turns, and writes nothing;
 * `-- --profile` tells where the time of one order goes; `-- --feed 10` measures the live feed for ten minutes instead of all that,
 * `-- --instruments` the loading of an instrument file, and looking up in it.
 */
const options = {
  quick: { type: 'boolean', default: false },
  replays: { type: 'boolean', default: false },
  feed: { type: 'string' },
  instruments: { type: 'boolean', default: false },
  profile: { type: 'boolean', default: false },
  before: { type: 'string' },
  'node-options': { type: 'string', default: '' },
} as const;
const {
  quick,
  before,
  feed: feedMinutes,
  instruments: instrumentsOnly,
  replays: replaysOnly,
  profile: profileOnly,
  'node-options': nodeOptions,
} = parseArgs({ options }).values;
const sizes = quick ? { few: 1000, many: 20_000, rounds: 1, replays: 300 } : { few: 1000, many: 1_000_000, rounds: 7, replays: 1000 };
if (feedMinutes !== undefined) {
  process.stdout.write(await feedReport(Number(feedMinutes)));
  process.exit();
}
if (instrumentsOnly) {
  process.stdout.write(await instrumentsReport());
  process.exit();
}
if (profileOnly) {
  process.stdout.write(await profile());
  process.exit();
}
if (replaysOnly) {
  process.stdout.write(replayReport(await measureReplays(sizes)));
  process.exit();
}
const rounds = quick ? 1 : 5;
const orders = quick
  ? { slow: 20, fast: 40, crowd: 4, paced: 4, replays: 100, total: 384 }
  : { slow: 60, fast: 100, crowd: 16, paced: 12, replays: 400, total: 10_000 };
const conditions: Condition[] = [
  { callers: 1, delayMs: 0, orders: orders.fast, everyMs: 0 },
  { callers: 1, delayMs: 20, orders: orders.slow, everyMs: 0 },
  { callers: 1, delayMs: 20, orders: orders.paced, everyMs: 500 },
  { callers: 16, delayMs: 0, orders: orders.crowd, everyMs: 0 },
  { callers: 16, delayMs: 20, orders: orders.crowd, everyMs: 0 },
];
const lanes: Lane[] = ['direct', 'proxy', 'journal', 'gateway', ...(before === undefined ? [] : ['before' as const])];

const began = performance.now();
let text = '';
const stand = await startStand(nodeOptions, before);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stand.stop().then(() => process.exit(1)));
try {
  const emptyMemory = stand.memory();
  // First, so that the rounds find a gateway that has been at work for a while.
  const placed = await fill(stand, 'gateway', orders.total);
  const memory = stand.memory();
  if (before !== undefined) await fill(stand, 'before', orders.total);
  process.stderr.write(`${placed} orders: ${((performance.now() - began) / 1000).toFixed(0)} s\n`);
  const samples = conditions.map(() => ({ direct: [], proxy: [], journal: [], gateway: [], before: [] }) as Record<Lane, Sample[]>);
  const replays: Sample[] = [];
  // One unmeasured round: code gets compiled, PostgreSQL's caches fill.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, condition] of conditions.entries()) {
      // Another lane goes first each time, and every second round runs backwards: a slow moment of the machine strikes none of them
      // more than the others, and none always goes right after the same other.
      const order = round % 2 === 0 ? lanes : lanes.toReversed();
      for (let turn = 0; turn < lanes.length; turn += 1) {
        const lane = order[(turn + round) % lanes.length] ?? 'direct';
        const sample = await measure(stand, lane, condition, `r${round}i${index}`);
        if (round > 0) samples[index]?.[lane].push(sample);
      }
    }
    const replay = await measureReplay(stand, `r${round}i0`, orders.replays);
    if (round > 0) replays.push(replay);
    process.stderr.write(`round ${round} of ${rounds}: ${((performance.now() - began) / 1000).toFixed(0)} s\n`);
  }
  text = report({
    rounds,
    conditions,
    samples,
    replays,
    placed,
    emptyMemory,
    memory,
    tookMs: performance.now() - began,
  });
} finally {
  await stand.stop();
}
if (nodeOptions === '' && before === undefined) text += replayReport(await measureReplays(sizes));
process.stdout.write(text);
if (!quick && nodeOptions === '' && before === undefined) writeFileSync(new URL('RESULTS.md', import.meta.url), text);
