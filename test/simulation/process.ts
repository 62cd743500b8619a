import { type BrokerId, brokerIds } from '../../contract/words.ts';
import type { BrokerDefinition } from '../../server/brokers/broker.ts';
import { readConfig } from '../../server/config.ts';
import { silentLog } from '../../server/log.ts';
import { createDesk, type Desk } from '../../server/orders/desk.ts';
import type { Logins } from '../../server/session/logins.ts';
import { Sessions } from '../../server/session/sessions.ts';
import { SimulatedBroker } from './broker.ts';
import { Chance } from './chance.ts';
import { SimulatedStore } from './store.ts';
import type { Life, World } from './world.ts';

const config = readConfig({});
const log = silentLog();
const noLogins: Logins = { read: async () => null, write: async () => undefined, forget: async () => undefined };

/** A gateway process of the simulation, as a test or a day drives it. */
export interface GatewayProcess {
  life: Life;
  desk: Desk;
  sessions: Sessions;
  /** The newest sign-in at each broker. */
  brokers: Map<BrokerId, SimulatedBroker>;
  killSwitch: { on: boolean; set(on: boolean): Promise<void> };
}

/** Starts a gateway's order core as the real wiring does; null when it died or failed on the way. */
export async function startProcess(world: World): Promise<GatewayProcess | null> {
  const life: Life = { number: world.life.number + 1, alive: true };
  world.life = life;
  world.trouble();
  world.note(`start of process ${life.number}`);
  const random = new Chance(world.seed * 31 + life.number).random;
  const journal = new SimulatedStore(world, life);
  const brokers = new Map<BrokerId, SimulatedBroker>();
  let desk: Desk | null = null;
  const sessions = new Sessions({
    config,
    definitions: definitions(world, life, brokers),
    clock: world.clock,
    random,
    log,
    logins: noLogins,
    journal,
    limits: true,
    recentSends: async () => [],
    onDown: () => undefined,
    onUp: () => desk?.sessionUp(),
  });
  const killSwitch = {
    on: false,
    async set(on: boolean) {
      killSwitch.on = on;
    },
  };
  desk = createDesk({
    clock: world.clock,
    random,
    log,
    journal,
    accounts: sessions,
    killSwitch,
    owner: `process-${life.number}`,
    orderChanged() {},
  });
  const started = await alongside(life, world, desk.recover());
  if (!started) return null;
  world.trouble();
  void sessions.autoConnect(['zerodha', 'fivepaisa']);
  return { life, desk, sessions, brokers, killSwitch };
}

/** True when the work was done by a living process; false when it failed or the process died (then nothing ever answers). */
async function alongside(life: Life, world: World, work: Promise<unknown>): Promise<boolean> {
  let done: boolean | null = null;
  work.then(
    () => {
      done = true;
    },
    (error) => {
      world.note(`start failed: ${error}`);
      done = false;
    },
  );
  while (done === null && life.alive) await world.clock.sleep(50);
  if (done !== true) life.alive = false;
  return done === true && life.alive;
}

function definitions(world: World, life: Life, brokers: Map<BrokerId, SimulatedBroker>): Partial<Record<BrokerId, BrokerDefinition>> {
  const made: Partial<Record<BrokerId, BrokerDefinition>> = {};
  for (const id of brokerIds) {
    const venue = world.venues.get(id);
    if (!venue) continue;
    made[id] = {
      id,
      name: id,
      settings: [],
      urls: { api: 'http://localhost', login: 'http://localhost', feed: 'ws://localhost' },
      create(env) {
        const broker = new SimulatedBroker(world, life, venue, id, env);
        brokers.set(id, broker);
        return broker;
      },
    };
  }
  return made;
}
