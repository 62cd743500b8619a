/** A refusal to start on a database, in one sentence for the person who started the gateway. Carries no secrets. */
export class DatabaseError extends Error {}

/** The text of anything thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
