import type { PendingQuery, Row, Sql } from 'postgres';

/** Columns of values: their names and types. */
export type Columns = Readonly<Record<string, string>>;

/** The values of a statement as one row, its first common table expression. */
export function givenAs(columns: Columns): string {
  const list = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  return `given as (select * from jsonb_to_record($1::text::jsonb) as t(${list.join(', ')}))`;
}

/**
 * Runs a statement whose text is a constant that begins with `givenAs`; `values` never become a part of it. Prepared once for each
 * connection. For what every order runs: why not from pieces, docs/decisions/database.md says.
 */
export function run<Result extends Row>(sql: Sql, text: string, values: object): PendingQuery<Result[]> {
  return sql.unsafe<Result[]>(text, [JSON.stringify(values)], { prepare: true });
}
