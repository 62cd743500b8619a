import { afterEach, beforeEach } from 'vitest';
import type { Broker } from '../../server/brokers/broker.ts';
import { groww } from '../../server/brokers/groww/adapter.ts';
import { createBroker } from '../../server/brokers/index.ts';
import { credentials, healthy } from './groww.suite.ts';
import { envFor, openStand, type Stand } from './stub-server.ts';

/** A healthy stand with an adapter in front of it, new for each test of the file. */
export function growwStand() {
  let stand: Stand;
  let made: ReturnType<typeof envFor>;
  let broker: Broker;

  /** Puts another adapter, with these credentials, in place of the first. */
  function use(given: Record<string, string>): void {
    made = envFor(groww, stand.url, given);
    broker = createBroker('groww', made.env);
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
    /** The JSON body last sent to a route. */
    jsonOf: (route: string) => JSON.parse(stand.calls(route).at(-1)?.body ?? 'null'),
  };
}
