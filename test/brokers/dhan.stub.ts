import { afterEach, beforeEach } from 'vitest';
import type { Broker, BrokerOrder, Sent, StoredLogin } from '../../server/brokers/broker.ts';
import { dhan } from '../../server/brokers/dhan/adapter.ts';
import { createBroker } from '../../server/brokers/index.ts';
import { TAG } from './conformance.ts';
import { credentials, healthy, order } from './dhan.suite.ts';
import { envFor, openStand, type Stand } from './stub-server.ts';

/** A healthy stand and an adapter pointed at it, new for each test of the suite that calls this. */
export interface DhanStand {
  stand: Stand;
  made: ReturnType<typeof envFor>;
  broker: Broker;
  /** Another adapter with other credentials. */
  use(given: Record<string, string>): void;
  place(change: Partial<BrokerOrder>): Promise<Sent>;
  /** The last JSON body sent to a route. */
  sentTo(route: string): unknown;
}

export function dhanStand(): DhanStand {
  const here = {
    use(given: Record<string, string>) {
      here.made = envFor(dhan, here.stand.url, given);
      here.broker = createBroker('dhan', { ...here.made.env, loginUrl: here.stand.url });
    },
    place: (change: Partial<BrokerOrder>) => here.broker.placeOrder({ ...order, ...change }, TAG),
    sentTo: (route: string) => JSON.parse(here.stand.calls(route).at(-1)?.body ?? 'null'),
  } as DhanStand;
  beforeEach(async () => {
    here.stand = await openStand();
    healthy(here.stand);
    here.use(credentials);
  });
  afterEach(async () => {
    await here.broker.close();
    await here.stand.close();
  });
  return here;
}

export function stored(token: string, livesMs: number): StoredLogin {
  return { values: { access_token: token }, expiresAt: new Date(Date.now() + livesMs).toISOString() };
}
