import { fileURLToPath } from 'node:url';
import { eq, sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { settings } from '../../drizzle/schema.ts';
import { DatabaseError, reasonOf } from './error.ts';
import { type Db, handleOn } from './handle.ts';

/** Advisory lock of those who migrate: (class, object). */
const lockClass = 0x6272_6f6b;
const lockObject = 2;
const migrationsFolder = fileURLToPath(new URL('../../drizzle/migrations', import.meta.url));
const statementTimeoutMs = 60_000;
const NOT_MADE =
  'The database that DATABASE_URL names holds no tables of a gateway, which makes them at its start. Start the gateway first, or set DATABASE_URL to its database. Nothing was made';

/** One migration: its statements, and what it is known by in a database. */
export interface MigrationFile {
  hash: string;
  createdAt: number;
  statements: readonly string[];
}

/** The migrations of this version, oldest first. */
export function migrationFiles(): MigrationFile[] {
  return readMigrationFiles({ migrationsFolder }).map(({ hash, folderMillis, sql: statements }) => ({
    hash,
    createdAt: folderMillis,
    statements,
  }));
}

/**
 * Brings the tables up to date, and stamps the database with `mode` when it has none. Simultaneous callers wait for each other.
 * Throws DatabaseError when the database belongs to the other mode, or holds no tables and none may be made (nothing is changed then), or a migration fails.
 */
export async function migrateDatabase(
  connection: postgres.Options<Record<string, never>>,
  mode?: 'practice' | 'live',
  mayMake = true,
): Promise<void> {
  const client = postgres({
    ...connection,
    connection: { ...connection.connection, statement_timeout: statementTimeoutMs, lock_timeout: statementTimeoutMs },
    max: 1,
  });
  try {
    await client`select pg_advisory_lock(${lockClass}::int, ${lockObject}::int)`;
    const db = handleOn(client);
    const made = await hasTables(db);
    if (!made && !mayMake) throw new DatabaseError(NOT_MADE);
    if (mode && made) await refuseOtherMode(db, mode);
    await migrate(drizzle(client), { migrationsFolder });
    if (mode) await db.insert(settings).values({ name: 'mode', value: mode }).onConflictDoNothing({ target: settings.name });
  } catch (error) {
    if (error instanceof DatabaseError) throw error;
    throw new DatabaseError(
      `The tables of the database could not be prepared: ${reasonOf(error instanceof Error ? (error.cause ?? error) : error)}`,
    );
  } finally {
    await client.end({ timeout: 1 });
  }
}

async function hasTables(db: Db): Promise<boolean> {
  const present = sql<boolean>`to_regclass('gateway_settings') is not null`;
  const [table] = await db.select({ present }).from(sql`generate_series(1, 1)`);
  return table?.present === true;
}

async function refuseOtherMode(db: Db, mode: 'practice' | 'live'): Promise<void> {
  const [row] = await db.select({ value: settings.value }).from(settings).where(eq(settings.name, 'mode'));
  if (row && row.value !== mode)
    throw new DatabaseError(
      `This database belongs to ${row.value} mode and GATEWAY_MODE is ${mode}: practice and live never share one. Set DATABASE_URL to another database`,
    );
}
