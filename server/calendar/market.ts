import { tradingDay } from '../clock.ts';
import type { TradingCalendar } from './calendar.ts';

/** When one gateway's exchanges trade. Instants are epoch ms. */
export interface Calendar {
  isOpen(exchange: string, at: number): boolean;
  /** Trading day (`YYYY-MM-DD`, IST) of the session an order is for that is sent at an instant. */
  sessionDay(variety: string, exchange: string, at: number): string;
  /** When the first session of a trading day opens; from then on an order that waited for it is at the exchange. */
  opensAt(exchange: string, day: string): number;
  /** Whether an exchange trades at an instant, and when that changes next; null where it never does, or not within ten days. */
  turnOf(exchange: string, at: number): { open: boolean; turnsAt: number | null };
  /** The last day (`YYYY-MM-DD`, IST) whose holidays are known; null where there are none. */
  calendarEnds: string | null;
}

const DAY_MS = 86_400_000;

/** The practice exchange never closes: there an AMO order is for the day it is sent on. */
export function marketOf(mode: 'practice' | 'live', calendar: TradingCalendar): Calendar {
  if (mode === 'practice')
    return {
      isOpen: () => true,
      sessionDay: (_variety, _exchange, at) => tradingDay(at),
      opensAt: (_exchange, day) => midnight(day),
      turnOf: () => ({ open: true, turnsAt: null }),
      calendarEnds: null,
    };
  return {
    isOpen: calendar.isOpen,
    sessionDay: (variety, exchange, at) => (variety === 'AMO' ? sessionDay(calendar, exchange, at) : tradingDay(at)),
    opensAt: (exchange, day) => calendar.sessions(exchange, day)[0]?.opens ?? midnight(day) + LATEST_USUAL_MS,
    turnOf(exchange, at) {
      const session = calendar.session(exchange, at);
      const open = session !== null && session.opens <= at;
      return { open, turnsAt: (open ? session.closes : session?.opens) ?? null };
    },
    calendarEnds: calendar.lastDay,
  };
}

/** By then every exchange trades on a usual day. */
const LATEST_USUAL_MS = (9 * 60 + 15) * 60_000;

/** The day of the first session of an exchange that opens after an instant (epoch ms): what an after-market order waits for. */
export function sessionDay(calendar: TradingCalendar, exchange: string, at: number): string {
  return tradingDay(calendar.next(exchange, at)?.opens ?? at + DAY_MS);
}

function midnight(day: string): number {
  return Date.parse(`${day}T00:00:00+05:30`);
}
