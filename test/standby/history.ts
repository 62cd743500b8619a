import type { BrokerId } from '../../contract/words.ts';
import { type Random, seededRandom, systemClock } from '../../server/clock.ts';
import { netOf, stuckIn } from '../chaos/history.ts';
import { isShortLived, isUnknown, judge, ordersOf } from '../chaos/judge.ts';
import { type Asked, ask, askAgain, drawOrders, noAnswer } from '../chaos/orders.ts';
import type { KeyRecord } from '../chaos/store.ts';
import type { Tallies } from '../chaos/tally.ts';
import { startVenue, type Venue } from '../chaos/venue.ts';
import type { PairDatabase } from './database.ts';
import { type Lead, lateDepartures } from './late.ts';
import { createMember, type Departure, type Member } from './member.ts';
import { settled } from './pair.ts';
import { probe } from './probe.ts';
import { type Strike, strike, type Wake } from './strike.ts';

/** Orders in flight when the leader is struck. */
const ORDERS = 8;
/** The longest they run before it, ms. */
const LONGEST_RUN_MS = 250;
const FINISH_MS = 60_000;
const RECENT_MS = 2500;

export interface HistoryOptions {
  database: PairDatabase;
  broker: BrokerId;
  dataDir: string;
  seed: number;
  strikes: readonly Strike[];
  tallies: Tallies;
}

export interface Outcome {
  /** Milliseconds from each strike to the first order that was placed again. */
  recovery: { strike: Strike; ms: number }[];
  /** Requests that changed something, by all gateways. */
  departures: number;
  takeOvers: number;
  /** Requests of leaders that were frozen between their last look at the lease and the system call (docs/decisions/standby.md, "What is left"). */
  atTheDoor: number;
  findings: string[];
}

/** One database, one exchange, two gateways; the one that leads is struck again and again. */
export async function runHistory(options: HistoryOptions): Promise<Outcome> {
  const { database, broker, dataDir, seed, strikes, tallies } = options;
  const random = seededRandom(seed);
  const venue = await startVenue(dataDir, seed);
  const departures: Departure[] = [];
  const members = await Promise.all(database.ways.map(({ url }) => createMember({ venue, broker, dataDir, databaseUrl: url, departures })));
  const pair = members as [Member, Member];
  const scene = { pair, database, venue, random, broker, asked: [] as Asked[], recovery: [] as Outcome['recovery'], wakes: [] as Wake[] };
  try {
    for (const [index, kind] of strikes.entries()) await cycle(scene, kind, `s${seed}-c${index + 1}-`, index + 1);
    await finish(scene);
    const [ledger, records, leads] = await Promise.all([
      venue.ledger(),
      database.query<KeyRecord>('select key, state, tag from idempotency_records'),
      leadsOf(database),
    ]);
    const { late, atTheDoor } = lateDepartures(departures, leads, scene.wakes);
    const slow = scene.recovery
      .filter(({ ms }) => !Number.isFinite(ms))
      .map(({ strike }) => `${strike}: no order was placed again within a minute`);
    const findings = [...judge({ asked: scene.asked, ledger, records }, tallies), ...late, ...slow];
    return { recovery: scene.recovery, departures: departures.length, takeOvers: leads.length - 1, atTheDoor, findings };
  } finally {
    for (const member of pair) member.signal('SIGCONT');
    await Promise.all(pair.map((member) => member.close()));
    await venue.kill();
    await database.close();
  }
}

interface Scene {
  pair: [Member, Member];
  database: PairDatabase;
  venue: Venue;
  random: Random;
  broker: BrokerId;
  asked: Asked[];
  recovery: Outcome['recovery'];
  wakes: Wake[];
}

async function cycle(scene: Scene, kind: Strike, prefix: string, quantity: number): Promise<void> {
  const { pair, database, venue, random, broker } = scene;
  const { leader } = await settled(pair);
  const [net, stuck] = [netOf(await venue.ledger()), stuckIn(scene.asked)];
  const drawn = drawOrders({ random, broker, kind: 'gateway', prefix, quantity, count: ORDERS + 1, net, stuck });
  scene.asked.push(...drawn);
  const [again, ...flying] = drawn;
  if (!again) throw new Error('no order was drawn');
  const fired = Promise.all(flying.map((one) => ask(leader, one, 'first').catch(noAnswer)));
  await systemClock.sleep(random.next() * LONGEST_RUN_MS);
  const way = database.ways[pair.indexOf(leader)];
  if (!way) throw new Error('no way');
  const { at, over } = strike(kind, leader, { line: way.line, failOver: database.failOver, wakes: scene.wakes }, random);
  // Until it has heard of it a leader that is told goes on placing.
  if (kind === 'stop' || kind === 'hand over') await untilNotReady(leader);
  scene.recovery.push({ strike: kind, ms: await probe(pair, again, at) });
  await Promise.all([over, fired]);
  await systemClock.sleep(RECENT_MS * random.next());
  const { leader: now } = await settled(pair);
  const until = Date.now() + RECENT_MS;
  await Promise.all(drawn.map((one) => askAgain(now, one, until)));
}

async function untilNotReady(leader: Member): Promise<void> {
  while ((await leader.status())?.status === 'ready') await systemClock.sleep(5);
}

/** In the end everything must be known that is at the venue. */
async function finish({ pair, asked, venue }: Scene): Promise<void> {
  const { leader } = await settled(pair);
  const until = Date.now() + FINISH_MS;
  const again = (one: Asked) => one.heard.findLast(({ phase }) => phase === 'again');
  await Promise.all(
    asked.map(async (one) => {
      const last = one.heard.at(-1);
      if (last && isShortLived(last) && again(one)) return;
      await askAgain(leader, one, until);
      while (isUnknown(again(one)) && Date.now() < until && ordersOf(one, await venue.ledger()).length > 0)
        await askAgain(leader, one, until);
    }),
  );
}

async function leadsOf(database: PairDatabase): Promise<Lead[]> {
  const rows = await database.query<{ since: number; epoch: number; holder: string }>(
    "select (detail->>'since')::float8 as since, (detail->>'epoch')::float8 as epoch, detail->>'holder' as holder from tsm_events where kind = 'gateway.leads' order by id",
  );
  return rows.map(({ since, epoch, holder }) => ({ since, epoch, member: holder.slice(holder.lastIndexOf(':') + 1) }));
}
