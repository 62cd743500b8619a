import type { BrokerOrder, Sent } from '../../server/brokers/broker.ts';
import { kotak as definition } from '../../server/brokers/kotak/adapter.ts';
import { TAG } from './conformance.ts';
import { credentials, healthy, order } from './kotak.suite.ts';
import { stubBroker } from './stub-broker.ts';

/** A stub server with a healthy account and a broker at it, new for each test of the block it is called in. */
export function kotakStub() {
  const here = stubBroker({ definition, credentials, healthy });
  return Object.assign(here, {
    place: (change: Partial<BrokerOrder>): Promise<Sent> => here.broker.placeOrder({ ...order, ...change }, TAG),
    /** What went to a route in the one field Kotak takes. */
    sentTo: (route: string): Record<string, string>[] => here.stub.calls(route).map((seen) => JSON.parse(seen.form.jData ?? 'null')),
  });
}
