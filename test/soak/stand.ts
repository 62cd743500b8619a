import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { practiceCredentials } from '../../server/exchange/host.ts';
import { type Receiver, startReceiver } from '../alerts/receiver.ts';
import { startVenue, type Venue } from '../chaos/venue.ts';
import { type GatewayProcess, main, startProcess } from '../support/process.ts';

export const BROKER = 'zerodha';
export const TOKEN = 'soak-token-of-at-least-32-characters';

/** A gateway as `npm start` runs it, its database its own, the exchange and the receiver of alerts apart from it. */
export interface Stand {
  gateway: GatewayProcess;
  pid: number;
  dataDir: string;
  /** Address of its figures. */
  figures: string;
  venue: Venue;
  receiver: Receiver;
  /** Lets it collect all garbage. */
  collect(): void;
  /** Lets it write what its memory holds into the folder it was given, for Chrome's tools. */
  snapshot(): void;
  close(): Promise<void>;
}

/** Loaded before the gateway: a whole collection, or a snapshot, when it is told. Nothing else of it differs from `npm start`. */
function collector(snapshots: string): string[] {
  const write = `writeHeapSnapshot(${JSON.stringify(`${snapshots}/`)}+Date.now()+'.heapsnapshot')`;
  const text = `import{writeHeapSnapshot}from'node:v8';process.on('SIGWINCH',()=>{gc();gc();}).on('SIGPWR',()=>${write})`;
  return ['--expose-gc', '--import', `data:text/javascript,${encodeURIComponent(text)}`];
}

export async function startStand(dataDir: string, seed: number, snapshots: string): Promise<Stand> {
  const [venue, receiver, opsPort] = await Promise.all([startVenue(dataDir, seed), startReceiver(), freePort()]);
  const home = join(dataDir, 'gateway');
  mkdirSync(home, { recursive: true });
  const name = BROKER.toUpperCase();
  const { api, login, feed } = venue.urls[BROKER];
  const credentials = Object.entries(practiceCredentials(BROKER)).map(([setting, value]) => [`${name}_${setting}`, value]);
  const env = {
    BROKERS: BROKER,
    DATA_DIR: home,
    GATEWAY_TOKEN: TOKEN,
    OPS_PORT: String(opsPort),
    [`${name}_API_URL`]: api,
    [`${name}_LOGIN_URL`]: login,
    [`${name}_FEED_URL`]: feed,
    [`${name}_MASTER_URL`]: api,
    ...Object.fromEntries(credentials),
    ...receiver.env,
  };
  const gateway = await startProcess(env, [...collector(snapshots), main]);
  return {
    gateway,
    pid: gateway.child.pid ?? 0,
    dataDir: home,
    figures: `http://127.0.0.1:${opsPort}/metrics`,
    venue,
    receiver,
    collect: () => void gateway.child.kill('SIGWINCH'),
    snapshot: () => void gateway.child.kill('SIGPWR'),
    async close() {
      await gateway.end('SIGTERM');
      await Promise.all([venue.kill(), receiver.close()]);
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
