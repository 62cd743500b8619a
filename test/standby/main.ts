import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { seededRandom } from '../../server/clock.ts';
import { descendants } from '../../server/db/embedded/descendants.ts';
import { type Store, startStore } from '../chaos/store.ts';
import { type Tallies, table, total, violations } from '../chaos/tally.ts';
import { type PairDatabase, singleDatabase } from './database.ts';
import { type Outcome, runHistory } from './history.ts';
import { replicatedDatabase } from './replicas.ts';
import { type Strike, strikes } from './strike.ts';

/**
 * `npm run standby -- --cycles 300 --seed 1 --lanes 2`, or what fits into `--minutes 20`: a leader and a standby, the leader killed, frozen and cut off from its database in turn with orders in
 * flight, and sometimes stopped or told to hand over. `-- --kind promotion --cycles 10`: the database's primary lost and its replica promoted. Exits 1 when anything was lost, doubled or contradicted, or left a gateway that did not lead.
 */
const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '300' },
    kind: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    lanes: { type: 'string', default: '1' },
    minutes: { type: 'string' },
  },
});
/** So many strikes a history. */
const EACH = 10;
/** Some tens of microseconds of each send lie between the last look at the lease and the system call: of eight orders in some 250 ms that is a leader in hundreds. */
const AT_THE_DOOR_SHARE = 0.03;
/** Kotak names its own address at sign-in, which the login of one gateway would carry to the other: its requests could not be told apart. */
const brokers = ['zerodha', 'upstox', 'dhan'] as const;
const [cycles, seed, lanes] = [Number(values.cycles), Number(values.seed), Number(values.lanes)];
const endAt = values.minutes === undefined ? Number.POSITIVE_INFINITY : performance.now() + Number(values.minutes) * 60_000;
const dataDir = mkdtempSync(join(tmpdir(), 'gateway-standby-'));
const tallies: Tallies = new Map();
const outcomes: Outcome[] = [];
const say = (line: string) => process.stdout.write(`${line}\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const pid of descendants(process.pid)) process.kill(pid, 'SIGKILL');
    process.exit(1);
  });

/** In turn the three that nobody plans; after each round of them one that somebody does. */
function planned(count: number): Strike[] {
  const all = values.kind === undefined ? null : strikes.filter((one) => one === values.kind);
  const round: readonly Strike[] = all ?? ['kill', 'freeze', 'cut'];
  const plan: Strike[] = Array.from({ length: count }, (_, index) => round[index % round.length] ?? 'kill');
  return all ? plan : plan.flatMap((one, index) => (index % 15 === 14 ? [one, index % 30 === 14 ? 'stop' : 'hand over'] : [one]));
}

const plan = planned(cycles);
const histories = Array.from({ length: Math.ceil(plan.length / EACH) }, (_, index) =>
  plan.slice(index * EACH, (index + 1) * EACH),
).entries();

async function lane(number: number): Promise<void> {
  const home = join(dataDir, `lane${number}`);
  mkdirSync(home, { recursive: true });
  const store = await startStore(home);
  try {
    for (const [index, strikes] of histories) {
      if (performance.now() > endAt) return;
      const own = seed + index;
      const broker = brokers[Math.floor(seededRandom(own).next() * brokers.length)] ?? 'zerodha';
      const place = join(home, `h${index}`);
      mkdirSync(place);
      const began = performance.now();
      const outcome = await runHistory({
        database: await databaseOf(strikes, store, index, place),
        broker,
        dataDir: place,
        seed: own,
        strikes,
        tallies,
      }).catch(failed(own));
      outcomes.push(outcome);
      say(
        `${broker}, seed ${own}: ${strikes.length} strikes, ${outcome.takeOvers} take-overs, ${((performance.now() - began) / 1000 / strikes.length).toFixed(1)} s each, ` +
          `back after ${outcome.recovery.map(({ strike, ms }) => `${strike} ${Math.round(ms)}`).join(', ')} ms, ${outcome.findings.length} findings`,
      );
      for (const finding of outcome.findings) say(`  ${finding}`);
      rmSync(place, { recursive: true, force: true, maxRetries: 5 });
    }
  } finally {
    await store.stop();
  }
}

/** A history that cannot be run to its end proves nothing, and is a finding. */
function failed(own: number): (error: unknown) => Outcome {
  return (error) => ({
    recovery: [],
    departures: 0,
    takeOvers: 0,
    atTheDoor: 0,
    findings: [`seed ${own}: not run to its end: ${inspect(error)}`],
  });
}

function databaseOf(strikes: readonly Strike[], store: Store, index: number, place: string): Promise<PairDatabase> {
  return strikes.includes('promotion') ? replicatedDatabase(place) : singleDatabase(store, `h${index}`);
}

function spread(which: readonly Strike[]): string {
  const sorted = outcomes
    .flatMap(({ recovery }) => recovery.filter(({ strike }) => which.includes(strike)).map(({ ms }) => ms))
    .toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  return `${sorted.length}: p50 ${at(0.5)}, p99 ${at(0.99)}, most ${Math.round(sorted.at(-1) ?? 0)} ms`;
}

say(`seed ${seed}`);
await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
const sum = (what: (outcome: Outcome) => number) => outcomes.reduce((all, one) => all + what(one), 0);
const [freezes, atTheDoor] = [
  sum(({ recovery }) => recovery.filter(({ strike }) => strike === 'freeze').length),
  sum((one) => one.atTheDoor),
];
const findings = outcomes.flatMap((outcome) => outcome.findings);
if (atTheDoor > Math.max(1, freezes * AT_THE_DOOR_SHARE))
  findings.push(`${atTheDoor} of ${freezes} frozen leaders wrote a request when they were woken`);
say(`\n${findings.join('\n')}\n${table(tallies)}\n`);
for (const one of strikes) say(`orders flow again after ${one}, ${spread([one])}`);
say(`orders flow again after all that nobody planned, ${spread(['kill', 'freeze', 'cut'])}`);
say(
  `${sum((one) => one.takeOvers)} take-overs; ${sum((one) => one.departures)} requests that change something, none from a gateway that did not lead unless told above; ` +
    `${atTheDoor} of ${freezes} leaders were frozen between their last look and the system call`,
);
process.exit(findings.length + violations(total(tallies)) > 0 ? 1 : 0);
