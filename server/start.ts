import { ConfigError, loadEnvironment, readConfig } from './config.ts';
import { type Context, createContext } from './context.ts';
import { DatabaseError } from './db/open.ts';
import { firstScreen } from './first-screen.ts';
import { type Listening, listen } from './http/listen.ts';
import { createLog } from './log.ts';

/** Longest a stop may take before the process ends all the same; PostgreSQL's watchdog then stops the database. */
const STOP_LIMIT_MS = 1900;

async function run(): Promise<void> {
  const config = readConfig(loadEnvironment());
  const log = createLog(config.logLevel, process.stderr.isTTY === true);
  let context: Context | null = null;
  let listening: Listening | null = null;
  let stopping = false;

  async function stop(code: number): Promise<void> {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(code || 1), STOP_LIMIT_MS).unref();
    await Promise.all([listening?.close(), context?.stop()]);
    process.exit(code);
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0));
  process.on('SIGUSR2', () => {
    const killSwitch = context?.killSwitch;
    if (!killSwitch) return log.warn('SIGUSR2 came before the kill switch was read; send it again');
    // The log tells the turn, and a store that fails.
    killSwitch.set(!killSwitch.on, 'signal').catch(() => undefined);
  });
  process.on('uncaughtException', (error) => {
    log.fatal(
      { error: String(error), stack: error.stack },
      'Unexpected failure; the gateway stops and looks its open orders up at the next start',
    );
    void stop(1);
  });

  try {
    const onLost = (reason: string) => {
      log.fatal({ reason }, 'The database belongs to another gateway now; this one stops');
      void stop(1);
    };
    context = await createContext(config, log, { onLost });
    listening = await listen(context.app, config);
    await context.autoConnect();
    process.stdout.write(firstScreen(config, context, listening.port));
  } catch (error) {
    await context?.stop();
    throw error;
  }
}

/** Runs the gateway until a signal ends it. Refusals to start are for a person: one line that names the setting, no stack, exit code 1. */
export async function start(): Promise<void> {
  try {
    await run();
  } catch (error) {
    const plain = error instanceof ConfigError || error instanceof DatabaseError;
    process.stderr.write(
      `${plain || !(error instanceof Error) ? `Cannot start: ${plain ? error.message : String(error)}` : error.stack}\n`,
    );
    process.exit(1);
  }
}
