import { readFileSync } from 'node:fs';
import { z } from 'zod';

const lists = ['positions', 'orders', 'trades', 'holdings', 'funds'] as const;
const file = z.record(z.enum(lists), z.strictObject({ source: z.string().min(20), row: z.record(z.string(), z.unknown()) }));

/** One row of each list in the form its real broker sends, as fixtures/<broker>/captured.json has it with its source. */
export function capturedRows(broker: string): Record<(typeof lists)[number], Record<string, unknown>> {
  const read = file.parse(JSON.parse(readFileSync(new URL(`./fixtures/${broker}/captured.json`, import.meta.url), 'utf8')));
  const row = (list: (typeof lists)[number]) => read[list].row;
  return { positions: row('positions'), orders: row('orders'), trades: row('trades'), holdings: row('holdings'), funds: row('funds') };
}
