import { sql } from 'drizzle-orm';
import { bigserial, index, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import type { AlertChannel, AlertKind } from '../contract/alerts.ts';

const time = (name: string) => timestamp(name, { withTimezone: true, mode: 'string' });

/** One row for each alert and channel: written, then sent, then marked. Rows that were sent go after a week. */
export const alertOutbox = pgTable(
  'alert_outbox',
  {
    number: bigserial('number', { mode: 'number' }).primaryKey(),
    /** Of the alert: the same on every channel and at every repetition. */
    id: text('id').notNull(),
    channel: text('channel').$type<AlertChannel>().notNull(),
    /** The exact JSON text that is sent. */
    body: text('body').notNull(),
    /** Not before: further ones of its kind are gathered into it until then. */
    due_at: time('due_at').notNull(),
    sent_at: time('sent_at'),
  },
  (table) => [
    uniqueIndex('alert_outbox_once').on(table.id, table.channel),
    index('alert_outbox_waiting').on(table.number).where(sql`sent_at is null`),
  ],
);

/** What was told and is not over, so that a restart neither repeats nor forgets it; and the day of the last line that all is well. */
export const alertStandings = pgTable('alert_standings', {
  key: text('key').primaryKey(),
  kind: text('kind').$type<AlertKind>().notNull(),
  message: text('message').notNull(),
  since: time('since').notNull(),
  told_at: time('told_at').notNull(),
});
