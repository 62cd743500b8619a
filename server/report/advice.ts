import type { RecordedOrder } from '../../contract/records.ts';

const SEARCHED = 'The gateway is finding out at the broker what became of it: do not place it again.';

/** What to do about an attempt whose fate is not known. */
const open: Readonly<Record<string, string>> = {
  SENDING: SEARCHED,
  ACCEPTED: SEARCHED,
  AMBIGUOUS: SEARCHED,
  UNRESOLVED: 'Look it up at the broker, then settle it: npm run orders -- list shows its key, npm run orders -- resolve KEY what to say.',
};

/** One sentence on what a person should do about an order now; null when nothing. */
export function adviceOn({ attempt_state: state, status, unresolved }: Omit<RecordedOrder, 'advice'>): string | null {
  if (unresolved && state !== null) return open[state] ?? null;
  if (status === 'UNKNOWN') return "Nobody saw how it ended: look it up in the broker's own order history.";
  return null;
}
