import type { EventHub } from '../events/hub.ts';
import type { Feed } from '../feed/feed.ts';
import { quoteOperations } from '../feed/quotes.ts';
import type { FindByName } from '../instruments/by-name.ts';
import type { Instruments } from '../instruments/instruments.ts';
import { type KillSwitch, killSwitchOperations } from '../orders/kill-switch.ts';
import type { OrderService } from '../orders/order-service.ts';
import type { BrokerParts } from '../session/brokers.ts';
import type { Logins } from '../session/logins.ts';
import { createReads } from '../session/reads.ts';
import type { Sessions } from '../session/sessions.ts';
import { createEventList } from './event-list.ts';
import type { Gateway } from './gateway.ts';
import { createInstrumentOperations } from './instruments.ts';
import { createSelftest } from './selftest.ts';

export interface OperationParts extends BrokerParts {
  sessions: Sessions;
  orders: OrderService;
  logins: Logins;
  killSwitch: KillSwitch;
  instruments: Instruments;
  hub: EventHub;
  feed: Feed;
  find: FindByName;
}

/** The operations behind the routes, each handed to the part that does it. */
export function createOperations(parts: OperationParts): Gateway {
  const { sessions, orders, killSwitch, instruments } = parts;
  return {
    connect: (name) => sessions.connect(name),
    disconnect: () => sessions.disconnect(),
    ...createReads(sessions, parts),
    place: (request, options) => orders.place(request, options),
    modify: (request) => orders.modify(request),
    cancel: (request) => orders.cancel(request),
    ...createSelftest({ ...parts, accounts: sessions, budgets: sessions.budgets }),
    ...killSwitchOperations(killSwitch),
    ...createInstrumentOperations(sessions, instruments),
    events: createEventList(parts),
    ...quoteOperations({ ...parts, accounts: sessions }),
  };
}
