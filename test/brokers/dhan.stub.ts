import { afterEach, beforeEach } from 'vitest';
import type { Broker, BrokerOrder, Sent, StoredLogin } from '../../server/brokers/broker.ts';
import { dhan } from '../../server/brokers/dhan/adapter.ts';
import { createBroker } from '../../server/brokers/index.ts';
import { TAG } from './conformance.ts';
import { credentials, healthy, order } from './dhan.suite.ts';
import { envFor, openStub, type StubServer } from './stub-server.ts';

/** A healthy stub server and an adapter pointed at it, new for each test of the suite that calls this. */
export interface DhanStub {
  stub: StubServer;
  made: ReturnType<typeof envFor>;
  broker: Broker;
  /** Another adapter with other credentials. */
  use(given: Record<string, string>): void;
  place(change: Partial<BrokerOrder>): Promise<Sent>;
  /** The last JSON body sent to a route. */
  sentTo(route: string): unknown;
}

export function dhanStub(): DhanStub {
  const here = {
    use(given: Record<string, string>) {
      here.made = envFor(dhan, here.stub.url, given);
      here.broker = createBroker('dhan', { ...here.made.env, loginUrl: here.stub.url });
    },
    place: (change: Partial<BrokerOrder>) => here.broker.placeOrder({ ...order, ...change }, TAG),
    sentTo: (route: string) => JSON.parse(here.stub.calls(route).at(-1)?.body ?? 'null'),
  } as DhanStub;
  beforeEach(async () => {
    here.stub = await openStub();
    healthy(here.stub);
    here.use(credentials);
  });
  afterEach(async () => {
    await here.broker.close();
    await here.stub.close();
  });
  return here;
}

export function stored(token: string, livesMs: number): StoredLogin {
  return { values: { access_token: token }, expiresAt: new Date(Date.now() + livesMs).toISOString() };
}
