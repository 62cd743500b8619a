import { statfs } from 'node:fs/promises';
import { sql } from 'drizzle-orm';
import { type Clock, within } from '../clock.ts';
import type { Handle } from '../db/handle.ts';

/** What takes more than a look into memory; null while it is not known. */
export interface Measured {
  databaseBytes: number | null;
  diskFreeBytes: number | null;
}

const EVERY_MS = 60_000;
const LIMIT_MS = 5000;

/** Gives what was measured last, and measures anew behind that, once a minute at most and only while somebody asks. A database that hangs holds up nobody. */
export function measurer({ db, clock, dataDir }: { db: Handle; clock: Clock; dataDir: string }): () => Measured {
  let newest: Measured = { databaseBytes: null, diskFreeBytes: null };
  let begunAt = Number.NEGATIVE_INFINITY;
  let under = false;

  async function measure(): Promise<void> {
    under = true;
    const [databaseBytes, diskFreeBytes] = await Promise.all([
      within(clock, LIMIT_MS, databaseSize(db)).catch(() => null),
      within(clock, LIMIT_MS, diskFree(dataDir)).catch(() => null),
    ]);
    newest = { databaseBytes, diskFreeBytes };
    under = false;
  }
  return () => {
    const now = clock.mono();
    if (!under && now - begunAt >= EVERY_MS) {
      begunAt = now;
      void measure();
    }
    return newest;
  };
}

async function databaseSize(db: Handle): Promise<number | null> {
  const [row] = await db.execute<{ bytes: number }>(sql`select pg_database_size(current_database()) as bytes`);
  return row ? Number(row.bytes) : null;
}

async function diskFree(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}
