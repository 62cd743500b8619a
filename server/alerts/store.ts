import { and, asc, eq, inArray, isNull, lt, sql } from 'drizzle-orm';
import { type AlertChannel, alertChannels } from '../../contract/alerts.ts';
import { alertOutbox, alertStandings, settings } from '../../drizzle/schema.ts';
import type { Handle, Tx } from '../db/handle.ts';
import { instant, msOf } from '../db/rows.ts';
import { transaction } from '../db/transaction.ts';
import type { Standing } from './standing.ts';

/** An alert on its way to one channel. */
export interface Row {
  id: string;
  channel: AlertChannel;
  /** The exact JSON text that is sent. */
  body: string;
  /** Epoch ms. */
  dueAt: number;
  sent: boolean;
}

/** What one look decided: written whole or not at all, and as often as it takes. */
export interface Page {
  rows: readonly Row[];
  /** Ids of rows of a channel that had to go. */
  dropped: readonly Pick<Row, 'id' | 'channel'>[];
  told: readonly Standing[];
  ended: readonly string[];
  /** The number of the newest event that was looked at; absent where none was. */
  after?: number;
}

export interface Kept {
  rows: Row[];
  standing: Standing[];
  /** Null before the first look. */
  after: number | null;
}

const AFTER = 'alerts_after';
/** Rows that were sent are kept so long: a page that is written again must meet them. */
const SENT_KEPT = sql`interval '7 days'`;

/** What alerts keep in the database. Everything rejects as that does; nothing is half written. */
export class AlertStore {
  readonly #db: Handle;

  constructor(db: Handle) {
    this.#db = db;
  }

  /** What an earlier process left, for the channels that are set up; what waits for others is forgotten, and so is what was sent long ago. */
  async load(channels: readonly AlertChannel[]): Promise<Kept> {
    const others = alertChannels.filter((one) => !channels.includes(one));
    const { id, channel, body, due_at, sent_at, number } = alertOutbox;
    if (others.length > 0) await this.#db.delete(alertOutbox).where(and(isNull(sent_at), inArray(channel, others)));
    await this.prune();
    const waiting = this.#db.select({ id, channel, body, dueAt: msOf(due_at) }).from(alertOutbox);
    const rows = await waiting.where(isNull(sent_at)).orderBy(asc(number));
    const { key, kind, message, since, told_at } = alertStandings;
    const standing = await this.#db.select({ key, kind, message, since: msOf(since), toldAt: msOf(told_at) }).from(alertStandings);
    const [row] = await this.#db.select({ value: settings.value }).from(settings).where(eq(settings.name, AFTER));
    return { rows: rows.map((one) => ({ ...one, sent: false })), standing, after: row ? Number(row.value) : null };
  }

  /** Writes a page in one commit. Written twice it changes nothing. */
  async write(page: Page): Promise<void> {
    const { id, channel, sent_at } = alertOutbox;
    await transaction(this.#db, async (tx) => {
      for (const row of page.rows) {
        const values = { id: row.id, channel: row.channel, body: row.body, due_at: instant(row.dueAt) };
        const sent = row.sent ? sql`now()` : null;
        await tx
          .insert(alertOutbox)
          .values({ ...values, sent_at: sent })
          .onConflictDoUpdate({
            target: [id, channel],
            set: { body: sql`excluded.body`, due_at: sql`excluded.due_at`, sent_at: sql`coalesce(${sent_at}, excluded.sent_at)` },
          });
      }
      for (const gone of page.dropped) await tx.delete(alertOutbox).where(and(eq(id, gone.id), eq(channel, gone.channel), isNull(sent_at)));
      for (const { key, kind, message, since, toldAt } of page.told) {
        const values = { kind, message, since: instant(since), told_at: instant(toldAt) };
        await tx
          .insert(alertStandings)
          .values({ key, ...values })
          .onConflictDoUpdate({ target: alertStandings.key, set: values });
      }
      for (const key of page.ended) await tx.delete(alertStandings).where(eq(alertStandings.key, key));
      if (page.after !== undefined) await this.#goOn(tx, page.after);
    });
  }

  /** Marks an alert as sent on a channel. */
  async mark({ id, channel }: Pick<Row, 'id' | 'channel'>): Promise<void> {
    const one = and(eq(alertOutbox.id, id), eq(alertOutbox.channel, channel));
    await this.#db.update(alertOutbox).set({ sent_at: sql`now()` }).where(one);
  }

  /** Deletes what was sent long ago. */
  async prune(): Promise<void> {
    await this.#db.delete(alertOutbox).where(lt(alertOutbox.sent_at, sql`now() - ${SENT_KEPT}`));
  }

  async #goOn(tx: Tx, after: number): Promise<void> {
    const value = String(after);
    await tx
      .insert(settings)
      .values({ name: AFTER, value })
      .onConflictDoUpdate({ target: settings.name, set: { value, updated_at: sql`now()` } });
  }
}
