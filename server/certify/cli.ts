import { createInterface } from 'node:readline/promises';
import type { BrokerDefinition, StoredLogin } from '../brokers/broker.ts';
import { brokers } from '../brokers/index.ts';
import { tradingCalendar } from '../calendar/calendar.ts';
import { marketOf } from '../calendar/market.ts';
import { systemClock, systemRandom } from '../clock.ts';
import { type Config, ConfigError, loadCommandEnvironment, readConfig } from '../config/config.ts';
import { prepareDataDir } from '../config/data-dir.ts';
import { DatabaseError } from '../db/error.ts';
import { openDatabase } from '../db/open.ts';
import { killSwitchKeeper } from '../journal/kill-switch-record.ts';
import { silentLog } from '../log.ts';
import { printableLines } from '../printable.ts';
import { definitionOf } from '../session/brokers.ts';
import { createLogins } from '../session/logins.ts';
import { openVault } from '../session/vault.ts';
import { type Certified, type CertifyParts, certify } from './certify.ts';
import { type Command, parseCommand, usage } from './command-line.ts';

/** Set by Ctrl-C while an order may be open: it is cancelled before anything ends. */
let stopped = false;

/** Where the broker is and how it is signed in to. */
type Place = Pick<CertifyParts, 'config' | 'stored' | 'keep'> & { close(): Promise<void> };

async function run(command: Command): Promise<Certified> {
  const config = readConfig(loadCommandEnvironment());
  const definition = definitionOf({ definitions: brokers }, command.broker);
  if (command.order) refuseOrder(config.killSwitch);
  prepareDataDir(config.dataDir);
  const place = config.mode === 'live' ? await live(config, definition, command) : await practice(config, definition);
  try {
    return await certify(command, {
      ...place,
      definition,
      clock: systemClock,
      random: systemRandom,
      isOpen: (exchange) => marketOf(config.mode, tradingCalendar(config.calendarFile)).isOpen(exchange, systemClock.now()),
      say: (line) => void process.stdout.write(`${printableLines(line)}\n`),
      ask,
      stopped: () => stopped,
    });
  } finally {
    await place.close();
  }
}

function refuseOrder(killSwitch: boolean): void {
  if (killSwitch) throw new ConfigError('The kill switch is on: no order is tried. Nothing was sent');
  if (!process.stdin.isTTY) throw new ConfigError('--order asks a person, and no terminal is here. Nothing was sent');
}

/** The login that the gateway keeps is used, and one that is made is kept for it. */
async function live(config: Config, { id }: BrokerDefinition, { order }: Command): Promise<Place> {
  const database = await openDatabase({ ...config, log: silentLog(), beside: true });
  try {
    if (order) refuseOrder((await killSwitchKeeper(database.db).read()).on);
    const logins = createLogins(database.db, await openVault(config.dataDir, systemRandom, config.vaultKey), systemClock);
    const keep = (account: string, login: StoredLogin) => logins.write(id, account, login);
    return { config, stored: await logins.read(id), keep, close: () => database.close() };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** A practice exchange of its own, beside that of a gateway; one that runs already where an address is set. */
async function practice(config: Config, { id }: BrokerDefinition): Promise<Place> {
  const keep = async () => undefined;
  if (config.broker[id].apiUrl !== undefined) return { config, stored: null, keep, close: keep };
  const { startPractice } = await import('../exchange/practice.ts');
  const own = { ...config, dataDir: `${config.dataDir}/certify` };
  const started = await startPractice(own, systemClock, silentLog());
  return { config: { ...started.config, dataDir: config.dataDir }, stored: null, keep, close: () => started.exchange.close() };
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const over = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  terminal.once('SIGINT', () => terminal.close());
  try {
    return await Promise.race([terminal.question(printableLines(question)), over]);
  } finally {
    terminal.close();
  }
}

function verdict({ passed, counts, file, open }: Certified): string {
  const seen = `${counts.ok} ok, ${counts.failed} failed, ${counts['not told']} not told. ${passed ? 'Nothing failed.' : 'FAILED: see the lines above.'}`;
  const left = open
    ? `\nLOOK AT YOUR BROKER NOW: order ${open.orderId || '(no id was told)'}, tag ${open.tag}, may still be open` +
      `${open.filled > 0 ? ` or was filled: ${open.filled} bought` : ''}. Cancel it in the broker's app.`
    : '';
  return `\n${seen} The report without your data is ${file}: read it before you send it.${left}`;
}

/** Exit codes: 0 nothing failed, 1 something failed or was refused, 2 not understood. */
const command = parseCommand(process.argv.slice(2));
if (!command) {
  process.stderr.write(`${usage}\n`);
  process.exit(2);
}
if (command.order) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      stopped = true;
      process.stderr.write('\nEnding: an order that is open is cancelled first.\n');
    });
  }
  // A terminal that is gone must not end it either.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
try {
  const certified = await run(command);
  process.stdout.write(`${printableLines(verdict(certified))}\n`);
  process.exit(certified.passed ? 0 : 1);
} catch (error) {
  const known = error instanceof ConfigError || error instanceof DatabaseError;
  const text = known || !(error instanceof Error) ? String(error).replace(/^Error: /, '') : error.message;
  process.stderr.write(`${printableLines(text)}\n`);
  process.exit(1);
}
