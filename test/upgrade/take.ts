import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { embeddedQuery } from '../chaos/store.ts';

/*
 * `node test/upgrade/take.ts DATA_DIR VERSION FILE`: what a running practice gateway holds, as a fixture. It was taken of a gateway of that version, started from its own files;
 * the tables themselves are its migrations', which never change once they have landed.
 */

const [, , dataDir = '', version = '', file = ''] = process.argv;
const ask = <Row extends object>(statement: string) => embeddedQuery<Row>(dataDir, statement);

/** Brokers' instrument files are read again; of them the tables alone count. */
const leftOut = /^instrument(s|_rows|_names)?$|^instruments_/;

const names = await ask<{ tablename: string }>("select tablename from pg_tables where schemaname = 'public' order by 1");
const tables: Record<string, object[]> = {};
for (const { tablename } of names) {
  const limit = leftOut.test(tablename) ? ' limit 1' : '';
  const [row] = await ask<{ rows: string }>(
    `select coalesce(json_agg(t), '[]')::text as rows from (select * from "${tablename}"${limit}) t`,
  );
  tables[tablename] = JSON.parse(row?.rows ?? '[]');
}
const migrations = await ask<object>('select hash, created_at::float8 as created_at from drizzle.__drizzle_migrations order by id');
const sequences = await ask<object>(
  "select sequencename as name, last_value::float8 as value from pg_sequences where schemaname = 'public' and last_value is not null",
);
const ledger = readFileSync(join(dataDir, 'practice', 'practice-ledger.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const taken = { version, at: new Date().toISOString(), migrations: [...migrations], sequences: [...sequences], tables, ledger };
/** One line a row: a fixture is read by people too. */
const text = JSON.stringify(taken, null, 1).replace(/\n {3,}/g, ' ');
writeFileSync(file, `${text}\n`);
