import { readFileSync } from 'node:fs';
import type { Sql } from 'postgres';

const folder = new URL('../../drizzle/migrations/', import.meta.url);

interface Entry {
  tag: string;
  when: number;
}

/** Makes an empty database what the migrations up to `last` made of it, as the migrator leaves it. */
export async function migrateUpTo(sql: Sql, last: string): Promise<void> {
  const { entries }: { entries: Entry[] } = JSON.parse(readFileSync(new URL('meta/_journal.json', folder), 'utf8'));
  await sql`create schema drizzle`;
  await sql`create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`;
  for (const { tag, when } of entries.slice(0, entries.findIndex((entry) => entry.tag === last) + 1)) {
    const text = readFileSync(new URL(`${tag}.sql`, folder), 'utf8');
    for (const statement of text.split('--> statement-breakpoint')) await sql.unsafe(statement);
    await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values (${tag}, ${when})`;
  }
}
