import { html } from '../html.ts';
import { Empty, Gain } from '../parts/parts.ts';
import { type Column, Table } from '../parts/table.ts';
import { direction } from '../state/format.ts';

export interface Earned {
  name: string;
  realised: number;
  unrealised: number | null;
  total: number | null;
}

/** Who earned what, the most first: a table whose rows carry a bar from the middle, to the right for a gain and to the left for a loss. */
export function Bars({ label, of, rows }: { label: string; of: string; rows: readonly Earned[] }) {
  if (rows.length === 0) return html`<${Empty} title="Nothing earned or lost yet" />`;
  const most = Math.max(...rows.map(({ total }) => Math.abs(total ?? 0)), 0.01);
  const columns: readonly Column<Earned>[] = [
    { id: 'name', title: of, card: 'head', cell: ({ name }) => html`<b>${name}</b>` },
    { id: 'bar', title: '', card: 'hidden', cell: ({ total }) => html`<${Bar} part=${(total ?? 0) / most} />` },
    { id: 'realised', title: 'Realised', number: true, cell: ({ realised }) => html`<${Gain} of=${realised} />` },
    { id: 'total', title: 'Profit', number: true, cell: ({ total }) => html`<${Gain} of=${total} />` },
  ];
  const sorted = rows.toSorted((a, b) => (b.total ?? 0) - (a.total ?? 0));
  return html`<${Table} label=${label} columns=${columns} rows=${sorted} keyOf=${({ name }: Earned) => name} />`;
}

function Bar({ part }: { part: number }) {
  const width = Math.abs(part) * 50;
  return html`<svg class="bar-of ${direction(part * 100) < 0 ? 'down' : 'up'}" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
    <rect x=${part < 0 ? 50 - width : 50} y="1" width=${width} height="8" /><line x1="50" x2="50" y1="0" y2="10" />
  </svg>`;
}
