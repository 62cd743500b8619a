import { afterEach, beforeEach } from 'vitest';
import type { Broker, BrokerDefinition, BrokerEnv } from '../../server/brokers/broker.ts';
import { envFor, openStub, type StubServer } from './stub-server.ts';

/** A healthy stub server and a broker on it, new for each test. */
export interface StubBroker {
  stub: StubServer;
  made: ReturnType<typeof envFor>;
  broker: Broker;
  /** Another broker on the same stub server; `now` stops its clock (epoch ms). */
  use(given: Record<string, string>, more?: Partial<BrokerEnv> & { now?: number }): void;
}

export interface Stubbed {
  definition: BrokerDefinition;
  credentials: Record<string, string>;
  /** Routes of a healthy account on the stub server. */
  healthy(stub: StubServer): void;
}

/** Registers the hooks of the surrounding describe; the members are there once a test runs. */
export function stubBroker({ definition, credentials, healthy }: Stubbed): StubBroker {
  const here = {
    use(given, { now, ...more } = {}) {
      here.made = envFor(definition, here.stub.url, given);
      const { env } = here.made;
      const { clock = env.clock } = more;
      here.broker = definition.create({ ...env, ...more, clock: now === undefined ? clock : { ...clock, now: () => now } });
    },
  } as StubBroker;
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
