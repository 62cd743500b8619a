import { groww as definition } from '../../server/brokers/groww/adapter.ts';
import { credentials, healthy } from './groww.suite.ts';
import { stubBroker } from './stub-broker.ts';

/** A healthy stub server with an adapter in front of it, new for each test of the file. */
export function growwStub() {
  const here = stubBroker({ definition, credentials, healthy });
  /** The JSON body last sent to a route. */
  return Object.assign(here, { jsonOf: (route: string) => JSON.parse(here.stub.calls(route).at(-1)?.body ?? 'null') });
}
