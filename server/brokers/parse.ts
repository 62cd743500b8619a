import { z } from 'zod';
import { parseIst } from '../clock.ts';
import type { Log } from '../log.ts';
import { Big, exact } from '../money.ts';
import type { Failure, Listing } from './broker.ts';

const numeric = z.union([z.number(), z.string()], { error: 'must be a number' });

/** A number or plain numeric text -> number. Refuses null, "", "1,000", true and what is not finite. */
export const decimal = numeric.transform((value, ctx) => {
  const number = exact(value);
  if (number) return Number(number.toFixed());
  ctx.addIssue({ code: 'custom', message: 'must be a number' });
  return z.NEVER;
});

/** Rupees, or null where the broker sends null. A missing field is refused. */
export const rupees = decimal.nullable();

/** A whole number of either sign, also as text. */
export const whole = decimal.refine(Number.isSafeInteger, 'must be a whole number');

/** A whole number of at least 0. */
export const quantity = whole.refine((value) => value >= 0, 'must not be negative');

/** A non-empty text. */
export const word = z.string({ error: 'must be a text' }).min(1, 'must not be empty');

/** A text that may be null, absent or empty -> text or null. */
export const note = z
  .string()
  .nullish()
  .transform((value) => value || null);

/** An instrument token, number or text, possibly absent -> text or null. */
export const instrument = z
  .union([z.int(), z.string()])
  .nullish()
  .transform((value) => (value === null || value === undefined || value === '' ? null : String(value)));

/** An IST time text -> ISO text, UTC; null when it is absent or has another form. */
export const istTime = note.transform((text) => {
  const at = text === null ? null : parseIst(text);
  return at === null ? null : new Date(at).toISOString();
});

/**
 * A reader of free funds, rupees as exact text: the sum of what stands at these paths of a funds answer (`equity.net`), those with a minus taken off.
 * Null when the first cannot be read; the others count when they are there.
 */
export function fundsAt(...paths: string[]): (funds: unknown) => string | null {
  return (funds) => {
    const amounts = paths.map((path) => {
      const amount = exact(path.replace(/^-/, '').split('.').reduce(member, funds));
      return path.startsWith('-') && amount ? amount.times(-1) : amount;
    });
    return amounts[0] ? amounts.reduce<Big>((sum, amount) => sum.plus(amount ?? 0), new Big(0)).toFixed() : null;
  };
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** The value of a JSON text; undefined when it is none. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function failure(message: string): Failure {
  return { success: false, message };
}

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

/** What a schema makes of a row, and the last list it read: a row at its old place is not even touched. */
interface Reader<Row> {
  read(row: unknown): z.ZodSafeParseResult<Row>;
  rows: readonly unknown[];
  normalized: readonly Row[];
}

const readers = new WeakMap<z.ZodType, Reader<unknown>>();

/** What it reads is frozen, because the next reading of an unchanged row is the same object. */
function readerOf<Row>(schema: z.ZodType<Row>): Reader<Row> {
  const known = readers.get(schema) as Reader<Row> | undefined;
  if (known) return known;
  const read = perRow((row) => {
    const result = schema.safeParse(row);
    if (result.success) Object.freeze(result.data);
    return result;
  });
  const reader = { read, rows: [], normalized: [] };
  readers.set(schema, reader);
  return reader;
}

/** The broker's rows with the same rows in our words, frozen. One row that cannot be read fails the list, naming row and field. */
export function listing<Row>(what: string, rows: unknown, schema: z.ZodType<Row>): Listing<Row> {
  if (!Array.isArray(rows)) return failure(`${what}: the broker did not answer with a list`);
  const reader = readerOf(schema);
  const normalized: Row[] = [];
  for (const [index, row] of rows.entries()) {
    const known = row === reader.rows[index] ? reader.normalized[index] : undefined;
    const read = known === undefined ? reader.read(row) : { success: true as const, data: known };
    if (!read.success) return failure(`${what}: row ${index + 1}: ${issueText(read.error)}`);
    normalized.push(read.data);
  }
  // Copies: what a caller does to its lists must not reach the next reading.
  reader.rows = [...rows];
  reader.normalized = [...normalized];
  return { success: true, data: rows, normalized };
}

/** The first thing wrong with a value: field and reason. */
export function issueText(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue ? [issue.path.join('.'), issue.message].filter(Boolean).join(' ') : 'cannot be read';
}

/** Our words by the broker's: a table read the other way. */
export function reversed(table: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(table).map(([ours, theirs]) => [theirs, ours]));
}

/** The order cannot be put to this broker, found out before anything was sent; the message names the field. */
export class Refusal extends Error {}

/** The broker's word for one of ours. Throws Refusal that names the field and the words there are. */
export function translate(table: Readonly<Record<string, string>>, field: string, ours: string): string {
  const theirs = Object.hasOwn(table, ours) ? table[ours] : undefined;
  if (theirs === undefined) throw new Refusal(`${field}: "${ours}" is not one of ${Object.keys(table).join(', ')}`);
  return theirs;
}

/** A log line for each word of the broker that our tables lack, once a word. */
export function createWordLog(log: Log, broker: string): (kind: string, text: string) => void {
  const seen = new Set<string>();
  return (kind, text) => {
    if (seen.has(`${kind} ${text}`)) return;
    seen.add(`${kind} ${text}`);
    log.warn({ broker, kind, word: text }, 'a word of the broker that the gateway does not know');
  };
}
