import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { brokerIds } from '../contract/words.ts';
import { systemClock } from '../server/clock.ts';
import { openDatabase } from '../server/db/open.ts';
import { openWriter } from '../server/db/writer.ts';
import { TableWriter } from '../server/instruments/load/table-writer.ts';
import { makeCurrent, nextGeneration, storedMasters } from '../server/instruments/store.ts';
import { tableName } from '../server/instruments/table.ts';
import { fileDay } from '../server/instruments/trading-day.ts';
import { silentLog } from '../server/log.ts';
import { flags } from '../test/support/process.ts';
import { memoryMb, startChild } from './children.ts';
import { Done } from './load.ts';
import { masterLines, shareSymbol } from './master-file.ts';
import { median, quantile } from './measure.ts';
import { environment, Origin } from './stand.ts';

/*
 * `npm run bench -- --instruments`: reads a file of 200,000 rows again and again while orders are placed, in turns with placing alone; then
 * look-ups and searches, with the rows of ten such files in the table.
 */

const ROWS = 200_000;
const ROUNDS = 5;
/** As many as are placed while a file is read: its last seconds, when indexes are made, are part of it. */
const ORDERS = 650;
const COPIED = 'exchange, symbol, name, kind, underlying, expiry, strike, lot_size, tick_size, freeze_quantity, isin, broker_symbol, token';
const queries = ['nifty 26000 ce dec', 'nifty', 'state bank', 'sa', 's', 'ce', '22500', 'fut dec', 'banknifty 20500 pe'];
const reader = new URL('../test/instruments/kite-reader.ts', import.meta.url).href;

const Gateway = z.object({ url: z.string(), token: z.string() });
const Took = z.object({ ms: z.number(), cpuMs: z.number() });
const Times = z.object({ p50: z.number(), p99: z.number() });
const LookUps = z.object({ first: Times, seen: Times });
const Searches = z.object({ found: z.record(z.string(), Times) });

/** As Markdown. */
export async function instrumentsReport(): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const today = fileDay(systemClock.now());
  const files = await serveMaster(gzipSync([...masterLines({ rows: ROWS, today })].join('\n')));
  const [exchange, load, gateway] = [startChild('exchange.ts'), startChild('load.ts'), startChild('instruments-gateway.ts', flags)];
  try {
    const { origin } = await exchange.ask({ delayMs: 0 }, Origin);
    const env = { ...environment(dataDir, origin, ''), ZERODHA_MASTER_URL: files.address, PORT: '0', HOST: '127.0.0.1' };
    const { url, token } = await gateway.ask({ start: env, reader }, Gateway);
    const place = async (name: string, orders = ORDERS) => {
      await exchange.ask({ delayMs: 0 }, Origin);
      const job = { lane: 'gateway', origin: url, token, callers: 1, orders, everyMs: 20, name };
      const { latenciesMs } = await load.ask(job, Done);
      return latenciesMs;
    };
    const { cpuMs } = await gateway.ask({ load: true }, Took);
    process.stderr.write(`instruments: CPU of one load: ${cpuMs.toFixed(0)} ms\n`);
    await place('warm', 200);
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const alone = await place(`alone${round}`);
      const before = memoryMb([gateway.pid]).each;
      const peak = watchPeak(gateway.pid);
      const [took, beside] = await Promise.all([gateway.ask({ load: true }, Took), place(`beside${round}`)]);
      rounds.push({ ms: took.ms, moreMb: peak.end() - before, alone, beside });
      const [times, besideTimes] = [p99(alone), p99(rounds.at(-1)?.beside ?? [])].map((ms) => ms.toFixed(1));
      process.stderr.write(
        `instruments: round ${round + 1}: ${took.ms.toFixed(0)} ms, p99 of placing alone ${times} ms, beside ${besideTimes} ms\n`,
      );
      await systemClock.sleep(2_000);
    }
    await fillOthers(dataDir);
    const names = Array.from({ length: 300 }, (_, at) => `BSE:${shareSymbol(at)}`);
    const lookUps = await gateway.ask({ names }, LookUps);
    const { found } = await gateway.ask({ queries, times: 200 }, Searches);
    return text(rounds, lookUps, found, cpuMs);
  } finally {
    for (const child of [load, gateway, exchange]) child.stop();
    await files.close();
    await systemClock.sleep(1000);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface Round {
  ms: number;
  moreMb: number;
  /** What each order took, ms. */
  alone: number[];
  beside: number[];
}

function p99(times: readonly number[]): number {
  return quantile(
    times.toSorted((a, b) => a - b),
    0.99,
  );
}

async function serveMaster(body: Buffer) {
  const server = createServer((_, response) => response.end(body));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, close: async () => void server.close() };
}

/** The most memory of a process from now on, MB. */
function watchPeak(pid: number) {
  let [peak, over] = [0, false];
  const watched = (async () => {
    while (!over) {
      peak = Math.max(peak, memoryMb([pid]).each);
      await systemClock.sleep(50);
    }
  })();
  return {
    end() {
      over = true;
      void watched;
      return peak;
    },
  };
}

/** The files of nine more brokers: the same rows under other numbers, in tables as a load makes them. */
async function fillOthers(dataDir: string): Promise<void> {
  const { db, close, reachable } = await openDatabase({ mode: 'practice', dataDir, log: silentLog(), beside: true });
  const writer = await openWriter(reachable);
  try {
    const from = (await storedMasters(db)).find(({ broker }) => broker === 'zerodha')?.current;
    if (!from) throw new Error('nothing was loaded');
    for (const broker of brokerIds.filter((id) => id !== 'zerodha')) {
      const generation = await nextGeneration(db);
      // First: what nobody reads the gateway drops.
      await makeCurrent(db, broker, { ...from, generation, table: tableName(generation) }, {});
      const table = new TableWriter(writer, generation);
      await table.begin();
      await writer.run(`insert into ${tableName(generation)} select ${generation}, ${COPIED},
        replace(words::text, '''${from.generation}:', '''${generation}:')::tsvector from ${from.table}`);
      await table.end();
    }
  } finally {
    await writer.close();
    await close();
  }
}

function text(
  rounds: readonly Round[],
  { first, seen }: z.infer<typeof LookUps>,
  found: z.infer<typeof Searches>['found'],
  cpuMs: number,
): string {
  const ms = (value: number) => `${value.toFixed(value < 1 ? 3 : 1)} ms`;
  const row = (what: string, limit: number, value: number, unit: string) =>
    `| ${what} | ${limit} ${unit} | ${value.toFixed(value < 1 ? 3 : 1)} ${unit} | ${value <= limit ? 'met' : 'missed'} |\n`;
  const slowest = Math.max(...Object.values(found).map(({ p99 }) => p99));
  const [alone, beside] = [p99(rounds.flatMap((round) => round.alone)), p99(rounds.flatMap((round) => round.beside))];
  const seconds = median(rounds.map((round) => round.ms)) / 1000;
  return `
## ${ROWS.toLocaleString('en')} instruments from a packed file, orders being placed

${rounds.length} rounds, each beside placing alone; one caller, an order every 20 ms. Look-ups and searches with ${brokerIds.length} such files in the table.

| | at most | measured | |
|---|---|---|---|
${row('from the request to a table that is read, median', 15, seconds, 's')}${row(
  'memory of the gateway at its peak, more than before, median',
  60,
  median(rounds.map((round) => round.moreMb)),
  'MB',
)}${row('p99 of placing, beside placing alone, orders of all rounds', 1.5, beside / alone, 'times')}${row(
  'look-up of what was not seen, median',
  1,
  first.p50,
  'ms',
)}${row('look-up of what was seen, p99', 0.2, seen.p99, 'ms')}${row('search, p99 of the slowest', 20, slowest, 'ms')}
Searches, median and p99: ${Object.entries(found)
    .map(([q, { p50, p99 }]) => `\`${q}\` ${ms(p50)}, ${ms(p99)}`)
    .join('; ')}.
p99 of placing: alone ${ms(alone)}, beside ${ms(beside)}; by round ${rounds.map((round) => (p99(round.beside) / p99(round.alone)).toFixed(2)).join(', ')} times.
CPU of one load by itself, all threads of the gateway: ${(cpuMs / 1000).toFixed(1)} s.
`;
}
