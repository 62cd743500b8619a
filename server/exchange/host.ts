import { join } from 'node:path';
import { type BrokerId, brokerIds } from '../../contract/words.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { emulators } from './emulators.ts';
import { createExchange, type Exchange } from './exchange.ts';
import { TICK_MS } from './prices.ts';
import type { EmulatorUrls, Switches } from './wire/emulator.ts';
import { createFaults, type Faults } from './wire/faults.ts';
import { type EmulatorServer, serveEmulator } from './wire/server.ts';

export interface HostOptions {
  /** `free`, or a base: broker n of the list (1 to 10) answers on base + n. */
  ports: 'free' | number;
  /** Keeps the ledger in `practice-ledger.jsonl` there; in memory alone when absent. One process at a time. */
  dataDir?: string | undefined;
  seed: number;
  /** Holds callers to the brokers' published request limits. */
  limits: boolean;
  clock: Clock;
  log: Log;
  /** Least and most milliseconds before the exchange acknowledges; 0 to 20 unless given. */
  transitMs?: readonly [number, number] | undefined;
  /** So many made-up instruments stand in the brokers' masters beside what is traded; 0 unless given. */
  listed?: number | undefined;
}

export interface PracticeExchange {
  exchange: Exchange;
  faults: Faults;
  /** Addresses of the brokers that have an emulator. */
  urls: Partial<Record<BrokerId, EmulatorUrls>>;
  /** By broker; setting a member turns what the emulator does. */
  switches: Partial<Record<BrokerId, Switches>>;
  close(): Promise<void>;
}

/** Starts the exchange with all its emulators on loopback. Rejects with the listen error (EADDRINUSE) when a port is taken; nothing is left running then. */
export async function startExchange(options: HostOptions): Promise<PracticeExchange> {
  const { clock, log, seed, limits } = options;
  const ledgerFile = options.dataDir === undefined ? undefined : join(options.dataDir, 'practice-ledger.jsonl');
  const traits = Object.fromEntries(emulators.map((emulator) => [emulator.id, emulator.traits]));
  const exchange = createExchange({ clock, log, seed, ledgerFile, transitMs: options.transitMs, listed: options.listed, traits });
  const faults = createFaults({ seed });
  const stopped = new AbortController();
  const servers: EmulatorServer[] = [];
  const urls: PracticeExchange['urls'] = {};
  const switches: PracticeExchange['switches'] = {};

  async function close(): Promise<void> {
    stopped.abort();
    await Promise.all(servers.map((server) => server.close()));
    exchange.close();
  }

  try {
    for (const emulator of emulators) {
      const port = options.ports === 'free' ? 0 : options.ports + brokerIds.indexOf(emulator.id) + 1;
      const server = await serveEmulator({ emulator, exchange, faults, port, limits, log });
      servers.push(server);
      urls[emulator.id] = emulator.urls(server.origin);
      switches[emulator.id] = server.switches;
    }
  } catch (error) {
    await close();
    throw error;
  }
  void keepAdvancing(exchange, clock, stopped.signal);
  return { exchange, faults, urls, switches, close };
}

const LEAST_PAUSE_MS = 20;

/** Resting orders meet each new price, and what is due happens on time for those who listen, also when nobody reads. */
async function keepAdvancing(exchange: Exchange, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    exchange.advance();
    const dueMs = Math.max(LEAST_PAUSE_MS, exchange.nextDueAt() - clock.now());
    await clock.sleep(Math.min(TICK_MS, dueMs), signal);
  }
}

export { practiceCredentials } from './emulators.ts';
