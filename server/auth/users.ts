import { hash, timingSafeEqual } from 'node:crypto';
import { and, asc, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import { users as table } from '../../drizzle/schema.ts';
import type { Clock, Random } from '../clock.ts';
import type { Db } from '../db/handle.ts';

export interface User {
  name: string;
  /** ISO, UTC. */
  createdAt: string;
  /** ISO, UTC; null while the token is valid. */
  revokedAt: string | null;
}

/** A name or token that cannot be used; the message is for a person. */
export class UserError extends Error {}

export interface Users {
  /** Makes a user, or gives a revoked one a new token. Returns the token, which is shown here and never again. Throws UserError. */
  add(name: string): Promise<string>;
  /** Makes `token` the only token of `name`, valid or revoked before. Throws UserError when another user has that token. */
  assign(name: string, token: string): Promise<void>;
  list(): Promise<User[]>;
  /** Ends the token of `name`; false when there is no such valid user. Other processes see it within 3 s. */
  revoke(name: string): Promise<boolean>;
  /** Name of the user a token belongs to, null when it is unknown or revoked. Rejects only when the table could never be read. */
  authenticate(token: string): Promise<string | null>;
}

/** How long the list of valid tokens is trusted: a revocation by another process takes effect within this. */
const LIST_LIFE_MS = 3_000;
/** An unknown token may be newer than the list, so it causes a read, at most one in this time however many are tried. */
const UNKNOWN_REREAD_MS = 200;
const READ_TIMEOUT_MS = 1_000;
/** While the database is away the last list stays valid and is asked for again after this. */
const RETRY_MS = 1_000;

interface Dependencies {
  db: Db;
  random: Random;
  clock: Clock;
}

/**
 * Users and their opaque API tokens, kept as SHA-256. All valid hashes are held in memory for 3 s at most, so that requests
 * cost no read each, wrong tokens cost nothing to store, and a database that is away locks nobody out.
 */
export function createUsers({ db, random, clock }: Dependencies): Users {
  const valid = createValidTokens({ db, clock });

  async function add(name: string): Promise<string> {
    if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name))
      throw new UserError(`"${name}" cannot be a user name: use 1 to 64 of a-z, 0-9, dot, underscore and dash`);
    const token = newToken(random);
    const row = { name, token_hash: hashOf(token).toString('hex') };
    const added = await db
      .insert(table)
      .values(row)
      .onConflictDoUpdate({
        target: table.name,
        set: { token_hash: row.token_hash, created_at: sql`now()`, revoked_at: null },
        setWhere: isNotNull(table.revoked_at),
      })
      .returning({ name: table.name });
    if (added.length === 0) throw new UserError(`user "${name}" exists already; revoke it first to give it a new token`);
    valid.reread();
    return token;
  }

  async function assign(name: string, token: string): Promise<void> {
    const token_hash = hashOf(token).toString('hex');
    const [holder] = await db.select({ name: table.name }).from(table).where(eq(table.token_hash, token_hash));
    if (holder && holder.name !== name) throw new UserError(`the token given for "${name}" belongs to user "${holder.name}"`);
    await db
      .insert(table)
      .values({ name, token_hash })
      .onConflictDoUpdate({ target: table.name, set: { token_hash, created_at: sql`now()`, revoked_at: null } });
    valid.reread();
  }

  async function list(): Promise<User[]> {
    const rows = await db.select().from(table).orderBy(asc(table.name));
    return rows.map((row) => ({ name: row.name, createdAt: iso(row.created_at), revokedAt: row.revoked_at && iso(row.revoked_at) }));
  }

  async function revoke(name: string): Promise<boolean> {
    const revoked = await db
      .update(table)
      .set({ revoked_at: sql`now()` })
      .where(and(eq(table.name, name), isNull(table.revoked_at)))
      .returning({ name: table.name });
    valid.reread();
    return revoked.length > 0;
  }

  return { add, assign, list, revoke, authenticate: (token) => valid.find(hashOf(token)) };
}

/** The in-memory list of valid tokens: name and hash of each. */
function createValidTokens({ db, clock }: Pick<Dependencies, 'db' | 'clock'>) {
  let entries: { name: string; hash: Buffer }[] | null = null;
  let dueAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;
  /** How often users were changed here, and how often when the read of the list began: what changed since, it cannot say. */
  let changes = 0;
  let known = 0;

  async function read(): Promise<void> {
    triedAt = clock.mono();
    const changed = changes;
    try {
      const query = db.select({ name: table.name, hash: table.token_hash }).from(table).where(isNull(table.revoked_at));
      const rows = await withTimeout(clock, query.execute());
      entries = rows.map((row) => ({ name: row.name, hash: Buffer.from(row.hash, 'hex') }));
      dueAt = triedAt + LIST_LIFE_MS;
      known = changed;
    } catch (error) {
      if (!entries) throw error;
      dueAt = clock.mono() + RETRY_MS;
    }
  }

  function refresh(): Promise<void> {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  }

  function match(hash: Buffer): string | null {
    return entries?.find((entry) => timingSafeEqual(entry.hash, hash))?.name ?? null;
  }

  async function find(hash: Buffer): Promise<string | null> {
    const asked = changes;
    if (clock.mono() >= dueAt) await refresh();
    const name = match(hash);
    if (name !== null || (known >= asked && clock.mono() - triedAt < UNKNOWN_REREAD_MS)) return name;
    await refresh();
    // A read that had begun before the change says nothing of it: the next one does.
    if (known < asked) await refresh();
    const found = match(hash);
    if (found === null && known < asked) throw new Error('The user table could not be read since it was changed');
    return found;
  }

  function reread(): void {
    changes += 1;
    dueAt = Number.NEGATIVE_INFINITY;
  }

  return { find, reread };
}

async function withTimeout<Value>(clock: Clock, work: Promise<Value>): Promise<Value> {
  const settled = new AbortController();
  const timeout = clock.sleep(READ_TIMEOUT_MS, settled.signal).then(() => {
    throw new Error(`The user table did not answer within ${READ_TIMEOUT_MS} ms`);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    settled.abort();
  }
}

/** `bgw_` and 256 random bits in base64url: 47 characters. */
export function newToken(random: Random): string {
  return `bgw_${Buffer.from(random.bytes(32)).toString('base64url')}`;
}

function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

function iso(time: string): string {
  return new Date(time).toISOString();
}
