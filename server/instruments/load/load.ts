import { setPriority } from 'node:os';
import type { Listed, Master, MasterFields, MasterFile } from '../../brokers/master.ts';
import { openWriter } from '../../db/writer.ts';
import { download, NoFile } from './download.ts';
import type { LoadJob, LoadResult } from './job.ts';
import { Naming } from './naming.ts';
import { rowsOf } from './rows.ts';
import { TableWriter } from './table-writer.ts';
import { textOfFile } from './unpack.ts';

/** Orders go first; on a machine that is busy with them the file comes all the same, only later. */
const PRIORITY = 10;

/**
 * Reads a broker's instrument files and writes their rows under the number of this load: row by row from the transfer to the table, never a file whole in
 * memory. Rejects, in words for a person, when a file or the database fails; what was written by then is left for whoever clears up.
 */
export async function load(job: LoadJob): Promise<LoadResult> {
  const master = await readerAt(job.reader);
  const files = job.files ?? master.files ?? [];
  if (files.length === 0) throw new Error('The broker names no instrument file');
  const writer = await openWriter(job.database);
  giveWay();
  try {
    const table = new TableWriter(writer, job.generation);
    await table.begin();
    return await loadFiles(job, master, files, table);
  } finally {
    await writer.close();
  }
}

async function loadFiles(job: LoadJob, master: Master, files: readonly MasterFile[], table: TableWriter): Promise<LoadResult> {
  const naming = new Naming((row) => master.rank?.(row) ?? null);
  const skipped: Record<string, number> = {};
  const skip = (reason: string, count = 1) => {
    skipped[reason] = (skipped[reason] ?? 0) + count;
  };
  for (const file of files) {
    for await (const rows of rowsOfFile(job, file)) {
      for (const row of rows) {
        const listed = read(master, row, file, job.today);
        const named = 'skipped' in listed ? listed : naming.name(listed);
        if (named === null) continue;
        if ('skipped' in named) skip(named.skipped);
        else await table.add(named);
      }
    }
  }
  for (const named of naming.rest()) await table.add(named);
  const { rows, twice, chains } = await table.end();
  if (twice > 0) skip('a name twice', twice);
  return { rows, skipped, chains };
}

async function* rowsOfFile(job: LoadJob, file: MasterFile): AsyncGenerator<MasterFields[]> {
  try {
    yield* rowsOf(textOfFile(download({ ...job, url: addressOf(job.address, file) }), file.pack), file);
  } catch (error) {
    if (file.optional && error instanceof NoFile) return;
    throw new Error(`${file.path.split('?')[0]}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function addressOf(base: string, { path }: MasterFile): string {
  if (/^https?:\/\//.test(path)) return path;
  return path === '' ? base : `${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
}

/** A reader that throws has met a row that nobody thought of. */
function read(master: Master, row: MasterFields, file: MasterFile, today: string): Listed | { skipped: string } {
  try {
    return master.read(row, file, today);
  } catch {
    return { skipped: 'unreadable' };
  }
}

async function readerAt(address: string): Promise<Master> {
  const { master }: { master: Master } = await import(address);
  return master;
}

/** On Linux a priority is a thread's own, and 0 the thread that asks. */
function giveWay(): void {
  if (process.platform === 'linux') setPriority(0, PRIORITY);
}
