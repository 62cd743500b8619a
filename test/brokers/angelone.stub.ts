import { afterEach, beforeEach } from 'vitest';
import { angelone } from '../../server/brokers/angelone/adapter.ts';
import type { Broker, BrokerOrder, Sent } from '../../server/brokers/broker.ts';
import { createBroker } from '../../server/brokers/index.ts';
import type { Clock } from '../../server/clock.ts';
import { credentials, healthy, order } from './angelone.suite.ts';
import { TAG } from './conformance.ts';
import { envFor, openStub, type StubServer } from './stub-server.ts';

/** A healthy stub server and a broker on it, new for each test. */
export interface Here {
  stub: StubServer;
  made: ReturnType<typeof envFor>;
  broker: Broker;
  /** Another broker on the same stub server; `now` stops its clock (epoch ms). */
  use(given: Record<string, string>, now?: number): void;
  place(change: Partial<BrokerOrder>): Promise<Sent>;
  /** JSON bodies of the calls of a route. */
  bodies(route: string): unknown[];
}

/** Epoch ms of a text in India. 21 November 2026 is a Saturday. */
export const ist = (text: string) => Date.parse(`${text}+05:30`);

/** Registers the hooks of the surrounding describe; the members are there once a test runs. */
export function useStub(): Here {
  const here = {
    use(given, now) {
      here.made = envFor(angelone, here.stub.url, given);
      const clock: Clock = now === undefined ? here.made.env.clock : { ...here.made.env.clock, now: () => now };
      here.broker = createBroker('angelone', { ...here.made.env, clock });
    },
    place: (change) => here.broker.placeOrder({ ...order, ...change }, TAG),
    bodies: (route) => here.stub.calls(route).map((seen) => JSON.parse(seen.body)),
  } as Here;
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
