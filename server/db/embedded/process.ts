import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { systemClock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { DatabaseError } from '../error.ts';
import { descendants } from './descendants.ts';
import { environment, type Runner } from './runner.ts';

/**
 * Runs PostgreSQL ("$@") and watches over it. Descriptor 3 is a pipe whose other end only the gateway holds: when it closes, because
 * the gateway asked or because it died in whatever way, PostgreSQL is told to stop fast, and after a second to stop at once.
 */
const watchdog = `
trap '' HUP INT TERM
"$@" 3<&- &
postgres=$!
(
  read -r _ <&3
  kill -INT $postgres
  for _ in 1 2 3 4 5 6 7 8 9 10; do sleep 0.1; kill -0 $postgres || exit; done
  kill -QUIT $postgres
) >/dev/null 2>&1 &
watcher=$!
exec 3<&-
wait $postgres
code=$?
kill -KILL $watcher
exit $code`;

/** Longer than crash recovery of our small database ever took. */
const startTimeoutMs = 60_000;
const stopTimeoutMs = 3_000;
/** Its last words may still be on their way when it is gone; a process of it that stands still keeps their pipe open. */
const lastWordsMs = 1_000;
const keptLines = 5;

export interface Server {
  /** Resolves when PostgreSQL has ended, with its last words. */
  ended: Promise<string>;
  /** Fast stop; connections are cut. Resolves when it has ended. */
  stop(): Promise<void>;
  /** Ends all its processes at once, those that stand still too; nothing when it has ended. */
  kill(): void;
}

/** Starts `postgres` and resolves when it takes connections. `deadPid` is a former server's number that must not be taken for a living one. */
export async function runPostgres(command: readonly string[], runner: Runner, deadPid: number | null, log: Log): Promise<Server> {
  const [file = '', ...args] = [...runner.prefix, '/bin/sh', '-c', watchdog, 'sh', ...command];
  const child = spawn(file, args, {
    ...runner.spawn,
    cwd: '/',
    // A process group of its own, so that Ctrl-C reaches the gateway alone.
    detached: true,
    // PostgreSQL ignores this number when it judges whether postmaster.pid is stale, and still checks for living backends.
    env: { ...environment, ...(deadPid !== null && { PG_GRANDPARENT_PID: String(deadPid) }) },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const pipe = child.stdio[3];
  pipe?.on('error', () => undefined);
  const lines: string[] = [];
  const ready = Promise.withResolvers<'ready'>();
  const output = child.stderr ? createInterface({ input: child.stderr }) : null;
  output?.on('line', (line) => {
    lines.push(line);
    if (lines.length > keptLines) lines.shift();
    if (/ready to accept (read-only )?connections/.test(line)) ready.resolve('ready');
    if (/^(FATAL|PANIC):/.test(line)) log.warn({ line }, 'PostgreSQL');
    else log.debug({ line }, 'PostgreSQL');
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    const closed = new Promise<void>((done) => child.once('close', () => done()));
    child.once('exit', () => void before(lastWordsMs, closed).then(() => resolve(lines.join(' | '))));
  });
  async function stop(): Promise<void> {
    pipe?.destroy();
    if ((await before(stopTimeoutMs, ended)) !== null) return;
    kill();
    await before(stopTimeoutMs, ended);
  }
  function kill(): void {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    // PostgreSQL's own end with it, unless they stand still.
    for (const pid of [...descendants(child.pid), child.pid]) killNow(pid);
  }
  const outcome = await before(startTimeoutMs, Promise.race([ready.promise, ended]));
  if (outcome === 'ready') return { ended, stop, kill };
  await stop();
  throw new DatabaseError(`PostgreSQL did not start: ${outcome ?? 'it is still not ready after a minute'}`);
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone by itself.
  }
}

async function before<T>(limitMs: number, work: Promise<T>): Promise<T | null> {
  const stop = new AbortController();
  try {
    return await Promise.race([work, systemClock.sleep(limitMs, stop.signal).then(() => null)]);
  } finally {
    stop.abort();
  }
}
