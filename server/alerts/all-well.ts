import { istText, tradingDay } from '../clock.ts';
import { kinds } from './kinds.ts';
import type { DayProfit } from './look.ts';
import type { Standing } from './standing.ts';

/** What the day came to. */
export interface DayFigures {
  orders: number;
  fills: number;
  /** Null where nobody was ever connected. */
  profit: DayProfit | null;
}

/** The key under which the day of the last line is kept. */
export const ALL_WELL = 'all_well';

/** Whether the line of the day is due at an instant (epoch ms): its time (`HH:MM`, IST) has come, and it was not sent since. */
export function isDue(now: number, at: string, lastSentAt: number | null): boolean {
  if (istText(now).slice(11, 16) < at) return false;
  return lastSentAt === null || tradingDay(lastSentAt) !== tradingDay(now);
}

/** The line of the day. `figures`: null where the records could not be read. */
export function lineOf(broker: string | null, figures: DayFigures | null, standing: readonly Standing[], killSwitch: boolean): string {
  const wrong = standing.map(({ kind, since }) => `${kinds[kind].title} (since ${istText(since).slice(0, 16)} IST)`);
  const words = [
    wrong.length === 0 ? 'All is well' : `Not all is well: ${wrong.join('; ')}`,
    broker === null ? 'no broker connected' : `${broker} connected`,
    ...(figures === null ? ['the records could not be read'] : figureWords(figures)),
    ...(killSwitch ? ['the kill switch is ON'] : []),
  ];
  return words.join('; ');
}

function figureWords({ orders, fills, profit }: DayFigures): string[] {
  const counts = [`${orders} ${orders === 1 ? 'order' : 'orders'}`, `${fills} ${fills === 1 ? 'fill' : 'fills'}`];
  if (profit === null) return counts;
  const { total, known } = profit;
  return [
    ...counts,
    total ? `profit ${total.toFixed(2)} rupees` : `profit ${known.toFixed(2)} rupees without positions whose price is not known`,
  ];
}
