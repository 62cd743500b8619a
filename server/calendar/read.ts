import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { ConfigError } from '../config/config.ts';
import { linesOf } from './lines.ts';

export const exchangeWords = ['NSE', 'BSE', 'NFO', 'BFO', 'CDS', 'MCX'] as const;

const day = z.string().refine(isDay, 'must be a day that there is, YYYY-MM-DD');
const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day in India, HH:MM');
const exchanges = z.array(z.enum(exchangeWords)).min(1).refine(isUnique, 'must name each exchange once');

/** Usual hours of weekdays, from a day on. */
const Hours = z
  .strictObject({ exchanges, from: day, open: time, close: time })
  .refine(({ open, close }) => open < close, 'must open before it closes');
/** What is unusual on one day: when it trades instead; no session at all on a holiday. */
const Day = z.strictObject({
  day,
  exchanges,
  sessions: z
    .array(z.tuple([time, time]).refine(([open, close]) => open < close, 'must open before it closes'))
    .refine(isInOrder, 'must follow one another'),
  name: z.string().min(1),
});

/** A calendar file: docs/calendar.md describes it member by member. */
const CalendarFile = z.strictObject({
  version: z.string().min(1),
  first_day: day,
  last_day: day,
  sources: z.array(z.string()).min(1),
  not_known: z.array(z.string()),
  hours: z.array(Hours).min(1),
  days: z.array(Day),
});
export type CalendarFile = z.infer<typeof CalendarFile>;

interface Problem {
  path: readonly PropertyKey[];
  message: string;
}

export const shippedFile = fileURLToPath(new URL('india.json', import.meta.url));

/** Reads and checks a calendar file. Throws ConfigError that names the setting, the file and the line. */
export function readCalendarFile(path: string): CalendarFile {
  const wrong = (message: string) => new ConfigError(`CALENDAR_FILE: ${path}${message}`);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw wrong(` cannot be read: ${error instanceof Error && 'code' in error ? String(error.code) : 'the file system refused'}`);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw wrong(` is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const parsed = CalendarFile.safeParse(json);
  const [problem] = parsed.success ? problemsOf(parsed.data) : parsed.error.issues;
  if (parsed.success && !problem) return parsed.data;
  const { path: at, message } = problem ?? { path: [], message: '' };
  throw wrong(`, line ${linesOf(text)(at)}: ${at.length > 0 ? `${at.join('.')}: ` : ''}${message}`);
}

/** What is wrong with a file whose members are all right by themselves. */
function* problemsOf(file: CalendarFile): Generator<Problem> {
  const { first_day: first, last_day: last, hours, days } = file;
  if (last < first) yield { path: ['last_day'], message: 'must not be before first_day' };
  for (const exchange of exchangeWords) {
    const from = hours.filter((one) => one.exchanges.includes(exchange)).map((one) => one.from);
    if (from[0] === undefined) yield { path: ['hours'], message: `${exchange} has no hours` };
    if (from[0] !== undefined && from[0] > first) yield { path: ['hours'], message: `${exchange} has no hours on ${first}` };
    const turned = hours.findIndex(
      (one, index) =>
        one.exchanges.includes(exchange) &&
        hours.slice(0, index).some((before) => before.exchanges.includes(exchange) && before.from >= one.from),
    );
    if (turned >= 0) yield { path: ['hours', turned, 'from'], message: `must be after the hours of ${exchange} before it` };
  }
  const seen = new Set<string>();
  for (const [index, { day: at, exchanges: named }] of days.entries()) {
    if (at < first || at > last) yield { path: ['days', index, 'day'], message: `must lie from ${first} to ${last}` };
    if (at < (days[index - 1]?.day ?? at)) yield { path: ['days', index, 'day'], message: 'must not be before the day above it' };
    for (const exchange of named) {
      if (seen.has(`${at} ${exchange}`)) yield { path: ['days', index, 'exchanges'], message: `${exchange} is named twice on ${at}` };
      seen.add(`${at} ${exchange}`);
    }
  }
}

function isDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

function isUnique(words: readonly string[]): boolean {
  return new Set(words).size === words.length;
}

function isInOrder(sessions: readonly (readonly [string, string])[]): boolean {
  return sessions.every(([open], index) => index === 0 || open >= (sessions[index - 1]?.[1] ?? ''));
}
