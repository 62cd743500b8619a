import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import postgres from 'postgres';
import { readAddress } from './address.ts';
import { createGate } from './gate.ts';
import { primaryOf } from './primary.ts';
import type { Reachable } from './reachable.ts';

/** One connection for rows that can be had again: none of its commits waits for the disk. Its statements are transactions of their own. */
export interface Writer {
  /** Rows in the text form of COPY, one transaction. */
  copy(into: string, text: string): Promise<void>;
  /** `text` is a constant; `values` are its parameters. */
  run(text: string, values?: readonly (string | number)[]): Promise<readonly postgres.Row[]>;
  close(): Promise<void>;
}

/** Opens it beside the gateway's own connections, as the same user; the gateway's lock is none of its business. Rejects when the server is not there. */
export async function openWriter(database: Reachable): Promise<Writer> {
  const address = typeof database === 'string' ? readAddress(database) : database;
  const gate = createGate(address, {
    application_name: 'broker-gateway-writer',
    synchronous_commit: 'off',
    work_mem: '16MB',
    // The other processors are for orders. As text: postgres.js leaves out what is falsy.
    max_parallel_workers_per_gather: '0',
    max_parallel_maintenance_workers: '0',
    // A sample of 3,000 rows instead of 30,000 tells as well how a list of instruments is to be read.
    default_statistics_target: '10',
  });
  gate.open(await primaryOf(address)());
  const sql = postgres({ ...gate.options, max: 1, max_lifetime: null });
  return {
    async copy(into, text) {
      const rows = await sql.unsafe(`copy ${into} from stdin`).writable();
      await pipeline(Readable.from([text]), rows);
    },
    run: (text, values = []) => sql.unsafe(text, [...values]),
    async close() {
      await sql.end({ timeout: 1 });
      gate.shut();
    },
  };
}

/** A value as it stands in the text form of COPY. */
export function copyText(value: string | number | null): string {
  if (value === null) return '\\N';
  return String(value).replace(/[\\\t\n\r]/g, (found) => `\\${escapes[found] ?? found}`);
}

const escapes: Readonly<Record<string, string>> = { '\t': 't', '\n': 'n', '\r': 'r' };
