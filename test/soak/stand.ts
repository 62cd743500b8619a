import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { practiceCredentials } from '../../server/exchange/host.ts';
import { type Receiver, startReceiver } from '../alerts/receiver.ts';
import { startVenue, type Venue } from '../chaos/venue.ts';
import { type GatewayProcess, main, startProcess } from '../support/process.ts';
import { pause } from './spells.ts';

export const BROKER = 'zerodha';
export const TOKEN = 'soak-token-of-at-least-32-characters';

const Used = z.object({ heapUsed: z.number(), external: z.number() });
type Used = z.infer<typeof Used>;

/** A gateway as `npm start` runs it, its database its own, the exchange and the receiver of alerts apart from it. */
export interface Stand {
  gateway: GatewayProcess;
  pid: number;
  dataDir: string;
  /** Address of its figures. */
  figures: string;
  venue: Venue;
  receiver: Receiver;
  /** Lets it collect all garbage. Says what is in use in the moment behind it, bytes: JavaScript's memory, and buffers outside of it. */
  collect(): Promise<Used>;
  /** Lets it write what its memory holds into the folder it was given, for Chrome's tools. */
  snapshot(): void;
  close(): Promise<void>;
}

/** Loaded before the gateway: a whole collection and what is in use behind it, or a snapshot, when it is told. Nothing else of it differs from `npm start`. */
function collector(used: string, snapshots: string): string[] {
  const [written, whole] = [JSON.stringify(`${used}.part`), JSON.stringify(used)];
  const collect = `gc();gc();writeFileSync(${written},JSON.stringify(process.memoryUsage()));renameSync(${written},${whole})`;
  const write = `writeHeapSnapshot(${JSON.stringify(`${snapshots}/`)}+Date.now()+'.heapsnapshot')`;
  const imports = `import{renameSync,writeFileSync}from'node:fs';import{writeHeapSnapshot}from'node:v8'`;
  const text = `${imports};process.on('SIGWINCH',()=>{${collect}}).on('SIGPWR',()=>${write})`;
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
  const used = join(dataDir, 'memory.json');
  const gateway = await startProcess(env, [...collector(used, snapshots), main]);
  async function collect(): Promise<Used> {
    gateway.child.kill('SIGWINCH');
    while (!existsSync(used)) {
      if (gateway.child.exitCode !== null) throw new Error('The gateway is gone');
      await pause(100, new AbortController().signal);
    }
    const read = Used.parse(JSON.parse(readFileSync(used, 'utf8')));
    rmSync(used);
    return read;
  }
  return {
    gateway,
    pid: gateway.child.pid ?? 0,
    dataDir: home,
    figures: `http://127.0.0.1:${opsPort}/metrics`,
    venue,
    receiver,
    collect,
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
