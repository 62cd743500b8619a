import type { Sql, TransactionSql } from 'postgres';
import { DatabaseError, isOfConnection } from './error.ts';

/**
 * Runs `work` in a transaction: commits when it resolves, rolls back when it rejects. No savepoints inside.
 *
 * To be used instead of `sql.begin` and `sql.reserve`, which a connection that closes in the middle turns into disasters (postgres.js 3.4.9): `begin`
 * writes its ROLLBACK to a socket that is gone, which ends the process, or into what the connection does next for somebody else; what is left of `work`
 * runs there, outside any transaction; `reserve` waits for ever where it must connect first, or for statements a closed connection still had to send.
 * Here nothing is written to a connection that was lost.
 */
export async function transaction<Result>(sql: Sql, work: (tx: TransactionSql) => Promise<Result>): Promise<Result> {
  let over = false;
  async function run(real: TransactionSql): Promise<Result> {
    const tx = guarded(real, () => over);
    try {
      return await work(tx);
    } catch (error) {
      // Never told: the close of the connection rejects the transaction, and no ROLLBACK is tried.
      if (over || isOfConnection(error)) await new Promise<never>(() => undefined);
      throw error;
    }
  }
  // Its type unwraps lists of queries, which `work` does not return.
  const whole = sql.begin(run) as Promise<Result>;
  return await whole.finally(() => {
    over = true;
  });
}

/** The same language, refused once the connection may serve somebody else. */
function guarded(real: TransactionSql, isOver: () => boolean): TransactionSql {
  return new Proxy(real, {
    apply(target, self, args) {
      if (isOver()) throw new DatabaseError('The database connection was lost within a transaction');
      return Reflect.apply(target, self, args);
    },
  });
}
