import { useEffect } from 'preact/hooks';
import type { RecordedPosition } from '../../../../../contract/records.ts';
import { exitAll, exitOne } from '../exits.ts';
import { html } from '../html.ts';
import { addShortcuts } from '../parts/keys.ts';
import { ageOf, Empty, Figure, Gain, Loaded, Side, ViewHead } from '../parts/parts.ts';
import { type Column, Table } from '../parts/table.ts';
import { ticking } from '../state/clock.ts';
import { clockTime, nameOf, plain, price, quantity } from '../state/format.ts';
import { overview, positions } from '../state/gateway.ts';
import { sumOf, valued } from '../state/profit.ts';
import { useResource } from '../state/resource.ts';
import { followQuotes } from '../state/stream.ts';

/** What is open, at what price, what it earns, and the way out. */
export function View() {
  const of = useResource(positions);
  const rows = of.value.value?.positions ?? [];
  const open = rows.filter(({ status }) => status === 'OPEN');
  const names = open.flatMap(({ instrument }) => instrument ?? []).sort();
  useEffect(() => followQuotes(names), [names.join()]);
  useEffect(() => addShortcuts([{ keys: 'x', what: 'Exit all positions, after a question', run: exitAll }]), []);
  const closed = rows.filter(({ status }) => status === 'CLOSED');
  const actions = open.length > 0 && html`<button type="button" class="danger" onClick=${exitAll}>Exit all${'\u2026'}</button>`;
  return html`<${ViewHead} title="Positions" actions=${actions}><${Sums} rows=${rows} open=${open.length} /><//>
    <${Loaded} of=${of} show=${() => html`<${OpenRows} rows=${open} />${closed.length > 0 && html`<${ClosedRows} rows=${closed} />`}`} />`;
}

/** Reads every price: a component of its own, so that a tick draws these few figures and not the view. */
function Sums({ rows, open }: { rows: readonly RecordedPosition[]; open: number }) {
  if (rows.length === 0) return null;
  const sum = (name: string, of: { total: number; unknown: number }) =>
    html`<${Figure} name=${name}><${Gain} of=${of.total} big />${of.unknown > 0 && html`<small class="soft"> without ${of.unknown} not known</small>`}<//>`;
  return html`${sum('Profit today', sumOf(rows, 'today'))}${sum('Since entry', sumOf(rows, 'sinceEntry'))}<${Figure} name="Open">${open}<//>`;
}

function OpenRows({ rows }: { rows: readonly RecordedPosition[] }) {
  const connected = overview.value.value?.session.active ?? true;
  if (rows.length === 0)
    return html`<${Empty} title="No open position">
      ${connected ? html`What your strategies and the <a href="#/ticket">ticket</a> open appears here at once.` : 'No broker is connected. What is open there appears once one is.'}
    <//>`;
  return html`<${Table} label="Open positions" columns=${openColumns} rows=${rows} keyOf=${keyOf} />`;
}

function ClosedRows({ rows }: { rows: readonly RecordedPosition[] }) {
  return html`<h2 class="section">Closed today</h2>
    <${Table} label="Positions closed today" columns=${closedColumns} rows=${rows} keyOf=${keyOf} />`;
}

const keyOf = ({ id }: RecordedPosition) => String(id);
const Name = ({ row }: { row: RecordedPosition }) =>
  html`<b>${nameOf(row)}</b><span class="sub">${row.exchange} ${'\u00b7'} ${plain(row.product_type)}${row.strategy === null ? '' : ` \u00b7 ${row.strategy}`}</span>`;

/** The newest price, and how old it is where that is worth saying. */
function LastPrice({ row }: { row: RecordedPosition }) {
  const { price: last, at } = valued(row);
  const age = at === null ? Number.POSITIVE_INFINITY : ticking() - Date.parse(at);
  const old = age > OLD_MS;
  return html`<span class="quote ${old ? 'stale' : ''}">${price(last)}</span>${old && html`<span class="sub">${at === null ? 'age not known' : `${ageOf(at, ticking())} old`}</span>`}`;
}
const OLD_MS = 5000;

const Today = ({ row }: { row: RecordedPosition }) => html`<span title=${row.unknown ?? ''}><${Gain} of=${valued(row).today} /></span>`;
const SinceEntry = ({ row }: { row: RecordedPosition }) =>
  html`<span title=${row.unknown ?? ''}><${Gain} of=${valued(row).sinceEntry} /></span>`;
const sideOf = ({ net_quantity }: RecordedPosition) => (net_quantity < 0 ? 'SHORT' : 'LONG');

const openColumns: readonly Column<RecordedPosition>[] = [
  { id: 'name', title: 'Instrument', card: 'head', cell: (row) => html`<${Name} row=${row} />` },
  { id: 'side', title: 'Side', cell: (row) => html`<${Side} of=${sideOf(row)} />` },
  { id: 'quantity', title: 'Quantity', number: true, cell: (row) => quantity(row.net_quantity) },
  { id: 'average', title: 'Average', number: true, cell: (row) => price(row.average_price) },
  { id: 'last', title: 'Last', number: true, cell: (row) => html`<${LastPrice} row=${row} />` },
  { id: 'today', title: 'Today', number: true, cell: (row) => html`<${Today} row=${row} />` },
  { id: 'entry', title: 'Since entry', number: true, cell: (row) => html`<${SinceEntry} row=${row} />` },
  {
    id: 'exit',
    title: 'Exit',
    number: true,
    card: 'corner',
    cell: (row) =>
      html`<button type="button" class="danger small" aria-label="Exit ${nameOf(row)} ${plain(row.product_type)}" onClick=${() => exitOne(row)}>Exit${'\u2026'}</button>`,
  },
];

const closedColumns: readonly Column<RecordedPosition>[] = [
  { id: 'name', title: 'Instrument', card: 'head', cell: (row) => html`<${Name} row=${row} />` },
  { id: 'at', title: 'Closed', cell: (row) => clockTime(row.closed_at) },
  { id: 'average', title: 'Entry', number: true, cell: (row) => price(row.average_price) },
  { id: 'out', title: 'Exit', number: true, cell: (row) => price(row.exit_price) },
  { id: 'today', title: 'Today', number: true, cell: (row) => html`<${Today} row=${row} />` },
  { id: 'entry', title: 'Since entry', number: true, cell: (row) => html`<${SinceEntry} row=${row} />` },
  { id: 'reason', title: 'Why', cell: (row) => plain(row.close_reason) },
];
