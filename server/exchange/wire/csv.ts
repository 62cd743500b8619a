export type Cell = string | number | null;

/** A value as a cell: null is an empty one, and what has a comma or a quote in it stands in quotes. */
export function csvCell(cell: Cell): string {
  return typeof cell === 'string' && /[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : String(cell ?? '');
}

export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}

/** The text of a CSV: a header, then the cells of each row; a row without cells is left out, as an empty text. */
export function* csvLines(header: string, rows: Iterable<readonly Cell[] | null>): Generator<string> {
  yield `${header}\n`;
  for (const cells of rows) yield cells ? csvLine(cells) : '';
}
