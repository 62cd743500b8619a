import type { OrderStep, orderSteps } from '../../contract/records.ts';
import type { ToldEvent, Trail } from './order-attempts.ts';

type Word = (typeof orderSteps)[number];

interface Step {
  word: Word;
  /** Epoch ms, UTC. */
  at: number;
  message: string | null;
}

/** The step an event is by its kind alone; what else it may be, by what it tells, stands below. */
const words: Readonly<Record<string, Word>> = {
  'order.refused': 'refused',
  'order.not_sent': 'not_sent',
  'order.accepted': 'accepted',
  'order.rejected': 'rejected',
  'order.ambiguous': 'unknown',
  'order.unknown': 'unknown',
  'order.unresolved': 'unknown',
  'order.found': 'found',
  'order.resolved': 'resolved',
  'order.settled': 'resolved',
  'order.external': 'external',
  'modify.sending': 'modify_sent',
  'modify.accepted': 'modified',
  'modify.rejected': 'modify_refused',
  'modify.not_sent': 'modify_refused',
  'modify.unknown': 'unknown',
  'cancel.sending': 'cancel_sent',
  'cancel.accepted': 'cancel_accepted',
  'cancel.rejected': 'cancel_refused',
  'cancel.not_sent': 'cancel_refused',
  'cancel.unknown': 'unknown',
};

/** What became of it, by the fill status of an answer or by the status of its record. */
const fates: Readonly<Record<string, Word>> = {
  FILLED: 'filled',
  REJECTED: 'rejected',
  CANCELLED: 'cancelled',
  PENDING: 'resting',
  UNKNOWN: 'unknown',
};

/** The steps of an order, each with how long after the first it came. */
export function stepsOf({ events }: Trail): OrderStep[] {
  const steps: Step[] = [];
  let filled = false;
  /** What was last told to have become of it. The order's own record and its answer may tell the same. */
  let known: Word | undefined;
  let claimed = 0;
  const changes = new Map<string, number>();
  for (const event of events) {
    const message = event.told.message ?? event.told.reason ?? null;
    if (event.kind === 'order.sending') {
      claimed = event.at - (event.told.waited_ms ?? 0);
      steps.push({ word: 'claimed', at: claimed, message: null });
      continue;
    }
    const sent = sentAt(event, claimed);
    if (sent) steps.push({ word: 'sent', at: sent.left, message: null });
    const at = sent?.answered ?? changedAt(event, changes) ?? event.at;
    const word = words[event.kind];
    if (word) steps.push({ word, at, message });
    if ((event.told.filled ?? 0) > 0 && !filled) steps.push({ word: 'first_fill', at, message: null });
    filled ||= (event.told.filled ?? 0) > 0;
    const fate = fates[event.told.fill_status ?? event.told.status ?? ''];
    if (fate && fate !== word && fate !== known) steps.push({ word: fate, at, message: null });
    known = fate ?? known;
  }
  const began = steps[0]?.at ?? 0;
  return steps
    .toSorted((a, b) => a.at - b.at)
    .map(({ word, at, message }) => ({
      step: word,
      at: new Date(at).toISOString(),
      after_ms: Math.round((at - began) * 10) / 10,
      message,
    }));
}

/** When the broker answered a modify or a cancel: that is written down later, and may be so after the next change has left. */
function changedAt({ kind, at, told }: ToldEvent, changes: Map<string, number>): number | null {
  const [what = '', step] = kind.split('.');
  if (step === 'sending') changes.set(what, at);
  const left = changes.get(what);
  return left === undefined || told.took_ms === undefined ? null : Math.min(at, left + told.took_ms);
}

/** When its bytes left and when the broker answered, as the process that sent it measured: closer than when that was written down. */
function sentAt({ told }: ToldEvent, claimed: number): { left: number; answered: number } | null {
  if (claimed === 0 || told.sent_after_ms === undefined || told.took_ms === undefined) return null;
  const left = claimed + told.sent_after_ms;
  return { left, answered: left + told.took_ms };
}
