/** Numbers are numbers to a spreadsheet; any other text that it would take for a formula begins with an apostrophe, which it shows as text. */
const formula = /^[=+\-@\t\r]/;
const number = /^-?\d+(\.\d+)?$/;

/** Rows as a file of comma-separated values: names in the first line, lines end as RFC 4180 says, UTF-8 said to Excel by a mark. */
export function csvOf(columns: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((name) => row[name]))];
  return `\ufeff${lines.map((line) => line.map(written).join(',')).join('\r\n')}\r\n`;
}

function written(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  const text = typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
  const harmless = formula.test(text) && !number.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
