import { afterEach, beforeEach } from 'vitest';
import type { Broker, BrokerEnv, BrokerOrder, Sent } from '../../server/brokers/broker.ts';
import { createBroker } from '../../server/brokers/index.ts';
import { kotak } from '../../server/brokers/kotak/adapter.ts';
import { TAG } from './conformance.ts';
import { credentials, healthy, order } from './kotak.suite.ts';
import { envFor, openStand, type Stand } from './stub-server.ts';

export interface Bench {
  readonly stand: Stand;
  readonly made: ReturnType<typeof envFor>;
  readonly broker: Broker;
  /** Another broker in place of the first. */
  use(given: Record<string, string>, more?: Partial<BrokerEnv>): void;
  place(change: Partial<BrokerOrder>): Promise<Sent>;
  /** What went to a route in the one field Kotak takes. */
  sentTo(route: string): Record<string, string>[];
}

/** A stand with a healthy account and a broker at it, new for each test of the block it is called in. */
export function openBench(): Bench {
  let stand: Stand;
  let made: ReturnType<typeof envFor>;
  let broker: Broker;
  function use(given: Record<string, string>, more: Partial<BrokerEnv> = {}): void {
    made = envFor(kotak, stand.url, given);
    broker = createBroker('kotak', { ...made.env, ...more });
  }
  beforeEach(async () => {
    stand = await openStand();
    healthy(stand);
    use(credentials);
  });
  afterEach(async () => {
    await broker.close();
    await stand.close();
  });
  return {
    get stand() {
      return stand;
    },
    get made() {
      return made;
    },
    get broker() {
      return broker;
    },
    use,
    place: (change) => broker.placeOrder({ ...order, ...change }, TAG),
    sentTo: (route) => stand.calls(route).map((seen) => JSON.parse(seen.form.jData ?? 'null')),
  };
}
