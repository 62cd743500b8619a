import type { Attempt } from '../../../server/journal/attempt.ts';

/** What the judge knows of one attempt. */
export interface Case {
  /** As the store last took it. */
  attempt: Attempt;
  /** The venue's own symbol of its instrument. */
  symbol: string;
  reduceOnly: boolean;
  sentAt: number | null;
  /** When the end of its send was written down: nobody looks for it before. */
  answeredAt: number | null;
  /** Nothing left the house. */
  notSent: boolean;
  /** The broker refused it, and said so. */
  refused: boolean;
  /** The largest quantity it was ever asked to have. */
  quantity: number;
  /** When a fill of it was first written down; null: none yet. */
  fillKnownAt: number | null;
  /** As of when the positions were that it was judged on. */
  judgedOn: number;
  /** Number of the process that began it, and when its request came. */
  life: number;
  askedAt: number;
}

/** A sign-in at a venue, as far as it is judged. */
export interface SignIn {
  readonly id: string;
  /** Its session was ended, and that was answered: nothing may leave or arrive any more. */
  readonly over: boolean;
  /** The gateway was shut down: what was on its way may arrive, as its wait for it is short. */
  readonly shutDown: boolean;
}

/** An order of an exit as one operation, by its record key. */
export function isExits(key: string): boolean {
  return key.startsWith('k:exit:');
}

export function isFinal(attempt: Attempt): boolean {
  return attempt.state === 'DONE' || attempt.state === 'NOT_SENT' || attempt.state === 'UNRESOLVED';
}

export function wasSent(one: Case): boolean {
  return one.sentAt !== null && !one.notSent;
}
