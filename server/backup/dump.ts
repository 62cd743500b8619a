import { open } from 'node:fs/promises';
import type { Copier } from '../db/copier.ts';
import { quoted, sequencesOf, type Table, tablesOf } from './catalog.ts';
import { BackupError, END, FORMAT, type Header, type Migration, type Section, type Totals } from './format.ts';
import { linesIn } from './lines.ts';

export interface DumpParts {
  db: Copier;
  mode: 'practice' | 'live';
  /** Epoch ms. */
  now(): number;
  /** The practice exchange's ledger, where there is one inside the gateway. */
  ledger: string | null;
}

/** What the backup's gzip holds: one snapshot of the database, taken when the first piece is asked for, then the ledger, which may be newer. */
export async function* dump({ db, mode, now, ledger }: DumpParts): AsyncGenerator<string | Buffer> {
  await db.run('begin isolation level repeatable read read only');
  // The first statement takes the snapshot.
  const header = await headerOf(db, mode, now);
  yield line(header);
  const lines: Record<string, number> = {};
  for (const table of await tablesOf(db)) {
    yield line({ table: table.name, columns: table.columns } satisfies Section);
    lines[table.name] = yield* rowsOf(db, table);
    yield `${END}\n`;
  }
  await db.run('commit');
  // A sequence knows no snapshot: what it gave since does no harm.
  const sequences = await sequencesOf(db);
  if (ledger !== null) {
    yield line({ ledger: true } satisfies Section);
    lines.ledger = yield* wholeLines(ledger);
    yield `${END}\n`;
  }
  yield line({ lines, sequences } satisfies Totals);
}

const line = (value: object) => `${JSON.stringify(value)}\n`;

async function headerOf(db: Copier, mode: string, now: () => number): Promise<Header> {
  const [ours] = await db.run<{ known: boolean }>(
    `select to_regclass('public.gateway_settings') is not null and to_regclass('drizzle.__drizzle_migrations') is not null as known`,
  );
  if (!ours?.known) throw new BackupError('The database holds no tables of a gateway: there is nothing to back up');
  const [stamp] = await db.run<{ value: Header['mode'] }>(`select value from gateway_settings where name = 'mode'`);
  if (stamp?.value !== mode) throw new BackupError(`The database belongs to ${stamp?.value ?? 'no'} mode and GATEWAY_MODE is ${mode}`);
  const migrations = await db.run<{ hash: string; created_at: string }>(
    'select hash, created_at::text from drizzle.__drizzle_migrations order by created_at',
  );
  const [server] = await db.run<{ version: string }>(`select current_setting('server_version') as version`);
  return {
    format: FORMAT,
    made_at: new Date(now()).toISOString(),
    mode: stamp.value,
    postgres: server?.version ?? '',
    migrations: migrations.map(({ hash, created_at }): Migration => ({ hash, created_at: Number(created_at) })),
  };
}

/** The rows as COPY writes them; returns how many. Counted by the server too: a connection that ends early looks like an end. */
async function* rowsOf(db: Copier, { name, columns }: Table): AsyncGenerator<Buffer, number> {
  const [there] = await db.run<{ rows: string }>(`select count(*)::text as rows from public.${quoted(name)}`);
  let rows = 0;
  for await (const piece of await db.out(`copy public.${quoted(name)} (${columns.map(quoted).join(', ')}) to stdout`)) {
    rows += linesIn(piece);
    yield piece;
  }
  if (rows !== Number(there?.rows)) throw new BackupError(`Only ${rows} of ${there?.rows} rows of ${name} were read; try again`);
  return rows;
}

const CHUNK = 1 << 20;

/** A file that grows while it is read, up to its last whole line of now; returns how many there were. */
async function* wholeLines(file: string): AsyncGenerator<Buffer, number> {
  const handle = await open(file);
  try {
    let lines = 0;
    let rest: Buffer = Buffer.alloc(0);
    const { size } = await handle.stat();
    for (let at = 0; at < size; ) {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(Math.min(CHUNK, size - at)), 0, undefined, at);
      if (bytesRead === 0) break;
      at += bytesRead;
      const piece = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      const whole = piece.lastIndexOf(0x0a) + 1;
      lines += linesIn(piece.subarray(0, whole));
      if (whole > 0) yield piece.subarray(0, whole);
      rest = piece.subarray(whole);
    }
    return lines;
  } finally {
    await handle.close();
  }
}
