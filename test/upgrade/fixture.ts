import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { z } from 'zod';
import { readAddress } from '../../server/db/address.ts';
import { createGate } from '../../server/db/gate.ts';
import { migrationFiles } from '../../server/db/migrate.ts';
import { createTestDatabase } from '../support/database.ts';

const Row = z.record(z.string(), z.unknown());
const Fixture = z.object({
  version: z.string(),
  /** When it was taken. */
  at: z.string().transform((text) => Date.parse(text)),
  migrations: z.array(z.object({ hash: z.string(), created_at: z.number() })),
  sequences: z.array(z.object({ name: z.string(), value: z.number() })),
  tables: z.record(z.string(), z.array(Row)),
  ledger: z.array(Row),
});
export type Fixture = z.infer<typeof Fixture>;

export const token = 'upgrade-fixture-token-of-at-least-32-chars';

export function readFixture(name: string): Fixture {
  return Fixture.parse(JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), 'utf8')));
}

/** The database and the directory that a gateway of that version left behind. */
export async function standUp(fixture: Fixture): Promise<{ databaseUrl: string; dataDir: string; drop(): Promise<void> }> {
  const database = await createTestDatabase({ empty: true });
  const gate = createGate(readAddress(database.url));
  gate.open();
  const sql = postgres({ ...gate.options, max: 1 });
  try {
    await fill(sql, fixture);
  } finally {
    await sql.end();
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-upgrade-'));
  mkdirSync(join(dataDir, 'practice'));
  const lines = fixture.ledger.map((line) => `${JSON.stringify(line)}\n`);
  writeFileSync(join(dataDir, 'practice', 'practice-ledger.jsonl'), lines.join(''), { mode: 0o600 });
  return { databaseUrl: database.url, dataDir, drop: database.drop };
}

/** The tables as the migrations of then made them, which are what they were, and the rows. */
async function fill(sql: postgres.Sql, { migrations, tables, sequences }: Fixture): Promise<void> {
  await sql`create schema drizzle`;
  await sql`create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`;
  const files = migrationFiles();
  for (const [index, { hash, created_at }] of migrations.entries()) {
    const file = files[index];
    if (file?.hash !== hash)
      throw new Error(`Migration ${index} is not what it was when this database was made: never edit one that has landed`);
    for (const statement of file.statements) await sql.unsafe(statement);
    await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values (${hash}, ${created_at})`;
  }
  await sql.begin(async (transaction) => {
    // Rows refer to one another; they are what a database held that had looked after that.
    await transaction`set local session_replication_role = replica`;
    for (const [name, rows] of Object.entries(tables))
      await transaction.unsafe(`insert into "${name}" select * from json_populate_recordset(null::"${name}", $1::text::json)`, [
        JSON.stringify(rows),
      ]);
    for (const { name, value } of sequences) await transaction`select setval(${name}::regclass, ${value})`;
  });
}
