import { eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import { type BrokerId, brokerIds } from '../../contract/words.ts';
import { events, instrumentMasters, instruments } from '../../drizzle/schema.ts';
import type { Clock } from '../clock.ts';
import type { Db, Handle } from '../db/handle.ts';
import { transaction } from '../db/transaction.ts';
import { Chain } from './chains.ts';
import type { LoadResult } from './load/job.ts';

/** The load of a broker's file that is read. */
export interface Current {
  generation: number;
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

/** Rows of a load that nobody reads are removed so many at a time: some 10 ms. */
const BATCH = 1000;
const PAUSE_MS = 10;
const KIND = 'notice.instruments';

/** What every broker's last loads came to. */
export async function storedMasters(db: Db): Promise<Stored[]> {
  const rows = await db.select().from(instrumentMasters);
  return rows.flatMap(({ broker: name, generation, as_of: asOf, rows: count, chains, message }) => {
    const broker = brokerIds.find((id) => id === name);
    if (!broker) return [];
    const current = generation === null || asOf === null ? null : { generation, asOf, rows: count, chains: z.array(Chain).parse(chains) };
    return [{ broker, current, message }];
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

/** Removes the rows of loads that nobody reads, but those of `spared`, in short transactions. Ends early, and quietly, when `signal` aborts. */
export async function sweep(db: Db, clock: Clock, spared: ReadonlySet<number>, signal: AbortSignal): Promise<void> {
  const read = await db.select({ generation: instrumentMasters.generation }).from(instrumentMasters);
  const kept = new Set([...spared, ...read.map(({ generation }) => generation)]);
  for (const generation of await generations(db)) {
    if (kept.has(generation)) continue;
    for (let removed = BATCH; removed >= BATCH && !signal.aborted; ) {
      removed = await removeSome(db, generation);
      await clock.sleep(PAUSE_MS, signal);
    }
  }
}

async function removeSome(db: Db, generation: number): Promise<number> {
  const some = sql`select ctid from ${instruments} where ${eq(instruments.generation, generation)} limit ${BATCH}`;
  const removed = await db.execute(sql`delete from ${instruments} where ctid = any(array(${some}))`);
  return removed.count;
}

/** The loads that have rows; a step of the index each, however many rows there are. */
async function generations(db: Db): Promise<number[]> {
  const { generation } = instruments;
  const rows = await db.execute<{ number: number }>(sql`
    with recursive found as (
      select min(${generation}) as number from ${instruments}
      union all
      select (select min(${generation}) from ${instruments} where ${generation} > found.number) from found where found.number is not null
    ) select number from found where number is not null`);
  return rows.map(({ number }) => number);
}
