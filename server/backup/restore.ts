import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCluster, openToFill, openToRead } from '../db/at-rest.ts';
import { type Copier, openCopier } from '../db/copier.ts';
import { migrationFiles } from '../db/migrate.ts';
import { turnText } from '../journal/kill-switch-record.ts';
import { ledgerFile, type Where } from './backup.ts';
import { hasTables } from './catalog.ts';
import { contentOf, verifyBackup } from './file.ts';
import { BackupError, type Header } from './format.ts';
import { type Loaded, load } from './load.ts';

/** Who turned the kill switch, and the kind of the event that tells of it. */
const BY = 'restore';

/**
 * Verifies a backup, and makes the database of the configuration from it: whole, with the kill switch on, or not at all. Rejects with a BackupError
 * where there is a database already.
 */
export async function restore(file: string, where: Where): Promise<Loaded> {
  const { bytes } = await verifyBackup(file);
  const { mode, dataDir, clock } = where;
  const ledger = ledgerFile(dataDir);
  await refuseFilled(where);
  if (mode === 'practice' && existsSync(ledger)) throw new BackupError(`${ledger} is there already: restore into an empty DATA_DIR`);
  const place = await openToFill(where);
  const copy = ledgerCopy(ledger);
  try {
    const db = await openCopier(place.address);
    try {
      const before = async (header: Header) => {
        await turnOn(db, header, clock.now());
        await copy.finish();
      };
      return await load({ db, content: contentOf(file, bytes), migrations: migrationFiles(), mode, ledger: copy.take, before });
    } catch (error) {
      await copy.undo();
      throw error;
    } finally {
      await db.close();
    }
  } finally {
    await place.close();
  }
}

/** Looks before it takes anything. A database that is there and empty, as an earlier restore may have left it, may be filled. */
async function refuseFilled(where: Where): Promise<void> {
  const { mode, dataDir, databaseUrl } = where;
  if (databaseUrl === undefined && !hasCluster(where)) return;
  const place = await openToRead(where);
  try {
    const db = await openCopier(place.address);
    const filled = await hasTables(db).finally(() => db.close());
    if (!filled) return;
    if (databaseUrl !== undefined) throw new BackupError('The database of DATABASE_URL holds tables already: restore into an empty one');
    throw new BackupError(`${dataDir} holds a database of ${mode} mode already: restore into an empty DATA_DIR`);
  } finally {
    await place.close();
  }
}

/** In the commit of the rows: nobody starts on them without it. */
async function turnOn(db: Copier, { made_at }: Header, now: number): Promise<void> {
  const [row] = await db.run<{ value: string }>(`select value from gateway_settings where name = 'kill_switch'`);
  const number = Number(/^(?:on|off) (\d{1,15}) /.exec(row?.value ?? '')?.[1] ?? 0) + 1;
  const value = turnText({ on: true, since: now, by: BY, number });
  await db.run(
    `insert into gateway_settings (name, value) values ('kill_switch', $1) on conflict (name) do update set value = $1, updated_at = now()`,
    [value],
  );
  await db.run(`insert into tsm_events (kind, detail) values ('kill_switch', $1::text::jsonb), ('backup.restored', $2::text::jsonb)`, [
    JSON.stringify({ on: true, by: BY }),
    JSON.stringify({ made_at }),
  ]);
}

/** The practice exchange's ledger, under another name until all else is done. */
function ledgerCopy(ledger: string) {
  const partial = `${ledger}.restoring`;
  let handle: Awaited<ReturnType<typeof open>> | null = null;
  let named = false;
  return {
    async take(lines: Buffer): Promise<void> {
      if (!handle) await mkdir(dirname(ledger), { recursive: true, mode: 0o700 });
      handle ??= await open(partial, 'w', 0o600);
      await handle.writeFile(lines);
    },
    async finish(): Promise<void> {
      if (!handle) return;
      await handle.sync();
      await handle.close();
      await rename(partial, ledger);
      named = true;
    },
    async undo(): Promise<void> {
      await handle?.close().catch(() => undefined);
      await rm(named ? ledger : partial, { force: true });
    },
  };
}
