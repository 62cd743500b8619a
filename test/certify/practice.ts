import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { BrokerId } from '../../contract/words.ts';
import { brokers } from '../../server/brokers/index.ts';
import { type Certified, type CertifyParts, certify, type Wanted } from '../../server/certify/certify.ts';
import { systemClock, systemRandom } from '../../server/clock.ts';
import { readConfig } from '../../server/config/config.ts';
import { emulators } from '../../server/exchange/emulators.ts';
import { practiceCredentials } from '../../server/exchange/host.ts';
import { instrumentNamed } from '../../server/exchange/instruments.ts';
import type { NewOrder } from '../../server/exchange/types.ts';
import { type Started, startPractice } from '../exchange/started.ts';
import { between, type Change } from './changed.ts';

export interface Ran extends Certified {
  lines: string[];
  /** The findings as they stand in the report. */
  checks: { name: string; result: string; says: string }[];
  text: string;
  report: ReturnType<typeof JSON.parse>;
}

export interface RunOptions {
  wanted?: Partial<Wanted>;
  change?: Change;
  laterMs?: number;
  credentials?: Record<string, string>;
  parts?: Partial<CertifyParts>;
}

const cheap = { orderType: 'MARKET', product: 'INTRADAY' } as const;

/** What a day leaves in an account: a position of the day, one bought and sold, a delivery, a resting, a cancelled and a refused order. */
export const day: readonly NewOrder[] = [
  { exchange: 'NSE', symbol: 'SBIN', side: 'BUY', quantity: 10, ...cheap },
  { exchange: 'NSE', symbol: 'SBIN', side: 'SELL', quantity: 4, ...cheap },
  { exchange: 'NSE', symbol: 'WIPRO', side: 'BUY', quantity: 3, ...cheap },
  { exchange: 'NSE', symbol: 'WIPRO', side: 'SELL', quantity: 3, ...cheap },
  { exchange: 'NSE', symbol: 'ITC', side: 'BUY', quantity: 2, orderType: 'MARKET', product: 'DELIVERY' },
  { exchange: 'NSE', symbol: 'NTPC', side: 'BUY', quantity: 1, orderType: 'LIMIT', price: '300', product: 'INTRADAY' },
  { exchange: 'NSE', symbol: 'NTPC', side: 'BUY', quantity: 1, orderType: 'LIMIT', price: '1', product: 'INTRADAY' },
];

/** The practice exchange for a file of tests, its accounts as after `day`, and certify on it. */
export function certifying() {
  let host: Started;
  let dataDir: string;
  beforeAll(async () => {
    host = await startPractice();
    dataDir = await mkdtemp(join(tmpdir(), 'certify-'));
    for (const { id } of emulators) for (const order of day) host.exchange.placeByHand(id, order);
  });
  afterEach(() => host.faults.clear());
  afterAll(async () => {
    await host.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function run(id: BrokerId, options: RunOptions = {}): Promise<Ran> {
    const urls = host.urls[id];
    if (!urls) throw new Error(`no ${id}`);
    const target = new URL(urls.api).origin;
    const middle = await between(target, options.change ?? null, options.laterMs);
    const config = readConfig({ DATA_DIR: dataDir, PRACTICE_LIMITS: 'off' });
    const addresses = {
      apiUrl: urls.api.replace(target, middle.origin),
      loginUrl: urls.login.replace(target, middle.origin),
      feedUrl: urls.feed,
    };
    const credentials = { ...practiceCredentials(id), ...options.credentials };
    const settings = { ...config.broker[id], ...addresses, credentials };
    const lines: string[] = [];
    try {
      const certified = await certify(
        { watch: null, order: null, ...options.wanted },
        {
          definition: brokers[id],
          config: { ...config, broker: { ...config.broker, [id]: settings } },
          stored: null,
          keep: async () => undefined,
          clock: systemClock,
          random: systemRandom,
          isOpen: () => true,
          say: (line) => void lines.push(line),
          ask: async () => id,
          stopped: () => false,
          ...options.parts,
        },
      );
      const text = await readFile(certified.file, 'utf8');
      const report = JSON.parse(text);
      return { ...certified, lines, text, report, checks: report.checks };
    } finally {
      await middle.close();
    }
  }
  return { run, venue: () => host, dataDir: () => dataDir };
}

/** An order for one share of NSE as this broker names it. */
export function orderFor(id: BrokerId, symbol: string, price: string | null) {
  const named = emulators.find((emulator) => emulator.id === id)?.named(instrumentNamed('NSE', symbol));
  return { exchange: 'NSE', ...(named ?? { symbol, token: '' }), quantity: 1, price, tick: null };
}

/** Which of these stand in the report, whatever their case. Short ones are words of many things. */
export const leaked = ({ text }: Pick<Ran, 'text'>, secrets: readonly string[]) =>
  secrets.filter((secret) => secret.length > 4 && text.toLowerCase().includes(secret.toLowerCase()));

export const failures = ({ checks }: Pick<Ran, 'checks'>) => checks.filter(({ result }) => result === 'failed').map(({ name }) => name);
