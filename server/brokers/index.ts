import { type BrokerId, brokerIds } from '../../contract/words.ts';
import type { Broker, BrokerDefinition, BrokerEnv } from './broker.ts';

/**
 * The brokers, in the order of brokerIds. A line in that list is all a broker needs to be known here:
 * `<id>/adapter.ts` exports its BrokerDefinition under its id. One that does not stops the start.
 */
export const brokers: Readonly<Record<BrokerId, BrokerDefinition>> = Object.fromEntries(
  await Promise.all(brokerIds.map(async (id) => [id, await load(id)])),
);

async function load(id: BrokerId): Promise<BrokerDefinition> {
  const path = `./${id}/adapter.ts`;
  const exported: Partial<Record<string, BrokerDefinition>> = await import(path);
  const definition = exported[id];
  if (definition?.id !== id) throw new Error(`server/brokers/${id}/adapter.ts does not export the definition of ${id}`);
  return definition;
}

/** A new, not yet signed-in broker. */
export function createBroker(id: BrokerId, env: BrokerEnv): Broker {
  return brokers[id].create(env);
}
