import { eq, sql } from 'drizzle-orm';
import { settings } from '../../drizzle/schema.ts';
import type { AccountKey } from '../books/keys.ts';
import type { Account, Accounts } from '../brokers/account.ts';
import type { Handle } from '../db/handle.ts';
import type { Log } from '../log.ts';

const NAME = 'last_account';

/** Whose records a report tells: the connected account's, else those of the last one that was, over restarts. */
export class Whose {
  readonly #accounts: Pick<Accounts, 'active'>;
  readonly #db: Handle;
  readonly #mode: string;
  readonly #log: Log;
  #last: AccountKey | null = null;

  constructor({ accounts, db, mode, log }: { accounts: Pick<Accounts, 'active'>; db: Handle; mode: string; log: Log }) {
    this.#accounts = accounts;
    this.#db = db;
    this.#mode = mode;
    this.#log = log;
  }

  /** Reads who was connected last. Rejects as the database does. */
  async start(): Promise<void> {
    const [row] = await this.#db.select({ value: settings.value }).from(settings).where(eq(settings.name, NAME));
    const [broker = '', account = ''] = row?.value.split(/ (.*)/s) ?? [];
    if (row) this.#last ??= { broker, account, mode: this.#mode };
  }

  /** A session came up: remembered, so that a restart without one still knows. */
  up({ broker, id }: Account): void {
    this.#last = { broker: broker.id, account: id, mode: this.#mode };
    const value = `${broker.id} ${id}`;
    const keep = this.#db.insert(settings).values({ name: NAME, value });
    const kept = keep.onConflictDoUpdate({ target: settings.name, set: { value, updated_at: sql`now()` } });
    kept.catch((error: unknown) => this.#log.warn({ error: String(error) }, 'Who is connected could not be remembered'));
  }

  /** Null when nobody ever was. */
  now(): AccountKey | null {
    const active = this.#accounts.active();
    return active ? { broker: active.broker.id, account: active.id, mode: this.#mode } : this.#last;
  }
}
