import { sql } from 'drizzle-orm';
import { bigint, check, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/**
 * Who may send for this database: one row. `epoch` counts those who led; `beat` counts the renewals of the one who does. `hold` says how it ends:
 * by time (lease), with the holder's connection (connection), or it was given back (none).
 */
export const gatewayLease = pgTable(
  'gateway_lease',
  {
    id: integer('id').primaryKey().default(1),
    epoch: bigint('epoch', { mode: 'number' }).notNull(),
    beat: bigint('beat', { mode: 'number' }).notNull().default(0),
    hold: text('hold').$type<'lease' | 'connection' | 'none'>().notNull(),
    /** For people: machine and port. */
    holder: text('holder').notNull(),
    /** The name its connections carry. */
    session: text('session').notNull(),
    since: timestamp('since', { withTimezone: true, mode: 'string' }).notNull().defaultNow(),
  },
  () => [check('gateway_lease_one', sql`id = 1`), check('gateway_lease_hold', sql`hold in ('lease', 'connection', 'none')`)],
);
