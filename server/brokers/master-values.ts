import { Big } from '../money.ts';
import type { Listed } from './master.ts';

/** Months as instrument files and symbols write them, for use in patterns. */
export const months = 'JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC';

const shortest = /^(0\.\d*[1-9]|[1-9]\d*(\.\d*[1-9])?)$/;

/** A number above 0 as plain decimal text in its shortest form, `places` decimal places further down: (`2.92e+06`, 2) -> `29200`. Null for any other text. */
export function positive(text: string, places = 0): string | null {
  if (!/^\d{1,15}(\.\d{1,12})?(e[+-]?0?\d)?$/i.test(text)) return null;
  // Most already are what they should become, and there are hundreds of thousands.
  if (places === 0 && shortest.test(text)) return text;
  const value = new Big(text).times(`1e-${places}`);
  return value.gt(0) ? value.toFixed() : null;
}

/** How files write that there is none: nothing, 0 or -1. */
export function isNone(text: string): boolean {
  return /^(0|-1)?(\.0+)?$/.test(text);
}

/** 1 to 999999999, perhaps with zeros behind the point; null for any other text. */
export function wholeNumber(text: string): number | null {
  return /^[1-9]\d{0,8}(\.0+)?$/.test(text) ? Number(text) : null;
}

/** `YYYY-MM-DD` of this century where the text is such a day, perhaps with a time behind it, and the calendar has it; else null. */
export function calendarDay(text: string): string | null {
  const [, day] = /^(20\d\d-\d\d-\d\d)([ T]\d\d:\d\d:\d\d)?$/.exec(text) ?? [];
  if (day === undefined) return null;
  const at = Date.parse(`${day}T00:00:00Z`);
  // A day the month has not rolls over into the next one.
  return new Date(at).getUTCDate() === Number(day.slice(8)) ? day : null;
}

const monthWords = months.split('|');

/** `29-SEP-2026`, in either case, as a calendar day; else null. */
export function namedDay(text: string): string | null {
  const [, day, month = '', year] = /^(\d\d)-([A-Z]{3})-(20\d\d)$/.exec(text.toUpperCase()) ?? [];
  return calendarDay(`${year}-${String(monthWords.indexOf(month) + 1).padStart(2, '0')}-${day}`);
}

/**
 * The underlying in a contract's symbol as Kite writes it: before the two digits of the year, the month as three letters or one with the day behind it,
 * and the strike with its side or FUT. `SENSEX26SEP82000CE`, `SENSEX2692482000CE`, `SENSEX26SEPFUT` -> `SENSEX`. Empty for any other symbol. `strike` in
 * rupees, as the file has it; `expiry` a calendar day.
 */
export function kiteUnderlying(symbol: string, kind: Listed['kind'], strike: string, expiry: string | null): string {
  const tail = kind === 'FUT' ? kind : `${positive(strike)}${kind}`;
  if (expiry === null || !symbol.endsWith(tail)) return '';
  const code = new RegExp(`^(.+)${expiry.slice(2, 4)}(${months}|[1-9OND]\\d\\d)$`);
  return code.exec(symbol.slice(0, -tail.length))?.[1] ?? '';
}
