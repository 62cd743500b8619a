import postgres from 'postgres';

/** A refusal to start on a database, in one sentence for the person who started the gateway. Carries no secrets. */
export class DatabaseError extends Error {}

/** The text of anything thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/** Errors of sockets, and the server's last words: the connection is closed, or about to be. */
export function isOfConnection(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return error.severity === 'FATAL' || error.severity === 'PANIC';
  return error instanceof Error && ('syscall' in error || ('code' in error && /^CONNECTION_/.test(String(error.code))));
}
