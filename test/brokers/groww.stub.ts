import { afterEach, beforeEach } from 'vitest';
import type { Broker } from '../../server/brokers/broker.ts';
import { groww } from '../../server/brokers/groww/adapter.ts';
import { createBroker } from '../../server/brokers/index.ts';
import { credentials, healthy } from './groww.suite.ts';
import { envFor, openStub, type StubServer } from './stub-server.ts';

/** A healthy stub server with an adapter in front of it, new for each test of the file. */
export function growwStub() {
  let stub: StubServer;
  let made: ReturnType<typeof envFor>;
  let broker: Broker;

  /** Puts another adapter, with these credentials, in place of the first. */
  function use(given: Record<string, string>): void {
    made = envFor(groww, stub.url, given);
    broker = createBroker('groww', made.env);
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
    /** The JSON body last sent to a route. */
    jsonOf: (route: string) => JSON.parse(stub.calls(route).at(-1)?.body ?? 'null'),
  };
}
