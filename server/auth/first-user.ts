import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Random } from '../clock.ts';
import { newToken, type Users } from './users.ts';

/** The user that the gateway itself makes. */
export const FIRST_USER = 'owner';

/** Each takes a second at most. */
const READS = 10;

interface Dependencies {
  users: Users;
  random: Random;
  /** Absolute. */
  dataDir: string;
  gatewayToken: string | undefined;
  /** Other gateways have this database too: an owner's token of theirs is left as it is. */
  shared?: boolean;
}

/**
 * Sees to it that one user can call. With GATEWAY_TOKEN that token, and no other, is the owner's and no file is kept.
 * Without it the owner's token lives in DATA_DIR/token (mode 0600): a file whose token is valid is reused, one that a database
 * without owner does not know is registered, and a missing, revoked or replaced one gives way to a new token.
 * Returns the file that holds the token, null with GATEWAY_TOKEN and where another gateway keeps it.
 */
export async function ensureFirstUser({
  users,
  random,
  dataDir,
  gatewayToken,
  shared = false,
}: Dependencies): Promise<{ tokenFile: string | null }> {
  if (gatewayToken !== undefined) {
    if ((await nameOf(users, gatewayToken)) !== FIRST_USER) await users.assign(FIRST_USER, gatewayToken);
    return { tokenFile: null };
  }
  const tokenFile = join(dataDir, 'token');
  const kept = await readToken(tokenFile);
  if (kept !== null && (await nameOf(users, kept)) !== null) return { tokenFile };
  const ownerIsNew = !(await users.list()).some((user) => user.name === FIRST_USER);
  if (shared && !ownerIsNew) return { tokenFile: null };
  const token = kept !== null && ownerIsNew ? kept : newToken(random);
  // File first: a crash in between leaves a token the next start registers or replaces, never a user whose token nobody has.
  if (token !== kept) await writeToken(tokenFile, token);
  await users.assign(FIRST_USER, token);
  return { tokenFile };
}

/** A caller is not kept waiting for the user table, and a start is: just started, a database may take seconds for its first read. */
async function nameOf(users: Users, token: string): Promise<string | null> {
  for (let reads = 1; ; reads += 1) {
    try {
      return await users.authenticate(token);
    } catch (error) {
      if (reads === READS) throw error;
    }
  }
}

/** The token in the file, readable by its owner alone from now on; null when there is none worth the name. */
async function readToken(file: string): Promise<string | null> {
  try {
    const token = (await readFile(file, 'utf8')).trim();
    await chmod(file, 0o600);
    return /^[\x21-\x7e]{32,}$/.test(token) ? token : null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

async function writeToken(file: string, token: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.new`;
  await rm(temporary, { force: true });
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(`${token}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
}
