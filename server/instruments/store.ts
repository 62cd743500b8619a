import { getTableName, sql } from 'drizzle-orm';
import { z } from 'zod';
import { type BrokerId, brokerIds } from '../../contract/words.ts';
import { events, instrumentMasters, instruments, loadTables } from '../../drizzle/schema.ts';
import type { Db, Handle } from '../db/handle.ts';
import { transaction } from '../db/transaction.ts';
import { Chain } from './chains.ts';
import type { LoadResult } from './load/job.ts';
import { tableName } from './table.ts';

/** The load of a broker's file that is read. */
export interface Current {
  generation: number;
  /** Where its rows stand: table.ts. */
  table: string;
  /** `YYYY-MM-DD`, IST. */
  asOf: string;
  rows: number;
  chains: readonly Chain[];
}

/** What is known of a broker's file: the load that is read, and why the last one failed, where it did. */
export interface Stored {
  broker: BrokerId;
  current: Current | null;
  message: string | null;
}

const KIND = 'notice.instruments';

/** What every broker's last loads came to. */
export async function storedMasters(db: Db): Promise<Stored[]> {
  const [rows, own] = await Promise.all([db.select().from(instrumentMasters), tables(db)]);
  return rows.flatMap(({ broker: name, generation, as_of: asOf, rows: count, chains, message }): Stored[] => {
    const broker = brokerIds.find((id) => id === name);
    if (!broker) return [];
    if (generation === null || asOf === null) return [{ broker, current: null, message }];
    const table = own.has(tableName(generation)) ? tableName(generation) : getTableName(instruments);
    return [{ broker, current: { generation, table, asOf, rows: count, chains: z.array(Chain).parse(chains) }, message }];
  });
}

/** A number for the rows of a new load. */
export async function nextGeneration(db: Db): Promise<number> {
  const [row] = await db.select({ number: sql<number>`nextval('instrument_generations')::int` }).from(sql`generate_series(1, 1)`);
  if (!row) throw new Error('The database gives no number for a load');
  return row.number;
}

/** Makes a load the one that is read, and says so in the audit trail, in one transaction. */
export async function makeCurrent(db: Handle, broker: BrokerId, current: Current, skipped: LoadResult['skipped']): Promise<void> {
  const { generation, asOf, rows, chains } = current;
  const values = { generation, as_of: asOf, rows, skipped, chains, message: null, loaded_at: sql`now()` };
  await transaction(db, async (tx) => {
    await tx
      .insert(instrumentMasters)
      .values({ broker, ...values })
      .onConflictDoUpdate({ target: instrumentMasters.broker, set: values });
    await tx.insert(events).values({ kind: KIND, broker, detail: { as_of: asOf, rows, skipped } });
  });
}

/** Writes down why a load failed; what is read stays. */
export async function noteFailure(db: Handle, broker: BrokerId, message: string, kept: Current | null): Promise<void> {
  await transaction(db, async (tx) => {
    await tx
      .insert(instrumentMasters)
      .values({ broker, message })
      .onConflictDoUpdate({ target: instrumentMasters.broker, set: { message } });
    await tx.insert(events).values({ kind: KIND, broker, detail: { message, kept: kept?.asOf ?? null } });
  });
}

/** Drops the tables of loads that nobody reads, but those of `spared`. Ends early, and quietly, when `signal` aborts. */
export async function sweep(db: Db, spared: ReadonlySet<number>, signal: AbortSignal): Promise<void> {
  const read = await db.select({ generation: instrumentMasters.generation }).from(instrumentMasters);
  const kept = [...spared, ...read.flatMap(({ generation }) => generation ?? [])].map(tableName);
  const own = await tables(db);
  for (const name of own) {
    if (signal.aborted) return;
    if (!kept.includes(name)) await db.execute(sql`drop table if exists ${sql.identifier(name)}`);
  }
  if (kept.every((name) => own.has(name)) && (await db.select({ one: sql`1` }).from(instruments).limit(1)).length > 0)
    await db.execute(sql`truncate ${instruments}`);
}

/** The tables of loads. */
async function tables(db: Db): Promise<Set<string>> {
  const rows = await db.execute<{ name: string }>(sql`
    select relname as name from pg_class where relkind = 'r' and pg_table_is_visible(oid) and relname ~ ${loadTables}`);
  return new Set(rows.map(({ name }) => name));
}
