import { join } from 'node:path';
import { type BrokerId, brokerIds } from '../../contract/words.ts';
import type { Clock } from '../clock.ts';
import { type BrokerSettings, type Config, choices } from '../config.ts';
import type { Log } from '../log.ts';
import { type PracticeExchange, practiceCredentials, startExchange } from './host.ts';

/** The practice exchange inside a gateway, and the configuration that leads there with the exchange's own credentials, except where an address is overridden. */
export async function startPractice(config: Config, clock: Clock, log: Log): Promise<{ exchange: PracticeExchange; config: Config }> {
  const { practiceSeed: seed, practiceLimits: limits } = config;
  const exchange = await startExchange({ ports: 'free', dataDir: join(config.dataDir, 'practice'), seed, limits, clock, log });
  const settings = brokerIds.map((id): [BrokerId, BrokerSettings] => {
    const urls = exchange.urls[id];
    const given = config.broker[id];
    // A login that was not named as well stays on this machine too.
    if (!urls || given.apiUrl !== undefined) return [id, { ...given, loginUrl: given.loginUrl ?? given.apiUrl }];
    const { api: apiUrl, login: loginUrl, feed: feedUrl } = urls;
    // What the exchange trades may be listed elsewhere, on this machine too: benches list more.
    const masterUrl = given.masterUrl ?? urls.master;
    return [id, { ...given, credentials: practiceSettings(id, given), apiUrl, loginUrl, feedUrl, masterUrl }];
  });
  return { exchange, config: { ...config, broker: Object.fromEntries(settings) as Config['broker'] } };
}

/** The exchange's own credentials, and what the user chose beside the real ones. */
function practiceSettings(id: BrokerId, { credentials }: BrokerSettings): BrokerSettings['credentials'] {
  const chosen = Object.entries(credentials).filter(([name]) => choices.includes(name));
  return { ...Object.fromEntries(chosen), ...practiceCredentials(id) };
}
