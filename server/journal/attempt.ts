import type { FillStatus, OrderStatus } from '../../contract/words.ts';

/**
 * One attempt to place one order, from its send to its settled answer. Each change of state is one durable commit:
 * SENDING -> ACCEPTED -> DONE, SENDING -> AMBIGUOUS -> DONE or UNRESOLVED, and NOT_SENT where nothing left the house.
 */
export type AttemptState = 'SENDING' | 'ACCEPTED' | 'AMBIGUOUS' | 'DONE' | 'NOT_SENT' | 'UNRESOLVED';

export interface Attempt {
  key: string;
  state: AttemptState;
  /** The gateway process that works on it; with `epoch` it guards every change. */
  owner: string;
  epoch: number;
  requestHash: string;
  broker: string;
  account: string;
  /** `YYYY-MM-DD`, IST. */
  tradingDay: string;
  tag: string;
  symbol: string;
  /** What names the instrument at the broker; null where that is the symbol and only the broker's rows tell its token. */
  token: string | null;
  exchange: string;
  side: string;
  orderType: string;
  product: string;
  quantity: number;
  /** Limit price in rupees, plain decimal text. */
  price: string;
  /** What placed it, and how sure that was (0 to 1, plain decimal text): recorded, and nothing else. Null where the caller gave none. */
  strategy: string | null;
  aiConfidence: string | null;
  /** Epoch ms, UTC. */
  startedAt: number;
  /** Our clock minus the broker's, whole ms; null until an answer told. */
  clockOffsetMs: number | null;
  /** Net quantity the guard saw before the send; null before. */
  netBefore: number | null;
  orderId: string;
  /** The broker's place answer as JSON text, kept for the answer. */
  brokerAnswer: string | null;
  /** Last known fill status while the record is open, for the guard's exposure. */
  fillStatus: FillStatus | null;
  filledQuantity: number;
  /** The exact text of the answer; also on ACCEPTED and AMBIGUOUS once UNKNOWN was answered. */
  response: string | null;
  /** When a stored UNKNOWN was replaced by the truth, epoch ms. */
  resolvedAt: number | null;
  /** Epoch ms; null while it must not expire. Counts in final states only. */
  expiresAt: number | null;
  updatedAt: number;
}

/** What a state change writes beside the attempt, in the same commit. */
export interface AttemptEvent {
  kind: string;
  detail?: Record<string, unknown>;
}

/** What is known of the order itself; goes to the order record and, by its fill, to positions, capital and trades. */
export interface OrderTruth {
  orderId: string;
  status: OrderStatus;
  filledQuantity: number;
  /** Rupees; null when unknown. */
  averagePrice: number | null;
  /** Its day is over and positions hold what it filled: the order and its trade are recorded, and nothing else is moved. */
  past?: boolean;
  /** Why the broker rejected or cancelled it, in its words. */
  reason?: string;
  /** The broker's own token of the instrument, which the caller's may not be. */
  token?: string;
}

type Changing =
  | 'clockOffsetMs'
  | 'netBefore'
  | 'orderId'
  | 'brokerAnswer'
  | 'fillStatus'
  | 'filledQuantity'
  | 'response'
  | 'resolvedAt'
  | 'expiresAt';

/** What a step sets. What it does not name stays as the store has it, whatever the step's own attempt remembers; nothing is taken back to null. */
export type AttemptChange = { [Name in Changing]?: NonNullable<Attempt[Name]> };

/** Another process, or an earlier step, changed the attempt: do not go on, above all do not send. */
export class SupersededError extends Error {
  constructor(attempt: Pick<Attempt, 'key' | 'state'>) {
    super(`Attempt ${attempt.key} is no longer in state ${attempt.state} for this process`);
  }
}

const SECOND = 1000;
const DAY = 86_400 * SECOND;
export const lifetimes = {
  sentByKeyMs: 7 * DAY,
  sentByFingerprintMs: 60 * SECOND,
  notSentByKeyMs: 60 * SECOND,
  notSentByFingerprintMs: 30 * SECOND,
  unreadablePositionsMs: 5 * SECOND,
  unresolvedByKeyMs: 7 * DAY,
  /** Its day is over. */
  unresolvedByFingerprintMs: 0,
} as const;

/** How long a final answer is replayed, ms from its end. */
export function lifetimeMs(key: string, sent: boolean): number {
  if (sent) return isCallers(key) ? lifetimes.sentByKeyMs : lifetimes.sentByFingerprintMs;
  return isCallers(key) ? lifetimes.notSentByKeyMs : lifetimes.notSentByFingerprintMs;
}

/** How long an attempt whose fate nobody could establish is answered for, ms from the end of its search. */
export function unresolvedLifetimeMs(key: string): number {
  return isCallers(key) ? lifetimes.unresolvedByKeyMs : lifetimes.unresolvedByFingerprintMs;
}

function isCallers(key: string): boolean {
  return key.startsWith('k:');
}

/** Final states, the only ones that expire. */
export function isFinal({ state }: Pick<Attempt, 'state'>): boolean {
  return state === 'DONE' || state === 'NOT_SENT' || state === 'UNRESOLVED';
}

/** Final and over at `now` (epoch ms): its key is free. */
export function isExpired(attempt: Pick<Attempt, 'state' | 'expiresAt'>, now: number): boolean {
  return isFinal(attempt) && attempt.expiresAt !== null && attempt.expiresAt <= now;
}
