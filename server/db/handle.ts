import { DrizzleQueryError } from 'drizzle-orm';
import { type PgDatabase, PgDialect, type PreparedQueryConfig } from 'drizzle-orm/pg-core';
import { drizzle, PostgresJsDatabase, type PostgresJsQueryResultHKT, PostgresJsSession } from 'drizzle-orm/postgres-js';
import type { Sql, TransactionSql } from 'postgres';
import { Commits } from './commits.ts';
import { Unanswered } from './unanswered.ts';

type Nothing = Record<string, never>;

/** What a statement runs on: the database, or a transaction of it. Text of numeric and timestamptz stays text, bigint is a number while that is exact. */
export type Db = PgDatabase<PostgresJsQueryResultHKT>;

/** Made by `transaction` (transaction.ts) alone; drizzle's own is not to be used, as is told there. */
export type Tx = Db & { readonly withinTransaction: true };

/** The database as it is handed on; `$client` is for what is no table: prepared texts, sessions, connections. `unanswered` counts what waits for the server, `commits` is told by whoever wrote. */
export type Handle = Db & { $client: Sql; unanswered: Unanswered; commits: Commits };

const dialect = new PgDialect();

/** Prepares each statement once for each connection, and throws what the database said, without the statement and its values, which may be secrets. */
class Session extends PostgresJsSession<Sql, Nothing, Nothing> {
  readonly #check: () => void;
  readonly #unanswered: Unanswered;

  constructor(client: Sql, unanswered: Unanswered, check: () => void) {
    super(client, dialect, undefined);
    this.#unanswered = unanswered;
    this.#check = check;
  }

  override prepareQuery<Config extends PreparedQueryConfig>(...args: Parameters<PostgresJsSession<Sql, Nothing, Nothing>['prepareQuery']>) {
    const [query, fields, , ...rest] = args;
    const prepared = super.prepareQuery<Config>(query, fields, 'prepared', ...rest);
    const execute = prepared.execute.bind(prepared);
    prepared.execute = async (values) => {
      this.#check();
      try {
        return await this.#unanswered.during(execute(values));
      } catch (error) {
        throw error instanceof DrizzleQueryError ? error.cause : error;
      }
    };
    return prepared;
  }
}

/** A handle on a client, which takes times and JSON as text from then on. */
export function handleOn(client: Sql, unanswered = new Unanswered()): Handle {
  return Object.assign(
    databaseOn(drizzle(client).$client, unanswered, () => undefined),
    { $client: client, unanswered, commits: new Commits() },
  );
}

/** `check` throws once the connection may serve somebody else. */
export function handleOnTransaction(real: TransactionSql, check: () => void, unanswered = new Unanswered()): Tx {
  // Of a client a session only uses what both have.
  return Object.assign(databaseOn(real as TransactionSql & Sql, unanswered, check), { withinTransaction: true as const });
}

function databaseOn(client: Sql, unanswered: Unanswered, check: () => void): Db {
  return new PostgresJsDatabase<Nothing>(dialect, new Session(client, unanswered, check), undefined);
}
