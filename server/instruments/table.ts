import { type SQL, sql } from 'drizzle-orm';
import { instruments } from '../../drizzle/schema.ts';
import type { Db } from '../db/handle.ts';
import { columnList, type InstrumentRow, rowOf, type Selected } from './row.ts';

/** The rows of one load, as a table of their own, which goes whole; without one they stand in `instruments` itself, where earlier versions wrote them. */
export function tableName(generation: number): string {
  return `instruments_${generation}`;
}

/** What stands after `from`: columns of `instruments` are the table's then. */
export function rowsOf({ table }: { table: string }): SQL {
  return sql`${sql.identifier(table)} as ${instruments}`;
}

/** Rows of a load; `rest` is what follows its table. */
export async function selectRows(db: Db, load: { table: string }, rest: SQL): Promise<InstrumentRow[]> {
  const rows = await db.execute<Selected & Record<string, unknown>>(sql`select ${columnList} from ${rowsOf(load)} ${rest}`);
  return rows.map(rowOf);
}
