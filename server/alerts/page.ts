import type { Change } from './standing.ts';
import type { Page, Row } from './store.ts';

export const emptyPage: Page = { rows: [], dropped: [], told: [], ended: [] };

export function isEmpty({ rows, dropped, told, ended, after }: Page): boolean {
  return rows.length + dropped.length + told.length + ended.length === 0 && after === undefined;
}

/** Two pages as one: what came later counts. */
export function merged(first: Page, second: Page): Page {
  const after = second.after ?? first.after;
  const gone = new Set(second.dropped.map(nameOf));
  const rows = new Map([...first.rows, ...second.rows].map((row) => [nameOf(row), row]));
  const ended = new Set(second.ended);
  const told = new Map([...first.told.filter(({ key }) => !ended.has(key)), ...second.told].map((one) => [one.key, one]));
  return {
    rows: [...rows.values()].filter((row) => !gone.has(nameOf(row))),
    dropped: [...first.dropped, ...second.dropped],
    told: [...told.values()],
    ended: [...first.ended.filter((key) => !told.has(key)), ...second.ended],
    ...(after !== undefined && { after }),
  };
}

/** Changes one after the other. */
export function together(changes: readonly Change[]): Change {
  return changes.reduce(
    (whole, { news, told, ended }) => ({
      news: [...whole.news, ...news],
      told: [...whole.told.filter(({ key }) => !ended.includes(key)), ...told],
      ended: [...whole.ended.filter((key) => !told.some((one) => one.key === key)), ...ended],
    }),
    { news: [], told: [], ended: [] },
  );
}

function nameOf({ id, channel }: Pick<Row, 'id' | 'channel'>): string {
  return `${channel} ${id}`;
}
