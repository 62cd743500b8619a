import type { BrokerId } from '../../contract/words.ts';
import { aliceblue } from './aliceblue/adapter.ts';
import { angelone } from './angelone/adapter.ts';
import type { Broker, BrokerDefinition, BrokerEnv } from './broker.ts';
import { dhan } from './dhan/adapter.ts';
import { fivepaisa } from './fivepaisa/adapter.ts';
import { fyers } from './fyers/adapter.ts';
import { groww } from './groww/adapter.ts';
import { kotak } from './kotak/adapter.ts';
import { shoonya } from './shoonya/adapter.ts';
import { upstox } from './upstox/adapter.ts';
import { zerodha } from './zerodha/adapter.ts';

/** The brokers there is an adapter for, in the order of brokerIds. The only place that names them. */
export const brokers: Partial<Record<BrokerId, BrokerDefinition>> = {
  aliceblue,
  angelone,
  dhan,
  fivepaisa,
  fyers,
  groww,
  kotak,
  shoonya,
  upstox,
  zerodha,
};

/** A new, not yet signed-in broker. Throws for one without an adapter. */
export function createBroker(id: BrokerId, env: BrokerEnv): Broker {
  const definition = brokers[id];
  if (!definition) throw new Error(`There is no adapter for ${id} yet`);
  return definition.create(env);
}
