import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { descendants } from '../../server/db/embedded/descendants.ts';
import { cutBeside } from './cut.ts';
import { makeRoom, multiply } from './fill.ts';
import { Stand, type Times, withDatabase } from './stand.ts';

/**
 * `npm run year -- --days 250 --orders 1000 --rounds 5`: a gateway trades for one day; its rows are copied until a year of such days stands; then gateways on
 * the day and on the year are started and asked in turns. At the end the year's records are deleted beside orders. Prints a table; exits 1 where a goal is missed.
 */
const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '250' },
    orders: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '5' },
  },
});
const [days, orders, rounds] = [Number(values.days), Number(values.orders), Number(values.rounds)];
const home = mkdtempSync(join(tmpdir(), 'gateway-year-'));
const opsPort = 20_000 + (process.pid % 20_000);
const stands: Stand[] = [];
const say = (line: string) => process.stdout.write(`${line}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const pid of descendants(process.pid)) process.kill(pid, 'SIGKILL');
    rmSync(home, { recursive: true, force: true });
    process.exit(1);
  });

function standOn(name: string, number: number): Stand {
  const stand = new Stand(join(home, name), opsPort + number);
  stands.push(stand);
  return stand;
}

/** A day as the gateway writes it, until the exchange's own trades stand for all fills. */
async function firstDay(): Promise<Stand> {
  const stand = standOn('day', 0);
  await stand.start();
  await withDatabase(stand.dataDir, makeRoom);
  await stand.place(orders, 'day');
  await withDatabase(stand.dataDir, async (sql) => {
    const patience = performance.now() + 120_000;
    while ((await sql`select 1 from trade_history where derived`).length > 0 && performance.now() < patience) await sql`select pg_sleep(1)`;
  });
  await stand.stop();
  return standOn('day', 0);
}

const sizeOf = (dataDir: string) =>
  withDatabase(dataDir, async (sql) => Number((await sql`select pg_database_size(current_database()) as bytes`)[0]?.bytes));

/** One round: both started one after the other, then asked in turns, the other one first each time. */
async function round(both: readonly Stand[], number: number): Promise<void> {
  const turns = number % 2 === 0 ? both : both.toReversed();
  for (const stand of turns) await stand.start();
  for (let block = 0; block < 5; block += 1)
    for (const stand of block % 2 === 0 ? turns : turns.toReversed()) {
      await stand.place(block === 0 ? 4 : 40, `round${number}`, block === 0 ? [] : undefined);
      await stand.replay(80, 'day', orders);
      await stand.read();
    }
  for (const stand of turns) await stand.stop();
}

/** Orders while the year is deleted and while it is not, in turns; ms of each. */
async function besideCut(stand: Stand): Promise<{ alone: number[]; beside: number[]; rows: number }> {
  const found = { alone: [] as number[], beside: [] as number[], rows: 0 };
  await stand.start();
  await stand.place(20, 'warm', []);
  for (let block = 0; block < 4; block += 1) {
    await stand.place(100, 'alone', found.alone);
    const cut = await cutBeside(stand.dataDir);
    const patience = performance.now() + 10_000;
    while (cut.rows() === 0 && performance.now() < patience) await new Promise((resolve) => setTimeout(resolve, 20));
    await stand.place(100, 'beside', found.beside);
    found.rows += cut.rows();
    await cut.stop();
  }
  await stand.stop();
  return found;
}

function quantile(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
}

let missed = 0;
function row(what: string, day: number, year: number, goal: { atMost: number; of: number } | null, digits = 1): void {
  const isMissed = goal !== null && !(goal.of <= goal.atMost);
  if (isMissed) missed += 1;
  const said = goal === null ? '' : `${goal.of.toFixed(2)} of at most ${goal.atMost}: ${isMissed ? 'MISSED' : 'met'}`;
  say(`| ${what} | ${day.toFixed(digits)} | ${year.toFixed(digits)} | ${(year / day).toFixed(2)} | ${said} |`);
}

function tell(day: Times, year: Times, bytes: readonly [number, number]): void {
  say('| | first day | end of the year | ratio | goal |\n|---|---:|---:|---:|---|');
  const line = (what: string, name: keyof Times, share: number, isGoal: boolean) => {
    const [a, b] = [quantile(day[name], share), quantile(year[name], share)];
    row(what, a, b, isGoal ? { atMost: 1.2, of: b / a } : null);
  };
  const connected = quantile(year.connected, 0.5);
  row('start to session connected, ms', quantile(day.connected, 0.5), connected, { atMost: 2000, of: connected });
  line('start to first reconciliation, ms', 'reconciled', 0.5, false);
  line('place, p50, ms', 'place', 0.5, true);
  line('place, p99, ms', 'place', 0.99, false);
  line('replay, p50, ms', 'replay', 0.5, true);
  line('replay, p99, ms', 'replay', 0.99, false);
  line('six reports, p50, ms', 'reports', 0.5, false);
  row('database, MB', bytes[0] / 2 ** 20, bytes[1] / 2 ** 20, { atMost: 2048, of: bytes[1] / 2 ** 20 }, 0);
}

async function main(): Promise<void> {
  const day = await firstDay();
  const year = standOn('year', 1);
  // With owners and modes, which PostgreSQL looks at.
  execFileSync('cp', ['-a', day.dataDir, year.dataDir]);
  await withDatabase(day.dataDir, (sql) => multiply(sql, 1));
  await withDatabase(year.dataDir, (sql) => multiply(sql, days));
  const bytes = [await sizeOf(day.dataDir), await sizeOf(year.dataDir)] as const;
  for (let number = 0; number < rounds; number += 1) await round([day, year], number);
  say(`${days} days of ${orders} orders, ${rounds} rounds, in turns with a gateway that has the last day alone`);
  tell(day.times, year.times, bytes);
  const { alone, beside, rows } = await besideCut(year);
  say(`\n| orders while ${rows} old rows are deleted | alone | beside | ratio | goal |\n|---|---:|---:|---:|---|`);
  const [quiet, busy] = [quantile(alone, 0.5), quantile(beside, 0.5)];
  row('place, p50, ms', quiet, busy, { atMost: 1.5, of: busy / quiet });
  row('place, p99, ms', quantile(alone, 0.99), quantile(beside, 0.99), null);
  if (rows === 0) throw new Error('nothing was deleted');
}

try {
  await main();
} finally {
  for (const stand of stands) await stand.stop();
  rmSync(home, { recursive: true, force: true });
}
process.exitCode = missed > 0 ? 1 : 0;
