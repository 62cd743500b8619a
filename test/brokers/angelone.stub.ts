import { afterEach, beforeEach } from 'vitest';
import { angelone } from '../../server/brokers/angelone/adapter.ts';
import type { Broker, BrokerOrder, Sent } from '../../server/brokers/broker.ts';
import { createBroker } from '../../server/brokers/index.ts';
import type { Clock } from '../../server/clock.ts';
import { credentials, healthy, order } from './angelone.suite.ts';
import { TAG } from './conformance.ts';
import { envFor, openStand, type Stand } from './stub-server.ts';

/** A healthy stand and a broker on it, new for each test. */
export interface Here {
  stand: Stand;
  made: ReturnType<typeof envFor>;
  broker: Broker;
  /** Another broker on the same stand; `now` stops its clock (epoch ms). */
  use(given: Record<string, string>, now?: number): void;
  place(change: Partial<BrokerOrder>): Promise<Sent>;
  /** JSON bodies of the calls of a route. */
  bodies(route: string): unknown[];
}

/** Epoch ms of a text in India. 21 November 2026 is a Saturday. */
export const ist = (text: string) => Date.parse(`${text}+05:30`);

/** Registers the hooks of the surrounding describe; the members are there once a test runs. */
export function useStand(): Here {
  const here = {
    use(given, now) {
      here.made = envFor(angelone, here.stand.url, given);
      const clock: Clock = now === undefined ? here.made.env.clock : { ...here.made.env.clock, now: () => now };
      here.broker = createBroker('angelone', { ...here.made.env, clock });
    },
    place: (change) => here.broker.placeOrder({ ...order, ...change }, TAG),
    bodies: (route) => here.stand.calls(route).map((seen) => JSON.parse(seen.body)),
  } as Here;
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
