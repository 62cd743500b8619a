import { join } from 'node:path';
import type express from 'express';
import type { Sql } from 'postgres';
import { type BrokerId, brokerIds } from '../contract/words.ts';
import type { Gateway, GatewayStatus } from './api/gateway.ts';
import { createSelftest } from './api/selftest.ts';
import { ensureFirstUser } from './auth/first-user.ts';
import { createUsers } from './auth/users.ts';
import { heldPositions } from './books/held.ts';
import { type Loaded, loadRecords } from './books/load.ts';
import { writePrices } from './books/ltp.ts';
import { Watch } from './books/watch.ts';
import { watchedInstruments } from './books/watched.ts';
import type { BrokerDefinition } from './brokers/broker.ts';
import { brokers } from './brokers/index.ts';
import type { Wake } from './brokers/wake.ts';
import { type Clock, type Random, systemClock, systemRandom, tradingDay } from './clock.ts';
import type { BrokerSettings, Config } from './config.ts';
import { openDatabase } from './db/open.ts';
import type { PracticeExchange } from './exchange/host.ts';
import { isOpen, sessionDay } from './feed/calendar.ts';
import { Feed } from './feed/feed.ts';
import { createApp } from './http/app.ts';
import type { Attempt } from './journal/attempt.ts';
import type { Journal } from './journal/journal.ts';
import { killSwitchKeeper } from './journal/kill-switch-turns.ts';
import { PostgresJournal } from './journal/postgres-journal.ts';
import { recentSends } from './journal/recent-sends.ts';
import type { Log } from './log.ts';
import { createKillSwitch, type KillSwitch, killSwitchOperations } from './orders/kill-switch.ts';
import { createOrderService, type OrderService } from './orders/order-service.ts';
import { hasFeed } from './session/brokers.ts';
import { createLogins } from './session/logins.ts';
import { createReads } from './session/reads.ts';
import { Sessions } from './session/sessions.ts';
import { openVault } from './session/vault.ts';
import { PersonRequests } from './settle/serve.ts';

/** The test seam: what is given here replaces the real part. */
export interface Overrides {
  clock?: Clock;
  random?: Random;
  brokers?: Partial<Record<BrokerId, BrokerDefinition>>;
  journal?: (real: Journal) => Journal;
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

/** Wires a gateway from its configuration. The only place that does. Rejects with a clear message when it cannot run. */
export async function createContext(config: Config, log: Log, overrides: Overrides = {}): Promise<Context> {
  const { clock = systemClock, random = systemRandom, onLost = () => undefined } = overrides;
  const closers: (() => Promise<void> | void)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const { dataDir, databaseUrl, mode } = config;
    const database = await openDatabase({ mode, dataDir, databaseUrl, log, onLost });
    closers.push(() => database.close());
    const practice = mode === 'practice' ? await startPractice(config, clock, log) : null;
    const exchange = practice?.exchange ?? null;
    closers.push(() => exchange?.close());
    const { sql, db, orders } = database;
    const users = createUsers({ db, random, clock });
    const { tokenFile } = await ensureFirstUser({ users, random, dataDir, gatewayToken: config.gatewayToken });
    const loaded = await loadRecords(sql);
    const postgres = new PostgresJournal(sql, mode, orders);
    const journal = overrides.journal?.(postgres) ?? postgres;
    const logins = createLogins(sql, await openVault(dataDir, random), clock);
    const killSwitch = await createKillSwitch({ keeper: killSwitchKeeper(sql), clock, log, turnOn: config.killSwitch });
    closers.push(() => killSwitch.stop());
    const brokerParts = {
      config: practice?.config ?? config,
      definitions: overrides.brokers ?? brokers,
      clock,
      random,
      log,
    };

    const wake: Wake = (reason, orderId) => {
      for (const part of [orderService, watch, feed]) part.wake(reason, orderId);
    };
    let service: OrderService | null = null;
    const sessions = new Sessions({
      ...brokerParts,
      logins,
      journal,
      limits: config.practiceLimits,
      hasOpen: (account) => service?.hasOpen(account) ?? true,
      recentSends: (broker, account) => recentSends(sql, broker, account, clock.now()),
      onUp(account) {
        wake('session');
        if (hasFeed(brokerParts.config.broker[account.broker.id])) feed.follow(account);
      },
      onDown: (account) => feed.leave(account),
    });
    closers.push(() => sessions.close());
    const watch = new Watch({ sql, clock, log, accounts: sessions, mode, wake });
    const owner = ownerName(random);
    const orderService = createOrderService({
      clock,
      random,
      log,
      journal,
      accounts: sessions,
      killSwitch,
      guardOff: !config.positionGuard,
      owner,
      // The practice exchange never closes: an AMO order is for the day it is sent on.
      sessionDay: (variety, exchange, at) => (mode === 'live' && variety === 'AMO' ? sessionDay(exchange, at) : tradingDay(at)),
      wake,
    });
    service = orderService;
    closers.push(() => watch.stop());
    closers.push(() => orderService.stop());
    const feed = new Feed({
      clock,
      random,
      log,
      // The practice exchange never closes.
      isOpen: mode === 'practice' ? () => true : isOpen,
      async watched(account) {
        const [watched, held] = await Promise.all([
          watchedInstruments(sql, account.broker.id, account.id),
          heldPositions(sql, account.broker.id, account.id),
        ]);
        const instruments = watched.map(({ token, ...instrument }) => ({ ...instrument, token: token ?? '' }));
        return { instruments, held };
      },
      record: async (account, prices) => void (await writePrices(sql, account.broker.id, account.id, prices)),
      wake,
    });
    closers.push(() => feed.stop());
    await orderService.recover();
    watch.start();
    const requests = new PersonRequests({ sql, clock, log, owner, orders: orderService });
    closers.push(() => requests.stop());
    requests.start();

    const selftest = createSelftest({ ...brokerParts, accounts: sessions, budgets: sessions.budgets, logins });
    const gateway: Gateway = {
      connect: (name) => sessions.connect(name),
      disconnect: () => sessions.disconnect(),
      ...createReads(sessions),
      place: (request, options) => orderService.place(request, options),
      modify: (request) => orderService.modify(request),
      cancel: (request) => orderService.cancel(request),
      ...selftest,
      ...killSwitchOperations(killSwitch),
    };
    let state: GatewayStatus['status'] = 'starting';
    const position_guard = config.positionGuard ? 'on' : 'off';
    const status = (): GatewayStatus => ({ name: 'Broker Gateway', mode, broker: sessions.activeName(), status: state, position_guard });
    return {
      app: createApp({ gateway, users, status, log, clock }),
      gateway,
      log,
      loaded,
      exchange,
      killSwitch,
      feed,
      sql,
      tokenFile,
      status,
      unresolved: () => orderService.unresolved(),
      async autoConnect() {
        await sessions.autoConnect(config.brokers);
        state = 'ready';
      },
      async stop() {
        state = 'stopping';
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Practice mode talks to the practice exchange with its own credentials, except where an address is overridden. Live mode never loads the exchange. */
async function startPractice(config: Config, clock: Clock, log: Log): Promise<{ exchange: PracticeExchange; config: Config }> {
  const { practiceCredentials, startExchange } = await import('./exchange/host.ts');
  const { practiceSeed: seed, practiceLimits: limits } = config;
  const exchange = await startExchange({ ports: 'free', dataDir: join(config.dataDir, 'practice'), seed, limits, clock, log });
  const settings = brokerIds.map((id): [BrokerId, BrokerSettings] => {
    const urls = exchange.urls[id];
    const given = config.broker[id];
    // A login that was not named as well stays on this machine too.
    if (!urls || given.apiUrl !== undefined) return [id, { ...given, loginUrl: given.loginUrl ?? given.apiUrl }];
    return [id, { ...given, credentials: practiceCredentials(id), apiUrl: urls.api, loginUrl: urls.login, feedUrl: urls.feed }];
  });
  return { exchange, config: { ...config, broker: Object.fromEntries(settings) as Config['broker'] } };
}

function ownerName(random: Random): string {
  return Buffer.from(random.bytes(8)).toString('hex');
}
