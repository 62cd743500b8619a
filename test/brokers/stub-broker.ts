import { afterEach, beforeEach } from 'vitest';
import type { Broker, BrokerDefinition } from '../../server/brokers/broker.ts';
import { envFor, openStub, type StubServer } from './stub-server.ts';

/** A healthy stub server and a broker on it, new for each test. */
export interface StubBroker {
  stub: StubServer;
  made: ReturnType<typeof envFor>;
  broker: Broker;
  /** Another broker on the same stub server; `now` stops its clock (epoch ms). */
  use(given: Record<string, string>, more?: { now?: number; algoId?: string }): void;
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
      const clock = now === undefined ? env.clock : { ...env.clock, now: () => now };
      here.broker = definition.create({ ...env, ...more, clock });
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
