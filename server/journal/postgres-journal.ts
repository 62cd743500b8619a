import type { Sql } from 'postgres';
import { type Ask, asking } from '../db/statement.ts';
import { type Attempt, type AttemptChange, type AttemptEvent, type AttemptState, type OrderTruth, SupersededError } from './attempt.ts';
import { begin } from './begin.ts';
import { end, expire } from './end.ts';
import { type AnswerName, isBlocked, type Journal, type JournalNote, type OpenRecords } from './journal.ts';
import { type Mover, moverOf } from './move.ts';
import { openRecords } from './open-records.ts';
import { attemptsWhere, candidates, LIVING, livingKeys, owners } from './read.ts';
import { type AttemptRow, attemptOf, EVERYTHING, eventValues, iso, OPEN, wholeMs } from './rows.ts';
import { OpenInserts, withdraw } from './withdraw.ts';

/** The journal in PostgreSQL. Every state change is one commit that carries its event, its order record and what filled. */
export class PostgresJournal implements Journal {
  readonly #sql: Sql;
  readonly #all: Ask;
  readonly #ask: Ask;
  readonly #move: Mover;
  readonly #inserts = new OpenInserts();

  /** `sql`: a client with its own parsers (numeric as text, int8 as number); `ask`: where what every order needs is run, on other connections than `sql`'s. */
  constructor(sql: Sql, mode: string, ask = asking(sql)) {
    this.#sql = sql;
    this.#all = asking(sql);
    this.#ask = ask;
    this.#move = moverOf(sql, ask, mode);
  }

  async begin(attempt: Attempt, event: AttemptEvent, now: number): Promise<Attempt | null> {
    const { begun, standing } = await this.#inserts.run(attempt, (watch) => begin(this.#ask, attempt, event, now, watch));
    if (begun) return null;
    // Without a record there: another one came in between.
    const [other = standing] = standing ? [] : await attemptsWhere(this.#ask, 'key = $1', [attempt.key]);
    // Between the refused insert and this read only an expired or withdrawn record can vanish: the caller is asked to come again.
    if (!other) throw new Error('The standing record of a key vanished while it was read');
    return other;
  }

  async find(key: string, now: number): Promise<Attempt | null> {
    const [attempt] = await attemptsWhere(this.#ask, `key = $1 and ${LIVING('$2')}`, [key, iso(now)]);
    return attempt ?? null;
  }

  async withdraw(attempt: Attempt, event: AttemptEvent): Promise<void> {
    if (await this.#inserts.close(this.#sql, attempt)) await withdraw(this.#sql, attempt, event);
  }

  async move(
    attempt: Attempt,
    to: AttemptState,
    change: AttemptChange,
    event: AttemptEvent,
    now: number,
    truth?: OrderTruth,
  ): Promise<Attempt> {
    const kept = change.clockOffsetMs === undefined ? change : { ...change, clockOffsetMs: wholeMs(change.clockOffsetMs) };
    if (!(await this.#move({ attempt, to, change: kept, event, now, truth }))) throw new SupersededError(attempt);
    return { ...attempt, ...kept, state: to, updatedAt: now };
  }

  async takeOver({ key, tag, state, owner: before, epoch }: Attempt, owner: string): Promise<Attempt> {
    const text = `update idempotency_records set owner = $1, epoch = epoch + 1 where key = $2 and tag = $3 and owner = $4 and epoch = $5::int returning ${EVERYTHING}`;
    const [row] = await this.#ask<AttemptRow>(text, [owner, key, tag, before, String(epoch)]);
    if (!row) throw new SupersededError({ key, state });
    return attemptOf(row);
  }

  open(): Promise<Attempt[]> {
    return attemptsWhere(this.#all, OPEN, []);
  }

  unresolved(since: number): Promise<Attempt[]> {
    return attemptsWhere(this.#all, "state = 'UNRESOLVED' and started_at >= $1", [iso(since)]);
  }

  changedSince(since: number): Promise<Attempt[]> {
    return attemptsWhere(this.#all, 'updated_at >= $1 and filled_quantity > 0', [iso(since)]);
  }

  livingKeys(now: number, limit: number): Promise<string[] | null> {
    return livingKeys(this.#all, iso(now), limit);
  }

  async blocked(now: number): Promise<Attempt[]> {
    const refused = await attemptsWhere(this.#all, `state = 'NOT_SENT' and ${LIVING('$1')}`, [iso(now)]);
    return refused.filter(isBlocked);
  }

  end(answers: readonly AnswerName[], now: number, event: AttemptEvent): Promise<void> {
    return end(this.#all, answers, now, event);
  }

  openRecords(): Promise<OpenRecords> {
    return openRecords(this.#sql);
  }

  owners(broker: string, account: string, since: string, orderIds: readonly string[]): Promise<Map<string, string>> {
    return owners(this.#sql, broker, account, since, orderIds);
  }

  candidates({ key, tag }: AnswerName): Promise<string[]> {
    return candidates(this.#sql, key, tag);
  }

  expire(now: number): Promise<number> {
    return expire(this.#sql, now);
  }

  async note(event: JournalNote): Promise<void> {
    const { broker = null, account = null, symbol = null, orderId = null, key = null } = event;
    const { kind, detail } = eventValues(event);
    await this.#sql`
      insert into tsm_events (kind, broker, account, symbol, order_id, key, detail)
      values (${kind}, ${broker}, ${account}, ${symbol}, ${orderId}, ${key}, ${detail}::text::jsonb)`;
  }
}
