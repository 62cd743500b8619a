import { Alerts } from './alerts/alerts.ts';
import type { GatewayStatus } from './api/gateway.ts';
import { Streams } from './api/streams.ts';
import { Watch } from './books/watch.ts';
import type { Wake } from './brokers/wake.ts';
import { tradingCalendar } from './calendar/calendar.ts';
import { CalendarWatch } from './calendar/ending.ts';
import type { Calendar } from './calendar/market.ts';
import type { Clock, Random } from './clock.ts';
import type { Config } from './config/config.ts';
import type { Database } from './db/open.ts';
import { createEventList } from './events/event-list.ts';
import { EventHub } from './events/hub.ts';
import { Exits } from './exits/exits.ts';
import { exitRecords } from './exits/records.ts';
import { Feed } from './feed/feed.ts';
import { feedRecords } from './feed/records.ts';
import { Ticks } from './feed/ticks.ts';
import { type FindByName, finder } from './instruments/by-name.ts';
import type { Instruments } from './instruments/instruments.ts';
import type { Journal } from './journal/journal.ts';
import { recentSends } from './journal/recent-sends.ts';
import type { Log } from './log.ts';
import type { Meters } from './meters.ts';
import { measurer } from './ops/measure.ts';
import type { KillSwitch } from './orders/kill-switch.ts';
import { createOrderService } from './orders/order-service.ts';
import { stopWaits } from './pair.ts';
import { Report } from './report/report.ts';
import { Retention } from './retention/retention.ts';
import { type BrokerParts, hasFeed } from './session/brokers.ts';
import { BrowserLogins } from './session/browser-login.ts';
import type { Logins } from './session/logins.ts';
import { Sessions } from './session/sessions.ts';
import { PersonRequests } from './settle/serve.ts';
import { version } from './version.ts';

/** What ends the parts: the newest first. */
export type Closers = (() => Promise<void> | void)[];

/** What every part is built from. */
export interface Base {
  clock: Clock;
  random: Random;
  log: Log;
  meters: Meters | undefined;
  /** Names this process in the journal. */
  owner: string;
}

export interface TradingParts extends Base, BrokerParts, Pick<Database, 'db' | 'reports' | 'where'> {
  find: FindByName | undefined;
  journal: Journal;
  logins: Logins;
  killSwitch: KillSwitch;
  instruments: Instruments;
}

/** What trades: the session, the orders, the watch over the records and the feed. They know of each other only what stands here, and wake one another. */
export function wireTrading(parts: TradingParts, calendar: Calendar, closers: Closers) {
  const { db, clock, config, instruments } = parts;
  const { mode, practiceLimits: limits, positionGuard } = config;
  const wake: Wake = (reason, orderId) => {
    for (const part of [orders, watch, feed, ticks, report]) part.wake(reason, orderId);
  };
  const waits = stopWaits(config);
  const sessions = new Sessions({
    ...parts,
    ...waits,
    limits,
    hasOpen: (account) => orders.hasOpen(account),
    recentSends: (broker, account) => recentSends(db, broker, account, clock.now()),
    onUp(account) {
      wake('session');
      report.up(account);
      instruments.follow(account.broker);
      if (hasFeed(config.broker[account.broker.id])) feed.follow(account);
    },
    onDown(account) {
      instruments.leave(account.broker);
      feed.leave(account);
    },
  });
  const browserLogins = new BrowserLogins({ ...parts, sessions });
  const directory = () => {
    const account = sessions.active();
    return account && instruments.of(account.broker.id);
  };
  const find = parts.find ?? finder(directory, clock);
  const watch = new Watch({ ...parts, mode, accounts: sessions, wake });
  const orders = createOrderService({ ...parts, ...waits, ...calendar, accounts: sessions, guardOff: !positionGuard, wake });
  const exits = new Exits({ ...parts, accounts: sessions, orders, records: exitRecords(db) });
  const feed = new Feed({ ...parts, ...calendar, ...feedRecords(db, mode), wake });
  const ticks = new Ticks({ ...parts, feed, find });
  instruments.onSwap(() => ticks.wake('session'));
  const report = new Report({ ...parts, ...calendar, mode, version, accounts: sessions, orders, feed, find });
  closers.push(
    () => instruments.stop(),
    () => sessions.close(),
    () => watch.stop(),
    () => orders.stop(),
    () => exits.stop(),
    () => feed.stop(),
    () => report.stop(),
  );
  return { sessions, browserLogins, watch, orders, exits, feed, ticks, find, report };
}

/** What the alerts ask, too. */
type WatchedParts = TradingParts & ReturnType<typeof wireTrading> & Calendar & { status(): GatewayStatus };

/** What is asked and followed from outside: a person's requests, the events of the audit trail, ticks and alerts. Beside it old records are deleted. Streams are the first to end. */
export function wireCallers(parts: WatchedParts & { ticks: Ticks; knocked: Database['knocked'] }, closers: Closers) {
  const requests = new PersonRequests(parts);
  requests.start();
  const ending = new CalendarWatch(parts);
  const retention = new Retention({ ...parts, keep: parts.config.keep, hours: tradingCalendar(parts.config.calendarFile) });
  retention.start();
  const hub = new EventHub(parts);
  const streams = new Streams({ ...parts, hub });
  const alerts = wireAlerts({ ...parts, hub });
  closers.push(
    () => requests.stop(),
    () => ending.stop(),
    () => retention.stop(),
    () => hub.stop(),
    () => alerts.stop(),
    () => streams.stop(),
  );
  return { events: createEventList({ ...parts, hub }), streams, alerts, measured: measurer({ ...parts, ...parts.config }) };
}

/** What tells a person of trouble. It asks the parts and is asked by none. */
function wireAlerts(parts: WatchedParts & { hub: EventHub }): Alerts {
  const { config, sessions, orders, feed, report, status } = parts;
  const alerts = new Alerts({
    ...parts,
    mode: config.mode,
    brokers: config.brokers,
    settings: config.alerts,
    activeBroker: () => sessions.activeName(),
    nextTryAt: () => sessions.state().nextTryAt,
    settled: () => status().status !== 'starting',
    unresolved: () => orders.unresolved(),
    feedSilentMs: () => feed.silentMs(),
    profit: () => report.dayProfit(),
  });
  alerts.start();
  return alerts;
}

/** What the root path tells, and how it changes. */
export function statusOf({ mode, positionGuard }: Config, sessions: Sessions) {
  let state: GatewayStatus['status'] = 'starting';
  const position_guard = positionGuard ? 'on' : 'off';
  return {
    status: (): GatewayStatus => ({ name: 'Broker Gateway', mode, broker: sessions.activeName(), status: state, position_guard }),
    become(now: GatewayStatus['status']) {
      state = now;
    },
  };
}
