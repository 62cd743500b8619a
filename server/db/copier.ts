import type { Readable, Writable } from 'node:stream';
import postgres from 'postgres';
import type { Address } from './address.ts';
import { createGate } from './gate.ts';
import { primaryOf } from './primary.ts';

/** One connection for a command that copies whole tables. It is never replaced: once it is lost everything fails, so that nothing runs outside its transaction. */
export interface Copier {
  /** `text` may be several statements where there are no values. */
  run<Row extends postgres.Row>(text: string, values?: readonly string[]): Promise<Row[]>;
  /** `copy ... to stdout`. */
  out(text: string): Promise<Readable>;
  /** `copy ... from stdin`. */
  into(text: string): Promise<Writable>;
  close(): Promise<void>;
}

/** A person waits for it, not an order: nothing of it is bounded by time. */
const unbounded = { statement_timeout: 0, lock_timeout: 60_000, idle_in_transaction_session_timeout: 0 };

/** Opens it. Rejects when the server is not there. */
export async function openCopier(address: Address): Promise<Copier> {
  const gate = createGate(address, { application_name: 'broker-gateway-backup', ...unbounded });
  gate.open(await primaryOf(address)());
  const sql = postgres({ ...gate.options, max: 1, max_lifetime: null, onclose: () => gate.shut() });
  const run: Copier['run'] = <Row extends postgres.Row>(text: string, values: readonly string[] = []) =>
    sql.unsafe<Row[]>(text, [...values]).then((rows) => [...rows]);
  await run('select 1');
  return {
    run,
    out: (text) => sql.unsafe(text).readable(),
    into: (text) => sql.unsafe(text).writable(),
    async close() {
      await sql.end({ timeout: 1 });
      gate.shut();
    },
  };
}
