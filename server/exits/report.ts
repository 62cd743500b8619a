import type { ExitOutcome } from '../../contract/exits.ts';
import type { PlaceOrderResult } from '../../contract/orders.ts';
import type { Standing } from '../orders/standing.ts';
import type { Leg } from './plan.ts';

/** Where the exit of one position stands. */
export interface Course {
  leg: Leg;
  standing: Standing | null;
  /** The answers of its orders. */
  answers: readonly PlaceOrderResult[];
  /** What its orders filled, and what the resting orders it cancels filled since the plan. */
  filled: number;
  byResting: number;
  /** What of the position is open; null when that is not known. */
  left: number | null;
  /** Why nothing more was sent. */
  halted: string | null;
  over: boolean;
  /** Ids of stops it cancelled, and of resting orders of which nobody knows whether they are gone. */
  stops: readonly string[];
  unknownCancels: readonly string[];
}

/** The outcome in one word. What is not known is UNKNOWN. */
export function outcomeOf(course: Course): ExitOutcome {
  const { leg, answers, left, over, filled, byResting, standing, unknownCancels } = course;
  if (leg.side === null) return 'NOTHING_TO_DO';
  if (!over || left === null) return 'UNKNOWN';
  if (left === 0) return 'FLAT';
  const closed = filled + byResting > 0;
  if (closed) return 'PARTLY';
  if (answers.at(-1)?.fill_status === 'PENDING') return 'SENT';
  if (unknownCancels.length > 0 || (answers.length === 0 && (standing?.unknown ?? 0) > 0)) return 'UNKNOWN';
  return 'REFUSED';
}

/** The same in a sentence or two, with what to do. */
export function messageOf(course: Course): string {
  const { leg, left, stops } = course;
  const outcome = outcomeOf(course);
  const unprotected =
    stops.length > 0 && outcome !== 'FLAT' && outcome !== 'NOTHING_TO_DO' && left !== 0
      ? ` The stop ${stops.join(', ')} is cancelled: what is open of the ${leg.product} position stands without it.`
      : '';
  return `${sentenceOf(outcome, course)}${unprotected}`;
}

function sentenceOf(outcome: ExitOutcome, course: Course): string {
  const { leg, left, answers, halted, over, filled, byResting, standing, unknownCancels } = course;
  const said = answers.at(-1)?.message;
  const why = halted ?? restingText(course) ?? (answers.at(-1)?.fill_status === 'FILLED' ? '' : (said ?? ''));
  if (outcome === 'NOTHING_TO_DO') return leg.warnings[0] ?? 'No such position is open.';
  if (outcome === 'FLAT' && filled + byResting < leg.target) return closedElsewhere(filled + byResting);
  if (outcome === 'FLAT') return `Closed ${closedText(filled, byResting)}.`;
  if (outcome === 'PARTLY') return `Closed ${closedText(filled, byResting)}; ${left} still open. ${why}`.trim();
  if (outcome === 'SENT') return `Sent, and nothing has filled yet. ${why}`.trim();
  if (outcome === 'REFUSED') return `Nothing was closed: ${why || 'the order was refused'}`;
  if (!over) return 'Still under way: send the same request again for the rest.';
  if (left === null) return `The fate of an order is not known yet: read the orders before acting. ${said ?? ''}`.trim();
  if (unknownCancels.length > 0)
    return `Nothing was sent: nobody could tell whether ${unknownCancels.join(', ')} is gone. Read the orders before acting.`;
  return `Nothing was sent: ${standing?.unresolved ?? 'an order of ours'} is not resolved yet. Read the orders before acting.`;
}

function closedText(filled: number, byResting: number): string {
  return byResting === 0 ? String(filled) : `${filled + byResting}, ${byResting} of it by orders that rested`;
}

/** Somebody else was faster: another exit, or a strategy of the caller's. */
function closedElsewhere(closed: number): string {
  return `Nothing is open any more: ${closed === 0 ? 'other orders closed it' : `${closed} were closed here, the rest by other orders`}.`;
}

/** Orders of the exit side that could not be cancelled stand for what was not sent. */
function restingText({ standing, answers }: Course): string | null {
  if (!standing || standing.working === 0 || answers.at(-1)?.fill_status === 'PENDING') return null;
  return `${standing.working} rest in orders that were not cancelled and would close as much.`;
}
