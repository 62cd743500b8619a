import type { Store } from '../chaos/store.ts';
import { type Line, openLine } from './line.ts';

/** The database of a pair of gateways. */
export interface PairDatabase {
  /** For each gateway its DATABASE_URL, and the line it goes through. */
  ways: readonly { url: string; line: Line }[];
  query<Row extends object>(statement: string): Promise<Row[]>;
  /** The primary of a replicated one goes away, by a kill or standing still, and its replica is promoted; `over` once there is a synchronous replica again. */
  failOver?(draw: () => number): { over: Promise<void> };
  close(): Promise<void>;
}

/** One server, and a line of its own for each gateway. */
export async function singleDatabase(store: Store, name: string): Promise<PairDatabase> {
  const address = await store.create(name);
  const { username, pathname } = new URL(address);
  const lines = await Promise.all([openLine(store.socket), openLine(store.socket)]);
  return {
    ways: lines.map((line) => ({ line, url: `postgres://${username}@127.0.0.1:${line.port}${pathname}?sslmode=disable` })),
    query: (statement) => store.query(name, statement),
    async close() {
      for (const line of lines) line.close();
      await store.drop(name);
    },
  };
}
