import type { Clock } from './clock.ts';

/** The waits of an order on its way. `look_up`, `sending`, `accepted` and `done` are the store's; `send` is from the door to the broker's answer. */
export const orderSteps = ['look_up', 'turn', 'positions', 'sending', 'send', 'accepted', 'fill', 'done'] as const;
export type OrderStep = (typeof orderSteps)[number];

/** What a place call came to. `refused`: nothing was sent, and nobody but us said no. `rejected`: the broker or the exchange did. */
export const orderFates = [
  'filled',
  'partially_filled',
  'pending',
  'rejected',
  'unknown',
  'blocked',
  'refused',
  'replayed',
  'failed',
] as const;
export type OrderFate = (typeof orderFates)[number];

/** `orders`: the turn of place, modify or cancel; `sends`: the last wait before an order's bytes; `reads`: of everything that reads the broker. */
export const budgetNames = ['orders', 'sends', 'reads'] as const;
export type BudgetName = (typeof budgetNames)[number];

/** What a call of a broker came to: a send has a fate, a read succeeds or not; `error`: the adapter threw. */
export const callOutcomes = ['ok', 'failed', 'accepted', 'rejected', 'unknown', 'not_sent', 'error'] as const;
export type CallOutcome = (typeof callOutcomes)[number];

/** Records that are deleted when they are old (server/retention). */
export const cutRecords = ['positions', 'trades', 'orders', 'equity', 'events'] as const;
export type CutRecords = (typeof cutRecords)[number];

/** What parts tell of their work as they do it; everything else is read from them when somebody asks. Times in ms. Nothing here throws or waits. */
export interface Meters {
  step(step: OrderStep, ms: number): void;
  /** A turn of a budget was granted after so long; 0 where there was room. */
  budget(budget: BudgetName, ms: number): void;
  placed(fate: OrderFate, ms: number): void;
  changed(change: 'modify' | 'cancel', outcome: 'ok' | 'failed', ms: number): void;
  called(broker: string, call: string, outcome: CallOutcome, ms: number): void;
  /** The store rejected a statement of an order. */
  storeFailed(step: OrderStep): void;
  /** So many rows of old records were deleted. */
  cut(records: CutRecords, rows: number): void;
}

/** What `work` comes to; how long it took is told when it is over, however it ends. */
export async function timed<Result>(clock: Clock, work: Promise<Result>, tell: ((ms: number) => void) | undefined): Promise<Result> {
  const began = clock.mono();
  try {
    return await work;
  } finally {
    tell?.(clock.mono() - began);
  }
}
