import { sql } from 'drizzle-orm';
import { events } from '../../drizzle/schema.ts';
import type { Handle } from '../db/handle.ts';
import { type Ask, asking } from '../db/statement.ts';
import { type Attempt, type AttemptChange, type AttemptEvent, type AttemptState, type OrderTruth, SupersededError } from './attempt.ts';
import { begin } from './begin.ts';
import { end, expire } from './end.ts';
import { type AnswerName, type AskedQuantity, isBlocked, type Journal, type JournalNote, type OpenRecords } from './journal.ts';
import { type Mover, moverOf } from './move.ts';
import { askedQuantities, openRecords } from './open-records.ts';
import { attemptsWhere, candidates, LIVING, livingKeys, owners } from './read.ts';
import { type AttemptRow, attemptOf, EVERYTHING, eventValues, iso, OPEN, wholeMs } from './rows.ts';
import { OpenInserts, withdraw } from './withdraw.ts';

/** The journal in PostgreSQL. Every state change is one commit that carries its event, its order record and what filled. */
export class PostgresJournal implements Journal {
  readonly #db: Handle;
  readonly #all: Ask;
  readonly #ask: Ask;
  readonly #move: Mover;
  readonly #inserts = new OpenInserts();
  readonly #term: () => number | null;

  /** `ask`: where what every order needs is run, on other connections than those of `db`. `term`: the epoch of the lease, null without one. */
  constructor(db: Handle, mode: string, ask = asking(db.$client, db.unanswered), term: () => number | null = () => null) {
    this.#term = term;
    this.#db = db;
    this.#all = asking(db.$client, db.unanswered);
    this.#ask = ask;
    this.#move = moverOf(db, ask, mode);
  }

  async begin(attempt: Attempt, event: AttemptEvent, now: number): Promise<Attempt | null> {
    const { begun, standing } = await this.#inserts.run(attempt, (watch) =>
      begin(this.#ask, attempt, event, { now, term: this.#term(), watch }),
    );
    if (begun) {
      this.#db.commits.tell();
      return null;
    }
    if (standing) return standing;
    // Another one came in between.
    const [other] = await attemptsWhere(this.#ask, 'key = $1', [attempt.key]);
    // Between the refused insert and this read only an expired or withdrawn record can vanish: the caller is asked to come again.
    if (!other) throw new Error('The standing record of a key vanished while it was read');
    return other;
  }

  async find(key: string, now: number): Promise<Attempt | null> {
    const [attempt] = await attemptsWhere(this.#ask, `key = $1 and ${LIVING('$2')}`, [key, iso(now)]);
    return attempt ?? null;
  }

  async withdraw(attempt: Attempt, event: AttemptEvent): Promise<void> {
    if (await this.#inserts.close(this.#db, attempt)) await withdraw(this.#db, attempt, event);
    this.#db.commits.tell();
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
    this.#db.commits.tell();
    return { ...attempt, ...kept, state: to, updatedAt: now };
  }

  async takeOver({ key, tag, state, owner: before, epoch }: Attempt, owner: string): Promise<Attempt> {
    // Prepared, and answers as the look-up of a key does.
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

  async end(answers: readonly AnswerName[], now: number, event: AttemptEvent): Promise<void> {
    await end(this.#all, answers, now, event);
    this.#db.commits.tell();
  }

  openRecords(): Promise<OpenRecords> {
    return openRecords(this.#db);
  }

  askedQuantities(since: number): Promise<AskedQuantity[]> {
    return askedQuantities(this.#db, since);
  }

  owners(broker: string, account: string, since: string, orderIds: readonly string[]): Promise<Map<string, string>> {
    return owners(this.#db, { broker, account }, since, orderIds);
  }

  candidates(name: AnswerName): Promise<string[]> {
    return candidates(this.#db, name);
  }

  expire(now: number): Promise<number> {
    return expire(this.#db, now);
  }

  async note(event: JournalNote): Promise<void> {
    const { broker = null, account = null, symbol = null, orderId = null, key = null } = event;
    const { kind, detail } = eventValues(event);
    await this.#db.insert(events).values({ kind, broker, account, symbol, order_id: orderId, key, detail: sql`${detail}::jsonb` });
    this.#db.commits.tell();
  }
}
