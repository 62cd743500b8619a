import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import type { BrokerDefinition, BrokerEnv, Connected } from '../brokers/broker.ts';
import { brokers } from '../brokers/index.ts';
import { systemClock, systemRandom } from '../clock.ts';
import { ConfigError, loadCommandEnvironment, readConfig } from '../config/config.ts';
import { openDatabase } from '../db/open.ts';
import { silentLog } from '../log.ts';
import { printableLines } from '../printable.ts';
import { brokerEnv, definitionOf, supportedHint, textOf } from './brokers.ts';
import { catchRedirect, pastedQuery, type Query } from './login-page.ts';
import { createLogins, type Logins } from './logins.ts';
import { openVault } from './vault.ts';

const usage = `Usage: npm run login -- <broker> [--logout] [--port 5001]
  Signs in to a broker and keeps the login, encrypted, until it expires; connect then uses it.
  --logout  ends the kept login at the broker
  --port    where the broker's redirect is caught on this machine: register http://127.0.0.1:<port>/ with the broker
${supportedHint}`;

interface Asked {
  name: string;
  logout: boolean;
  port: number;
}

function parse(args: string[]): Asked | null {
  try {
    const options = { logout: { type: 'boolean', default: false }, port: { type: 'string', default: '5001' } } as const;
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
    const [name = '', ...rest] = positionals;
    const port = Number(values.port);
    if (name === '' || rest.length > 0 || !Number.isInteger(port) || port < 0 || port > 65_535) return null;
    return { name, logout: values.logout, port };
  } catch {
    return null;
  }
}

async function run(asked: Asked): Promise<string> {
  const config = readConfig(loadCommandEnvironment());
  const parts = { config, definitions: brokers, clock: systemClock, random: systemRandom, log: silentLog() };
  const definition = definitionOf(parts, asked.name);
  if (config.mode === 'practice' && config.broker[definition.id].apiUrl === undefined) {
    throw new ConfigError('In practice mode the gateway signs in by itself; set GATEWAY_MODE=live to sign in to a real broker');
  }
  const env = brokerEnv(parts, definition, () => undefined);
  const database = await openDatabase({ ...config, log: silentLog(), beside: true });
  try {
    const logins = createLogins(database.db, await openVault(config.dataDir, systemRandom, config.vaultKey), systemClock);
    return asked.logout ? await logout(definition, env, logins) : await login(definition, env, logins, asked.port);
  } finally {
    await database.close();
  }
}

async function login(definition: BrokerDefinition, env: BrokerEnv, logins: Logins, port: number): Promise<string> {
  const connected = await signIn(definition, env, port);
  if (!connected.success) throw new ConfigError(connected.message);
  await logins.write(definition.id, connected.account, connected.login);
  const until = new Date(connected.login.expiresAt).toLocaleString('en-IN', {
    timeZone: 'Asia/Kolkata',
    dateStyle: 'medium',
    timeStyle: 'short',
  });
  return `Signed in to ${definition.name} as ${connected.account}; kept until ${until} IST. A running gateway takes it with POST /broker/connect?broker=${definition.id}`;
}

/** By credentials where the broker needs no person and they are set; else by the broker's page, where it has one. */
async function signIn({ create, login }: BrokerDefinition, env: BrokerEnv, port: number): Promise<Connected> {
  const broker = create(env);
  try {
    if (login && !broker.traits.unattended) return await byBrowser(login, env, port);
    const connected = await broker.connect(null);
    if (connected.success || !login) return connected;
    say(`${connected.message}\n`);
    return await byBrowser(login, env, port);
  } finally {
    await broker.close();
  }
}

/** The redirect is caught on this machine, or its address is pasted where the browser runs on another one. */
async function byBrowser(page: NonNullable<BrokerDefinition['login']>, env: BrokerEnv, port: number): Promise<Connected> {
  const url = page.url(env);
  const catcher = await catchRedirect(port);
  const pasted = createInterface({ input: process.stdin });
  say(
    `Open this page and sign in:\n\n  ${url}\n\nThe broker then sends the browser to the address registered for your app.\n` +
      `When that is http://127.0.0.1:${catcher.port}/ it is caught here; else paste the whole address the browser ended at:`,
  );
  try {
    const lines = new Promise<Query>((resolve) => {
      pasted.on('line', (line) => {
        const query = pastedQuery(line);
        if (query) resolve(query);
      });
    });
    return await page.exchange(env, await Promise.race([catcher.caught, lines]));
  } finally {
    pasted.close();
    catcher.close();
  }
}

async function logout(definition: BrokerDefinition, env: BrokerEnv, logins: Logins): Promise<string> {
  const stored = await logins.read(definition.id);
  if (!stored) return `No login of ${definition.name} is kept.`;
  const broker = definition.create(env);
  try {
    const connected = await broker.connect(stored);
    const ended = connected.success ? await broker.logout() : connected;
    await logins.forget(definition.id);
    return ended.success
      ? `The login at ${definition.name} is ended.`
      : `The kept login is forgotten; ${definition.name} said: ${ended.message}`;
  } finally {
    await broker.close();
  }
}

/** What brokers say stands among it. */
function say(text: string): void {
  process.stdout.write(`${printableLines(text)}\n`);
}

/** Exit codes: 0 done, 1 refused or failed, 2 not understood. */
const asked = parse(process.argv.slice(2));
if (!asked) {
  process.stderr.write(`${usage}\n`);
  process.exit(2);
}
try {
  say(await run(asked));
  process.exit(0);
} catch (error) {
  process.stderr.write(`${printableLines(textOf(error))}\n`);
  process.exit(1);
}
