import { parseIst, tradingDay } from '../clock.ts';

const DAY_MS = 86_400_000;

/** One trading day: `YYYY-MM-DD`, IST, with the instants (epoch ms, UTC) it lies between; midnight itself begins it. */
export interface Day {
  name: string;
  from: number;
  to: number;
  isToday: boolean;
}

/** The day asked for, else the day of `now` (epoch ms). */
export function dayOf(now: number, name = tradingDay(now)): Day {
  const from = parseIst(`${name} 00:00`) ?? Number.NaN;
  return { name, from, to: from + DAY_MS, isToday: name === tradingDay(now) };
}

/** ISO text of an instant of the database (epoch ms); null stays null. */
export function isoOf(ms: number): string;
export function isoOf(ms: number | null): string | null;
export function isoOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** Decimal text of the records as the number of the contract; null stays null. */
export function numberOf(text: string): number;
export function numberOf(text: string | null): number | null;
export function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}
