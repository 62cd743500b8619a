import { and, eq, sql } from 'drizzle-orm';
import postgres from 'postgres';
import { events, idempotencyRecords } from '../../drizzle/schema.ts';
import type { Db, Handle } from '../db/handle.ts';
import { insertFrom } from '../db/rows.ts';
import { endSession } from '../db/session.ts';
import type { Underway } from '../db/statement.ts';
import type { Attempt, AttemptEvent } from './attempt.ts';
import { NOTHING } from './begin.ts';
import { eventValues } from './rows.ts';

/** An insert that was never answered: whether it is or will be committed only the end of its session tells. */
interface Insert {
  tag: string;
  underway: Underway | null;
  withdrawn: boolean;
}

/** The attempt is being taken back, or was: it must not be sent. */
export class WithdrawnError extends Error {
  constructor({ key }: Pick<Attempt, 'key'>) {
    super(`Attempt ${key} was withdrawn while it was being written`);
  }
}

/** The inserts whose answer is not known, each until it is answered or cannot be committed any more. */
export class OpenInserts {
  readonly #inserts = new Set<Insert>();

  /** Runs an insert, which hands itself over to `watch`. Throws WithdrawnError when the attempt was withdrawn meanwhile. */
  async run<Answer>(attempt: Attempt, work: (watch: (underway: Underway) => void) => Promise<Answer>): Promise<Answer> {
    const insert: Insert = { tag: attempt.tag, underway: null, withdrawn: false };
    this.#inserts.add(insert);
    try {
      const answer = await work((underway) => {
        insert.underway = underway;
      });
      this.#inserts.delete(insert);
      if (insert.withdrawn) throw new WithdrawnError(attempt);
      return answer;
    } catch (error) {
      if (isRolledBack(error)) this.#inserts.delete(insert);
      throw error;
    }
  }

  /** Resolves once no insert of this attempt can be committed any more; false where none was ever written. Rejects when that cannot be confirmed now. */
  async close(db: Handle, { tag }: Attempt): Promise<boolean> {
    const own = [...this.#inserts].filter((insert) => insert.tag === tag);
    for (const insert of own) insert.withdrawn = true;
    // One that was answered is not among them.
    let mayStand = own.length === 0;
    for (const insert of own) {
      mayStand = (await this.#close(db, insert)) || mayStand;
      this.#inserts.delete(insert);
    }
    return mayStand;
  }

  async #close(db: Handle, { underway }: Insert): Promise<boolean> {
    if (!underway || underway.replace(NOTHING)) return false;
    const session = underway.session();
    if (session === null) throw new Error('The database session that may still write an order is not known');
    await endSession(db.$client, session);
    return true;
  }
}

/** The server's own word that the statement failed; what ends the connection says nothing of the statement. */
function isRolledBack(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.severity === 'ERROR';
}

/** Deletes an attempt in SENDING with its event; nothing where it is not there as it says. */
export async function withdraw(db: Db, attempt: Attempt, event: AttemptEvent): Promise<void> {
  const { key, tag, owner, epoch, state, broker, account, symbol } = idempotencyRecords;
  const isIt = and(eq(key, attempt.key), eq(tag, attempt.tag), eq(owner, attempt.owner), eq(epoch, attempt.epoch), eq(state, 'SENDING'));
  const withdrawn = db.delete(idempotencyRecords).where(isIt).returning({ key, broker, account, symbol });
  const columns = { broker: sql`broker`, account: sql`account`, symbol: sql`symbol`, key: sql`key` };
  await db.execute(sql`with withdrawn as ${withdrawn} ${insertFrom(events, { ...eventValues(event), ...columns }, sql`withdrawn`)}`);
}
