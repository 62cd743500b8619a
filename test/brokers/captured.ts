import { z } from 'zod';
import type { BrokerId } from '../../contract/words.ts';
import { type Fixture, fixtures } from './stub-server.ts';

export type Row = Record<string, unknown>;

const recorded = z.strictObject({ source: z.string().min(20), status: z.literal(200), body: z.unknown() });
const file = z
  .object({ positions: recorded, orders: recorded, trades: recorded, holdings: recorded, funds: recorded, margin: recorded })
  .catchall(recorded);

/** Whole answers in the form in which the real broker was seen to send them or documents them, not in the one of our emulator. */
export function captured(id: BrokerId): (name: string) => Fixture {
  const all = fixtures(id).many('captured');
  file.parse(all);
  return (name) => {
    const found = all[name];
    if (!found) throw new Error(`nothing was captured of ${name}`);
    return found;
  };
}

/** The rows in a broker's envelope: its first list, however deep. */
export function rowsIn(body: unknown): Row[] {
  if (Array.isArray(body)) return body;
  if (typeof body !== 'object') return [];
  return (
    Object.values(body ?? {})
      .map(rowsIn)
      .find((rows) => rows.length > 0) ?? []
  );
}
