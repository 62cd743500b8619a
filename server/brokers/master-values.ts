import type { InstrumentKind } from '../../contract/words.ts';
import { tradingDay } from '../clock.ts';
import { Big } from '../money.ts';
import type { MasterExchange } from './master.ts';

/** How the texts of instrument files read. What cannot be read is never guessed: its row is left out. */

/** Months as instrument files and symbols write them, for use in patterns. */
export const months = 'JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC';

/** How files write that there is no price: nothing, NaN, 0, -1, -0.01. */
const noPrice = /^(|nan|na|-1(\.0+)?|-0\.010*|0+(\.0+)?)$/i;
const price = /^\d{1,15}(\.\d{1,12})?$/;
/** More rupees than any price has. */
const MOST_RUPEES = new Big('1e10');
const shortest = /^(0\.\d{0,11}[1-9]|[1-9]\d{0,9}(\.\d{0,11}[1-9])?)$/;

/**
 * A price as plain decimal text in its shortest form, `places` decimal places further down: (`2920000.00`, 2) -> `29200`. Null where the file says that
 * there is none, undefined where it says what is no price.
 */
export function priceOf(text: string, places = 0): string | null | undefined {
  // Most already are what they should become, and there are hundreds of thousands.
  if (places === 0 && shortest.test(text)) return text;
  if (noPrice.test(text)) return null;
  if (!price.test(text)) return undefined;
  const value = new Big(text).times(`1e-${places}`);
  return value.gt(0) && value.lt(MOST_RUPEES) ? value.toFixed() : undefined;
}

/** 1 to 999999999, perhaps with zeros behind the point; null for any other text. */
export function wholeNumber(text: string): number | null {
  return /^[1-9]\d{0,8}(\.0+)?$/.test(text) ? Number(text) : null;
}

/** A token that is a number, as it is printed; empty for any other text. */
export function tokenNumber(text = ''): string {
  return /^[1-9]\d{0,19}$/.test(text) ? text : '';
}

/** Trimmed text; empty where the file prints NaN for nothing, or what is no name: signs alone, and control characters. */
export function said(text: string): string {
  return /[\p{L}\p{N}]/u.test(text) && !/^nan$|\p{Cc}/iu.test(text) ? text.trim() : '';
}

/** `YYYY-MM-DD` of this century where the text is such a day, perhaps with a time behind it, and the calendar has it; else null. */
export function calendarDay(text = ''): string | null {
  const [, day] = /^(20\d\d-\d\d-\d\d)([ T]\d\d:\d\d(:\d\d)?)?$/.exec(text) ?? [];
  if (day === undefined) return null;
  const at = Date.parse(`${day}T00:00:00Z`);
  // A day the month has not rolls over into the next one.
  return new Date(at).getUTCDate() === Number(day.slice(8)) ? day : null;
}

const monthWords = months.split('|');

/** `29-SEP-2026` or `29SEP2026`, in either case, as a calendar day; else null. */
export function namedDay(text = ''): string | null {
  const [, day, , month = '', year] = /^(\d\d)(-?)([A-Z]{3})\2(20\d\d)$/.exec(text.toUpperCase()) ?? [];
  return calendarDay(`${year}-${String(monthWords.indexOf(month) + 1).padStart(2, '0')}-${day}`);
}

/** The calendar day in India of an instant in epoch milliseconds. Null outside this century. */
export function istDay(at: number): string | null {
  return calendarDay(tradingDay(at));
}

const sides: ReadonlyMap<string, InstrumentKind> = new Map([
  ['CE', 'CE'],
  ['PE', 'PE'],
]);
const noSide: readonly string[] = ['', 'XX'];

/** What a contract is by the exchanges' words for instruments (FUTIDX, OPTSTK, BSE's IF and SO) and by its side: CE, PE, and XX or nothing for none. */
export function contractKind(type: string, side: string): InstrumentKind | undefined {
  if (/^(OPT[A-Z]{3}|IO|SO)$/.test(type)) return sides.get(side);
  return /^(FUT[A-Z]{3}|IF|SF)$/.test(type) && noSide.includes(side) ? 'FUT' : undefined;
}

/** An exchange -> where its indices are. */
export const indexExchanges: ReadonlyMap<string | undefined, MasterExchange> = new Map([
  ['NSE', 'NSE_INDEX'],
  ['BSE', 'BSE_INDEX'],
  ['MCX', 'MCX_INDEX'],
]);

/**
 * The underlying in a contract's symbol as Kite writes it: before the two digits of the year, the month as three letters or one with the day behind it,
 * and the strike with its side or FUT. `SENSEX26SEP82000CE`, `SENSEX2692482000CE`, `SENSEX26SEPFUT` -> `SENSEX`. Empty for any other symbol. `strike` in
 * rupees, as the file has it; `expiry` a calendar day.
 */
export function kiteUnderlying(symbol: string, kind: InstrumentKind | undefined, strike: string, expiry: string | null): string {
  const tail = kind === 'FUT' ? kind : `${priceOf(strike)}${kind}`;
  if (expiry === null || !symbol.endsWith(tail)) return '';
  const code = new RegExp(`^(.+)${expiry.slice(2, 4)}(${months}|[1-9OND]\\d\\d)$`);
  return code.exec(symbol.slice(0, -tail.length))?.[1] ?? '';
}
