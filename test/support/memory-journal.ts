import {
  type Attempt,
  type AttemptChange,
  type AttemptEvent,
  type AttemptState,
  isExpired,
  isFinal,
  type OrderTruth,
  SupersededError,
} from '../../server/journal/attempt.ts';
import { UNRESOLVED_KEPT_MS } from '../../server/journal/end.ts';
import {
  type AnswerName,
  type AskedQuantity,
  isBlocked,
  type Journal,
  type JournalNote,
  type OpenRecords,
} from '../../server/journal/journal.ts';
import { wholeMs } from '../../server/journal/rows.ts';
import { MemoryRecords } from './memory-records.ts';

const EXPIRE_BATCH = 1000;

/** The journal in memory, for simulations: the same answers as the one in PostgreSQL, and nothing lasts. Every call is one atomic step. */
export class MemoryJournal implements Journal {
  readonly #attempts = new Map<string, Attempt>();
  readonly #records = new MemoryRecords();
  /** The audit trail, oldest first. */
  readonly events: JournalNote[] = [];

  async begin(attempt: Attempt, event: AttemptEvent, now: number): Promise<Attempt | null> {
    const standing = this.#attempts.get(attempt.key);
    if (standing && !isExpired(standing, now)) return { ...standing };
    this.#refuseTaken(attempt);
    this.#attempts.set(attempt.key, { ...attempt, clockOffsetMs: attempt.clockOffsetMs === null ? null : wholeMs(attempt.clockOffsetMs) });
    this.#note(attempt, event);
    return null;
  }

  async find(key: string, now: number): Promise<Attempt | null> {
    const attempt = this.#attempts.get(key);
    return attempt && !isExpired(attempt, now) ? { ...attempt } : null;
  }

  async withdraw(attempt: Attempt, event: AttemptEvent): Promise<void> {
    const standing = this.#attempts.get(attempt.key);
    if (standing?.state !== 'SENDING' || !isHeld(standing, attempt)) return;
    this.#attempts.delete(attempt.key);
    this.#note(standing, event);
  }

  async move(
    attempt: Attempt,
    to: AttemptState,
    change: AttemptChange,
    event: AttemptEvent,
    now: number,
    truth?: OrderTruth,
  ): Promise<Attempt> {
    const standing = this.#attempts.get(attempt.key);
    if (!standing || standing.state !== attempt.state || !isHeld(standing, attempt)) throw new SupersededError(attempt);
    const { clockOffsetMs } = change;
    const changed = { ...change, ...(clockOffsetMs !== undefined && { clockOffsetMs: wholeMs(clockOffsetMs) }), state: to, updatedAt: now };
    const moved = { ...standing, ...changed };
    this.#refuseTaken(moved);
    this.#attempts.set(attempt.key, moved);
    this.#note(moved, event);
    if (truth) this.#records.record(moved, truth);
    return { ...attempt, ...changed };
  }

  async takeOver(attempt: Attempt, owner: string): Promise<Attempt> {
    const standing = this.#attempts.get(attempt.key);
    if (!standing || !isHeld(standing, attempt)) throw new SupersededError(attempt);
    const taken = { ...standing, owner, epoch: attempt.epoch + 1 };
    this.#attempts.set(attempt.key, taken);
    return { ...taken };
  }

  async open(): Promise<Attempt[]> {
    return this.#select((attempt) => !isFinal(attempt));
  }

  async unresolved(since: number): Promise<Attempt[]> {
    return this.#select((attempt) => attempt.state === 'UNRESOLVED' && attempt.startedAt >= since);
  }

  async changedSince(since: number): Promise<Attempt[]> {
    return this.#select((attempt) => attempt.updatedAt >= since && attempt.filledQuantity > 0);
  }

  async livingKeys(now: number, limit: number): Promise<string[] | null> {
    const living = this.#select((attempt) => !isExpired(attempt, now));
    return living.length > limit ? null : living.map(({ key }) => key);
  }

  async blocked(now: number): Promise<Attempt[]> {
    return this.#select((attempt) => attempt.state === 'NOT_SENT' && !isExpired(attempt, now) && isBlocked(attempt));
  }

  async end(answers: readonly AnswerName[], now: number, event: AttemptEvent): Promise<void> {
    for (const { key, tag } of answers) {
      const standing = this.#attempts.get(key);
      if (!standing || standing.tag !== tag || isExpired(standing, now)) continue;
      if (standing.state !== 'DONE' && standing.state !== 'NOT_SENT') continue;
      this.#attempts.set(key, { ...standing, expiresAt: now });
      this.#note(standing, event);
    }
  }

  async openRecords(): Promise<OpenRecords> {
    return this.#records.open();
  }

  /** Its events have no instant: all of them count. */
  async askedQuantities(): Promise<AskedQuantity[]> {
    const asked = new Map<string, AskedQuantity>();
    for (const { kind, broker = '', account = '', orderId = '', detail } of this.events) {
      const quantity = Number(detail?.quantity);
      if (kind !== 'modify.sending' || !(quantity > 0)) continue;
      const before = asked.get(`${broker} ${account} ${orderId}`)?.quantity ?? 0;
      asked.set(`${broker} ${account} ${orderId}`, { broker, account, orderId, quantity: Math.max(before, quantity) });
    }
    return [...asked.values()];
  }

  async owners(broker: string, account: string, since: string, orderIds: readonly string[]): Promise<Map<string, string>> {
    const owned = this.#select(
      (one) =>
        one.broker === broker && one.account === account && one.tradingDay >= since && one.orderId !== '' && orderIds.includes(one.orderId),
    ).sort((a, b) => (a.tradingDay < b.tradingDay ? -1 : 1));
    const placed = this.#records.placed(broker, account, since, orderIds);
    return new Map([...placed.map((id): [string, string] => [id, '']), ...owned.map((one): [string, string] => [one.orderId, one.key])]);
  }

  async candidates({ key, tag }: AnswerName): Promise<string[]> {
    const noted = this.events.findLast((event) => event.kind === 'order.candidates' && event.key === key && event.detail?.tag === tag);
    const ids = noted?.detail?.candidates;
    return Array.isArray(ids) ? ids.map(String) : [];
  }

  async expire(now: number): Promise<number> {
    const kept = ({ state }: Attempt) => (state === 'UNRESOLVED' ? UNRESOLVED_KEPT_MS : 0);
    const over = this.#select((attempt) => isExpired(attempt, now - kept(attempt))).sort((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0));
    const batch = over.slice(0, EXPIRE_BATCH);
    for (const { key } of batch) this.#attempts.delete(key);
    return batch.length;
  }

  async note(event: JournalNote): Promise<void> {
    this.events.push(event);
  }

  #select(condition: (attempt: Attempt) => boolean): Attempt[] {
    const found = [...this.#attempts.values()].filter(condition);
    return found.map((attempt) => ({ ...attempt })).sort((a, b) => a.startedAt - b.startedAt || (a.key < b.key ? -1 : 1));
  }

  #note({ broker, account, symbol, orderId, key }: Attempt, event: AttemptEvent): void {
    this.events.push({ ...event, broker, account, symbol, orderId, key });
  }

  /** (broker, account, trading day, order id) is unique. */
  #refuseTaken(moved: Attempt): void {
    if (moved.orderId === '') return;
    for (const other of this.#attempts.values()) {
      if (other.key === moved.key || other.orderId !== moved.orderId || other.tradingDay !== moved.tradingDay) continue;
      if (other.broker === moved.broker && other.account === moved.account)
        throw new Error(`Order ${moved.orderId} belongs to another attempt`);
    }
  }
}

function isHeld(standing: Attempt, attempt: Attempt): boolean {
  return standing.tag === attempt.tag && standing.owner === attempt.owner && standing.epoch === attempt.epoch;
}
