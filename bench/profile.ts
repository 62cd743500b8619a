import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { cpuShares } from './cpu-shares.ts';
import { type Condition, measure, median, type Sample } from './measure.ts';
import { startStand } from './stand.ts';

const Passed = z.array(z.tuple([z.string(), z.number()]));
type Passed = z.infer<typeof Passed>;

/** What an order's time goes into, between one passing and the next of those that trace.ts writes down. */
const stretches = [
  ['gateway', 'request read, checked, its key claimed', null, '> GET /portfolio/positions'],
  ['broker', 'positions, and beside it the look-up of the key', '> GET /portfolio/positions', '< GET /portfolio/positions'],
  ['gateway', 'positions read, guard, budget', '< GET /portfolio/positions', '> PostgreSQL 2'],
  ['disk', 'SENDING', '> PostgreSQL 2', '< PostgreSQL 2'],
  ['gateway', 'asked once more, the call made', '< PostgreSQL 2', '> POST /orders/regular'],
  ['broker', 'the send', '> POST /orders/regular', '< POST /orders/regular'],
  ['gateway', 'its answer read', '< POST /orders/regular', '> GET /orders'],
  ['broker', 'the first fill read, and beside it ACCEPTED', '> GET /orders', '< GET /orders'],
  ['gateway', 'the fill read, the books worked out', '< GET /orders', '> PostgreSQL 4'],
  ['disk', 'DONE', '> PostgreSQL 4', '< PostgreSQL 4'],
  ['gateway', 'the answer written', '< PostgreSQL 4', 'answered'],
] as const;

/** Orders of one caller, one after another; rounds until what is compiled while it runs is compiled. */
const ORDERS = 60;
const ROUNDS = 12;

/** Where the time of one order goes, as Markdown: on the wall by what is waited for, and the CPU of both processes by who uses it. Takes about two minutes. */
export async function profile(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-profile-'));
  try {
    const [fast, slow] = [await trace(join(directory, 'fast'), 0), await trace(join(directory, 'slow'), 20)];
    const used = await run(`--cpu-prof --cpu-prof-dir=${directory}/cpu --cpu-prof-interval=250`, 0);
    return `${wallTable(fast, slow)}\n${cpuTable(join(directory, 'cpu'), used)}`;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function run(nodeOptions: string, delayMs: number): Promise<Sample> {
  const stand = await startStand(nodeOptions);
  const condition: Condition = { callers: 1, delayMs, orders: ORDERS, everyMs: 0 };
  const samples: Sample[] = [];
  try {
    for (let round = 0; round < ROUNDS; round += 1) samples.push(await measure(stand, 'gateway', condition, `p${round}`));
  } finally {
    await stand.stop();
  }
  const late = samples.slice(ROUNDS / 2);
  const middle = (figure: keyof Sample) => median(late.map((one) => one[figure]));
  return { p50Ms: middle('p50Ms'), p99Ms: middle('p99Ms'), cpuMs: middle('cpuMs'), databaseCpuMs: middle('databaseCpuMs'), perSecond: 0 };
}

/** Medians of the stretches over the orders that went as most do, ms. */
async function trace(file: string, delayMs: number): Promise<number[]> {
  process.env.TRACE_FILE = file;
  await run(`--import=${fileURLToPath(new URL('trace.ts', import.meta.url))}`, delayMs);
  const orders = readFileSync(file, 'utf8').trim().split('\n');
  const late = orders.slice(orders.length / 2).map((line) => Passed.parse(JSON.parse(line)));
  const plain = late.map(numbered).filter((at) => stretches.every(([, , , to]) => at.has(to)) && !at.has('> PostgreSQL 5'));
  return stretches.map(([, , from, to]) => median(plain.map((at) => (at.get(to) ?? 0) - (from === null ? 0 : (at.get(from) ?? 0)))));
}

/** When each passing was; PostgreSQL's are numbered as they were written. */
function numbered(order: Passed): Map<string, number> {
  const counts = new Map<string, number>();
  return new Map(
    order.map(([name, at]) => {
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return [name.endsWith('PostgreSQL') ? `${name} ${count}` : name, at];
    }),
  );
}

function wallTable(fast: readonly number[], slow: readonly number[]): string {
  const rows = stretches.map(([who, what], index) => `| ${who} | ${what} | ${ms(fast[index])} | ${ms(slow[index])} |`);
  const sum = (values: readonly number[], whose?: string) =>
    ms(values.reduce((total, value, index) => (whose === undefined || stretches[index]?.[0] === whose ? total + value : total), 0));
  const sums = ['gateway', 'disk', 'broker'].map((whose) => `| | all of ${whose} | ${sum(fast, whose)} | ${sum(slow, whose)} |`);
  return [
    '| waits for | | broker at 0 ms | broker at 20 ms |',
    '|---|---|---:|---:|',
    ...rows,
    ...sums,
    `| | **all** | ${sum(fast)} | ${sum(slow)} |`,
    '',
  ].join('\n');
}

function cpuTable(directory: string, { cpuMs, databaseCpuMs }: Sample): string {
  const rows = cpuShares(directory).map(({ who, share }) => `| ${who} | ${(share * 100).toFixed(0)} % | ${ms(share * cpuMs)} |`);
  return [
    '| CPU of an order, broker at 0 ms | share | ms |',
    '|---|---:|---:|',
    ...rows,
    `| **the gateway** | 100 % | ${ms(cpuMs)} |`,
    `| **PostgreSQL** | | ${ms(databaseCpuMs)} |`,
    '',
  ].join('\n');
}

function ms(value: number | undefined): string {
  return (value ?? Number.NaN).toFixed(2);
}
