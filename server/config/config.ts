import { resolve } from 'node:path';
import { type BrokerId, brokerIds } from '../../contract/words.ts';
import { type AlertSettings, alertSettings } from './alert-settings.ts';
import { type BrokerSettings, brokersSetting, keepPracticeHere, ofEachBroker, readBrokerSettings } from './broker-settings.ts';
import type { CertificateFiles } from './certificate.ts';
import type { Environment } from './environment.ts';
import { ConfigError } from './error.ts';
import { type KeepSettings, keepSettings } from './keep-settings.ts';
import { isBrokers, namesGiven, refuseStrangers } from './names.ts';
import { settings } from './settings.ts';
import { readTable, type Values } from './table.ts';
import { together } from './together.ts';

export type { AlertSettings } from './alert-settings.ts';
export type { BrokerSettings } from './broker-settings.ts';
export { loadCommandEnvironment, loadEnvironment } from './environment.ts';
export { ConfigError } from './error.ts';
export type { KeepSettings } from './keep-settings.ts';

export interface Config {
  mode: 'practice' | 'live';
  port: number;
  host: string;
  /** The files it speaks HTTPS with; null: plain HTTP. */
  tls: CertificateFiles | null;
  /** Where browsers reach it, without a slash at the end. */
  publicUrl: string | undefined;
  /** Where figures, health and readiness are served; 0: nowhere. */
  opsPort: number;
  opsHost: string;
  /** Tried in order at start. */
  brokers: readonly BrokerId[];
  /** API token of the first user; made and kept in DATA_DIR/token when absent. */
  gatewayToken: string | undefined;
  /** Absolute. */
  dataDir: string;
  databaseUrl: string | undefined;
  /** One of several gateways of one database: it waits while another one leads. */
  standby: boolean;
  /** Seals the brokers' logins; the file DATA_DIR/key when absent. */
  vaultKey: string | undefined;
  exchangePort: number;
  /** Turns the kill switch on at the start; false leaves what is remembered. */
  killSwitch: boolean;
  /** Rule 4, one position per symbol. */
  positionGuard: boolean;
  practiceLimits: boolean;
  practiceSeed: number;
  logLevel: string;
  /** A calendar file instead of the one that comes with the gateway, absolute. */
  calendarFile: string | undefined;
  keep: KeepSettings;
  alerts: AlertSettings;
  broker: Readonly<Record<BrokerId, BrokerSettings>>;
  /** Every name that was given, but for those a platform sets. Which credentials there are, the brokers' definitions know. */
  names: readonly string[];
}

/** Every name that a setting can have, but for the brokers' credentials. */
export const settingNames: readonly string[] = [
  ...Object.keys(settings),
  ...brokerIds.flatMap((id) => Object.keys(ofEachBroker).map((name) => brokersSetting(id, name))),
];

/** Environment -> Config, once. Throws ConfigError, a line for each setting that it names. Empty values count as absent. */
export function readConfig(environment: Environment): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== ''));
  const names = namesGiven(given);
  refuseStrangers(
    names.filter((name) => !isBrokers(name)),
    settingNames,
  );
  const values = readTable(settings, given);
  if (values.GATEWAY_MODE === 'live' && !values.PRACTICE_LIMITS) throw new ConfigError('PRACTICE_LIMITS: may be off in practice mode only');
  if (values.OPS_PORT !== 0 && values.OPS_PORT === values.PORT) throw new ConfigError('OPS_PORT: must be another one than PORT');
  if (values.STANDBY) checkStandby(values);
  const broker = readBrokerSettings(given);
  if (values.GATEWAY_MODE === 'practice') keepPracticeHere(broker);
  return {
    mode: values.GATEWAY_MODE,
    port: values.PORT,
    host: values.HOST,
    tls: certificateFiles(values),
    publicUrl: values.PUBLIC_URL,
    opsPort: values.OPS_PORT,
    opsHost: values.OPS_HOST,
    brokers: brokerList(values.BROKERS ?? (values.GATEWAY_MODE === 'practice' ? 'zerodha' : '')),
    gatewayToken: values.GATEWAY_TOKEN,
    dataDir: resolve(values.DATA_DIR),
    databaseUrl: values.DATABASE_URL,
    standby: values.STANDBY,
    vaultKey: values.VAULT_KEY,
    exchangePort: values.EXCHANGE_PORT,
    killSwitch: values.KILL_SWITCH,
    positionGuard: values.POSITION_GUARD,
    practiceLimits: values.PRACTICE_LIMITS,
    practiceSeed: values.PRACTICE_SEED,
    logLevel: values.LOG_LEVEL,
    calendarFile: values.CALENDAR_FILE && resolve(values.CALENDAR_FILE),
    keep: keepSettings(values),
    alerts: alertSettings(values),
    broker,
    names,
  };
}

function certificateFiles({ TLS_CERT, TLS_KEY }: Values<typeof settings>): CertificateFiles | null {
  together({ TLS_CERT, TLS_KEY });
  return TLS_CERT && TLS_KEY ? { cert: resolve(TLS_CERT), key: resolve(TLS_KEY) } : null;
}

/** What two gateways must share to follow one another. */
function checkStandby({ DATABASE_URL, VAULT_KEY }: Values<typeof settings>): void {
  if (DATABASE_URL === undefined) throw new ConfigError('STANDBY: needs DATABASE_URL, the PostgreSQL that both gateways use');
  if (VAULT_KEY === undefined)
    throw new ConfigError("STANDBY: needs VAULT_KEY, the same at both gateways, so that each can read the brokers' logins");
}

function brokerList(text: string): BrokerId[] {
  const list = text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  return list.map((name) => {
    const id = brokerIds.find((known) => known === name);
    if (!id) throw new ConfigError(`BROKERS: "${name}" is not one of ${brokerIds.join(', ')}`);
    return id;
  });
}
