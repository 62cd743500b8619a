import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../server/clock.ts';
import { descendants } from '../../server/db/embedded/descendants.ts';
import { embeddedQuery, embeddedRecords } from '../chaos/store.ts';
import { Caller } from './caller.ts';
import { descriptorsOf, line, type Sample, takeSample } from './samples.ts';
import { pause, Spells } from './spells.ts';
import { type Stand, startStand, TOKEN } from './stand.ts';
import { Trader } from './trade.ts';
import { goalFor, judgeDescriptors, judgeMemory, judgeOrders, unexplained } from './verdict.ts';
import { administer, listen, openPages, readAll, reconnect, rushFor } from './work.ts';

/**
 * `npm run soak -- --hours 2 --seed 1`, or `--minutes 10`: one gateway at steady and varied work while broker, feed and receivers of alerts fail in turn. A line of figures every
 * 30 s; exits 1 when memory or descriptors grow, an answer or a log line is there that nothing explains, or the venue's ledger and our records differ.
 */
const { values } = parseArgs({
  options: {
    hours: { type: 'string' },
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** Without trouble: what a calm day takes. */
    calm: { type: 'boolean', default: false },
    /** A folder for two pictures of the gateway's memory, a third of the way and at the end of it: what grew stands in the second alone. */
    snapshots: { type: 'string' },
  },
});
const minutes = values.hours === undefined ? Number(values.minutes) : Number(values.hours) * 60;
const seed = Number(values.seed);
const SAMPLE_MS = 30_000;
/** Whole collections of the run. */
const COLLECTIONS = 12;
const SETTLE_MS = 200_000;
const REST_MS = 75_000;
const dataDir = mkdtempSync(join(tmpdir(), 'gateway-soak-'));
const say = (text: string) => process.stdout.write(`${text}\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const pid of descendants(process.pid)) process.kill(pid, 'SIGKILL');
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
    process.exit(1);
  });

async function sampled(stand: Stand, over: AbortSignal): Promise<Sample[]> {
  const samples: Sample[] = [];
  const startedAt = Date.now();
  while (!over.aborted) {
    await pause(SAMPLE_MS, over);
    if (over.aborted) break;
    const collect = samples.length % Math.max(1, Math.round((minutes * 60_000) / SAMPLE_MS / COLLECTIONS)) === 0;
    const sample = await takeSample(stand, startedAt, collect);
    samples.push(sample);
    say(line(sample));
  }
  return samples;
}

async function soak(stand: Stand): Promise<string[]> {
  const { gateway, venue, receiver, pid } = stand;
  const spells = new Spells(venue, receiver, seededRandom(seed));
  const caller = new Caller(gateway.url, TOKEN, (from, to, graceMs) => spells.troubled(from, to, graceMs));
  const trader = new Trader({ url: gateway.url, token: TOKEN }, caller, seededRandom(seed + 1));
  const [work, trouble] = [new AbortController(), new AbortController()];
  const before = descriptorsOf(pid);
  const troubled = values.calm ? Promise.resolve() : spells.run(trouble.signal);
  const { signal } = work;
  const { pace, overMs } = rushFor(minutes);
  const working = Promise.all([
    sampled(stand, signal),
    listen(gateway.url, seededRandom(seed + 2), pace, signal),
    trader.run(minutes, pace, signal),
    readAll(caller, pace, signal),
    openPages(caller, gateway.url, pace, signal),
    pause(overMs, signal).then(() => administer(caller, signal)),
    reconnect(caller, gateway.url, signal),
  ]);
  await Promise.race([working, pause(minutes * 20_000, signal)]);
  if (values.snapshots !== undefined) stand.snapshot();
  await Promise.race([working, pause(minutes * 40_000, signal)]);
  if (values.snapshots !== undefined) stand.snapshot();
  trouble.abort();
  await troubled;
  work.abort();
  const [samples, disorder] = await working;
  await trader.settle(SETTLE_MS);
  await pause(REST_MS, new AbortController().signal);
  const behind = descriptorsOf(pid);
  for (const { spell, struck } of spells.casts) say(`${spell.name}: struck ${struck} times`);
  for (const [name, classes] of caller.counts) say(`${name}: ${[...classes].map(([what, count]) => `${count} ${what}`).join(', ')}`);
  const memory = judgeMemory(samples, goalFor(minutes));
  const [ledger, records] = [await venue.ledger(), await embeddedRecords(stand.dataDir)];
  const orders = await embeddedQuery<{ order_id: string; status: string; filled: number }>(
    stand.dataDir,
    'select order_id, status, filled_quantity::int as filled from tsm_orders',
  );
  const open = await embeddedQuery<{ symbol: string; qty: number }>(
    stand.dataDir,
    "select symbol, qty::int as qty from tsm_positions where status = 'OPEN'",
  );
  const lines = gateway.errors().split('\n');
  say(`${trader.asked.length} orders asked for, ${ledger.length} at the venue, ${lines.length - 1} log lines at warn or above`);
  say(`${before.length} descriptors before the work, ${behind.length} behind it`);
  for (const one of memory.says) say(one);
  return [
    ...memory.findings,
    ...judgeDescriptors(before, behind),
    ...disorder,
    ...caller.findings,
    ...unexplained(lines, spells.casts).map((one) => `nothing explains: ${one}`),
    ...judgeOrders({ asked: trader.asked, ledger, records, orders, open }),
  ];
}

say(`seed ${seed}, ${minutes} minutes`);
const stand = await startStand(dataDir, seed, values.snapshots ?? dataDir);
const findings = await soak(stand);
await stand.close();
rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
for (const finding of findings) say(finding);
say(`${findings.length} findings`);
process.exit(findings.length > 0 ? 1 : 0);
