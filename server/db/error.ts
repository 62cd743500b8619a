import postgres from 'postgres';

/** A refusal to start on a database, in one sentence for the person who started the gateway. Carries no secrets. */
export class DatabaseError extends Error {}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOENT: 'nothing listens there',
  ENOTFOUND: 'its host is not known',
  EAI_AGAIN: 'its host cannot be looked up now',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its host cannot be reached',
  ETIMEDOUT: 'it does not answer',
  CONNECT_TIMEOUT: 'it does not answer',
  ECONNRESET: 'it broke the connection off',
  EPIPE: 'it broke the connection off',
  CONNECTION_CLOSED: 'it broke the connection off',
  CONNECTION_DESTROYED: 'it broke the connection off',
  EACCES: 'this user may not connect',
};

/** What went wrong with a database, for a person: the server's own words, or ours where a socket speaks, without its path. */
export function reasonOf(error: unknown): string {
  const [first = error] = error instanceof AggregateError ? error.errors : [];
  if (!(first instanceof Error)) return String(first);
  const known = 'code' in first && !(first instanceof postgres.PostgresError) ? reasons[String(first.code)] : undefined;
  return known ?? (first.message || first.name);
}

/** Errors of sockets, and the server's last words: the connection is closed, or about to be. */
export function isOfConnection(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return error.severity === 'FATAL' || error.severity === 'PANIC';
  return error instanceof Error && ('syscall' in error || ('code' in error && /^CONNECTION_/.test(String(error.code))));
}
