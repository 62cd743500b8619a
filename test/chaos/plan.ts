import { type BrokerId, brokerIds } from '../../contract/words.ts';
import { type Random, seededRandom } from '../../server/clock.ts';
import { frozenKinds, frozenPoint, type Kind, kinds, points, switchKinds, switchMoment } from './kinds.ts';

/** One history to run. */
export interface Job {
  stand: 'apart' | 'tree' | 'disk' | 'own';
  kinds: Kind[];
  broker: BrokerId;
  seed: number;
}

const LENGTH: Record<Job['stand'], number> = { apart: 8, tree: 4, disk: 3, own: 1 };

/** Of a hundred cycles, so many die this way. */
const shares: Partial<Record<Kind, number>> = {
  gateway: 30,
  database: 15,
  'gateway and database': 20,
  'faulty wire': 20,
  'clock jump': 10,
  everything: 5,
};

function standOf(kind: Kind): Job['stand'] {
  if (frozenPoint(kind)) return 'own';
  return kind === 'everything' ? 'tree' : kind === 'disk full' ? 'disk' : 'apart';
}

/** Histories that hold `cycles` cycles of drawn kinds, `disk` with a full disk, and each named point `points` times. */
export function planJobs(asked: { cycles: number; disk: number; points: Partial<Record<Kind, number>> }, seed: number): Job[] {
  const random = seededRandom(seed);
  const all: Kind[] = Array.from({ length: asked.cycles }, () => drawKind(random));
  for (let index = 0; index < asked.disk; index += 1) all.push('disk full');
  for (const point of points) for (let index = 0; index < (asked.points[point] ?? 0); index += 1) all.push(point);
  const jobs: Job[] = [];
  for (const stand of ['apart', 'tree', 'disk'] as const) {
    const mine = shuffled(
      random,
      all.filter((kind) => standOf(kind) === stand),
    );
    for (let start = 0; start < mine.length; start += LENGTH[stand])
      jobs.push(newJob(random, stand, mine.slice(start, start + LENGTH[stand])));
  }
  return shuffled(random, jobs);
}

/** What is run apart from the others: each of its moments in turn, one history each. */
export const families = { 'kill-switch': switchKinds, 'frozen-database': frozenKinds } as const satisfies Record<string, readonly Kind[]>;
export type Family = keyof typeof families;

export function familyJobs(family: Family, cycles: number, seed: number): Job[] {
  const random = seededRandom(seed);
  const kindsOfIt: readonly Kind[] = families[family];
  return Array.from({ length: cycles }, (_, index) => {
    const kind = kindsOfIt[index % kindsOfIt.length] ?? 'gateway';
    return newJob(random, standOf(kind), [kind]);
  });
}

/** Without end: every kind and point comes round again and again. */
export function* endlessJobs(seed: number): Generator<Job> {
  const random = seededRandom(seed);
  for (;;) {
    const apart = shuffled(
      random,
      kinds.filter((kind) => standOf(kind) === 'apart' && !switchMoment(kind)),
    );
    const half = Math.ceil(apart.length / 2);
    yield newJob(random, 'apart', apart.slice(0, half));
    yield newJob(random, 'disk', ['disk full']);
    yield newJob(random, 'apart', apart.slice(half));
    yield newJob(random, 'tree', ['everything', 'everything']);
  }
}

function newJob(random: Random, stand: Job['stand'], kindsOfIt: Kind[]): Job {
  const broker = brokerIds[Math.floor(random.next() * brokerIds.length)] ?? 'zerodha';
  return { stand, kinds: kindsOfIt, broker, seed: Math.floor(random.next() * 1_000_000_000) };
}

function drawKind(random: Random): Kind {
  let left = random.next() * 100;
  for (const [kind, share] of Object.entries(shares)) {
    left -= share;
    if (left < 0) return kinds.find((known) => known === kind) ?? 'gateway';
  }
  return 'gateway';
}

function shuffled<Item>(random: Random, items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
