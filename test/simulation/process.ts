import { type BrokerId, brokerIds } from '../../contract/words.ts';
import type { Broker, BrokerDefinition } from '../../server/brokers/broker.ts';
import { tradingCalendar } from '../../server/calendar/calendar.ts';
import { sessionDay } from '../../server/calendar/market.ts';
import { type Clock, tradingDay } from '../../server/clock.ts';
import { readConfig } from '../../server/config/config.ts';
import { type ExitOperations, Exits } from '../../server/exits/exits.ts';
import { silentLog } from '../../server/log.ts';
import { createKillSwitch, type KillSwitch } from '../../server/orders/kill-switch.ts';
import { createOrderService, type OrderService } from '../../server/orders/order-service.ts';
import type { Logins } from '../../server/session/logins.ts';
import { Sessions } from '../../server/session/sessions.ts';
import { SimulatedBroker } from './broker.ts';
import { Chance } from './chance.ts';
import { heard, type Life } from './outside.ts';
import { SimulatedStore } from './store.ts';
import type { World } from './world.ts';

const config = readConfig({});
const log = silentLog();
const noLogins: Logins = { read: async () => null, write: async () => undefined, forget: async () => undefined };

/** A gateway process of the simulation, as a test or a day drives it. */
export interface GatewayProcess {
  life: Life;
  orders: OrderService;
  exits: ExitOperations;
  sessions: Sessions;
  /** The newest sign-in at each broker. */
  brokers: Map<BrokerId, SimulatedBroker>;
  killSwitch: KillSwitch;
  disconnect(): Promise<void>;
  /** As a signal stops it: new orders are refused, those in flight get a moment. */
  shutdown(): Promise<void>;
}

/** Starts a gateway's order core as the real wiring does; null when it died or failed on the way. */
export async function startProcess(world: World): Promise<GatewayProcess | null> {
  const life: Life = { number: world.life.number + 1, alive: true };
  world.life = life;
  world.lifeBeganAt = world.now();
  world.trouble();
  world.note(`start of process ${life.number}`);
  const random = new Chance(world.seed * 31 + life.number).random;
  const journal = new SimulatedStore(world, life);
  const brokers = new Map<BrokerId, SimulatedBroker>();
  const signIns: SimulatedBroker[] = [];
  const replaced = new Set<Broker>();
  const turning = createKillSwitch({ keeper: journal.turns, clock: world.clock, log, turnOn: false });
  const killSwitch = await alongside(life, world, turning);
  if (!killSwitch) return null;
  let orders: OrderService | null = null;
  const sessions = new Sessions({
    config,
    definitions: definitions(world, life, (broker) => {
      brokers.set(broker.id, broker);
      signIns.push(broker);
    }),
    clock: world.clock,
    random,
    log,
    logins: noLogins,
    journal,
    hasOpen: (account) => orders?.hasOpen(account) ?? true,
    limits: true,
    recentSends: async () => [],
    onDown({ broker }) {
      if (sessions.active() !== null) replaced.add(broker);
    },
    onUp() {
      // The connect that put it in another's place is about to answer.
      for (const one of signIns) one.over ||= replaced.has(one);
      orders?.wake('session');
    },
  });
  orders = createOrderService({
    instruments: { of: () => null },
    clock: world.clock,
    random,
    log,
    journal,
    accounts: sessions,
    killSwitch,
    owner: `process-${life.number}`,
    guardOff: false,
    opensAt: (exchange, day) => tradingCalendar().sessions(exchange, day)[0]?.opens ?? 0,
    sessionDay: (variety, exchange, at) => (variety === 'AMO' ? sessionDay(tradingCalendar(), exchange, at) : tradingDay(at)),
    wake() {},
  });
  const started = await alongside(
    life,
    world,
    orders.recover().then(() => true),
  );
  if (!started) return null;
  world.trouble();
  void sessions.autoConnect(['zerodha', 'fivepaisa']).then(() => {
    world.sessionTroubleAt = world.now();
  });
  async function disconnect(): Promise<void> {
    const before = sessions.active()?.broker;
    await sessions.disconnect();
    for (const one of signIns) one.over ||= one === before;
  }
  const service = orders;
  const instruments = { of: () => null };
  const exits = new Exits({
    ...{ random, log, journal, instruments, orders, accounts: sessions },
    clock: mortal(world.clock, life),
    records: journal.exits,
  });
  async function shutdown(): Promise<void> {
    exits.stop();
    await service.stop();
    await sessions.close();
    for (const one of signIns) one.over = one.shutDown = true;
  }
  return { life, orders, exits, sessions, brokers, killSwitch, disconnect, shutdown };
}

/** No wait of a dead process ends. */
function mortal(clock: Clock, life: Life): Clock {
  return { now: () => clock.now(), mono: () => clock.mono(), sleep: (ms, signal) => heard(life, clock.sleep(ms, signal)) };
}

/** What the work of a living process resolves with; null when it failed or the process died (then nothing ever answers). */
async function alongside<T>(life: Life, world: World, work: Promise<T>): Promise<T | null> {
  let done: { value: T } | { failed: true } | null = null;
  work.then(
    (value) => {
      done = { value };
    },
    (error) => {
      world.note(`start failed: ${error}`);
      done = { failed: true };
    },
  );
  const outcome = () => done as { value: T } | { failed: true } | null;
  while (outcome() === null && life.alive) await world.clock.sleep(50);
  const over = outcome();
  if (!life.alive || over === null || 'failed' in over) {
    life.alive = false;
    return null;
  }
  return over.value;
}

function definitions(world: World, life: Life, made: (broker: SimulatedBroker) => void): Partial<Record<BrokerId, BrokerDefinition>> {
  const found: Partial<Record<BrokerId, BrokerDefinition>> = {};
  for (const id of brokerIds) {
    const venue = world.venues.get(id);
    if (!venue) continue;
    found[id] = {
      id,
      name: id,
      settings: [],
      urls: { api: 'http://localhost', login: 'http://localhost', feed: 'ws://localhost', master: '' },
      create(env) {
        const broker = new SimulatedBroker(world, life, venue, id, env);
        made(broker);
        return broker;
      },
    };
  }
  return found;
}
