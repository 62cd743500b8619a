import { type AnyColumn, type GetColumnData, getTableColumns, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';

/** Of the schema, whose type it has without the precision, or of a type of its own. */
type Kind = PgColumn | 'float8' | 'integer' | 'text' | 'timestamptz';
type Cell<Of extends Kind> = SQL<Of extends PgColumn ? GetColumnData<Of> : Of extends 'text' | 'timestamptz' ? string : number>;

/** A table of values for one statement: what stands after `from`, and its columns. */
export type Given<Columns extends Record<string, Kind>> = { table: SQL } & { [Name in keyof Columns]: Cell<Columns[Name]> };

/**
 * Rows of ours as a table of a statement, called `name`: one parameter whatever their number, so that lists of all lengths are one statement.
 * What a row does not have is null; null in a jsonb column is the JSON null.
 */
export function given<Columns extends Record<string, Kind>>(name: string, columns: Columns, rows: readonly object[]): Given<Columns> {
  const types = Object.entries(columns).map(([column, kind]) => sql`${sql.identifier(column)} ${sql.raw(typeText(kind))}`);
  const table = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as ${sql.identifier(name)}(${sql.join(types, sql`, `)})`;
  const cells = Object.keys(columns).map((column) => [column, sql`${sql.identifier(name)}.${sql.identifier(column)}`]);
  return { table, ...Object.fromEntries(cells) };
}

function typeText(kind: Kind): string {
  return typeof kind === 'string'
    ? kind
    : kind
        .getSQLType()
        .replace(/\(.*\)/, '')
        .replace('bigserial', 'bigint');
}

/** Whether a number is one of these: one parameter, as in `given`. */
export function among(value: SQLWrapper, numbers: readonly number[]): SQL<boolean> {
  return sql`${value} in (select value::bigint from jsonb_array_elements_text(${JSON.stringify(numbers)}::jsonb))`;
}

/** `insert into table (...) select ... from source`; what drizzle's own insert can only say of all columns of a table. */
export function insertFrom<Table extends PgTable>(
  table: Table,
  values: { [Name in keyof Table['$inferInsert']]?: SQL | AnyColumn | string | boolean | null },
  source: SQL,
): SQL {
  const columns: Record<string, PgColumn> = getTableColumns(table);
  const named = Object.entries<SQL | AnyColumn | string | boolean | null | undefined>(values).flatMap(([name, value]) => {
    const column = columns[name];
    return column && value !== undefined ? [{ column, value }] : [];
  });
  const names = named.map(({ column }) => sql.identifier(column.name));
  const cells = named.map(({ column, value }) => (isText(value) ? sql`${value}::${sql.raw(typeText(column))}` : sql`${value}`));
  return sql`insert into ${table} (${sql.join(names, sql`, `)}) select ${sql.join(cells, sql`, `)} from ${source}`;
}

/** A value and no expression: in a select its type is to be said. */
function isText(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean';
}

/** An instant of ours, epoch ms. */
export function instant(ms: number): SQL<string> {
  return sql`to_timestamp(${ms / 1000})`;
}

/** An instant of the database as epoch ms. */
export function msOf(time: SQLWrapper): SQL<number> {
  return sql`round(extract(epoch from ${time}) * 1000)::float8`;
}
