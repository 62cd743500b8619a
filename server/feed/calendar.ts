import { tradingDay } from '../clock.ts';

/** Opening and closing, minutes after midnight in India. Commodities trade to 23:30, to 23:55 while the United States keep winter time. */
const hours: Readonly<Record<string, readonly [open: number, close: number]>> = {
  NSE: [9 * 60 + 15, 15 * 60 + 30],
  BSE: [9 * 60 + 15, 15 * 60 + 30],
  NFO: [9 * 60 + 15, 15 * 60 + 30],
  BFO: [9 * 60 + 15, 15 * 60 + 30],
  CDS: [9 * 60, 17 * 60],
  MCX: [9 * 60, 23 * 60 + 30],
};
const everything: readonly [number, number] = [9 * 60, 23 * 60 + 30];
const MCX_EVENING = 17 * 60;
const DAY_MS = 86_400_000;
/** No exchange stays closed for longer. */
const FURTHEST_DAYS = 10;

/**
 * Weekdays on which NSE and BSE are closed, as the exchanges announced them; `evening` marks those on which commodities still trade from 17:00.
 * A missing day costs a few reconnects of a silent feed, no more: extend the list each December.
 */
const holidays: Readonly<Record<string, 'closed' | 'evening'>> = {
  '2026-01-15': 'evening',
  '2026-01-26': 'closed',
  '2026-03-03': 'evening',
  '2026-03-26': 'evening',
  '2026-03-31': 'evening',
  '2026-04-03': 'closed',
  '2026-04-14': 'evening',
  '2026-05-01': 'evening',
  '2026-05-28': 'evening',
  '2026-06-26': 'evening',
  '2026-09-14': 'evening',
  '2026-10-02': 'closed',
  '2026-10-20': 'evening',
  '2026-11-10': 'evening',
  '2026-11-24': 'evening',
  '2026-12-25': 'closed',
};

/** Whether an exchange (our word; an unknown one counts as open whenever any is) trades at an instant (epoch ms, UTC). Special sessions are not known. */
export function isOpen(exchange: string, at: number): boolean {
  const day = tradingDay(at);
  const midnight = Date.parse(`${day}T00:00:00+05:30`);
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  if (weekday === 0 || weekday === 6) return false;
  const minute = (at - midnight) / 60_000;
  const [open, close] = hours[exchange] ?? everything;
  const holiday = holidays[day];
  if (holiday === 'closed' || (holiday === 'evening' && !(exchange === 'MCX' && minute >= MCX_EVENING))) return false;
  return minute >= open && minute < close;
}

/** The day (`YYYY-MM-DD`, IST) of the first session of an exchange that opens after an instant (epoch ms, UTC): what an after-market order waits for. */
export function sessionDay(exchange: string, at: number): string {
  const [open] = hours[exchange] ?? everything;
  for (let ahead = 0; ahead <= FURTHEST_DAYS; ahead += 1) {
    const day = tradingDay(at + ahead * DAY_MS);
    const opens = Date.parse(`${day}T00:00:00+05:30`) + open * 60_000;
    if (opens > at && isOpen(exchange, opens)) return day;
  }
  return tradingDay(at + DAY_MS);
}

/** When one gateway's exchanges trade. */
export interface Calendar {
  /** Whether an exchange trades at an instant (epoch ms). */
  isOpen(exchange: string, at: number): boolean;
  /** Trading day (`YYYY-MM-DD`, IST) of the session an order is for that is sent at an instant (epoch ms). */
  sessionDay(variety: string, exchange: string, at: number): string;
}

/** The practice exchange never closes: there an AMO order is for the day it is sent on. */
export function calendarOf(mode: 'practice' | 'live'): Calendar {
  if (mode === 'practice') return { isOpen: () => true, sessionDay: (_variety, _exchange, at) => tradingDay(at) };
  return { isOpen, sessionDay: (variety, exchange, at) => (variety === 'AMO' ? sessionDay(exchange, at) : tradingDay(at)) };
}
