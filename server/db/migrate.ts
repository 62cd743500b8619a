import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { DatabaseError, reasonOf } from './error.ts';

/** Advisory lock of those who migrate: (class, object). */
const lockClass = 0x6272_6f6b;
const lockObject = 2;
const migrationsFolder = fileURLToPath(new URL('../../drizzle/migrations', import.meta.url));
const statementTimeoutMs = 60_000;

/**
 * Brings the tables up to date, and stamps the database with `mode` when it has none. Simultaneous callers wait for each other.
 * Throws DatabaseError when the database belongs to the other mode (nothing is changed then) or a migration fails.
 */
export async function migrateDatabase(connection: postgres.Options<Record<string, never>>, mode?: 'practice' | 'live'): Promise<void> {
  const sql = postgres({
    ...connection,
    connection: { ...connection.connection, statement_timeout: statementTimeoutMs, lock_timeout: statementTimeoutMs },
    max: 1,
  });
  try {
    await sql`select pg_advisory_lock(${lockClass}::int, ${lockObject}::int)`;
    if (mode) await refuseOtherMode(sql, mode);
    await migrate(drizzle(sql), { migrationsFolder });
    if (mode) await sql`insert into gateway_settings (name, value) values ('mode', ${mode}) on conflict (name) do nothing`;
  } catch (error) {
    if (error instanceof DatabaseError) throw error;
    throw new DatabaseError(
      `The tables of the database could not be prepared: ${reasonOf(error instanceof Error ? (error.cause ?? error) : error)}`,
    );
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function refuseOtherMode(sql: postgres.Sql, mode: 'practice' | 'live'): Promise<void> {
  const [table] = await sql<{ present: boolean }[]>`select to_regclass('gateway_settings') is not null as present`;
  if (!table?.present) return;
  const [row] = await sql<{ value: string }[]>`select value from gateway_settings where name = 'mode'`;
  if (row && row.value !== mode)
    throw new DatabaseError(
      `This database belongs to ${row.value} mode and GATEWAY_MODE is ${mode}: practice and live never share one. Set DATABASE_URL to another database`,
    );
}
