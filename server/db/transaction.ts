import type { Sql, TransactionSql } from 'postgres';

/**
 * Runs `work` in a transaction whose BEGIN travels with the first statements of `work` instead of costing a round trip of its own.
 * Commits when `work` resolves, rolls back when it rejects. No savepoints inside.
 */
export async function transaction<Result>(sql: Sql, work: (tx: TransactionSql) => Promise<Result>): Promise<Result> {
  const connection = await sql.reserve();
  try {
    // A reserved connection speaks the same language; what it lacks (savepoint, prepare) is not used here.
    const tx = connection as unknown as TransactionSql;
    const begun = connection`begin`.execute();
    try {
      const result = await work(tx);
      await begun;
      await connection`commit`;
      return result;
    } catch (error) {
      await begun.catch(() => undefined);
      await connection`rollback`.catch(() => undefined);
      throw error;
    }
  } finally {
    connection.release();
  }
}
