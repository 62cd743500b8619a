import { join } from 'node:path';
import { type BrokerId, brokerIds } from '../../contract/words.ts';
import type { Clock } from '../clock.ts';
import { choices } from '../config/broker-settings.ts';
import type { BrokerSettings, Config } from '../config/config.ts';
import type { Log } from '../log.ts';
import { emulators, practiceCredentials } from './emulators.ts';
import { type PracticeExchange, startExchange } from './host.ts';

/** The practice exchange inside a gateway, and the configuration that leads there. */
export async function startPractice(config: Config, clock: Clock, log: Log): Promise<{ exchange: PracticeExchange; config: Config }> {
  const { practiceSeed: seed, practiceLimits: limits } = config;
  const exchange = await startExchange({ ports: 'free', dataDir: join(config.dataDir, 'practice'), seed, limits, clock, log });
  return { exchange, config: ledTo(exchange.urls, config) };
}

/** The configuration that leads to the exchange of `npm run exchange` on this machine: the one that several gateways can share. */
export function practiceApart(config: Config): Config {
  const urls = emulators.map(({ id, urls }) => [id, urls(`http://127.0.0.1:${config.exchangePort + brokerIds.indexOf(id) + 1}`)]);
  return ledTo(Object.fromEntries(urls), config);
}

/** With the exchange's own credentials, except where an address is overridden. */
function ledTo(addresses: PracticeExchange['urls'], config: Config): Config {
  const settings = brokerIds.map((id): [BrokerId, BrokerSettings] => {
    const urls = addresses[id];
    const given = config.broker[id];
    // A login that was not named as well stays on this machine too.
    if (!urls || given.apiUrl !== undefined) return [id, { ...given, loginUrl: given.loginUrl ?? given.apiUrl }];
    const { api: apiUrl, login: loginUrl, feed: feedUrl } = urls;
    // What the exchange trades may be listed elsewhere, on this machine too: benches list more.
    const masterUrl = given.masterUrl ?? urls.master;
    return [id, { ...given, credentials: practiceSettings(id, given), apiUrl, loginUrl, feedUrl, masterUrl }];
  });
  return { ...config, broker: Object.fromEntries(settings) as Config['broker'] };
}

/** The exchange's own credentials, and what the user chose beside the real ones. */
function practiceSettings(id: BrokerId, { credentials }: BrokerSettings): BrokerSettings['credentials'] {
  const chosen = Object.entries(credentials).filter(([name]) => choices.includes(name));
  return { ...Object.fromEntries(chosen), ...practiceCredentials(id) };
}
