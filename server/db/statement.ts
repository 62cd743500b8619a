import type { Row, Sql } from 'postgres';
import type { Unanswered } from './unanswered.ts';

/** Columns of values: their names and types. */
export type Columns = Readonly<Record<string, string>>;

/** The values of a statement as one row, its first common table expression. */
export function givenAs(columns: Columns): string {
  const list = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  return `given as (select * from jsonb_to_record($1::text::jsonb) as t(${list.join(', ')}))`;
}

/** One statement on its way, for who must know that it cannot take effect any more. */
export interface Underway {
  /** The process of the server that it was written to, by the number the server gave; null where that is not known. */
  session(): number | null;
  /** Other parameters in its place; false, and nothing is changed, when it was written already. */
  replace(parameters: readonly string[]): boolean;
}

/**
 * Runs a statement whose text is a constant; the parameters never become a part of it. Prepared once for each connection.
 * `watch` is given the statement before it is written.
 */
export type Ask = <Result extends Row>(
  text: string,
  parameters: readonly string[],
  watch?: (underway: Underway) => void,
) => Promise<Result[]>;

/** On any connection of a client. */
export function asking(sql: Sql, unanswered: Unanswered): Ask {
  return <Result extends Row>(text: string, parameters: readonly string[], watch?: (underway: Underway) => void) => {
    const given = [...parameters];
    const query = sql.unsafe<Result[]>(text, given, { prepare: true });
    watch?.(underwayOf(query, given));
    return unanswered.during(query);
  };
}

/** Runs a statement that begins with `givenAs`. For what every order runs: why not from pieces, docs/decisions/database.md says. */
export function run<Result extends Row>(ask: Ask, text: string, values: object, watch?: (underway: Underway) => void): Promise<Result[]> {
  return ask<Result>(text, [JSON.stringify(values)], watch);
}

/** postgres.js (3.4.9) reads `parameters` when it writes the query, and tells its connection's session from then on. */
function underwayOf(query: Promise<unknown>, parameters: string[]): Underway {
  let last: number | null = null;
  // In the turn of the loss: the connection's next session has another number.
  query.catch(() => {
    last = sessionOf(query);
  });
  return {
    session: () => last ?? sessionOf(query),
    replace: (others) => {
      if (isWritten(query)) return false;
      parameters.splice(0, parameters.length, ...others);
      return true;
    },
  };
}

function isWritten(query: object): boolean {
  return !('state' in query) || query.state !== null;
}

function sessionOf(query: object): number | null {
  const state = 'state' in query ? query.state : null;
  const told = typeof state === 'object' && state !== null && 'pid' in state ? state.pid : null;
  return typeof told === 'number' ? told : null;
}
