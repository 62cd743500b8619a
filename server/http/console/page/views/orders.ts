import { useMemo, useState } from 'preact/hooks';
import type { RecordedOrder } from '../../../../../contract/records.ts';
import { html } from '../html.ts';
import { askCancel, askModify, changeable } from '../order-change.ts';
import { Steps, showSteps } from '../order-steps.ts';
import { Choice } from '../parts/choice.ts';
import { DayPicker, dayOfAddress } from '../parts/day.ts';
import { Empty, Figure, Loaded, Notice, Pill, type PillTone, Side, ViewHead } from '../parts/parts.ts';
import { type Column, Table } from '../parts/table.ts';
import { clockTime, NONE, nameOf, plain, price, quantity } from '../state/format.ts';
import { orders, ordersOf } from '../state/gateway.ts';
import { Resource, useResource } from '../state/resource.ts';

/** A day that is over changes seldom: when what was unknown is settled. */
const PAST_MS = 60_000;
const filters = { all: 'All', open: 'Open', filled: 'Filled', failed: 'Refused' } as const;
type Filter = keyof typeof filters;

const fits: Readonly<Record<Filter, (row: RecordedOrder) => boolean>> = {
  all: () => true,
  open: changeable,
  filled: ({ filled_quantity }) => filled_quantity > 0,
  failed: ({ status }) => status === 'REJECTED' || status === 'REFUSED',
};

/** The orders of a day with their steps; what nobody knows the fate of stands first. */
export function View() {
  const of = dayOfAddress();
  const past = of.query.day !== undefined;
  const found = useResource(useMemo(() => (past ? new Resource(() => ordersOf(of.day), { everyMs: PAST_MS }) : orders), [past, of.day]));
  const [filter, setFilter] = useState<Filter>('all');
  const rows = found.value.value?.orders ?? [];
  const unresolved = rows.filter((row) => row.unresolved);
  const actions = html`<${DayPicker} view="orders" of=${of} /><${Choice} name="filter" legend="Show" hidden options=${filters} value=${filter} onChange=${setFilter} />`;
  return html`<${ViewHead} title="Orders" actions=${actions}>
      ${rows.length > 0 && html`<${Figure} name=${past ? 'That day' : 'Today'}>${rows.length}<//>${!past && html`<${Figure} name="Open">${rows.filter(changeable).length}<//>`}`}
    <//>
    ${unresolved.map((row) => html`<${Unresolved} key=${keyOf(row)} row=${row} />`)}
    <${Loaded} of=${found} show=${() => html`<${Rows} rows=${rows.filter(fits[filter])} all=${filter === 'all'} past=${past} />`} />`;
}

function Unresolved({ row }: { row: RecordedOrder }) {
  return html`<${Notice} tone="warn" title="Not known: ${row.transaction_type} ${quantity(row.quantity)} ${nameOf(row)}, ${clockTime(row.placed_at)}.">
    ${row.advice ?? 'Look at the order book of your broker.'} <button type="button" class="small" onClick=${() => showSteps(row)}>Steps</button>
  <//>`;
}

function Rows({ rows, all, past }: { rows: readonly RecordedOrder[]; all: boolean; past: boolean }) {
  const day = past ? 'that day' : 'today';
  if (rows.length === 0)
    return html`<${Empty} title="No ${all ? '' : 'such '}order ${past ? 'on that day' : 'today'}">${all && !past ? html`Orders of every strategy and of the <a href="#/ticket">ticket</a> appear here, step by step.` : ''}<//>`;
  return html`<${Table} label="Orders of ${day}" columns=${past ? columns.filter(({ id }) => id !== 'actions') : columns} rows=${rows} keyOf=${keyOf} toneOf=${(row: RecordedOrder) => (row.unresolved ? 'unresolved' : '')} />`;
}

function keyOf(row: RecordedOrder): string {
  return row.order_id ?? `${row.placed_at} ${row.symbol} ${row.transaction_type} ${row.quantity}`;
}

const statuses: Readonly<Record<RecordedOrder['status'], PillTone>> = {
  PLACED: 'info',
  PARTIALLY_FILLED: 'warn',
  FILLED: 'good',
  REJECTED: 'bad',
  CANCELLED: 'quiet',
  UNKNOWN: 'warn',
  REFUSED: 'bad',
};

function Name({ row }: { row: RecordedOrder }) {
  const more = [row.exchange, plain(row.product_type), row.strategy, row.external ? 'placed elsewhere' : null].filter(
    (word) => word !== null,
  );
  return html`<b>${nameOf(row)}</b><span class="sub nowrap">${more.join(' \u00b7 ')}</span>`;
}

const typeWords: Readonly<Record<string, string>> = { MARKET: 'Market', LIMIT: 'Limit' };

function Filled({ row }: { row: RecordedOrder }) {
  return html`<span class="nowrap"><${Side} of=${row.transaction_type ?? ''} /> ${quantity(row.filled_quantity)} / ${quantity(row.quantity)}</span>`;
}

/** What it traded at, else what was asked for, and how. */
function Price({ row }: { row: RecordedOrder }) {
  const traded = row.average_price;
  const limit = row.price ? price(row.price) : '';
  const type = [
    typeWords[row.order_type ?? ''] ?? row.order_type ?? '',
    traded !== null && limit !== '' ? limit : '',
    row.trigger_price ? `trigger ${price(row.trigger_price)}` : '',
  ];
  return html`${traded !== null ? price(traded) : limit || NONE}<span class="sub nowrap">${type.filter((word) => word !== '').join(', ')}</span>`;
}

function Status({ row }: { row: RecordedOrder }) {
  return html`<${Pill} tone=${statuses[row.status]}>${plain(row.status)}<//>${row.reason !== null && html`<span class="sub reason" title=${row.reason}>${row.reason}</span>`}`;
}

function Actions({ row }: { row: RecordedOrder }) {
  if (!changeable(row)) return null;
  return html`<span class="actions end">
    <button type="button" class="small" aria-label="Modify ${nameOf(row)}" onClick=${() => askModify(row)}>Modify</button>
    <button type="button" class="danger small" aria-label="Cancel ${nameOf(row)}" onClick=${() => askCancel(row)}>Cancel</button>
  </span>`;
}

const columns: readonly Column<RecordedOrder>[] = [
  { id: 'name', title: 'Instrument', card: 'head', cell: (row) => html`<${Name} row=${row} />` },
  { id: 'at', title: 'Time', cell: (row) => clockTime(row.placed_at) },
  { id: 'quantity', title: 'Filled', cell: (row) => html`<${Filled} row=${row} />` },
  { id: 'price', title: 'Price', number: true, cell: (row) => html`<${Price} row=${row} />` },
  { id: 'status', title: 'Status', card: 'corner', cell: (row) => html`<${Status} row=${row} />` },
  { id: 'steps', title: 'Steps, ms', card: 'foot', cell: (row) => html`<${Steps} row=${row} />` },
  { id: 'actions', title: 'Change', number: true, card: 'foot', cell: (row) => html`<${Actions} row=${row} />` },
];
