/** Contract months and when they expire: calendar days in India, YYYY-MM-DD. */

/** Where contracts trade that expire. */
export type ContractExchange = 'NFO' | 'BFO' | 'MCX' | 'CDS';

export interface Month {
  /** As it stands in symbols: 26DEC. */
  text: string;
  expiry: string;
  /** Months since year 0: whoever numbers contracts by it gives a contract the same number as long as it lives. */
  number: number;
}

const DAY_MS = 86_400_000;
const [SUNDAY, TUESDAY, THURSDAY, SATURDAY] = [0, 2, 4, 6];
/** Holidays that fall on the same day each year. The others are told a year ahead at most, and a made-up market needs no more. */
const holidays = ['01-26', '08-15', '10-02', '12-25'];
const names = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'] as const;
/** The first month there is a contract of, and the last day on which it is the nearest wherever it expires. */
const first = { number: 2026 * 12 + 11, until: '2026-12-31' };

/** When a month's contracts expire; the working day before where that is none. NFO: the last Tuesday, BFO: the last Thursday, MCX: the 19th, CDS: two working days before the last of the month. */
const expiryRules: Readonly<Record<ContractExchange, (number: number) => string>> = {
  NFO: (number) => lastOf(TUESDAY, number),
  BFO: (number) => lastOf(THURSDAY, number),
  MCX: (number) => workingDay(dayOf(number, 19)),
  CDS: (number) => workingDay(before(workingDay(before(workingDay(dayOf(number + 1, 0)))))),
};

/** The nearest months of an exchange whose contracts have not expired on a day, two unless said. Never earlier than December 2026, which stays the nearest until its end. */
export function monthsOn(today: string, exchange: ContractExchange, count = 2): Month[] {
  const nearest = nearestOn(today, exchange);
  return Array.from({ length: count }, (_, index) => monthOf(exchange, nearest + index));
}

/** The months of an exchange from December 2026 on that are over on a day. */
export function monthsBefore(today: string, exchange: ContractExchange): Month[] {
  return Array.from({ length: nearestOn(today, exchange) - first.number }, (_, index) => monthOf(exchange, first.number + index));
}

/** A month of an exchange that is over on a day, whatever day it is. */
export function overOn(today: string, exchange: ContractExchange): Month {
  return monthOf(exchange, nearestOn(today, exchange) - 2);
}

/** The next weekly expiries of an exchange, on the weekday its months end on; the last one of a month is not among them. */
export function weeksOn(today: string, exchange: 'NFO' | 'BFO', count: number): string[] {
  const weekday = exchange === 'NFO' ? TUESDAY : THURSDAY;
  const weeks: string[] = [];
  for (let day = today; weeks.length < count; day = after(day)) {
    if (new Date(day).getUTCDay() === weekday && expiryRules[exchange](numberOf(day)) !== workingDay(day)) weeks.push(workingDay(day));
  }
  return weeks;
}

/** A weekly expiry as it stands in symbols: 26D08, the months being 1 to 9, O, N and D. */
export function weekText(expiry: string): string {
  const month = Number(expiry.slice(5, 7));
  return `${expiry.slice(2, 4)}${month < 10 ? month : names[month - 1]?.slice(0, 1)}${expiry.slice(8)}`;
}

function nearestOn(today: string, exchange: ContractExchange): number {
  if (today <= first.until) return first.number;
  const number = numberOf(today);
  return expiryRules[exchange](number) < today ? number + 1 : number;
}

function monthOf(exchange: ContractExchange, number: number): Month {
  return { text: `${String(Math.floor(number / 12)).slice(2)}${names[number % 12]}`, expiry: expiryRules[exchange](number), number };
}

function numberOf(day: string): number {
  return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;
}

/** A day of a month; 0 is the day before its first. */
function dayOf(number: number, day: number): string {
  return dateText(Date.UTC(Math.floor(number / 12), number % 12, day));
}

function lastOf(weekday: number, number: number): string {
  let day = dayOf(number + 1, 0);
  while (new Date(day).getUTCDay() !== weekday) day = before(day);
  return workingDay(day);
}

/** The day itself, or the nearest working day before it. */
function workingDay(day: string): string {
  const weekday = new Date(day).getUTCDay();
  return weekday === SUNDAY || weekday === SATURDAY || holidays.includes(day.slice(5)) ? workingDay(before(day)) : day;
}

function before(day: string): string {
  return dateText(Date.parse(day) - DAY_MS);
}

function after(day: string): string {
  return dateText(Date.parse(day) + DAY_MS);
}

function dateText(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
