import type { Alerts } from '../alerts/alerts.ts';
import { createUserOperations } from '../auth/user-operations.ts';
import type { Users } from '../auth/users.ts';
import type { ListEvents } from '../events/event-list.ts';
import type { Exits } from '../exits/exits.ts';
import type { Feed } from '../feed/feed.ts';
import { quoteOperations } from '../feed/quotes.ts';
import type { FindByName } from '../instruments/by-name.ts';
import type { Instruments } from '../instruments/instruments.ts';
import { type KillSwitch, killSwitchOperations } from '../orders/kill-switch.ts';
import { marginOperations } from '../orders/margin.ts';
import type { OrderService } from '../orders/order-service.ts';
import { type ReportOperations, reportOperations } from '../report/report.ts';
import type { BrokerParts } from '../session/brokers.ts';
import type { LoginOperations } from '../session/browser-login.ts';
import type { Logins } from '../session/logins.ts';
import { createReads } from '../session/reads.ts';
import type { Sessions } from '../session/sessions.ts';
import type { Gateway } from './gateway.ts';
import { createInstrumentOperations } from './instruments.ts';
import { createSelftest } from './selftest.ts';

export interface OperationParts extends BrokerParts {
  sessions: Sessions;
  orders: OrderService;
  exits: Exits;
  browserLogins: LoginOperations;
  users: Users;
  /** Writes an event of the audit trail. */
  journal: { note(event: { kind: string; detail: Record<string, unknown> }): Promise<void> };
  logins: Logins;
  killSwitch: KillSwitch;
  instruments: Instruments;
  alerts: Alerts;
  feed: Feed;
  find: FindByName;
  report: ReportOperations;
  events: ListEvents;
}

/** The operations behind the routes, each handed to the part that does it. */
export function createOperations(parts: OperationParts): Gateway {
  const { sessions, browserLogins, orders, exits, killSwitch, instruments, alerts } = parts;
  return {
    connect: (name) => sessions.connect(name),
    disconnect: () => sessions.disconnect(),
    beginLogin: (broker, user) => browserLogins.beginLogin(broker, user),
    finishLogin: (request, user) => browserLogins.finishLogin(request, user),
    ...createReads(sessions, parts),
    place: (request, options) => orders.place(request, options),
    modify: (request) => orders.modify(request),
    cancel: (request) => orders.cancel(request),
    planExits: (holdings) => exits.planExits(holdings),
    exitPositions: (request, by, options) => exits.exitPositions(request, by, options),
    ...createSelftest({ ...parts, accounts: sessions, budgets: sessions.budgets }),
    ...killSwitchOperations(killSwitch),
    ...createUserOperations({ ...parts, note: (event) => parts.journal.note(event) }),
    ...createInstrumentOperations(sessions, instruments),
    events: parts.events,
    alerts: () => alerts.alerts(),
    testAlerts: () => alerts.testAlerts(),
    ...reportOperations(parts.report),
    ...quoteOperations({ ...parts, accounts: sessions }),
    ...marginOperations({ ...parts, accounts: sessions }),
  };
}
