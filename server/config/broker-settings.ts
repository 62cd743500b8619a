import { isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type BrokerId, brokerIds } from '../../contract/words.ts';
import type { Environment } from './environment.ts';
import { ConfigError } from './error.ts';
import { address, loopback, type Setting, text } from './kinds.ts';
import { readTable } from './table.ts';

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

/** Every setting that each broker has, without its prefix; its credentials stand in its definition. */
export const ofEachBroker = {
  API_URL: { ...address, meaning: "another address than the broker's; without a FEED_URL beside it there is no live feed" },
  LOGIN_URL: { ...address, meaning: 'the same for signing in' },
  FEED_URL: { ...address, meaning: 'the same for the live feed' },
  MASTER_URL: { ...address, meaning: 'the same for its instrument files' },
  LOCAL_ADDRESS: {
    value: text.check(({ value, issues }) => {
      const reason = notHere(value);
      if (reason !== null) issues.push({ code: 'custom', message: reason, input: value });
    }),
    kind: 'an IPv4 address of this machine',
    meaning: 'local address that calls to the broker leave from: the one registered with it',
  },
  ALGO_ID: { value: text, kind: 'text', meaning: 'exchange-issued algo id, sent with every order' },
  MARKET_PROTECTION: {
    value: text,
    kind: 'a percentage',
    meaning:
      'Zerodha (0.01 to 100) and Upstox (1 to 25): percent by which MARKET and SL-M orders may follow a price that moves away; left empty, the broker chooses',
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** Settings of a broker that name a choice of the user's and no account: practice mode keeps them. */
export const choices: readonly string[] = ['CARRYFORWARD_PRODUCT'];

/** Outgoing sockets can be bound to an address of this machine alone, and leave over IPv4 alone. */
function notHere(given: string): string | null {
  const ours = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .flatMap(({ address: one, family }) => (family === 'IPv4' ? [one] : []));
  const here = `this machine has ${ours.join(', ') || 'none'}`;
  if (!isIPv4(given)) return `"${given}" is not an IPv4 address; ${here}`;
  return given.startsWith('127.') || ours.includes(given) ? null : `${given} is not an address of this machine; ${here}`;
}

/** The name of a broker's setting, with its prefix. */
export function brokersSetting(id: BrokerId, name: string): string {
  return `${id.toUpperCase()}_${name}`;
}

/** What is set for each broker. Throws ConfigError that names the setting. */
export function readBrokerSettings(given: Environment): Record<BrokerId, BrokerSettings> {
  return Object.fromEntries(brokerIds.map((id) => [id, settingsOf(id, given)])) as Record<BrokerId, BrokerSettings>;
}

function settingsOf(id: BrokerId, given: Environment): BrokerSettings {
  const prefix = brokersSetting(id, '');
  const own = Object.keys(ofEachBroker);
  const rows = Object.fromEntries(Object.entries(ofEachBroker).map(([name, row]) => [`${prefix}${name}`, row]));
  const values = readTable(rows, given);
  const read = (name: keyof typeof ofEachBroker) => values[`${prefix}${name}`] as string | undefined;
  const mine = Object.entries(given).flatMap(([name, text]) =>
    name.startsWith(prefix) ? [[name.slice(prefix.length), text] as const] : [],
  );
  return {
    credentials: Object.fromEntries(mine.filter(([name]) => !own.includes(name))),
    apiUrl: read('API_URL'),
    loginUrl: read('LOGIN_URL'),
    feedUrl: read('FEED_URL'),
    masterUrl: read('MASTER_URL'),
    localAddress: read('LOCAL_ADDRESS'),
    algoId: read('ALGO_ID'),
    marketProtection: read('MARKET_PROTECTION'),
  };
}

/** Practice mode never speaks to a real broker: overridden addresses must be on this machine. */
export function keepPracticeHere(settings: Readonly<Record<BrokerId, BrokerSettings>>): void {
  for (const id of brokerIds) {
    const { apiUrl, loginUrl, feedUrl, masterUrl } = settings[id];
    for (const [name, url] of Object.entries({ API_URL: apiUrl, LOGIN_URL: loginUrl, FEED_URL: feedUrl, MASTER_URL: masterUrl })) {
      if (url !== undefined && !loopback.test(new URL(url).hostname)) {
        throw new ConfigError(
          `${brokersSetting(id, name)}: practice mode talks to this machine only; set GATEWAY_MODE=live for a real broker`,
        );
      }
    }
  }
}
