import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { openToRead } from '../db/at-rest.ts';
import { openCopier } from '../db/copier.ts';
import type { Log } from '../log.ts';
import { dump } from './dump.ts';
import { writeBackup } from './file.ts';

export interface Where {
  mode: 'practice' | 'live';
  /** Absolute. */
  dataDir: string;
  databaseUrl?: string | undefined;
  log: Log;
  clock: Clock;
  /** Names what is not finished. */
  random: string;
}

/** Where the practice exchange inside a gateway keeps its ledger. */
export const ledgerFile = (dataDir: string) => join(dataDir, 'practice', 'practice-ledger.jsonl');

/** Writes a backup of the database of the configuration to a new file, while the gateway runs or not, and reads it back. Returns its size in bytes. */
export async function backup(file: string, where: Where): Promise<{ bytes: number }> {
  const { mode, dataDir, clock, random } = where;
  const ledger = ledgerFile(dataDir);
  const place = await openToRead(where);
  try {
    const db = await openCopier(place.address);
    try {
      const content = dump({ db, mode, now: () => clock.now(), ledger: mode === 'practice' && existsSync(ledger) ? ledger : null });
      return await writeBackup(file, random, content);
    } finally {
      await db.close();
    }
  } finally {
    await place.close();
  }
}
