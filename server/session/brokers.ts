import { type BrokerId, brokerIds } from '../../contract/words.ts';
import type { Broker, BrokerDefinition } from '../brokers/broker.ts';
import type { Clock, Random } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';

export interface BrokerParts {
  config: Config;
  definitions: Partial<Record<BrokerId, BrokerDefinition>>;
  clock: Clock;
  random: Random;
  log: Log;
}

/** A new broker instance from the configuration, not signed in. Throws in words for a person when the name has no adapter. */
export function newBroker(parts: BrokerParts, name: string, onExpired: (reason: string) => void): Broker {
  const id = brokerIds.find((known) => known === name);
  if (!id) throw new Error(`Unknown broker: ${name}`);
  const definition = parts.definitions[id];
  if (!definition) throw new Error(`${id} has no adapter in this version`);
  const settings = parts.config.broker[id];
  return definition.create({
    credentials: settings.credentials,
    apiUrl: settings.apiUrl ?? definition.urls.api,
    loginUrl: settings.loginUrl ?? definition.urls.login,
    feedUrl: settings.feedUrl ?? definition.urls.feed,
    localAddress: settings.localAddress,
    algoId: settings.algoId,
    clock: parts.clock,
    random: parts.random,
    log: parts.log.child({ broker: id }),
    onExpired,
  });
}

export const supportedHint = `Supported: ${brokerIds.join(', ')}`;

/** The text of anything thrown. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
