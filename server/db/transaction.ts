import postgres, { type Sql, type TransactionSql } from 'postgres';
import { DatabaseError } from './error.ts';

/**
 * Runs `work` in a transaction. Commits when `work` resolves, rolls back when it rejects. No savepoints inside.
 *
 * To be used instead of `sql.begin` and `sql.reserve`. When a connection closes in the middle, `begin` writes its ROLLBACK to a socket that is gone,
 * which ends the process, or into what the connection does next for somebody else; `reserve` waits for ever where it must connect first.
 * Here nothing is written to a connection that was lost, and the caller gets the driver's error.
 */
export async function transaction<Result>(sql: Sql, work: (tx: TransactionSql) => Promise<Result>): Promise<Result> {
  let lost = false;
  async function untilLost(real: TransactionSql): Promise<Result> {
    const tx = new Proxy(real, {
      apply(target, self, args) {
        if (lost) throw new DatabaseError('The database connection was lost within a transaction');
        return Reflect.apply(target, self, args);
      },
    });
    try {
      return await work(tx);
    } catch (error) {
      // Never told: the close of the connection rejects the transaction, and no ROLLBACK is tried.
      return isOfConnection(error) || lost ? await new Promise<never>(() => undefined) : await Promise.reject(error);
    }
  }
  try {
    // Its type unwraps lists of queries, which `work` does not return.
    return (await sql.begin(untilLost)) as Result;
  } finally {
    lost = true;
  }
}

/** Errors of sockets, and the server's last words: the close follows. */
function isOfConnection(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return error.severity === 'FATAL' || error.severity === 'PANIC';
  return error instanceof Error && ('syscall' in error || ('code' in error && /^CONNECTION_/.test(String(error.code))));
}
