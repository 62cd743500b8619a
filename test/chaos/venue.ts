import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type BrokerId, brokerIds } from '../../contract/words.ts';
import { systemRandom } from '../../server/clock.ts';
import { fromCache } from '../support/process.ts';

const program = fileURLToPath(new URL('../../server/exchange/main.ts', import.meta.url));

/** What the judge reads of an order in the ledger. */
export const VenueOrder = z.object({
  orderId: z.string(),
  tag: z.string().nullable(),
  exchange: z.string(),
  symbol: z.string(),
  side: z.string(),
  quantity: z.number(),
  filled: z.number(),
  /** Rupees, decimal text. */
  average: z.string(),
  status: z.string(),
  /** Epoch ms. */
  receivedAt: z.number(),
  /** When the newest change of it was taken, epoch ms. */
  changedAt: z.number().nullable(),
});
export type VenueOrder = z.infer<typeof VenueOrder>;
const Ledger = z.object({ orders: z.array(VenueOrder) });
const Urls = z.object({ urls: z.record(z.enum(brokerIds), z.object({ api: z.string(), login: z.string(), feed: z.string() })) });

/** A practice exchange in a process of its own, with its control port. */
export interface Venue {
  urls: Record<BrokerId, { api: string; login: string; feed: string }>;
  /** Address of its control port. */
  control: string;
  /** Port on which a broker answers. */
  portOf(broker: BrokerId): number;
  ledger(): Promise<VenueOrder[]>;
  /** kill -9. */
  kill(): Promise<void>;
}

/** Below the ports that systems hand out by themselves. */
const LOWEST_PORT = 10_000;
const PORTS = 20_000;

/** Starts `npm run exchange` on free ports, its ledger in `dataDir`. */
export async function startVenue(dataDir: string, seed: number): Promise<Venue> {
  for (let attempt = 1; ; attempt += 1) {
    const base = await freeBase();
    try {
      return await startAt(base, dataDir, seed);
    } catch (error) {
      // Somebody took a port in between.
      if (attempt === 5 || !String(error).includes('in use')) throw error;
    }
  }
}

async function startAt(base: number, dataDir: string, seed: number): Promise<Venue> {
  const child = spawn(process.execPath, ['--max-semi-space-size=4', ...fromCache, program], {
    env: {
      PATH: process.env.PATH,
      EXCHANGE_PORT: String(base),
      DATA_DIR: dataDir,
      PRACTICE_SEED: String(seed),
      PRACTICE_LIMITS: 'off',
      LOG_LEVEL: 'error',
    },
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const gone = once(child, 'exit');
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      if (String(chunk).includes('Control:')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`the exchange ended with ${code}: ${errors}`)));
  });
  const read = (path: string) => readJson(`http://127.0.0.1:${base}${path}`);
  const { urls } = Urls.parse(await read('/'));
  return {
    urls,
    control: `http://127.0.0.1:${base}`,
    portOf: (broker) => base + brokerIds.indexOf(broker) + 1,
    async ledger() {
      if (child.exitCode !== null) throw new Error(`the exchange ended with ${child.exitCode}: ${errors}`);
      return Ledger.parse(await read('/ledger')).orders;
    },
    async kill() {
      // Gone already when it has died by itself.
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** On a connection of its own: a kept one may have been closed just now. */
async function readJson(url: string): Promise<unknown> {
  const [answer]: IncomingMessage[] = await once(get(url, { agent: false }), 'response');
  let body = '';
  for await (const chunk of answer ?? []) body += chunk;
  return JSON.parse(body);
}

async function freeBase(): Promise<number> {
  for (;;) {
    const base = LOWEST_PORT + Math.floor(systemRandom.next() * PORTS);
    const ports = Array.from({ length: brokerIds.length + 1 }, (_, index) => base + index);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return base;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
