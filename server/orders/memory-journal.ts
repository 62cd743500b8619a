import {
  type Attempt,
  type AttemptChange,
  type AttemptEvent,
  type AttemptState,
  type Claim,
  type Journal,
  type OrderTruth,
  SupersededError,
} from './attempt.ts';

type Where = Parameters<Journal['exposure']>[0];
type Note = Parameters<Journal['note']>[0];

const OPEN: readonly AttemptState[] = ['SENDING', 'ACCEPTED', 'AMBIGUOUS'];
const EXPIRABLE: readonly AttemptState[] = ['DONE', 'NOT_SENT'];
const EXPIRE_BATCH = 1000;

interface KnownOrder extends Where {
  side: string;
  filledQuantity: number;
}

/** The journal in memory, for simulations: the same answers as the one in PostgreSQL, and nothing lasts. Every call is one atomic step. */
export class MemoryJournal implements Journal {
  readonly #records = new Map<string, Attempt>();
  readonly #orders = new Map<string, KnownOrder>();
  /** The audit trail, oldest first. */
  readonly events: Note[] = [];

  async claim(attempt: Attempt, now: number): Promise<Claim> {
    const open = this.#select((record) => record.key !== attempt.key && OPEN.includes(record.state) && samePlace(record, attempt));
    const standing = this.#records.get(attempt.key);
    if (standing && !(EXPIRABLE.includes(standing.state) && expired(standing, now))) return { standing: { ...standing }, open };
    const blank = { clockOffsetMs: null, netBefore: null, orderId: '', brokerAnswer: null, fillStatus: null, filledQuantity: 0 };
    this.#records.set(attempt.key, { ...attempt, ...blank, response: null, resolvedAt: null, expiresAt: null });
    this.#note(attempt, { kind: 'order.claimed' });
    return { standing: null, open };
  }

  async find(key: string, now: number): Promise<Attempt | null> {
    const record = this.#records.get(key);
    return record && !expired(record, now) ? { ...record } : null;
  }

  async release(attempt: Attempt, event: AttemptEvent): Promise<void> {
    const record = this.#records.get(attempt.key);
    if (!record || !sameOwner(record, attempt) || record.startedAt !== attempt.startedAt) return;
    if (record.state !== 'CLAIMED' && record.state !== 'SENDING') return;
    this.#records.delete(attempt.key);
    this.#note(record, event);
  }

  async move(
    attempt: Attempt,
    to: AttemptState,
    change: AttemptChange,
    event: AttemptEvent,
    now: number,
    truth?: OrderTruth,
  ): Promise<Attempt> {
    const record = this.#records.get(attempt.key);
    if (!record || record.state !== attempt.state || !sameOwner(record, attempt)) throw new SupersededError(attempt);
    const moved = { ...record, ...change, state: to, updatedAt: now };
    this.#refuseTaken(moved);
    this.#records.set(attempt.key, moved);
    this.#note(moved, event);
    if (truth) this.#recordOrder(moved, truth);
    return { ...attempt, ...change, state: to, updatedAt: now };
  }

  async takeOver(attempt: Attempt, owner: string): Promise<Attempt> {
    const record = this.#records.get(attempt.key);
    if (!record || !sameOwner(record, attempt)) throw new SupersededError(attempt);
    const epoch = attempt.epoch + 1;
    this.#records.set(attempt.key, { ...record, owner, epoch });
    return { ...attempt, owner, epoch };
  }

  async open(): Promise<Attempt[]> {
    return this.#select((record) => OPEN.includes(record.state));
  }

  async exposure(where: Where): Promise<Attempt[]> {
    return this.#select((record) => OPEN.includes(record.state) && samePlace(record, where));
  }

  async unresolved(since: number): Promise<Attempt[]> {
    return this.#select((record) => record.state === 'UNRESOLVED' && record.startedAt >= since);
  }

  async changedSince(since: number): Promise<Attempt[]> {
    return this.#select((record) => record.updatedAt >= since && record.filledQuantity > 0);
  }

  async owners(broker: string, account: string, orderIds: readonly string[]): Promise<Map<string, string>> {
    const mine = (one: { broker: string; account: string }) => one.broker === broker && one.account === account;
    const placed = orderIds.filter((id) => this.#orders.get(orderName(broker, id))?.account === account);
    const owned = this.#select((one) => mine(one) && one.orderId !== '' && orderIds.includes(one.orderId));
    return new Map([...placed.map((id): [string, string] => [id, '']), ...owned.map((one): [string, string] => [one.orderId, one.key])]);
  }

  async dropClaims(): Promise<number> {
    return this.#delete(this.#select((record) => record.state === 'CLAIMED'));
  }

  async expire(now: number): Promise<number> {
    return this.#delete(this.#select((record) => EXPIRABLE.includes(record.state) && expired(record, now)).slice(0, EXPIRE_BATCH));
  }

  async recordedNet(where: Where): Promise<number> {
    const orders = [...this.#orders.values()].filter((order) => samePlace(order, where));
    return orders.reduce((net, order) => net + (order.side === 'BUY' ? order.filledQuantity : -order.filledQuantity), 0);
  }

  async note(event: Note): Promise<void> {
    this.events.push(event);
  }

  #select(condition: (record: Attempt) => boolean): Attempt[] {
    const found = [...this.#records.values()].filter(condition);
    return found.map((record) => ({ ...record })).sort((a, b) => a.startedAt - b.startedAt);
  }

  #delete(records: readonly Attempt[]): number {
    for (const record of records) this.#records.delete(record.key);
    return records.length;
  }

  #note({ broker, account, symbol, orderId, key }: Attempt, event: AttemptEvent): void {
    this.events.push({ ...event, broker, account, symbol, orderId, key });
  }

  /** (broker, account, trading day, order id) is unique. */
  #refuseTaken(moved: Attempt): void {
    if (moved.orderId === '') return;
    for (const other of this.#records.values()) {
      if (other.key === moved.key || other.orderId !== moved.orderId || other.tradingDay !== moved.tradingDay) continue;
      if (other.broker === moved.broker && other.account === moved.account)
        throw new Error(`Order ${moved.orderId} belongs to another attempt`);
    }
  }

  /** A fill is never taken back. */
  #recordOrder(attempt: Attempt, truth: OrderTruth): void {
    const { broker, account, exchange, symbol, side } = attempt;
    const name = orderName(broker, truth.orderId);
    const filledQuantity = Math.max(truth.filledQuantity, this.#orders.get(name)?.filledQuantity ?? 0);
    this.#orders.set(name, { broker, account, exchange, symbol, side, filledQuantity });
  }
}

function orderName(broker: string, orderId: string): string {
  return JSON.stringify([broker, orderId]);
}

function expired(record: Attempt, now: number): boolean {
  return record.expiresAt !== null && record.expiresAt <= now;
}

function sameOwner(record: Attempt, attempt: Attempt): boolean {
  return record.owner === attempt.owner && record.epoch === attempt.epoch;
}

function samePlace(one: Where, other: Where): boolean {
  return one.broker === other.broker && one.account === other.account && one.exchange === other.exchange && one.symbol === other.symbol;
}
