import type { BrokerId } from '../../../contract/words.ts';
import type { MasterFile } from '../../brokers/master.ts';
import type { Reachable } from '../../db/reachable.ts';
import type { Chain } from '../chains.ts';

/** What the worker is given. */
export interface LoadJob {
  broker: BrokerId;
  /** Address of the module that exports the broker's `master`. */
  reader: string;
  /** What the paths of its files stand below. */
  address: string;
  /** The files of the day, where the broker names them itself. */
  files: readonly MasterFile[] | null;
  localAddress: string | undefined;
  /** Practice mode: no other machine is asked. */
  onlyHere: boolean;
  /** `YYYY-MM-DD`, IST: what has expired by then is left out. */
  today: string;
  /** The number the rows are written under. */
  generation: number;
  database: Reachable;
}

/** What a load came to; the rows stand in the table by then, and nobody reads them yet. */
export interface LoadResult {
  rows: number;
  /** Rows left out, by reason. */
  skipped: Readonly<Record<string, number>>;
  chains: readonly Chain[];
}

/** What the worker says last. */
export type LoadAnswer = { result: LoadResult } | { failure: string };
