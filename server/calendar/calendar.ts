import { tradingDay } from '../clock.ts';
import { type CalendarFile, exchangeWords, readCalendarFile, shippedFile } from './read.ts';

/** From when to when an exchange trades, epoch ms. */
export interface Session {
  opens: number;
  closes: number;
}

/** When the exchanges trade. `exchange` is our word; an unknown one counts as open whenever any is. Instants are epoch ms, days `YYYY-MM-DD` in India. */
export interface TradingCalendar {
  /** The last day whose holidays are known. */
  lastDay: string;
  version: string;
  /** The sessions of a day, in order; none on a holiday. */
  sessions(exchange: string, day: string): readonly Session[];
  isOpen(exchange: string, at: number): boolean;
  /** The session that runs at an instant, else the next one; null where none opens within ten days. */
  session(exchange: string, at: number): Session | null;
  /** The first session that opens after an instant; null where none does within ten days. */
  next(exchange: string, at: number): Session | null;
}

const DAY_MS = 86_400_000;
/** No exchange stays closed for longer. */
const FURTHEST_DAYS = 10;

const known = new Map<string, TradingCalendar>();

/** The calendar of a file, else the one that comes with the gateway. Read once. Throws ConfigError that names the file and the line. */
export function tradingCalendar(file: string = shippedFile): TradingCalendar {
  const calendar = known.get(file) ?? calendarFrom(readCalendarFile(file));
  known.set(file, calendar);
  return calendar;
}

export function calendarFrom({ last_day, version, hours, days }: CalendarFile): TradingCalendar {
  const unusual = new Map<string, readonly (readonly [string, string])[]>(
    days.flatMap((one) => one.exchanges.map((exchange) => [`${exchange} ${one.day}`, one.sessions] as const)),
  );
  const newestFirst = hours.toReversed();

  function times(exchange: string, day: string): readonly (readonly [string, string])[] {
    const special = unusual.get(`${exchange} ${day}`);
    if (special) return special;
    const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
    if (weekday === 0 || weekday === 6) return [];
    const usual = newestFirst.find((one) => one.exchanges.some((name) => name === exchange) && one.from <= day);
    return usual ? [[usual.open, usual.close]] : [];
  }
  function sessions(exchange: string, day: string): readonly Session[] {
    if (!exchangeWords.some((name) => name === exchange)) return exchangeWords.flatMap((name) => sessions(name, day)).sort(byOpening);
    return times(exchange, day).map(([open, close]) => ({ opens: instantOf(day, open), closes: instantOf(day, close) }));
  }
  function isOpen(exchange: string, at: number): boolean {
    return sessions(exchange, tradingDay(at)).some(({ opens, closes }) => opens <= at && at < closes);
  }
  function first(exchange: string, at: number, fits: (one: Session) => boolean): Session | null {
    for (let ahead = 0; ahead <= FURTHEST_DAYS; ahead += 1) {
      const found = sessions(exchange, tradingDay(at + ahead * DAY_MS)).find(fits);
      if (found) return found;
    }
    return null;
  }
  return {
    lastDay: last_day,
    version,
    sessions,
    isOpen,
    session: (exchange, at) => first(exchange, at, ({ closes }) => at < closes),
    next: (exchange, at) => first(exchange, at, ({ opens }) => at < opens),
  };
}

function instantOf(day: string, time: string): number {
  return Date.parse(`${day}T${time}:00+05:30`);
}

function byOpening(a: Session, b: Session): number {
  return a.opens - b.opens;
}
