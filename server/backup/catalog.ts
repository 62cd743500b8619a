import { loadTables } from '../../drizzle/schema.ts';
import type { Copier } from '../db/copier.ts';

export interface Table {
  name: string;
  columns: string[];
}

/** Can be had again, and is large; or would open something. Tables of these names are restored empty; those of single loads (`instruments_17`), not at all. */
export const leftOut: Readonly<Record<string, string>> = {
  instruments: 'what the brokers list: loaded anew from their own files',
  instrument_masters: 'which of those files were read',
  broker_sessions: "the brokers' logins of the day",
};

/** The tables of a database of ours with their columns, each after those it refers to: every one there is, but for what is left out. */
export async function tablesOf(db: Copier): Promise<Table[]> {
  const found = await db.run<{ name: string; columns: string[] }>(`
    select c.relname as name, array_to_json(array_agg(a.attname order by a.attnum)) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname !~ '${loadTables}' group by c.relname order by c.relname`);
  const references = await db.run<{ child: string; parent: string }>(`
    select c.relname as child, p.relname as parent from pg_constraint f
    join pg_class c on c.oid = f.conrelid join pg_class p on p.oid = f.confrelid where f.contype = 'f' and f.conrelid <> f.confrelid`);
  const tables = new Map(found.filter(({ name }) => !Object.hasOwn(leftOut, name)).map((table) => [table.name, table]));
  const ordered = new Set<Table>();
  function place(name: string): void {
    const table = tables.get(name);
    if (!table || ordered.has(table)) return;
    for (const { child, parent } of references) if (child === name) place(parent);
    ordered.add(table);
  }
  for (const name of tables.keys()) place(name);
  return [...ordered];
}

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
export const target = ({ name, columns }: Table) => `public.${quoted(name)} (${columns.map(quoted).join(', ')})`;

/** The last number each sequence gave; null: none yet. */
export async function sequencesOf(db: Copier): Promise<Record<string, number | null>> {
  const rows = await db.run<{ name: string; last: string | null }>(
    `select sequencename as name, last_value::text as last from pg_sequences where schemaname = 'public' order by 1`,
  );
  return Object.fromEntries(rows.map(({ name, last }) => [name, last === null ? null : Number(last)]));
}

/** Whether a database holds tables of anybody's. */
export async function hasTables(db: Copier): Promise<boolean> {
  const rows = await db.run(`select 1 from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace limit 1`);
  return rows.length > 0;
}
