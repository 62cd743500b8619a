import { sql } from 'drizzle-orm';
import { bigint, customType, date, index, integer, jsonb, numeric, pgSequence, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import type { InstrumentKind } from '../contract/words.ts';

/** Numbers of loads of instrument files: a number that broke off is never given again. */
export const instrumentGenerations = pgSequence('instrument_generations', { maxValue: 2_147_483_647 });

const searchWords = customType<{ data: string }>({ dataType: () => 'tsvector' });

/** What the brokers list. The rows of one load carry its number; only those that instrument_masters names are read. */
export const instruments = pgTable(
  'instruments',
  {
    generation: integer('generation').notNull(),
    exchange: text('exchange').notNull(),
    /** The one name. */
    symbol: text('symbol').notNull(),
    name: text('name'),
    kind: text('kind').$type<InstrumentKind>().notNull(),
    /** What a contract is on; null of shares and indices. */
    underlying: text('underlying'),
    expiry: date('expiry', { mode: 'string' }),
    strike: numeric('strike'),
    lot_size: bigint('lot_size', { mode: 'number' }).notNull(),
    tick_size: numeric('tick_size'),
    freeze_quantity: bigint('freeze_quantity', { mode: 'number' }),
    isin: text('isin'),
    broker_symbol: text('broker_symbol').notNull(),
    token: text('token').notNull(),
    /** What shares and indices are found by, each word with the number of the load before it. */
    words: searchWords('words'),
  },
  (table) => [
    // What tells most comes first, or a load would sort 200,000 rows that begin alike: their generation is that of their table.
    index('instruments_symbol').on(table.symbol, table.exchange),
    index('instruments_broker_symbol').on(table.broker_symbol, table.exchange),
    index('instruments_token').on(table.token, table.exchange),
    // By bytes, whatever the database's own order of letters: what a symbol begins with is a range then.
    index('instruments_spot').on(sql`symbol collate "C"`, table.exchange).where(sql`underlying is null`),
    index('instruments_chain')
      .on(table.underlying, table.expiry, sql`coalesce(strike, -1)`, table.symbol)
      .where(sql`underlying is not null`),
    // Without a list of what is still to be put in: somebody's commit would have to work it off.
    index('instruments_words').using('gin', table.words).with({ fastupdate: false }).where(sql`words is not null`),
  ],
);

/** One row a broker: which load of its instrument file is read, and how the last one went. */
export const instrumentMasters = pgTable('instrument_masters', {
  broker: text('broker').primaryKey(),
  /** Null: none was ever read to its end. */
  generation: integer('generation'),
  /** The trading day of the file, `YYYY-MM-DD`, IST. */
  as_of: text('as_of'),
  loaded_at: timestamp('loaded_at', { withTimezone: true, mode: 'string' }),
  rows: integer('rows').notNull().default(0),
  /** Rows left out, by reason. */
  skipped: jsonb('skipped').notNull().default({}),
  /** Its contracts by exchange, underlying and expiry: server/instruments/chains.ts, Chain. */
  chains: jsonb('chains').notNull().default([]),
  /** Why the last load failed; null when it did not. */
  message: text('message'),
});

/** What the table of a single load is called, in the database's words: server/instruments/table.ts. */
export const loadTables = '^instruments_\\d+$';
