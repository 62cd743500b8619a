import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { descendants } from '../server/db/embedded/descendants.ts';
import { practiceCredentials } from '../server/exchange/host.ts';
import { startProcess } from '../test/support/process.ts';
import { type Child, cpuMs, memoryMb, startChild } from './children.ts';
import { Done, type Job } from './load.ts';

export const Origin = z.object({ origin: z.string() });

export type Work = Pick<Job, 'lane' | 'callers' | 'orders' | 'everyMs' | 'name'>;

/** Gateway with its database, exchange, bare proxies and callers, each in a process of its own. */
export interface Stand {
  /** An exchange without orders and positions, with a delay for every request. */
  fresh(delayMs: number): Promise<void>;
  /** Runs a job; CPU is that of the process that serves the lane, for `direct` the caller's own, and of PostgreSQL, ms. */
  run(work: Work): Promise<Done & { databaseCpuMs: number }>;
  /** MB; of PostgreSQL pages shared by its processes counted once (`shared`) or for each (`each`). */
  memory(): { gateway: number; database: { shared: number; each: number } };
  stop(): Promise<void>;
}

/** `before`: another checkout, with its dependencies, whose gateway stands beside ours and has an exchange of its own. */
export async function startStand(nodeOptions: string, before?: string): Promise<Stand> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const [exchange, proxy, journal, load] = [
    startChild('exchange.ts'),
    startChild('proxy.ts'),
    startChild('proxy.ts'),
    startChild('load.ts'),
  ];
  const { origin } = await exchange.ask({ delayMs: 0 }, Origin);
  const proxied = await proxy.ask({ origin }, Origin);
  const gateway = await startProcess(environment(dataDir, origin, nodeOptions));
  const gatewayPid = gateway.child.pid ?? 0;
  const { url, token } = gateway;
  const other = before === undefined ? null : await startBefore(before, dataDir);
  const lanes = {
    direct: { origin, pid: null },
    proxy: { origin: proxied.origin, pid: proxy.pid },
    gateway: { origin: url, pid: gatewayPid },
    replay: { origin: url, pid: gatewayPid },
    before: other ?? { origin: '', pid: null },
  } as const;
  let journalled: Promise<{ origin: string; pid: number }> | undefined;

  /** Not before it is needed: its connections are PostgreSQL's memory. */
  function journalLane() {
    journalled ??= journal.ask({ origin, dataDir }, Origin).then((answer) => ({ ...answer, pid: journal.pid }));
    return journalled;
  }

  async function run(work: Work) {
    const { origin: target, pid } = work.lane === 'journal' ? await journalLane() : lanes[work.lane];
    const database = descendants(gatewayPid);
    const [before, databaseBefore] = [pid === null ? 0 : cpuMs([pid]), cpuMs(database)];
    const done = await load.ask({ ...work, origin: target, token }, Done);
    const served = pid === null ? done.cpuMs : cpuMs([pid]) - before;
    return { ...done, cpuMs: served, databaseCpuMs: cpuMs(database) - databaseBefore };
  }

  return {
    async fresh(delayMs) {
      await Promise.all([exchange, ...(other ? [other.exchange] : [])].map((one) => one.ask({ delayMs }, Origin)));
    },
    run,
    memory: () => ({ gateway: memoryMb([gatewayPid]).each, database: memoryMb(descendants(gatewayPid)) }),
    async stop() {
      await other?.stop();
      for (const child of [load, proxy, journal, exchange] satisfies Child[]) child.stop();
      await gateway.end('SIGINT');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function startBefore(checkout: string, dataDir: string) {
  const exchange = startChild('exchange.ts');
  const { origin } = await exchange.ask({ delayMs: 0 }, Origin);
  const gateway = await startProcess(environment(join(dataDir, 'before'), origin, ''), [resolve(checkout, 'server/main.js')]);
  async function stop(): Promise<void> {
    exchange.stop();
    await gateway.end('SIGINT');
  }
  return { exchange, origin: gateway.url, pid: gateway.child.pid ?? 0, stop };
}

/** Every setting that a `.env` beside us could bend is given, so that nothing but the practice exchange is ever called. */
export function environment(dataDir: string, origin: string, nodeOptions: string): Record<string, string> {
  const credentials = Object.entries(practiceCredentials('zerodha')).map(([name, value]) => [`ZERODHA_${name}`, value]);
  return {
    ...Object.fromEntries(credentials),
    GATEWAY_MODE: 'practice',
    BROKERS: 'zerodha',
    ZERODHA_API_URL: origin,
    ZERODHA_LOCAL_ADDRESS: '',
    DATABASE_URL: '',
    DATA_DIR: dataDir,
    GATEWAY_TOKEN: 'benchmark-token-of-a-throwaway-gateway',
    KILL_SWITCH: 'off',
    PRACTICE_LIMITS: 'off',
    NODE_OPTIONS: nodeOptions,
  };
}
