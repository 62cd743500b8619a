import type { BrokerId } from '../../contract/words.ts';
import type { MasterFile } from '../brokers/master.ts';
import type { Clock } from '../clock.ts';
import type { Handle } from '../db/handle.ts';
import type { Reachable } from '../db/reachable.ts';
import { expiredRows } from './chains.ts';
import { runLoad } from './load/run.ts';
import { type Current, makeCurrent, nextGeneration } from './store.ts';
import { tableName } from './table.ts';
import { fileDay } from './trading-day.ts';

/** A file with fewer rows than this share of the last good one, without what has expired since, is not believed. */
const LEAST_SHARE = 0.9;

export interface LoaderParts {
  db: Handle;
  clock: Clock;
  /** The same database, for the worker. */
  reachable: Reachable;
  practice: boolean;
  /** Address of the module that reads a broker's files; null where there is none. */
  reader(broker: BrokerId): string | null;
  /** Where a broker's files are; null where they are not to be read. */
  address(broker: BrokerId): string | null;
  localAddress(broker: BrokerId): string | undefined;
}

/** What a load needs to know of its broker's session. */
export interface Listing {
  id: BrokerId;
  masterFiles?(): Promise<readonly string[]>;
}

/** A load that became the one that is read, and what it left out. */
export interface Loaded {
  current: Current;
  skipped: Readonly<Record<string, number>>;
}

/** Whether a broker's files can be read at all. */
export function canLoad(parts: LoaderParts, broker: BrokerId): boolean {
  return parts.address(broker) !== null && parts.reader(broker) !== null;
}

/**
 * Reads a broker's files into the table and makes them the ones that are read; rejects, and leaves everything as it was, when that fails or too little came.
 */
export async function loadMaster(parts: LoaderParts, broker: Listing, before: Current | null, signal: AbortSignal): Promise<Loaded> {
  const { db, clock } = parts;
  const [reader, address] = [parts.reader(broker.id), parts.address(broker.id)];
  if (reader === null || address === null) throw new Error(`The instruments of ${broker.id} cannot be read`);
  const asOf = fileDay(clock.now());
  const files = broker.masterFiles ? (await broker.masterFiles()).map(fileAt) : null;
  const generation = await nextGeneration(db);
  const { reachable: database, practice: onlyHere } = parts;
  const localAddress = parts.localAddress(broker.id);
  const job = { broker: broker.id, reader, address, files, localAddress, onlyHere, today: asOf, generation, database };
  const { rows, skipped, chains } = await runLoad(job, signal);
  refuseShrunk(rows, before, asOf);
  const current = { generation, table: tableName(generation), asOf, rows, chains };
  await makeCurrent(db, broker.id, current, skipped);
  return { current, skipped };
}

function refuseShrunk(rows: number, before: Current | null, asOf: string): void {
  if (rows === 0) throw new Error('it lists no instrument');
  if (!before) return;
  const living = before.rows - expiredRows(before.chains, asOf);
  if (rows < living * LEAST_SHARE)
    throw new Error(`it lists ${rows} instruments, and the file of ${before.asOf} ${living} that have not expired`);
}

/** A file that the broker itself names: what it is, its name says. */
function fileAt(path: string): MasterFile {
  const name = path.split('?')[0] ?? '';
  const pack = /\.zip$/i.test(name) ? 'zip' : /\.gz$/i.test(name) ? 'gzip' : 'plain';
  return { path, pack, form: /\.json(\.gz|\.zip)?$/i.test(name) ? 'json' : 'csv' };
}
