import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Copier } from '../db/copier.ts';
import type { MigrationFile } from '../db/migrate.ts';
import { hasTables, quoted, type Table, tablesOf, target } from './catalog.ts';
import { BackupError, Header, Section, Totals } from './format.ts';
import { Lines, linesIn } from './lines.ts';

export interface LoadParts {
  db: Copier;
  /** What the gzip of a verified backup holds. */
  content: AsyncIterable<Buffer>;
  /** The migrations of this version, oldest first. */
  migrations: readonly MigrationFile[];
  mode: 'practice' | 'live';
  /** Takes a line of the practice exchange's ledger, or several; the last time null. */
  ledger(lines: Buffer): Promise<void>;
  /** More to be done before the commit. */
  before(header: Header): Promise<void>;
}

export interface Loaded {
  header: Header;
  totals: Totals;
}

/** Fills an empty database from a backup, in one transaction. Rejects with a BackupError where it does not fit; nothing is there then. */
export async function load({ db, content, migrations, mode, ledger, before }: LoadParts): Promise<Loaded> {
  const lines = new Lines(content);
  const header = headerOf(await lines.next(), mode);
  await db.run('begin');
  if (await hasTables(db)) throw new BackupError('The database holds tables already: a backup is restored into an empty one');
  await makeTables(db, header, migrations);
  const tables = await tablesOf(db);
  const counted: Record<string, number> = {};
  for (;;) {
    const text = await lines.next();
    const section = Section.safeParse(JSON.parse(text)).data;
    if (!section) {
      const totals = totalsOf(text, counted);
      await setSequences(db, totals.sequences);
      await before(header);
      await db.run('commit');
      return { header, totals };
    }
    if ('ledger' in section) counted.ledger = await each(lines, ledger);
    else counted[section.table] = await fill(db, tables, section, lines);
  }
}

function headerOf(text: string, mode: string): Header {
  const header = Header.safeParse(JSON.parse(text)).data;
  if (!header) throw new BackupError('The backup was made by a newer version of the gateway: restore it with that one');
  if (header.mode !== mode)
    throw new BackupError(`The backup is one of ${header.mode} mode and GATEWAY_MODE is ${mode}: practice and live never mix`);
  return header;
}

/** The tables as they were when the backup was made; the next start of the gateway brings them up to date. */
async function makeTables(db: Copier, { migrations: made }: Header, known: readonly MigrationFile[]): Promise<void> {
  await db.run(`create schema if not exists drizzle;
    create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`);
  for (const [n, { hash, created_at }] of made.entries()) {
    const file = known[n];
    if (file?.hash !== hash || file.createdAt !== created_at)
      throw new BackupError(
        'The backup was made by a version of the gateway with other tables, a newer one most likely: restore it with that one',
      );
    for (const statement of file.statements) await db.run(statement);
    await db.run('insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2::text::bigint)', [hash, String(created_at)]);
  }
}

/** What the migrations put into a table themselves stands in the backup too. */
async function fill(db: Copier, tables: readonly Table[], { table: name, columns }: { table: string; columns: string[] }, lines: Lines) {
  const known = tables.find((table) => table.name === name);
  if (!known || columns.some((column) => !known.columns.includes(column)))
    throw new BackupError(`The backup holds ${name} in a form that is not known`);
  await db.run(`delete from public.${quoted(name)}`);
  const rows = await db.into(`copy ${target({ name, columns })} from stdin`);
  const done = finished(rows);
  done.catch(() => undefined);
  const count = await each(lines, (piece) => put(rows, piece));
  rows.end();
  // postgres.js (3.4.9) never ends a COPY that the server refused: the statement behind it says whether the transaction lives.
  await nextTurn();
  await Promise.race([done, db.run('select 1')]).catch(() => {
    throw new BackupError(`The rows of ${name} were not taken by the database`);
  });
  return count;
}

/** Resolves when the piece was handed on: nothing piles up. */
function put(rows: Writable, piece: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    rows.write(piece, (error) => (error ? reject(error) : resolve()));
  });
}

async function each(lines: Lines, take: (piece: Buffer) => Promise<void>): Promise<number> {
  let count = 0;
  for await (const piece of lines.section()) {
    count += linesIn(piece);
    await take(piece);
  }
  return count;
}

function totalsOf(text: string, counted: Readonly<Record<string, number>>): Totals {
  const totals = Totals.safeParse(JSON.parse(text)).data;
  if (!totals || JSON.stringify(totals.lines) !== JSON.stringify(counted))
    throw new BackupError('The backup holds other rows than it says');
  return totals;
}

/** Events since the backup had numbers too, which those who follow the stream may hold: none of these is given again. */
const EVENTS = { sequence: 'tsm_events_id_seq', gap: 1_000_000 };

async function setSequences(db: Copier, sequences: Totals['sequences']): Promise<void> {
  for (const [name, last] of Object.entries(sequences)) {
    const next = name === EVENTS.sequence ? (last ?? 0) + EVENTS.gap : last;
    if (next !== null) await db.run('select setval($1::text::regclass, $2::text::bigint)', [`public.${quoted(name)}`, String(next)]);
  }
}
