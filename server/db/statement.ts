import type { Row, Sql, TransactionSql } from 'postgres';

/** Columns of values: their names and types. */
export type Columns = Readonly<Record<string, string>>;

/** The values of a statement as one row, its first common table expression. */
export function givenAs(columns: Columns): string {
  const list = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  return `given as (select * from jsonb_to_record($1::text::jsonb) as t(${list.join(', ')}))`;
}

/** Runs a statement whose text is a constant; the parameters never become a part of it. Prepared once for each connection. */
export type Ask = <Result extends Row>(text: string, parameters: readonly string[]) => Promise<Result[]>;

/** On any connection of a client, or within a transaction. */
export function asking(sql: Sql | TransactionSql): Ask {
  return (text, parameters) => sql.unsafe(text, [...parameters], { prepare: true });
}

/** Runs a statement that begins with `givenAs`. For what every order runs: why not from pieces, docs/decisions/database.md says. */
export function run<Result extends Row>(ask: Ask, text: string, values: object): Promise<Result[]> {
  return ask<Result>(text, [JSON.stringify(values)]);
}
