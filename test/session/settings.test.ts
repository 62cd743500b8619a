import { expect, it } from 'vitest';
import { brokers } from '../../server/brokers/index.ts';
import { seededRandom, systemClock } from '../../server/clock.ts';
import { ConfigError, readConfig } from '../../server/config/config.ts';
import { silentLog } from '../../server/log.ts';
import { brokerEnv, checkSettings } from '../../server/session/brokers.ts';

const partsOf = (environment: Record<string, string>) => ({
  config: readConfig(environment),
  definitions: brokers,
  clock: systemClock,
  random: seededRandom(1),
  log: silentLog(),
});

it.each([
  ['zerodha', undefined, undefined],
  ['zerodha', '', undefined],
  ['zerodha', '0.01', '0.01'],
  ['zerodha', ' 2.50 ', '2.5'],
  ['zerodha', '100', '100'],
  ['upstox', '1', '1'],
  ['upstox', '25.0', '25'],
] as const)('%s takes a market protection of %j', (id, given, taken) => {
  const parts = partsOf(given === undefined ? {} : { [`${id.toUpperCase()}_MARKET_PROTECTION`]: given });
  expect(() => checkSettings(parts)).not.toThrow();
  expect(brokerEnv(parts, brokers[id], () => undefined)).toMatchObject({ marketProtection: taken });
});

it.each([
  ['zerodha', '0', /must be a number with at most 2 decimal places from 0\.01 to 100, percent/],
  ['zerodha', '-1', /left empty, Zerodha chooses the band/],
  ['zerodha', '100.01', /0\.01 to 100/],
  ['zerodha', '2.005', /2 decimal places/],
  ['zerodha', '2%', /percent/],
  ['zerodha', '1e1', /percent/],
  ['upstox', '0.5', /must be a whole number from 1 to 25, percent/],
  ['upstox', '2.5', /whole number/],
  ['upstox', '26', /1 to 25/],
  ['fyers', '2', /takes no percentage of market protection/],
] as const)('%s refuses a market protection of %j, and names the setting', (id, given, reason) => {
  const name = `${id.toUpperCase()}_MARKET_PROTECTION`;
  const check = () => checkSettings(partsOf({ [name]: given }));
  expect(check).toThrow(ConfigError);
  expect(check).toThrow(reason);
  expect(check).toThrow(new RegExp(`^${name}: `));
});
