import { setImmediate as nextTurn } from 'node:timers/promises';
import postgres, { type Sql, type TransactionSql } from 'postgres';
import { DatabaseError } from './error.ts';

/** Sends the commit right behind the last statements, which are on their way already, instead of after their answers. */
export type CommitWith = (last: Promise<unknown>) => Promise<void>;

/**
 * Runs `work` in a transaction whose COMMIT travels with the last statements where `work` calls `commitWith`. Commits when `work` resolves, rolls back
 * when it rejects: PostgreSQL takes a commit behind a statement that failed for a rollback. No savepoints inside.
 *
 * To be used instead of `sql.begin` and `sql.reserve`, which a connection that closes in the middle turns into disasters (postgres.js 3.4.9): `begin`
 * writes its ROLLBACK to a socket that is gone, which ends the process, or into what the connection does next for somebody else; what is left of `work`
 * runs there, outside any transaction; `reserve` waits for ever where it must connect first, or for statements a closed connection still had to send.
 * Here nothing is written to a connection that was lost. That is why BEGIN costs a round trip of its own.
 */
export async function transaction<Result>(
  sql: Sql,
  work: (tx: TransactionSql, commitWith: CommitWith) => Promise<Result>,
): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  let over = false;
  async function run(real: TransactionSql): Promise<Result> {
    const tx = guarded(real, () => over);
    let committed = false;
    const commitWith: CommitWith = async (last) => {
      await commitBehind(tx, last);
      committed = true;
    };
    try {
      const result = await work(tx, commitWith);
      // The commit that `begin` adds behind ours changes nothing and is not waited for.
      if (committed) resolve(result);
      return result;
    } catch (error) {
      // Never told: the close of the connection rejects the transaction, and no ROLLBACK is tried.
      if (over || isOfConnection(error)) await new Promise<never>(() => undefined);
      throw error;
    }
  }
  // Its type unwraps lists of queries, which `work` does not return.
  const whole = sql.begin(run) as Promise<Result>;
  whole.then(resolve, reject).finally(() => {
    over = true;
  });
  return await promise;
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

async function commitBehind(tx: TransactionSql, last: Promise<unknown>): Promise<void> {
  // A statement leaves when somebody waits for it: a turn later all of `last` have.
  const waiting = last.then(() => undefined);
  waiting.catch(() => undefined);
  await nextTurn();
  const [, result] = await Promise.all([waiting, tx`commit`]);
  if (result.command !== 'COMMIT') throw new Error('The database rolled a transaction back');
}

/** Errors of sockets, and the server's last words: the close follows. */
function isOfConnection(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return error.severity === 'FATAL' || error.severity === 'PANIC';
  return error instanceof Error && ('syscall' in error || ('code' in error && /^CONNECTION_/.test(String(error.code))));
}
