import { existsSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { type BrokerId, brokerIds } from '../contract/words.ts';

export interface BrokerSettings {
  /** Credential texts by name without the broker's prefix. */
  credentials: Readonly<Record<string, string | undefined>>;
  apiUrl: string | undefined;
  loginUrl: string | undefined;
  feedUrl: string | undefined;
  masterUrl: string | undefined;
  /** An IPv4 address of this machine. */
  localAddress: string | undefined;
  algoId: string | undefined;
  /** As it was given: which percentages a broker takes stands in its definition. */
  marketProtection: string | undefined;
}

export interface Config {
  mode: 'practice' | 'live';
  port: number;
  host: string;
  /** Tried in order at start. */
  brokers: readonly BrokerId[];
  /** API token of the first user; made and kept in DATA_DIR/token when absent. */
  gatewayToken: string | undefined;
  /** Absolute. */
  dataDir: string;
  databaseUrl: string | undefined;
  exchangePort: number;
  /** Turns the kill switch on at the start; false leaves what is remembered. */
  killSwitch: boolean;
  /** Rule 4, one position per symbol. */
  positionGuard: boolean;
  practiceLimits: boolean;
  practiceSeed: number;
  logLevel: string;
  broker: Readonly<Record<BrokerId, BrokerSettings>>;
}

/** A setting that cannot be used; the message names it. */
export class ConfigError extends Error {}

const port = z.coerce.number().int().min(0).max(65_535);
const onOff = z.enum(['on', 'off', 'true', 'false', '1', '0']).transform((word) => ['on', 'true', '1'].includes(word));

/** Every setting that is not a broker's, with its default. */
const settings = z.object({
  GATEWAY_MODE: z.enum(['practice', 'live']).default('practice'),
  PORT: port.default(5000),
  HOST: z.string().min(1).default('0.0.0.0'),
  BROKERS: z.string().optional(),
  GATEWAY_TOKEN: z
    .string()
    .min(32, 'must have at least 32 characters')
    .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')
    .optional(),
  DATA_DIR: z.string().min(1).default('./data'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must start with postgres:// or postgresql://')
    .optional(),
  EXCHANGE_PORT: port.refine((value) => value <= 65_525, 'must leave room for ten ports above it').default(5100),
  KILL_SWITCH: onOff.default(false),
  POSITION_GUARD: onOff.default(true),
  PRACTICE_LIMITS: onOff.default(true),
  PRACTICE_SEED: z.coerce.number().int().min(0).max(0xffff_ffff).default(1),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
});

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads `.env` if present; the environment wins over the file. */
export function loadEnvironment(directory = process.cwd()): Environment {
  const file = resolve(directory, '.env');
  if (existsSync(file)) process.loadEnvFile(file);
  return process.env;
}

/** Environment -> Config, once. Throws ConfigError that names the setting. Empty values count as absent. */
export function readConfig(environment: Environment): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== ''));
  const parsed = settings.safeParse(given);
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '));
  }
  const values = parsed.data;
  if (values.GATEWAY_MODE === 'live' && !values.PRACTICE_LIMITS) throw new ConfigError('PRACTICE_LIMITS: may be off in practice mode only');
  const broker = Object.fromEntries(brokerIds.map((id) => [id, brokerSettings(id, given)])) as Record<BrokerId, BrokerSettings>;
  if (values.GATEWAY_MODE === 'practice') keepPracticeHere(broker);
  return {
    mode: values.GATEWAY_MODE,
    port: values.PORT,
    host: values.HOST,
    brokers: brokerList(values.BROKERS ?? (values.GATEWAY_MODE === 'practice' ? 'zerodha' : '')),
    gatewayToken: values.GATEWAY_TOKEN,
    dataDir: resolve(values.DATA_DIR),
    databaseUrl: values.DATABASE_URL,
    exchangePort: values.EXCHANGE_PORT,
    killSwitch: values.KILL_SWITCH,
    positionGuard: values.POSITION_GUARD,
    practiceLimits: values.PRACTICE_LIMITS,
    practiceSeed: values.PRACTICE_SEED,
    logLevel: values.LOG_LEVEL,
    broker,
  };
}

function brokerList(text: string): BrokerId[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  return names.map((name) => {
    const id = brokerIds.find((known) => known === name);
    if (!id) throw new ConfigError(`BROKERS: "${name}" is not one of ${brokerIds.join(', ')}`);
    return id;
  });
}

/** Settings of a broker that name a choice of the user's and no account: practice mode keeps them. */
export const choices: readonly string[] = ['CARRYFORWARD_PRODUCT'];

const ownSettings = ['API_URL', 'LOGIN_URL', 'FEED_URL', 'MASTER_URL', 'LOCAL_ADDRESS', 'ALGO_ID', 'MARKET_PROTECTION'];

function brokerSettings(id: BrokerId, given: Environment): BrokerSettings {
  const prefix = `${id.toUpperCase()}_`;
  const mine = Object.entries(given)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, value]) => [name.slice(prefix.length), value] as const);
  const own = Object.fromEntries(mine);
  return {
    credentials: Object.fromEntries(mine.filter(([name]) => !ownSettings.includes(name))),
    apiUrl: address(`${prefix}API_URL`, own.API_URL),
    loginUrl: address(`${prefix}LOGIN_URL`, own.LOGIN_URL),
    feedUrl: address(`${prefix}FEED_URL`, own.FEED_URL),
    masterUrl: address(`${prefix}MASTER_URL`, own.MASTER_URL),
    localAddress: localAddress(`${prefix}LOCAL_ADDRESS`, own.LOCAL_ADDRESS),
    algoId: own.ALGO_ID,
    marketProtection: own.MARKET_PROTECTION,
  };
}

/** Practice mode never speaks to a real broker: overridden addresses must be on this machine. */
function keepPracticeHere(settings: Readonly<Record<BrokerId, BrokerSettings>>): void {
  for (const [id, { apiUrl, loginUrl, feedUrl, masterUrl }] of Object.entries(settings)) {
    for (const [name, url] of Object.entries({ API_URL: apiUrl, LOGIN_URL: loginUrl, FEED_URL: feedUrl, MASTER_URL: masterUrl })) {
      if (url !== undefined && !loopback.test(new URL(url).hostname)) {
        throw new ConfigError(
          `${id.toUpperCase()}_${name}: practice mode talks to this machine only; set GATEWAY_MODE=live for a real broker`,
        );
      }
    }
  }
}

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Encrypted addresses anywhere; plain ones only towards this machine. */
function address(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (!url || !/^(https?|wss?):$/.test(url.protocol)) throw new ConfigError(`${name}: must be an http, https, ws or wss address`);
  if (/^(http|ws):$/.test(url.protocol) && !loopback.test(url.hostname))
    throw new ConfigError(`${name}: plain ${url.protocol}// is allowed towards loopback only`);
  return text.replace(/\/$/, '');
}

/** Outgoing sockets can be bound to an address of this machine alone, and leave over IPv4 alone. */
function localAddress(name: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const text = given.trim();
  const ours = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .flatMap(({ address: one, family }) => (family === 'IPv4' ? [one] : []));
  const here = `this machine has ${ours.join(', ') || 'none'}`;
  if (!isIPv4(text)) throw new ConfigError(`${name}: "${text}" is not an IPv4 address; ${here}`);
  if (!text.startsWith('127.') && !ours.includes(text))
    throw new ConfigError(`${name}: ${text} is not an address of this machine; ${here}`);
  return text;
}
