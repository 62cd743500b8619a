import type { AlertKind } from '../../contract/alerts.ts';
import { endsSoon } from '../calendar/ending.ts';
import { type Clock, istText, tradingDay } from '../clock.ts';
import { Big } from '../money.ts';
import { LOGIN_NEEDED } from './from-events.ts';
import type { Finding } from './standing.ts';

/** An order whose fate is not known. Instants are epoch ms, UTC. */
export interface UnknownOrder {
  tag: string;
  symbol: string;
  side: string;
  quantity: number;
  startedAt: number;
}

/** What alerts ask the gateway's parts, all from memory. */
export interface Parts {
  clock: Clock;
  /** The active broker; null without a session. */
  activeBroker(): string | null;
  /** When the gateway signs in by itself again, epoch ms; null where a person is needed. */
  nextTryAt(): number | null;
  /** The brokers of the start have been tried. */
  settled(): boolean;
  /** Tried at the start. */
  brokers: readonly string[];
  unresolved(): readonly UnknownOrder[];
  /** How long (ms) prices that are due have not come; 0 while they do, or while none are due. */
  feedSilentMs(): number;
  /** Whether an exchange trades at an instant (epoch ms). */
  isOpen(exchange: string, at: number): boolean;
  /** The last day (`YYYY-MM-DD`, IST) that the calendar knows; null where it has no end. */
  calendarEnds: string | null;
}

/** What the day came to, rupees. */
export interface DayProfit {
  /** Null where a price is not known. */
  total: Big | null;
  /** The part of it that is known. */
  known: Big;
}

/** What the database told last. */
export interface Known {
  /** Whether a person ended the last session; null where none ever was. */
  endedByPerson: boolean | null;
  /** Where something was traded lately. */
  exchanges: readonly string[];
  /** Null where nobody asks, or nobody was ever connected. */
  profit: DayProfit | null;
  failing: boolean;
}

const BEFORE_OPENING_MS = 15 * 60_000;
const UNKNOWN_AFTER_MS = 30_000;
const SILENT_AFTER_MS = 60_000;
/** A loss that was told is over when it is back under this share of the limit. */
const WELL_BELOW = '0.9';

/** Whether a session should be there at an instant: in the quarter of an hour before an exchange opens where this account trades, and while one is open. */
export function isNeeded({ isOpen }: Pick<Parts, 'isOpen'>, exchanges: readonly string[], at: number): boolean {
  return exchanges.some((exchange) => isOpen(exchange, at) || isOpen(exchange, at + BEFORE_OPENING_MS));
}

/** All that is wrong now, and the kinds that could be judged: of the others nothing is said. */
export function look(
  parts: Parts,
  known: Known,
  dailyLoss: string | null,
  lossTold: boolean,
): { findings: Finding[]; judged: Set<AlertKind> } {
  const judged = new Set<AlertKind>(['order_unknown', 'database', 'calendar_ends']);
  const findings = [...unknownOrders(parts), ...calendarEnds(parts)];
  if (known.failing) findings.push({ key: 'database', kind: 'database', message: 'Nothing can be read or written' });
  if (parts.settled()) {
    judged.add('login_needed').add('feed_silent');
    findings.push(...session(parts, known));
  }
  if (dailyLoss !== null && known.profit !== null) {
    // While a price is missing nobody can say that it is over.
    if (known.profit.total) judged.add('daily_loss');
    findings.push(...loss(known.profit, dailyLoss, lossTold, lossKey(parts.clock.now())));
  }
  return { findings, judged };
}

/** A day's own: the next day begins anew. */
export function lossKey(at: number): string {
  return `daily_loss ${tradingDay(at)}`;
}

function* unknownOrders({ clock, unresolved }: Parts): Generator<Finding> {
  const now = clock.now();
  for (const { tag, symbol, side, quantity, startedAt } of unresolved()) {
    if (now - startedAt < UNKNOWN_AFTER_MS) continue;
    const message = `${side} ${quantity} ${symbol}, tag ${tag}, sent ${istText(startedAt)} IST`;
    yield { key: `order_unknown ${tag}`, kind: 'order_unknown', message };
  }
}

function* calendarEnds({ clock, calendarEnds: day }: Parts): Generator<Finding> {
  if (!endsSoon(day, clock.now())) return;
  yield { key: 'calendar_ends', kind: 'calendar_ends', message: `Its last day is ${day}: holidays after it are not known` };
}

function* session(
  { clock, activeBroker, nextTryAt, brokers, feedSilentMs, isOpen }: Parts,
  { endedByPerson, exchanges }: Known,
): Generator<Finding> {
  const broker = activeBroker();
  const expected = endedByPerson === null ? brokers.length > 0 : !endedByPerson;
  if (broker === null && expected && isNeeded({ isOpen }, exchanges, clock.now())) {
    const tried = brokers.length > 0 ? ` (${brokers.join(', ')})` : '';
    const next = nextTryAt();
    const again = next === null ? '' : `; tried again by itself at ${istText(next)} IST`;
    yield { key: LOGIN_NEEDED, kind: 'login_needed', message: `No broker is connected${tried}${again}` };
  }
  const silentMs = feedSilentMs();
  if (broker === null || silentMs < SILENT_AFTER_MS) return;
  yield { key: 'feed_silent', kind: 'feed_silent', message: `${broker}: no price for ${Math.round(silentMs / 1000)} s` };
}

function* loss({ total, known }: DayProfit, limit: string, told: boolean, key: string): Generator<Finding> {
  const from = new Big(limit).times(told ? WELL_BELOW : 1);
  const profit = total ?? known;
  if (profit.gt(from.times(-1))) return;
  const partly = total ? '' : ', without positions whose price is not known';
  yield { key, kind: 'daily_loss', message: `The day stands at ${profit.toFixed(2)} rupees; the limit is ${limit}${partly}` };
}
