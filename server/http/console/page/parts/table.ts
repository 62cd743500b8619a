import { signal } from '@preact/signals';
import { type Children, html } from '../html.ts';

/** A column: its heading, and what a row shows in it. Numbers stand to the right, in figures of one width. */
export interface Column<Row> {
  id: string;
  title: string;
  number?: boolean;
  /** What a narrow screen does with it: the card's head line, the corner beside it, a named value (unless given), its foot, or nothing. */
  card?: 'head' | 'corner' | 'foot' | 'hidden';
  cell: (row: Row) => Children;
}

interface TableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** A word for the row's class. */
  toneOf?: (row: Row) => string;
}

/** A table that becomes a list of cards on a narrow screen. A row is drawn anew only when it is another object. */
export function Table<Row>({ label, columns, rows, keyOf, toneOf }: TableProps<Row>) {
  return html`<div class="table-frame" tabindex="0" role="region" aria-label=${label}>
    <table class="rows" role="table" aria-label=${label}>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map(({ id, title, number }) => html`<th key=${id} role="columnheader" scope="col" class=${number ? 'number' : ''}>${title}</th>`)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map((row) => html`<${TableRow} key=${keyOf(row)} row=${row} columns=${columns} tone=${toneOf?.(row) ?? ''} />`)}
      </tbody>
    </table>
  </div>`;
}

interface RowProps {
  row: unknown;
  columns: readonly Column<unknown>[];
  tone: string;
}

/** Reading a signal makes a component one that signals drive: it is drawn anew when a member is another value or a signal it read changes, not with its parent. */
const still = signal(0);

function TableRow({ row, columns, tone }: RowProps) {
  void still.value;
  return html`<tr role="row" class=${tone}>
    ${columns.map(
      ({ id, title, number, card, cell }) =>
        html`<td key=${id} role="cell" data-label=${title} class="${number ? 'number' : ''} ${card ? `card-${card}` : ''}">${cell(row)}</td>`,
    )}
  </tr>`;
}
