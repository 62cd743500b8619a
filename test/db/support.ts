import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { fromCache } from '../support/process.ts';

export const isRoot = process.getuid?.() === 0;
const program = fileURLToPath(new URL('./child.ts', import.meta.url));

export interface Child {
  process: ChildProcess;
  /** What it told first. */
  told: string;
  /** Sends a signal and resolves when the process is gone, with the milliseconds that took. */
  kill(signal: NodeJS.Signals): Promise<number>;
}

/** Starts child.ts, or a copy of it at `file`, and waits for its first line. */
export async function startChild(
  dataDir: string,
  options: { url?: string; file?: string; uid?: number; env?: NodeJS.ProcessEnv } = {},
): Promise<Child> {
  // A copy has a cache of its own.
  const cache = options.file ? ['--import', join(dirname(options.file), '../../server/fast-imports.js')] : fromCache;
  const child = spawn(process.execPath, [...cache, options.file ?? program, dataDir, options.url ?? '-'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...options.env },
    ...(options.uid !== undefined && { uid: options.uid, gid: options.uid }),
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const told = await new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', () => resolve('exited without a word'));
  });
  return {
    process: child,
    told,
    kill: async (signal) => {
      const began = performance.now();
      child.kill(signal);
      await gone;
      return performance.now() - began;
    },
  };
}

/** A new temporary directory; `remove` it with forget. */
export function makeDirectory(mode = 0o755): string {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-db-'));
  execFileSync('chmod', [mode.toString(8), directory]);
  return directory;
}

export function forget(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}

/** Process numbers, zombies left out, whose command line holds `text`. Linux only. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => pid !== process.pid && commandOf(pid).includes(text));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** The postmaster's number, from the cluster's own file. */
export function postmasterOf(dataDir: string, name = 'postgres-practice'): number {
  return Number(readFileSync(join(dataDir, name, 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** Resolves when `check` holds; throws after `limitMs`, which is no measure of anything: a busy machine takes its time. */
export async function until(check: () => unknown, limitMs = 20_000): Promise<void> {
  const began = performance.now();
  for (;;) {
    const holds = await Promise.resolve()
      .then(check)
      .catch(() => false);
    if (holds) return;
    if (performance.now() - began > limitMs) throw new Error(`not within ${limitMs} ms: ${check}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
