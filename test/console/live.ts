import { systemClock } from '../../server/clock.ts';
import { practiceCredentials } from '../../server/exchange/emulators.ts';
import { type PracticeExchange, startExchange } from '../../server/exchange/host.ts';
import { silentLog } from '../../server/log.ts';

/** A gateway's settings for live mode whose broker is an emulator on this machine: it believes that the money is real. */
export async function liveAtEmulator(): Promise<{ venue: PracticeExchange; env: Record<string, string> }> {
  const venue = await startExchange({ ports: 'free', seed: 7, limits: false, clock: systemClock, log: silentLog() });
  const urls = venue.urls.zerodha;
  const named = {
    API_URL: urls?.api,
    LOGIN_URL: urls?.login,
    FEED_URL: urls?.feed,
    MASTER_URL: urls?.master,
    ...practiceCredentials('zerodha'),
  };
  const settings = Object.entries(named).map(([name, value]) => [`ZERODHA_${name}`, value ?? '']);
  return { venue, env: { GATEWAY_MODE: 'live', BROKERS: 'zerodha', PRACTICE_LIMITS: 'on', ...Object.fromEntries(settings) } };
}
