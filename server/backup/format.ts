import { z } from 'zod';

/**
 * A backup is one file: the line FIRST_LINE, gzip, and as its last line the SHA-256 of everything before, in hex. Inside the gzip stand lines of UTF-8:
 * the header; sections, each a line that says what it is, its lines, and a line END; at last the totals. Rows are in the text form of COPY, in which no
 * line can be END.
 */
export const FORMAT = 1;
export const FIRST_LINE = `broker-gateway-backup ${FORMAT}\n`;
export const END = '\\.';
/** Hex and its line end. */
export const TRAILER_BYTES = 65;

const migration = z.object({ hash: z.string(), created_at: z.number() });
export type Migration = z.infer<typeof migration>;

export const Header = z.strictObject({
  format: z.literal(FORMAT),
  /** When the snapshot was taken, ISO, UTC. */
  made_at: z.iso.datetime(),
  mode: z.enum(['practice', 'live']),
  /** Version of the server it came from; any other can take it. */
  postgres: z.string(),
  /** What had made its tables, oldest first. */
  migrations: z.array(migration).min(1),
});
export type Header = z.infer<typeof Header>;

const name = z.string().regex(/^[a-z_][a-z0-9_]*$/);
export const Section = z.union([
  z.strictObject({ table: name, columns: z.array(name).min(1) }),
  /** The practice exchange's ledger, JSON lines. */
  z.strictObject({ ledger: z.literal(true) }),
]);
export type Section = z.infer<typeof Section>;

export const Totals = z.strictObject({
  /** Rows of each table, lines of the ledger under the name `ledger`. */
  lines: z.record(z.string(), z.int()),
  /** The last number each sequence gave; null: none yet. */
  sequences: z.record(name, z.int().nullable()),
});
export type Totals = z.infer<typeof Totals>;

/** What is wrong with a file, in words for a person. */
export class BackupError extends Error {}
