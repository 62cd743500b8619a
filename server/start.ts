import { systemClock } from './clock.ts';
import { type Config, ConfigError, loadEnvironment, readConfig } from './config/config.ts';
import { explainFile, prepareDataDir } from './config/data-dir.ts';
import { type Context, createContext } from './context.ts';
import { DatabaseError } from './db/open.ts';
import { firstScreen } from './first-screen.ts';
import { createFront } from './front.ts';
import { type Listening, refuseTaken } from './http/listen.ts';
import { createLog, type Log } from './log.ts';
import { openOps } from './ops/open.ts';
import type { KillSwitch } from './orders/kill-switch.ts';
import { printable } from './printable.ts';

/** Longest a stop may take before the process ends all the same; PostgreSQL's watchdog then stops the database. */
const STOP_LIMIT_MS = 1900;

/** After it gave up the lead by hand a gateway lets the others try first. */
const HAND_OVER_PAUSE_MS = 3000;

interface Heard {
  stop(code: number): void;
  /** Undefined before it was read. */
  killSwitch(): KillSwitch | undefined;
  handOver(): void;
}

/** What the operating system may tell a gateway; and the failure that nobody expected. */
function hearSignals(log: Log, { stop, killSwitch, handOver }: Heard): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(0));
  process.on('SIGUSR1', handOver);
  process.on('SIGUSR2', () => {
    const known = killSwitch();
    if (!known) return log.warn('SIGUSR2 came before the kill switch was read; send it again');
    // The log tells the turn, and a store that fails.
    known.set(!known.on, 'signal').catch(() => undefined);
  });
  process.on('uncaughtException', (error) => {
    log.fatal(
      { error: String(error), stack: error.stack },
      'Unexpected failure; the gateway stops and looks its open orders up at the next start',
    );
    stop(1);
  });
}

/** Refuses what cannot be used, before anything else is made or changed. */
async function prepare(config: Config): Promise<void> {
  await refuseTaken(config);
  prepareDataDir(config.dataDir);
}

async function run(): Promise<void> {
  const given = readConfig(loadEnvironment());
  const log = createLog(given.logLevel, process.stderr.isTTY === true);
  const front = createFront(given, log);
  let config = given;
  let context: Context | null = null;
  let listening: Listening | null = null;
  let stopping = false;
  await prepare(config);
  const ops = await openOps(config, log, () => context?.figures() ?? null);
  let handOver: () => void = () => undefined;

  async function stop(code: number): Promise<void> {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(code || 1), STOP_LIMIT_MS).unref();
    await Promise.all([listening?.close(), context?.stop()]);
    ops.close();
    process.exit(code);
  }
  hearSignals(log, {
    stop: (code) => void stop(code),
    killSwitch: () => context?.killSwitch,
    handOver: () => (context && config.standby ? handOver() : log.warn('SIGUSR1 hands the lead over: only a leader with STANDBY=on can')),
  });
  const onLost = (reason: string) => {
    log.fatal({ reason }, 'The database belongs to another gateway now; this one stops');
    void stop(1);
  };
  const overrides = { onLost, onWaiting: front.wait, meters: ops.meters, certificateLeftMs: front.certificateLeftMs };

  /** Leads until the lead is handed over. */
  async function lead(): Promise<void> {
    const handed = new Promise<void>((resolve) => {
      handOver = resolve;
    });
    context = await createContext(config, log, overrides);
    front.serve(context.app);
    listening ??= await front.listen();
    context.served(listening.port);
    await context.autoConnect();
    process.stdout.write(firstScreen(config, context, listening.port, ops.line()));
    await handed;
    log.warn('Handing the lead over');
    front.wait(null);
    await context.stop();
    context = null;
    await systemClock.sleep(HAND_OVER_PAUSE_MS);
  }

  try {
    // A standby answers while it waits.
    if (config.standby) listening = await front.listen();
    config = { ...given, port: listening?.port ?? given.port };
    while (!stopping) await lead();
  } catch (error) {
    await (context as Context | null)?.stop();
    throw explainFile(error, config.dataDir);
  }
}

/** Runs the gateway until a signal ends it. Refusals to start are for a person: one line that names the setting, no stack, exit code 1. */
export async function start(): Promise<void> {
  try {
    await run();
  } catch (error) {
    const plain = error instanceof ConfigError || error instanceof DatabaseError;
    const lines = plain ? error.message.split('\n').map(printable) : [String(error)];
    process.stderr.write(`${plain || !(error instanceof Error) ? lines.map((line) => `Cannot start: ${line}`).join('\n') : error.stack}\n`);
    process.exit(1);
  }
}
