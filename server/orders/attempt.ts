import type { FillStatus, OrderStatus } from '../../contract/words.ts';

/**
 * One attempt to place one order, from its claim to its settled answer. Each change of state is one durable commit:
 * CLAIMED -> SENDING -> ACCEPTED -> DONE, SENDING -> AMBIGUOUS -> DONE or UNRESOLVED, and NOT_SENT where nothing left the house.
 */
export type AttemptState = 'CLAIMED' | 'SENDING' | 'ACCEPTED' | 'AMBIGUOUS' | 'DONE' | 'NOT_SENT' | 'UNRESOLVED';

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
  /** Epoch ms, UTC. */
  startedAt: number;
  /** Our clock minus the broker's, ms; null until an answer told. */
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
  /** Epoch ms; null while it must not expire. */
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
  constructor(attempt: Attempt) {
    super(`Attempt ${attempt.key} is no longer in state ${attempt.state} for this process`);
  }
}

/** What a claim found. */
export interface Claim {
  /** The record that stands under its key; null when the claim won. */
  standing: Attempt | null;
  /** Other open attempts in its symbol and account, as `exposure` tells them. */
  open: Attempt[];
}

/** The durable journal of attempts. Every method rejects when the store cannot be reached; nothing is half written. */
export interface Journal {
  /** Inserts the attempt unless its key stands (an expired final record is replaced). */
  claim(attempt: Attempt, now: number): Promise<Claim>;
  /** The record of a key, null when none or expired. */
  find(key: string, now: number): Promise<Attempt | null>;
  /** Takes back a claim that was not sent. */
  release(attempt: Attempt, event: AttemptEvent): Promise<void>;
  /** Compare-and-set on key, state, owner and epoch. Returns the changed attempt; throws SupersededError when nothing matched. */
  move(attempt: Attempt, to: AttemptState, change: AttemptChange, event: AttemptEvent, now: number, truth?: OrderTruth): Promise<Attempt>;
  /** Makes this process the owner of a record another one left open. */
  takeOver(attempt: Attempt, owner: string): Promise<Attempt>;
  /** Attempts in SENDING, ACCEPTED or AMBIGUOUS. */
  open(): Promise<Attempt[]>;
  /** Attempts begun since an instant whose day ended before their fate was known. */
  unresolved(since: number): Promise<Attempt[]>;
  /** Open attempts in one symbol of one account. */
  exposure(where: { broker: string; account: string; exchange: string; symbol: string }): Promise<Attempt[]>;
  /** Attempts of one account changed since an instant: what the guard remembers across a restart. */
  changedSince(since: number): Promise<Attempt[]>;
  /** Who owns these order ids: the key of the attempt, empty where its record is gone and only its order is known; nothing for a stranger's. */
  owners(broker: string, account: string, orderIds: readonly string[]): Promise<Map<string, string>>;
  /** Deletes claims without a send (start-up: their process is gone); returns how many. */
  dropClaims(): Promise<number>;
  /** Deletes one batch of expired final records; returns how many. */
  expire(now: number): Promise<number>;
  /** Net open quantity of our own position records. */
  recordedNet(where: { broker: string; account: string; exchange: string; symbol: string }): Promise<number>;
  note(event: AttemptEvent & { broker?: string; account?: string; symbol?: string; orderId?: string; key?: string }): Promise<void>;
}

const SECOND = 1000;
export const lifetimes = {
  sentByKeyMs: 7 * 86_400 * SECOND,
  sentByFingerprintMs: 60 * SECOND,
  notSentByKeyMs: 60 * SECOND,
  notSentByFingerprintMs: 30 * SECOND,
  unreadablePositionsMs: 5 * SECOND,
} as const;

/** How long a final answer is replayed. */
export function lifetimeMs(key: string, sent: boolean): number {
  const byKey = key.startsWith('k:');
  if (sent) return byKey ? lifetimes.sentByKeyMs : lifetimes.sentByFingerprintMs;
  return byKey ? lifetimes.notSentByKeyMs : lifetimes.notSentByFingerprintMs;
}

export function isFinal(attempt: Attempt): boolean {
  return attempt.state === 'DONE' || attempt.state === 'NOT_SENT' || attempt.state === 'UNRESOLVED';
}
