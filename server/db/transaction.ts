import type { TransactionSql } from 'postgres';
import { DatabaseError, isOfConnection } from './error.ts';
import { type Handle, handleOnTransaction, type Tx } from './handle.ts';

/**
 * Runs `work` in a transaction: commits when it resolves, rolls back when it rejects. No savepoints inside.
 *
 * To be used instead of `begin` and `reserve` of the client and of drizzle's own `transaction`, which a connection that closes in the middle turns into
 * disasters (postgres.js 3.4.9): `begin` writes its ROLLBACK to a socket that is gone, which ends the process, or into what the connection does next for
 * somebody else; what is left of `work` runs there, outside any transaction; `reserve` waits for ever where it must connect first, or for statements a
 * closed connection still had to send. Here nothing is written to a connection that was lost.
 */
export async function transaction<Result>(db: Handle, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  let over = false;
  const ended = Promise.withResolvers<void>();
  function check(): void {
    if (over) throw new DatabaseError('The database connection was lost within a transaction');
  }
  async function run(real: TransactionSql): Promise<Result> {
    try {
      const result = await work(handleOnTransaction(real, check, db.unanswered));
      // From here on the commit is waited for.
      void db.unanswered.during(ended.promise);
      return result;
    } catch (error) {
      // Never told: the close of the connection rejects the transaction, and no ROLLBACK is tried.
      if (over || isOfConnection(error)) await new Promise<never>(() => undefined);
      throw error;
    }
  }
  // Its type unwraps lists of queries, which `work` does not return.
  const whole = db.$client.begin(run) as Promise<Result>;
  const result = await whole.finally(() => {
    over = true;
    ended.resolve();
  });
  db.commits.tell();
  return result;
}
