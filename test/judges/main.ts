import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type BrokerId, brokerIds } from '../../contract/words.ts';
import { systemClock } from '../../server/clock.ts';
import { type PracticeExchange, practiceCredentials, startExchange } from '../../server/exchange/host.ts';
import { silentLog } from '../../server/log.ts';
import { ownFaults } from './own-faults.ts';
import { Missing, pythonWith } from './python.ts';
import { type Said, table, type Verdict, weigh } from './verdict.ts';

/**
 * `npm run judges`, `npm run judges -- zerodha dhan`: the brokers' official Python SDKs sign in, trade and listen at our emulators.
 * Prints a table; exits 1 when a cell fails by no known fault of the SDK. Without Python or PyPI it says so and exits 0, unless JUDGES=required.
 */
const JUDGE_MS = 90_000;
const LANES = 2;

async function main(): Promise<void> {
  const began = performance.now();
  const seconds = () => ((performance.now() - began) / 1_000).toFixed(0);
  const python = await pythonWith('judges');
  say(`SDKs ready after ${seconds()} s`);
  const named = process.argv.slice(2);
  const wanted = brokerIds.filter((id) => named.length === 0 || named.includes(id));
  const exchange = await startExchange({ ports: 'free', seed: 1, limits: false, clock: systemClock, log: silentLog() });
  const verdicts = new Map<BrokerId, Verdict>(wanted.map((id) => [id, weigh(id, {}, [])]));
  const waiting = wanted.values();
  const lane = async () => {
    for (const id of waiting) verdicts.set(id, weigh(id, await hear(id, python, exchange), ownFaults));
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await exchange.close();
  tell(verdicts);
  say(`judges: ${wanted.length} SDKs in ${seconds()} s`);
}

/** One broker's judge, in a process and a folder of its own: SDKs write log files where they stand. */
async function hear(id: BrokerId, python: string, exchange: PracticeExchange): Promise<Said> {
  const folder = mkdtempSync(join(tmpdir(), 'judge-'));
  const file = fileURLToPath(new URL(`${id}.py`, import.meta.url));
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', NO_PROXY: '*' };
  const child = spawn(python, [file], { cwd: folder, env, timeout: JUDGE_MS, killSignal: 'SIGKILL' });
  child.stdin.end(JSON.stringify({ ...exchange.urls[id], credentials: practiceCredentials(id) }));
  try {
    const [verdict, noise] = await Promise.all([text(child.stdout), text(child.stderr)]);
    if (process.env.JUDGES === 'loud') say(noise);
    return verdict === '' ? { 'sign-in': `the judge ended early: ${noise.trim().slice(-600)}` } : JSON.parse(verdict);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function tell(verdicts: ReadonlyMap<BrokerId, Verdict>): void {
  say(`\n${table(verdicts)}\n`);
  for (const { broker, cell, reason } of ownFaults) if (verdicts.has(broker)) say(`own fault: ${broker}, ${cell}: ${reason}`);
  const surprises = [...verdicts.values()].flatMap((verdict) => verdict.surprises);
  for (const surprise of surprises) say(`UNEXPECTED: ${surprise}`);
  if (surprises.length > 0) process.exitCode = 1;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

main().catch((error: unknown) => {
  if (!(error instanceof Missing)) throw error;
  say(`judges: not run, ${error.message}`);
  if (process.env.JUDGES === 'required') process.exitCode = 1;
});
