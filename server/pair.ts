import { hostname } from 'node:os';
import type { Clock } from './clock.ts';
import type { Config } from './config/config.ts';
import type { OpenOptions } from './db/open.ts';
import type { PracticeExchange } from './exchange/host.ts';
import type { Log } from './log.ts';

/** Of a gateway that another one follows at once, and that is not kept waiting for what is still under way. */
const HAND_OVER_WAIT_MS = 200;

interface Hearing {
  log: Log;
  onLost?: (reason: string) => void;
  onWaiting?: (leader: string | null) => void;
}

/** How a gateway opens its database: with STANDBY=on it leads by time, and waits for its turn. */
export function databaseOptions({ mode, dataDir, databaseUrl, standby, port }: Config, hearing: Hearing): OpenOptions {
  const { log, onLost = () => undefined, onWaiting = () => undefined } = hearing;
  return { mode, dataDir, databaseUrl, log, onLost, ...(standby && { onWaiting, name: `${hostname()}:${port}` }) };
}

/** How long its parts wait when it stops; where nobody follows, as long as they do by themselves. */
export function stopWaits({ standby }: Config): { stopWaitMs?: number } {
  return standby ? { stopWaitMs: HAND_OVER_WAIT_MS } : {};
}

interface Base {
  clock: Clock;
  log: Log;
}

/** What the gateway trades on: in practice mode an exchange inside it, or with STANDBY=on the one that runs apart, and the configuration that leads there. Live mode never loads it. */
export async function marketplace(config: Config, { clock, log }: Base): Promise<{ exchange: PracticeExchange | null; config: Config }> {
  if (config.mode === 'live') return { exchange: null, config };
  const { practiceApart, startPractice } = await import('./exchange/practice.ts');
  return config.standby ? { exchange: null, config: practiceApart(config) } : await startPractice(config, clock, log);
}
