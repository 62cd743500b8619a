import type { PendingQuery, Row, Sql } from 'postgres';

/** Columns of values: their names and types. */
export type Columns = Readonly<Record<string, string>>;

/** The values of a statement as one row, its first common table expression. */
export function givenAs(columns: Columns): string {
  return `given as (select * from jsonb_to_record($1::text::jsonb) as t(${listed(columns)}))`;
}

/** The same for values in groups, each a common table expression of its name. Every mention of a wide one makes a plan larger. */
export function groupsGiven(groups: Readonly<Record<string, Columns>>): string {
  const rows = Object.entries(groups).map(
    ([name, columns]) => `${name} as (select t.* from given, jsonb_to_record(value -> '${name}') as t(${listed(columns)}))`,
  );
  return `given as materialized (select $1::text::jsonb as value), ${rows.join(', ')}`;
}

function listed(columns: Columns): string {
  return Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ');
}

/**
 * Runs a statement whose text is a constant that begins with `givenAs` or `groupsGiven`; `values` never become a part of it. Prepared once for each
 * connection. For what every order runs: why not from pieces, docs/decisions/database.md says.
 */
export function run<Result extends Row>(sql: Sql, text: string, values: object): PendingQuery<Result[]> {
  return sql.unsafe<Result[]>(text, [JSON.stringify(values)], { prepare: true });
}
