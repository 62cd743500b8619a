/** ok: seen as it should be. failed: seen otherwise. not told: nothing there to see it by, and why. */
export type Result = 'ok' | 'failed' | 'not told';

/** What one check found. */
export interface Said {
  result: Result;
  /** In words for the person. Holds counts and names of members, never a value: it goes into the report. */
  says: string;
  /** The broker's own words and values, for the terminal alone. */
  shown?: string;
}

export interface Finding extends Said {
  name: string;
}

function said(result: Result, says: string, shown = ''): Said {
  return { result, says, ...(shown !== '' && { shown }) };
}

export const ok = (says: string, shown?: string): Said => said('ok', says, shown);
export const failed = (says: string, shown?: string): Said => said('failed', says, shown);
export const notTold = (says: string, shown?: string): Said => said('not told', says, shown);

/** `rows` of which `bad` break a rule: failed with their number and what is wrong, ok where none does, not told where there are no rows. */
export function judged<Row>(rows: readonly Row[], what: string, bad: readonly Row[], wrong: string, name: (row: Row) => string): Said {
  if (rows.length === 0) return notTold(`there are no ${what}`);
  if (bad.length === 0) return ok(`all ${rows.length} ${what}`);
  return failed(`${bad.length} of ${rows.length} ${what}: ${wrong}`, bad.map(name).join(', '));
}

/** The line of a finding on the terminal. */
export function lineOf({ name, result, says, shown }: Finding): string {
  return `${result.padEnd(8)}  ${name}: ${says}${shown === undefined ? '' : ` (${shown})`}`;
}

export function countsOf(findings: readonly Said[]): Record<Result, number> {
  const counts = { ok: 0, failed: 0, 'not told': 0 };
  for (const { result } of findings) counts[result] += 1;
  return counts;
}
