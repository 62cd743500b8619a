import { join } from 'node:path';
import { systemClock } from '../clock.ts';
import { ConfigError, loadEnvironment, readConfig } from '../config/config.ts';
import { createLog } from '../log.ts';
import { type PracticeExchange, startExchange } from './host.ts';
import { serveControl } from './wire/control.ts';

/** `npm run exchange`: the practice exchange alone, its control server on EXCHANGE_PORT and the brokers on the ports above it. */
async function main(): Promise<void> {
  const config = readConfig(loadEnvironment());
  const log = createLog(config.logLevel, process.stdout.isTTY);
  const port = config.exchangePort;
  const host = await startExchange({
    ports: port,
    // Its own directory: the exchange inside `npm start` keeps its ledger in DATA_DIR itself.
    dataDir: join(config.dataDir, 'exchange'),
    seed: config.practiceSeed,
    limits: config.practiceLimits,
    clock: systemClock,
    log,
  });
  const control = await serveControl(host, port).catch(async (error: unknown) => {
    await host.close();
    throw error;
  });
  process.stdout.write(firstScreen(host, port));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      void Promise.all([control.close(), host.close()]).then(() => process.exit(0));
    });
  }
}

function firstScreen(host: PracticeExchange, port: number): string {
  const brokers = Object.entries(host.urls).map(([id, { api, login }]) => `  ${id.padEnd(10)} ${api}   login ${login}\n`);
  return `Practice exchange. Control: http://127.0.0.1:${port}\n${brokers.join('')}Ctrl-C stops it.\n`;
}

function words(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    return `EXCHANGE_PORT: a port from it on is in use (${error.message}); set another`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

main().catch((error: unknown) => {
  process.stderr.write(`${words(error)}\n`);
  process.exitCode = 1;
});
