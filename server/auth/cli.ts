import { parseArgs } from 'node:util';
import { systemClock, systemRandom } from '../clock.ts';
import { ConfigError, loadCommandEnvironment, readConfig } from '../config/config.ts';
import { DatabaseError, openDatabase } from '../db/open.ts';
import { silentLog } from '../log.ts';
import { printable } from '../printable.ts';
import { FIRST_USER } from './first-user.ts';
import { createUsers, UserError, type Users } from './users.ts';

const usage = `Usage: npm run user -- add <name> | list | revoke <name>
  add     makes a user and prints its API token, once
  list    names, when they were made, and whether their token is valid
  revoke  ends a user's token; a running gateway refuses it within 3 s`;

/** A command line that cannot be understood. */
class UsageError extends Error {}

type Command = (users: Users, name: string) => Promise<string>;

const commands: Readonly<Record<string, { takesName: boolean; run: Command }>> = {
  add: { takesName: true, run: add },
  list: { takesName: false, run: list },
  revoke: { takesName: true, run: revoke },
};

/** The token alone, so that a script can keep it. */
async function add(users: Users, name: string): Promise<string> {
  if (name === FIRST_USER)
    throw new UserError(`"${FIRST_USER}" is the gateway's own user: its token is GATEWAY_TOKEN, else the one in DATA_DIR/token`);
  return users.add(name);
}

async function list(users: Users): Promise<string> {
  const all = await users.list();
  if (all.length === 0) return 'There are no users yet: the first start of the gateway makes one.';
  const width = Math.max(...all.map(({ name }) => name.length));
  return all
    .map(({ name, createdAt, revokedAt }) => `${name.padEnd(width)}  made ${createdAt}  ${revokedAt ? `revoked ${revokedAt}` : 'valid'}`)
    .join('\n');
}

async function revoke(users: Users, name: string): Promise<string> {
  if (!(await users.revoke(name))) throw new UserError(`there is no user "${name}" with a valid token`);
  return `The token of "${name}" is revoked.`;
}

function parse(args: string[]): { run: Command; name: string } {
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
  const [word = '', name = '', ...rest] = positionals;
  const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
  if (!command || rest.length > 0 || command.takesName === (name === '')) throw new UsageError();
  return { run: command.run, name };
}

/** Runs one command on the configured database, beside a running gateway or without one. Returns what to print. */
async function main(args: string[]): Promise<string> {
  const { run, name } = parse(args);
  const { mode, dataDir, databaseUrl } = readConfig(loadCommandEnvironment());
  const database = await openDatabase({ mode, dataDir, databaseUrl, log: silentLog(), beside: true });
  try {
    return await run(createUsers({ db: database.db, random: systemRandom, clock: systemClock }), name);
  } finally {
    await database.close();
  }
}

/** Exit codes: 0 done, 1 refused or failed, 2 not understood. */
try {
  console.log(await main(process.argv.slice(2)));
} catch (error) {
  const known = error instanceof UserError || error instanceof ConfigError || error instanceof DatabaseError;
  const misused =
    error instanceof UsageError || (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
  console.error(misused ? usage : known ? printable(error.message) : error);
  process.exitCode = misused ? 2 : 1;
}
