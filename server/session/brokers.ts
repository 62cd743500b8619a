import { type BrokerId, brokerIds } from '../../contract/words.ts';
import type { Broker, BrokerDefinition, BrokerEnv } from '../brokers/broker.ts';
import { createRedactor, discreet, discreetOrders } from '../brokers/redactor.ts';
import { tradingCalendar } from '../calendar/calendar.ts';
import type { Clock, Random } from '../clock.ts';
import { brokersSetting } from '../config/broker-settings.ts';
import { type BrokerSettings, type Config, ConfigError, settingNames } from '../config/config.ts';
import { refuseStrangers } from '../config/names.ts';
import type { Log } from '../log.ts';
import { exact } from '../money.ts';

export interface BrokerParts {
  config: Config;
  definitions: Partial<Record<BrokerId, BrokerDefinition>>;
  clock: Clock;
  random: Random;
  log: Log;
  /** Why nothing may leave for a broker now, whoever asks; null when it may. */
  held?: () => string | null;
}

/** The definition of a broker by name. Throws in words for a person when there is none. */
export function definitionOf(parts: Pick<BrokerParts, 'definitions'>, name: string): BrokerDefinition {
  const id = brokerIds.find((known) => known === name);
  if (!id) throw new Error(`Unknown broker: ${name}`);
  const definition = parts.definitions[id];
  if (!definition) throw new Error(`${id} has no adapter in this version`);
  return definition;
}

/** Refuses, before anything is opened, settings that no broker has or that one cannot use. Throws ConfigError that names the setting. */
export function checkSettings({ config, definitions }: Pick<BrokerParts, 'config' | 'definitions'>): void {
  const credentials = Object.values(definitions).flatMap(({ id, settings }) => settings.map((name) => brokersSetting(id, name)));
  refuseStrangers(config.names, [...settingNames, ...credentials]);
  for (const definition of Object.values(definitions)) marketProtection(definition, config.broker[definition.id]);
}

function marketProtection({ id, name, marketProtection: taken }: BrokerDefinition, settings: BrokerSettings): string | undefined {
  const text = settings.marketProtection;
  if (text === undefined) return undefined;
  const setting = brokersSetting(id, 'MARKET_PROTECTION');
  if (!taken) throw new ConfigError(`${setting}: ${name} takes no percentage of market protection; leave it empty`);
  const { least, most, places } = taken;
  const percent = exact(text);
  if (percent?.gte(least) && percent.lte(most) && percent.eq(percent.round(places))) return percent.toFixed();
  const number = places === 0 ? 'a whole number' : `a number with at most ${places} decimal places`;
  throw new ConfigError(`${setting}: must be ${number} from ${least} to ${most}, percent; left empty, ${name} chooses the band`);
}

/** What an adapter is built from: its settings, and addresses that are the broker's own unless overridden. */
export function brokerEnv(parts: BrokerParts, definition: BrokerDefinition, onExpired: (reason: string) => void): BrokerEnv {
  const settings = parts.config.broker[definition.id];
  return {
    credentials: settings.credentials,
    redactor: createRedactor(settings.credentials),
    apiUrl: settings.apiUrl ?? definition.urls.api,
    loginUrl: settings.loginUrl ?? definition.urls.login,
    feedUrl: settings.feedUrl ?? (hasFeed(settings) ? definition.urls.feed : ''),
    localAddress: settings.localAddress,
    algoId: settings.algoId,
    marketProtection: marketProtection(definition, settings),
    isOpen: tradingCalendar(parts.config.calendarFile).isOpen,
    clock: parts.clock,
    random: parts.random,
    log: parts.log.child({ broker: definition.id }),
    onExpired,
    ...(parts.held && { held: parts.held }),
  };
}

/** An overridden API brings its own feed address or has none: its token is not for the broker's own sockets. */
export function hasFeed({ apiUrl, feedUrl }: BrokerSettings): boolean {
  return feedUrl !== undefined || apiUrl === undefined;
}

/** Where a broker's instrument files are; null where its API was moved and they were not: what is traded there is not what the broker lists. */
export function masterAddress({ config, definitions }: Pick<BrokerParts, 'config' | 'definitions'>, id: BrokerId): string | null {
  const { apiUrl, masterUrl } = config.broker[id];
  return masterUrl ?? (apiUrl === undefined ? (definitions[id]?.urls.master ?? null) : null);
}

/** A new broker instance from the configuration, not signed in. Throws like definitionOf. */
export function newBroker(
  parts: BrokerParts,
  name: string,
  onExpired: BrokerEnv['onExpired'],
  onOffset: BrokerEnv['onOffset'] = () => undefined,
): Broker {
  const definition = definitionOf(parts, name);
  const env = { ...brokerEnv(parts, definition, onExpired), onOffset };
  const broker = definition.create(env);
  const { redactor } = env;
  const [orders, byTag] = [broker.orders.bind(broker), broker.ordersByTag?.bind(broker)];
  return Object.assign(broker, {
    orders: async () => discreetOrders(await orders(), redactor),
    ...(byTag && { ordersByTag: async (tag: string) => discreetOrders(await byTag(tag), redactor) }),
    ...(broker.feed && { feed: broker.feed.map((channel) => discreet(channel, redactor)) }),
  });
}

export const supportedHint = `Supported: ${brokerIds.join(', ')}`;

/** The text of anything thrown. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
