import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { systemClock } from '../server/clock.ts';
import { readConfig } from '../server/config/config.ts';
import { createContext } from '../server/context.ts';
import { listen } from '../server/http/listen.ts';
import type { Directory } from '../server/instruments/instruments.ts';
import { silentLog } from '../server/log.ts';
import { serve } from './children.ts';
import { median, quantile } from './measure.ts';

/** A process: a gateway that reads its broker's file when it is told to, and measures its own look-ups and searches. */
const Ask = z.union([
  z.object({ start: z.record(z.string(), z.string()), reader: z.string() }),
  z.object({ load: z.literal(true) }),
  z.object({ names: z.array(z.string()) }),
  z.object({ queries: z.array(z.string()), times: z.int() }),
]);

let running: Awaited<ReturnType<typeof createContext>> | null = null;

async function work(ask: z.infer<typeof Ask>): Promise<object> {
  if ('start' in ask) return await start(ask.start, ask.reader);
  const context = running;
  if (!context) throw new Error('no gateway');
  if ('load' in ask) return await load(context);
  const directory = context.instruments.of('zerodha');
  if (!directory) throw new Error(context.instruments.messageOf('zerodha'));
  return 'names' in ask ? await lookUp(directory, ask.names) : await searches(directory, ask.queries, ask.times);
}

async function start(env: Record<string, string>, reader: string): Promise<object> {
  const config = readConfig(env);
  running = await createContext(config, silentLog(), { masterReader: () => reader });
  const listening = await listen(running.app, config);
  await running.autoConnect();
  const token = running.tokenFile === null ? (env.GATEWAY_TOKEN ?? '') : readFileSync(running.tokenFile, 'utf8').trim();
  return { url: `http://127.0.0.1:${listening.port}`, token };
}

async function load({ instruments }: { instruments: NonNullable<typeof running>['instruments'] }): Promise<object> {
  const began = performance.now();
  const cpu = process.cpuUsage();
  const swapped = new Promise<void>((resolve) => instruments.onSwap(() => resolve()));
  instruments.refresh();
  await swapped;
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - began, cpuMs: (user + system) / 1000 };
}

async function lookUp(directory: Directory, names: readonly string[]): Promise<object> {
  const times = { first: [] as number[], seen: [] as number[] };
  for (const round of ['first', 'seen'] as const) {
    for (const name of names) {
      const [exchange = '', symbol = ''] = name.split(':');
      const began = performance.now();
      const rows = await directory.named(exchange, symbol);
      times[round].push(performance.now() - began);
      if (rows.length !== 1) throw new Error(`${name}: ${rows.length} rows`);
      if (round === 'first') await systemClock.sleep(1);
    }
  }
  return { first: middle(times.first), seen: middle(times.seen) };
}

async function searches(directory: Directory, queries: readonly string[], times: number): Promise<object> {
  const found: Record<string, object> = {};
  for (const q of queries) {
    const took: number[] = [];
    for (let time = 0; time < times; time += 1) {
      const began = performance.now();
      await directory.search({ q });
      took.push(performance.now() - began);
      await systemClock.sleep(2);
    }
    found[q] = middle(took);
  }
  return { found };
}

function middle(times: readonly number[]): { p50: number; p99: number } {
  return {
    p50: median(times),
    p99: quantile(
      times.toSorted((a, b) => a - b),
      0.99,
    ),
  };
}

serve(Ask, work);
