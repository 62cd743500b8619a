import type express from 'express';
import type { Sql } from 'postgres';
import type { BrokerId } from '../contract/words.ts';
import type { Gateway, GatewayStatus } from './api/gateway.ts';
import { createOperations } from './api/operations.ts';
import { ensureFirstUser } from './auth/first-user.ts';
import { createUsers } from './auth/users.ts';
import { type Loaded, loadRecords } from './books/open-positions.ts';
import type { BrokerDefinition } from './brokers/broker.ts';
import { brokers } from './brokers/index.ts';
import { tradingCalendar } from './calendar/calendar.ts';
import { marketOf } from './calendar/market.ts';
import { type Clock, type Random, systemClock, systemRandom } from './clock.ts';
import type { Config } from './config/config.ts';
import { type Database, openDatabase } from './db/open.ts';
import type { PracticeExchange } from './exchange/host.ts';
import type { Feed } from './feed/feed.ts';
import { createApp } from './http/app.ts';
import type { FindByName } from './instruments/by-name.ts';
import { Instruments } from './instruments/instruments.ts';
import { readerOf } from './instruments/reader.ts';
import type { Attempt } from './journal/attempt.ts';
import type { Journal } from './journal/journal.ts';
import { killSwitchKeeper } from './journal/kill-switch-record.ts';
import { PostgresJournal } from './journal/postgres-journal.ts';
import type { Log } from './log.ts';
import type { Meters } from './meters.ts';
import { type Figures, figuresOf } from './ops/figures.ts';
import { meteredBrokers, meteredJournal, meteredOrders } from './ops/metered.ts';
import { createKillSwitch, type KillSwitch } from './orders/kill-switch.ts';
import { databaseOptions, marketplace } from './pair.ts';
import { type BrokerParts, checkSettings, masterAddress } from './session/brokers.ts';
import { createLogins } from './session/logins.ts';
import { openVault } from './session/vault.ts';
import { type Base, type Closers, statusOf, wireCallers, wireTrading } from './wiring.ts';

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
  /** Hears what the parts do and how long it takes. */
  meters?: Meters | undefined;
  /** How long the TLS certificate is still good for, ms; null without one. */
  certificateLeftMs?: () => number | null;
  /** With STANDBY=on: hears while this gateway waits who leads, null where nobody is known. */
  onWaiting?: (leader: string | null) => void;
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
  /** The practice exchange inside this process; null in live mode and with STANDBY=on. */
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
  /** Told once the gateway listens: where browsers find it. */
  served(port: number): void;
  /** How the gateway stands now, from memory alone. */
  figures(): Figures;
  unresolved(): Attempt[];
  /** What brokers said that were tried at the start and did not connect, by name. */
  refusals: ReadonlyMap<string, string>;
  /** When the gateway signs in by itself again, epoch ms; null where it does not. */
  nextTryAt(): number | null;
  /** Tries the configured brokers in order until one connects, in the background from the second round on; never rejects. */
  autoConnect(): Promise<void>;
  /** Refuses new orders, gives those in flight 1 s, then stops every part. */
  stop(): Promise<void>;
}

/** Wires a gateway from its configuration, in the order its parts need each other; they close in the opposite order. Rejects with a clear message when it cannot run. */
export async function createContext(config: Config, log: Log, overrides: Overrides = {}): Promise<Context> {
  const { clock = systemClock, random = systemRandom, meters } = overrides;
  const definitions = meteredBrokers(overrides.brokers ?? brokers, meters, clock);
  checkSettings({ config, definitions });
  const calendar = marketOf(config.mode, tradingCalendar(config.calendarFile));
  const base = { clock, random, log, meters, owner: Buffer.from(random.bytes(8)).toString('hex') };
  const closers: Closers = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    // A standby has it ready before its turn; one inside is this gateway's alone, and must not meet another's.
    const early = config.standby ? await marketplace(config, base) : null;
    const database = await openDatabase(databaseOptions(config, { log, ...overrides }));
    closers.push(() => database.close());
    const market = early ?? (await marketplace(config, base));
    closers.push(() => market.exchange?.close());
    const brokerParts = { ...base, config: market.config, definitions, held: database.lease.held };
    const store = await openStore(brokerParts, database, overrides);
    const { users, tokenFile, loaded, killSwitch, instruments } = store;
    closers.push(() => killSwitch.stop());
    const parts = { ...brokerParts, ...store, db: database.db, reports: database.reports, where: database.where, find: overrides.find };
    const trading = wireTrading(parts, calendar, closers);
    const { sessions, watch, orders, feed, report } = trading;
    await Promise.all([orders.recover(), report.start()]);
    watch.start();
    const { status, become } = statusOf(config, sessions);
    const callers = wireCallers({ ...parts, ...trading, ...calendar, knocked: database.knocked, status }, closers);
    const gateway = meteredOrders(createOperations({ ...parts, ...trading, ...callers }), meters, clock);
    return {
      app: createApp({ gateway, users, ...callers, status, log, clock, paced: config.practiceLimits }),
      gateway,
      log,
      loaded,
      exchange: market.exchange,
      killSwitch,
      feed,
      instruments,
      sql: database.db.$client,
      tokenFile,
      status,
      served(port) {
        trading.browserLogins.servedOn(port);
        market.exchange?.exchange.sendBrowsersTo(trading.browserLogins.callback);
      },
      figures: () => figuresOf({ certificateLeftMs: () => null, ...overrides, ...trading, ...callers, status, killSwitch, database }),
      unresolved: () => orders.unresolved(),
      refusals: sessions.refusals,
      nextTryAt: () => sessions.state().nextTryAt,
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

/** What stands before any broker is asked: users, records, journal, stored logins, the kill switch, what the brokers list. */
async function openStore(parts: Base & BrokerParts, database: Database, overrides: Overrides) {
  const { clock, random, log, config, meters } = parts;
  const { db, orders, lease } = database;
  const { mode, dataDir, gatewayToken, standby: shared, vaultKey, killSwitch: turnOn } = config;
  const users = createUsers({ db, random, clock });
  const { tokenFile } = await ensureFirstUser({ users, random, dataDir, gatewayToken, shared });
  const loaded = await loadRecords(db);
  const postgres = new PostgresJournal(db, mode, orders, () => lease.epoch);
  const journal = meteredJournal(overrides.journal?.(postgres) ?? postgres, meters, clock);
  if (shared) await journal.note({ kind: 'gateway.leads', detail: { epoch: lease.epoch, holder: lease.holder, since: lease.since } });
  const logins = createLogins(db, await openVault(dataDir, random, vaultKey), clock);
  const killSwitch = await createKillSwitch({ keeper: killSwitchKeeper(db), clock, log, turnOn });
  const instruments = await startInstruments(parts, database, overrides);
  return { users, tokenFile, loaded, journal, logins, killSwitch, instruments };
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
