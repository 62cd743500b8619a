import { z } from 'zod';
import { parseIst } from '../clock.ts';
import type { Log } from '../log.ts';
import { Big, exact } from '../money.ts';
import type { Failure } from './broker.ts';
import { plainText } from './instrument.ts';

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

/** Rupees of a member that rows do not always carry: null where it is null, empty or missing. */
export const maybeRupees = z.union([z.literal('').transform(() => null), rupees.optional()]).transform((value) => value ?? null);

/** What a unit of an open net cost, by the first of these averages that says so: one of 0 is none. A closed net keeps the first as it is told. */
export function averageOf(net: number, ...told: (number | null)[]): number | null {
  return (net === 0 ? told[0] : told.find((average) => average !== null && average > 0)) ?? null;
}

/** What a quantity was bought or sold for, rupees. Brokers that do not know it send 0, null, "" or nothing: null. */
export const cost = maybeRupees.transform((price) => price || null);

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

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** An IST time text, `2017-08-03 15:03:42` or `03-Aug-2017 15:03:42` -> ISO text, UTC; null when it is absent or has another form. */
export const istTime = note.transform((text) => {
  const numbered = text?.replace(/^(\d{2})-([A-Z][a-z]{2})-(\d{4}) /, (_date, day: string, month: string, year: string) => {
    return `${year}-${String(months.indexOf(month) + 1).padStart(2, '0')}-${day} `;
  });
  const at = numbered === undefined ? null : parseIst(numbered);
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

/** The symbol of an order as it goes out. Throws Refusal when it is blank. */
export function symbolToSend({ tradingsymbol }: { tradingsymbol: string }): string {
  const text = plainText(tradingsymbol);
  if (text === null) throw new Refusal('symbol: must not be blank');
  return text;
}

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
