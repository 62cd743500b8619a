import type { BrokerId } from '../../contract/words.ts';
import type { BrokerDefinition } from '../../server/brokers/broker.ts';
import { type Clock, systemClock } from '../../server/clock.ts';
import { emulators } from '../../server/exchange/emulators.ts';
import type { PracticeExchange } from '../../server/exchange/host.ts';
import type { Faults, PlantedFault } from '../../server/exchange/wire/faults.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { scaledClock } from '../support/scaled-clock.ts';

export type FaultSpec = Parameters<Faults['plant']>[0];

/** How many times as fast as real time these gateways run. */
const FACTOR = 8;

/** A gateway on one broker's emulator whose time runs fast. */
export interface Fast {
  id: BrokerId;
  gateway: TestGateway;
  clock: Clock;
}

/** Symbols of NSE, enough for a case each. */
export const SYMBOLS = [
  'SBIN',
  'INFY',
  'TCS',
  'ITC',
  'WIPRO',
  'ONGC',
  'NTPC',
  'CIPLA',
  'TITAN',
  'HDFCBANK',
  'AXISBANK',
  'POWERGRID',
  'HINDALCO',
  'TATASTEEL',
  'COALINDIA',
];

interface FastOptions {
  /** Replaces the broker's adapter. */
  definition?: BrokerDefinition;
  factor?: number;
  env?: Record<string, string>;
  /** Takes every log line. */
  logTo?: (line: string) => void;
}

export async function startFast(id: BrokerId, { definition, factor = FACTOR, env = {}, logTo }: FastOptions = {}): Promise<Fast> {
  const clock = scaledClock(factor);
  const overrides = { clock, ...(definition && { brokers: { [id]: definition } }) };
  return { id, clock, gateway: await startGateway({ env: { BROKERS: id, ...env }, overrides, ...(logTo && { logTo }) }) };
}

/** Stops the gateway and starts another one on what it kept; its time goes on. */
export async function restart({ id, gateway, clock }: Fast, env: Record<string, string> = {}): Promise<Fast> {
  await gateway.halt();
  const again = await startGateway({ from: gateway, env: { BROKERS: id, ...env }, overrides: { clock } });
  // Whoever stops the newest one removes what the first one made.
  return { id, clock, gateway: { ...again, stop: () => again.halt().then(() => gateway.stop()) } };
}

export function venueOf(gateway: TestGateway): PracticeExchange {
  const { exchange } = gateway.context;
  if (!exchange) throw new Error('no practice exchange');
  return exchange;
}

/** A share of NSE by the exchange's own name. */
export function shareAt(gateway: TestGateway, symbol = '') {
  const found = venueOf(gateway).exchange.instruments.find((one) => one.exchange === 'NSE' && one.symbol === symbol);
  if (!found) throw new Error(`no instrument ${symbol}`);
  return found;
}

/** A MARKET order to buy shares, in the words of the gateway's broker. */
export function marketOrder({ id, gateway }: Pick<Fast, 'id' | 'gateway'>, symbol = ''): Record<string, unknown> {
  const emulator = emulators.find((one) => one.id === id);
  if (!emulator) throw new Error(`no emulator ${id}`);
  const sides = { transaction_type: 'BUY', order_type: 'MARKET', product_type: 'INTRADAY' };
  return { ...emulator.named(shareAt(gateway, symbol)), ...sides, exchange: 'NSE', quantity: 2 };
}

/** Waits until every planted fault has hit: the next order must not meet them. */
export async function struck(planted: readonly PlantedFault[]): Promise<void> {
  for (let waited = 0; planted.some((entry) => entry.struck === 0); waited += 2) {
    if (waited > 20_000) throw new Error(`not struck: ${JSON.stringify(planted)}`);
    await systemClock.sleep(2);
  }
}
