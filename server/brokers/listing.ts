import type { z } from 'zod';
import type { Log } from '../log.ts';
import type { Listing, Unreadable } from './broker.ts';
import type { InstrumentName } from './instrument.ts';
import { failure, instrument, issueText, word } from './parse.ts';

/** Where a broker's rows have their name, each part read apart: '' and null stand for what cannot be read. */
export type RowName = z.ZodType<InstrumentName>;

/** Parts of a RowName. */
export const seenWord = word.catch('');
export const seenToken = instrument.catch(null);

/** What `read` makes of a row, frozen, once for each row object: an order book is read for every order, and its unchanged rows stay the same (Reply.json). */
export function perRow<Read>(read: (row: unknown) => Read): (row: unknown) => Read {
  const known = new WeakMap<object, Read>();
  return (row) => {
    if (typeof row !== 'object' || row === null) return read(row);
    const before = known.get(row);
    if (before !== undefined) return before;
    const value = Object.freeze(read(row));
    known.set(row, value);
    return value;
  };
}

/** Puts an order's id under our name into a row of an order book; a row in which `id` finds none stays as it is. */
export function withOrderId(id: z.ZodType<string>): (row: unknown) => unknown {
  return perRow((row) => {
    const found = id.safeParse(row).data;
    return found === undefined || typeof row !== 'object' ? row : { ...row, order_id: found };
  });
}

type Reading<Row> = { row: Row } | { unreadable: Unreadable };

/** What a schema makes of a row, and the last list it read: a row at its old place is not even touched. */
interface Reader<Row> {
  read(row: unknown): Reading<Row>;
  rows: readonly unknown[];
  readings: readonly Reading<Row>[];
}

const readers = new WeakMap<z.ZodType, Reader<unknown>>();

/** What it reads is frozen, because the next reading of an unchanged row is the same object. */
function readerOf<Row>(schema: z.ZodType<Row>, name: RowName | undefined): Reader<Row> {
  const known = readers.get(schema) as Reader<Row> | undefined;
  if (known) return known;
  const read = perRow((row): Reading<Row> => {
    const result = schema.safeParse(row);
    if (result.success) return { row: Object.freeze(result.data) };
    return { unreadable: Object.freeze({ row, reason: issueText(result.error), ...nameOf(row, name) }) };
  });
  const reader: Reader<Row> = { read, rows: [], readings: [] };
  readers.set(schema, reader);
  return reader;
}

function nameOf(row: unknown, name: RowName | undefined): Pick<Unreadable, 'exchange' | 'symbol' | 'token'> {
  const told = name?.safeParse(row).data;
  return { exchange: told?.exchange || null, symbol: told?.symbol || null, token: told?.token || null };
}

/**
 * The broker's rows with the same rows in our words, frozen. One that cannot be read is left out of `normalized` and told in `unreadable`, with as
 * much of its name as `name` finds; what is no list fails. A schema goes with one `name`.
 */
export function listing<Row>(what: string, rows: unknown, schema: z.ZodType<Row>, name?: RowName): Listing<Row> {
  if (!Array.isArray(rows)) return failure(`${what}: the broker did not answer with a list`);
  const reader = readerOf(schema, name);
  const known = (row: unknown, index: number) => (row === reader.rows[index] ? reader.readings[index] : undefined);
  const readings = rows.map((row, index) => known(row, index) ?? reader.read(row));
  // A copy: what a caller does to its list must not reach the next reading.
  reader.rows = [...rows];
  reader.readings = readings;
  const normalized: Row[] = [];
  const unreadable: Unreadable[] = [];
  for (const reading of readings)
    if ('row' in reading) normalized.push(reading.row);
    else unreadable.push(reading.unreadable);
  return { success: true, data: rows, normalized, ...(unreadable.length > 0 && { unreadable }) };
}

type Listed<Row> = Extract<Listing<Row>, { success: true }>;

/** The rows that were read, each beside what it was read as. */
export function pairs<Row>({ data, normalized, unreadable = [] }: Listed<Row>): { raw: unknown; row: Row }[] {
  const left = new Set(unreadable.map(({ row }) => row));
  const read = data.filter((row) => !left.has(row));
  return normalized.map((row, index) => ({ raw: read[index], row }));
}

/** The list without the rows that were read and are not wanted; what cannot be read stays. */
export function only<Row>(list: Listed<Row>, wanted: (row: Row) => boolean): Listed<Row> {
  const dropped = new Set(pairs(list).flatMap(({ raw, row }) => (wanted(row) ? [] : [raw])));
  return { ...list, data: list.data.filter((row) => !dropped.has(row)), normalized: list.normalized.filter(wanted) };
}

/** So many unreadable rows are remembered as logged. */
const MOST_LOGGED = 1000;

/** `listing` for one broker, whose rows are named by `name`. It logs each unreadable row once: by its list, its name and the reason. */
export function createListing(log: Log, name: RowName): <Row>(what: string, rows: unknown, schema: z.ZodType<Row>) => Listing<Row> {
  const logged = new Set<string>();
  return (what, rows, schema) => {
    const list = listing(what, rows, schema, name);
    if (!list.success) return list;
    for (const { exchange, symbol, token, reason } of list.unreadable ?? []) {
      const text = JSON.stringify([what, exchange, symbol, token, reason]);
      if (logged.has(text) || logged.size >= MOST_LOGGED) continue;
      logged.add(text);
      log.warn(
        { list: what, exchange, symbol, token, reason },
        'a row of the broker cannot be read: its instrument is not known to us now',
      );
    }
    return list;
  };
}
