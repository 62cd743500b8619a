import type { z } from 'zod';
import type { Environment } from './environment.ts';
import { ConfigError } from './error.ts';
import type { Setting } from './kinds.ts';

type Table = Readonly<Record<string, Setting>>;
type ValueOf<Row extends Setting> = Row extends { default: string } ? z.output<Row['value']> : z.output<Row['value']> | undefined;
export type Values<Rows extends Table> = { [Name in keyof Rows]: ValueOf<Rows[Name]> };

/** Reads every row of a table. Throws ConfigError that tells all values that cannot be used, one sentence each. */
export function readTable<Rows extends Table>(rows: Rows, given: Environment): Values<Rows> {
  const wrong: string[] = [];
  const values = Object.entries(rows).map(([name, row]) => {
    const asked = given[name]?.trim() ?? row.default;
    if (asked === undefined) return [name, undefined];
    const read = row.value.safeParse(asked);
    if (!read.success) wrong.push(refusal(name, row, asked, read.error));
    return [name, read.data];
  });
  if (wrong.length > 0) throw new ConfigError(wrong.join('\n'));
  return Object.fromEntries(values) as Values<Rows>;
}

function refusal(name: string, { kind, secret }: Setting, asked: string, error: z.ZodError): string {
  const own = error.issues.find(({ code }) => code === 'custom')?.message;
  return `${name}: ${own ?? `must be ${kind}${secret ? '' : `, and is ${JSON.stringify(asked)}`}`}`;
}
