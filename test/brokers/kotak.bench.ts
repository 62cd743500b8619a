import { afterEach, beforeEach } from 'vitest';
import type { Broker, BrokerEnv, BrokerOrder, Sent } from '../../server/brokers/broker.ts';
import { createBroker } from '../../server/brokers/index.ts';
import { kotak } from '../../server/brokers/kotak/adapter.ts';
import { TAG } from './conformance.ts';
import { credentials, healthy, order } from './kotak.suite.ts';
import { envFor, openStub, type StubServer } from './stub-server.ts';

export interface Bench {
  readonly stub: StubServer;
  readonly made: ReturnType<typeof envFor>;
  readonly broker: Broker;
  /** Another broker in place of the first. */
  use(given: Record<string, string>, more?: Partial<BrokerEnv>): void;
  place(change: Partial<BrokerOrder>): Promise<Sent>;
  /** What went to a route in the one field Kotak takes. */
  sentTo(route: string): Record<string, string>[];
}

/** A stub server with a healthy account and a broker at it, new for each test of the block it is called in. */
export function openBench(): Bench {
  let stub: StubServer;
  let made: ReturnType<typeof envFor>;
  let broker: Broker;
  function use(given: Record<string, string>, more: Partial<BrokerEnv> = {}): void {
    made = envFor(kotak, stub.url, given);
    broker = createBroker('kotak', { ...made.env, ...more });
  }
  beforeEach(async () => {
    stub = await openStub();
    healthy(stub);
    use(credentials);
  });
  afterEach(async () => {
    await broker.close();
    await stub.close();
  });
  return {
    get stub() {
      return stub;
    },
    get made() {
      return made;
    },
    get broker() {
      return broker;
    },
    use,
    place: (change) => broker.placeOrder({ ...order, ...change }, TAG),
    sentTo: (route) => stub.calls(route).map((seen) => JSON.parse(seen.form.jData ?? 'null')),
  };
}
