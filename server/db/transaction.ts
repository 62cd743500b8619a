import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Sql, TransactionSql } from 'postgres';

/** Sends the commit right behind the last statements, which are on their way already, instead of after their answers. */
export type CommitWith = (last: Promise<unknown>) => Promise<void>;

/**
 * Runs `work` in a transaction whose BEGIN travels with the first statements of `work` instead of costing a round trip of its own, and
 * whose COMMIT travels with the last ones where `work` calls `commitWith`. Commits when `work` resolves, rolls back when it rejects:
 * PostgreSQL takes a commit behind a statement that failed for a rollback. No savepoints inside.
 */
export async function transaction<Result>(
  sql: Sql,
  work: (tx: TransactionSql, commitWith: CommitWith) => Promise<Result>,
): Promise<Result> {
  const connection = await sql.reserve();
  let committed = false;
  const commitWith: CommitWith = async (last) => {
    // A statement leaves when somebody waits for it: a turn later all of `last` have.
    const waiting = last.then(() => undefined);
    waiting.catch(() => undefined);
    await nextTurn();
    const [, result] = await Promise.all([waiting, connection`commit`]);
    if (result.command !== 'COMMIT') throw new Error('The database rolled a transaction back');
    committed = true;
  };
  try {
    // A reserved connection speaks the same language; what it lacks (savepoint, prepare) is not used here.
    const tx = connection as unknown as TransactionSql;
    const begun = connection`begin`.execute();
    try {
      const result = await work(tx, commitWith);
      await begun;
      if (!committed) await connection`commit`;
      return result;
    } catch (error) {
      await begun.catch(() => undefined);
      if (!committed) await connection`rollback`.catch(() => undefined);
      throw error;
    }
  } finally {
    connection.release();
  }
}
