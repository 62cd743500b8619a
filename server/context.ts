import type express from 'express';
import type { Sql } from 'postgres';
import type { BrokerId } from '../contract/words.ts';
import type { Gateway, GatewayStatus } from './api/gateway.ts';
import { createOperations } from './api/operations.ts';
import { Streams } from './api/streams.ts';
import { ensureFirstUser } from './auth/first-user.ts';
import { createUsers } from './auth/users.ts';
import { type Loaded, loadRecords } from './books/open-positions.ts';
import { Watch } from './books/watch.ts';
import type { BrokerDefinition } from './brokers/broker.ts';
import { brokers } from './brokers/index.ts';
import type { Wake } from './brokers/wake.ts';
import { type Clock, type Random, systemClock, systemRandom } from './clock.ts';
import type { Config } from './config.ts';
import type { Handle } from './db/handle.ts';
import { type Database, openDatabase } from './db/open.ts';
import { EventHub } from './events/hub.ts';
import type { PracticeExchange } from './exchange/host.ts';
import { calendarOf } from './feed/calendar.ts';
import { Feed } from './feed/feed.ts';
import { feedRecords } from './feed/records.ts';
import { Ticks } from './feed/ticks.ts';
import { createApp } from './http/app.ts';
import { type FindByName, finder } from './instruments/by-name.ts';
import { Instruments } from './instruments/instruments.ts';
import { readerOf } from './instruments/reader.ts';
import type { Attempt } from './journal/attempt.ts';
import type { Journal } from './journal/journal.ts';
import { killSwitchKeeper } from './journal/kill-switch-record.ts';
import { PostgresJournal } from './journal/postgres-journal.ts';
import { recentSends } from './journal/recent-sends.ts';
import type { Log } from './log.ts';
import { createKillSwitch, type KillSwitch } from './orders/kill-switch.ts';
import { createOrderService, type OrderService } from './orders/order-service.ts';
import { type BrokerParts, checkSettings, hasFeed, masterAddress } from './session/brokers.ts';
import { createLogins, type Logins } from './session/logins.ts';
import { Sessions } from './session/sessions.ts';
import { openVault } from './session/vault.ts';
import { PersonRequests } from './settle/serve.ts';

/** The test seam: what is given here replaces the real part. */
export interface Overrides {
  clock?: Clock;
  random?: Random;
  brokers?: Partial<Record<BrokerId, BrokerDefinition>>;
  journal?: (real: Journal) => Journal;
  /** Address of the module that reads a broker's instrument files; null where there is none. */
  masterReader?: (broker: BrokerId) => string | null;
  /** Finds instruments by name instead of the broker's file. */
  find?: FindByName;
  /** Called when the gateway may not go on: another one took its database. */
  onLost?: (reason: string) => void;
}

/** A gateway with all its parts, wired and started, before it listens. */
export interface Context {
  app: express.Express;
  gateway: Gateway;
  log: Log;
  /** What the records held at the start. */
  loaded: Loaded;
  /** The practice exchange inside this process; null in live mode. */
  exchange: PracticeExchange | null;
  killSwitch: KillSwitch;
  /** The live feed of the active session. */
  feed: Feed;
  instruments: Instruments;
  /** The database, for tests and tools. */
  sql: Sql;
  /** File of the first user's API token; null with GATEWAY_TOKEN. */
  tokenFile: string | null;
  status(): GatewayStatus;
  unresolved(): Attempt[];
  /** Tries the configured brokers in order, then reconciles; never rejects. */
  autoConnect(): Promise<void>;
  /** Refuses new orders, gives those in flight 1 s, then stops every part. */
  stop(): Promise<void>;
}

/** What every part is built from. */
interface Base {
  clock: Clock;
  random: Random;
  log: Log;
  /** Names this process in the journal. */
  owner: string;
}

/** Wires a gateway from its configuration, in the order its parts need each other; they close in the opposite order. Rejects with a clear message when it cannot run. */
export async function createContext(config: Config, log: Log, overrides: Overrides = {}): Promise<Context> {
  const { clock = systemClock, random = systemRandom, onLost = () => undefined } = overrides;
  const { mode, dataDir, databaseUrl } = config;
  const definitions = overrides.brokers ?? brokers;
  checkSettings({ config, definitions });
  const base = { clock, random, log, owner: Buffer.from(random.bytes(8)).toString('hex') };
  const closers: (() => Promise<void> | void)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const database = await openDatabase({ mode, dataDir, databaseUrl, log, onLost });
    closers.push(() => database.close());
    const practice = mode === 'practice' ? await practiceOf(config, base) : null;
    closers.push(() => practice?.exchange.close());
    const brokerParts = { ...base, config: practice?.config ?? config, definitions };
    const store = await openStore(brokerParts, database, overrides);
    const { users, tokenFile, loaded, killSwitch, instruments } = store;
    closers.push(() => killSwitch.stop());
    const parts = { ...brokerParts, ...store, db: database.db, find: overrides.find };
    const trading = wireTrading(parts);
    const { sessions, watch, orders, feed } = trading;
    closers.push(
      () => instruments.stop(),
      () => sessions.close(),
      () => watch.stop(),
      () => orders.stop(),
      () => feed.stop(),
    );
    await orders.recover();
    watch.start();
    const { hub, streams } = wireCallers({ ...parts, ...trading, knocked: database.knocked }, closers);
    const gateway = createOperations({ ...parts, ...trading, hub });
    const { status, become } = statusOf(config, sessions);
    return {
      app: createApp({ gateway, streams, users, status, log, clock }),
      gateway,
      log,
      loaded,
      exchange: practice?.exchange ?? null,
      killSwitch,
      feed,
      instruments,
      sql: database.db.$client,
      tokenFile,
      status,
      unresolved: () => orders.unresolved(),
      autoConnect: () => sessions.autoConnect(config.brokers).then(() => become('ready')),
      async stop() {
        become('stopping');
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Live mode never loads the exchange. */
async function practiceOf(config: Config, { clock, log }: Base): Promise<{ exchange: PracticeExchange; config: Config }> {
  const { startPractice } = await import('./exchange/practice.ts');
  return await startPractice(config, clock, log);
}

/** What stands before any broker is asked: users, records, journal, stored logins, the kill switch, what the brokers list. */
async function openStore(parts: BrokerParts, database: Database, overrides: Overrides) {
  const { clock, random, log, config } = parts;
  const { db, orders } = database;
  const { mode, dataDir, gatewayToken, killSwitch: turnOn } = config;
  const users = createUsers({ db, random, clock });
  const { tokenFile } = await ensureFirstUser({ users, random, dataDir, gatewayToken });
  const loaded = await loadRecords(db);
  const postgres = new PostgresJournal(db, mode, orders);
  const journal = overrides.journal?.(postgres) ?? postgres;
  const logins = createLogins(db, await openVault(dataDir, random), clock);
  const killSwitch = await createKillSwitch({ keeper: killSwitchKeeper(db), clock, log, turnOn });
  const instruments = await startInstruments(parts, database, overrides);
  return { users, tokenFile, loaded, journal, logins, killSwitch, instruments };
}

interface TradingParts extends Base, BrokerParts {
  find: FindByName | undefined;
  db: Handle;
  journal: Journal;
  logins: Logins;
  killSwitch: KillSwitch;
  instruments: Instruments;
}

/** What the brokers list, from their own files: what is stored of it at once. */
async function startInstruments(parts: BrokerParts, { db, reachable }: Database, overrides: Overrides): Promise<Instruments> {
  const { mode, broker } = parts.config;
  const instruments = new Instruments({
    ...parts,
    db,
    reachable,
    practice: mode === 'practice',
    reader: overrides.masterReader ?? readerOf,
    address: (id) => masterAddress(parts, id),
    localAddress: (id) => broker[id].localAddress,
  });
  await instruments.start();
  return instruments;
}

/** What trades: the session, the orders, the watch over the records and the feed. They know of each other only what stands here, and wake one another. */
function wireTrading(parts: TradingParts) {
  const { db, clock, config, instruments } = parts;
  const { mode, practiceLimits: limits, positionGuard } = config;
  const calendar = calendarOf(mode);
  const wake: Wake = (reason, orderId) => {
    for (const part of [orders, watch, feed, ticks]) part.wake(reason, orderId);
  };
  const sessions = new Sessions({
    ...parts,
    limits,
    hasOpen: (account) => orders.hasOpen(account),
    recentSends: (broker, account) => recentSends(db, broker, account, clock.now()),
    onUp(account) {
      wake('session');
      instruments.follow(account.broker);
      if (hasFeed(config.broker[account.broker.id])) feed.follow(account);
    },
    onDown(account) {
      instruments.leave(account.broker);
      feed.leave(account);
    },
  });
  const directory = () => {
    const account = sessions.active();
    return account && instruments.of(account.broker.id);
  };
  const find = parts.find ?? finder(directory, clock);
  const watch = new Watch({ ...parts, mode, accounts: sessions, wake });
  const orders = createOrderService({ ...parts, ...calendar, accounts: sessions, guardOff: !positionGuard, wake });
  const feed = new Feed({ ...parts, ...calendar, ...feedRecords(db, mode), wake });
  const ticks = new Ticks({ ...parts, feed, find });
  instruments.onSwap(() => ticks.wake('session'));
  return { sessions, watch, orders, feed, ticks, find };
}

/** What is asked and followed from outside: a person's requests, the events of the audit trail, and ticks. Streams are the first to end. */
function wireCallers(
  parts: Base & { db: Handle; ticks: Ticks; orders: OrderService; knocked: Database['knocked'] },
  closers: (() => Promise<void> | void)[],
) {
  const requests = new PersonRequests(parts);
  requests.start();
  const hub = new EventHub(parts);
  const streams = new Streams({ ...parts, hub });
  closers.push(
    () => requests.stop(),
    () => hub.stop(),
    () => streams.stop(),
  );
  return { hub, streams };
}

/** What the root path tells, and how it changes. */
function statusOf({ mode, positionGuard }: Config, sessions: Sessions) {
  let state: GatewayStatus['status'] = 'starting';
  const position_guard = positionGuard ? 'on' : 'off';
  return {
    status: (): GatewayStatus => ({ name: 'Broker Gateway', mode, broker: sessions.activeName(), status: state, position_guard }),
    become(now: GatewayStatus['status']) {
      state = now;
    },
  };
}
