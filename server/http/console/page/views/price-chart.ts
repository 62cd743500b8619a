import { useEffect, useMemo } from 'preact/hooks';
import type { PriceHistory } from '../../../../../contract/profit.ts';
import { html } from '../html.ts';
import { Chart } from '../parts/chart.ts';
import { Empty, Loaded, Side } from '../parts/parts.ts';
import { type Column, Table } from '../parts/table.ts';
import { get } from '../state/api.ts';
import { clockTime, price, quantity } from '../state/format.ts';
import { Resource, useResource } from '../state/resource.ts';
import { followQuotes } from '../state/stream.ts';

type Fill = PriceHistory['fills'][number];

const lines = [
  { name: 'Price', colour: 'accent' },
  { name: 'Bought', colour: 'up', as: 'bought' },
  { name: 'Sold', colour: 'down', as: 'sold' },
] as const;

/** How a price went, and where it was bought and sold. The feed follows it while it is looked at. */
export function PriceChart({ name, day }: { name: string; day: string | undefined }) {
  useEffect(() => (day === undefined && name.includes(':') ? followQuotes([name]) : undefined), [name, day]);
  const history = useResource(
    useMemo(
      () =>
        new Resource<PriceHistory>(() => get<PriceHistory>('/broker/prices', { instrument: name, day }), {
          everyMs: 5000,
          topics: ['order'],
        }),
      [name, day],
    ),
  );
  return html`<${Loaded} of=${history} show=${(of: PriceHistory) => html`<${Drawn} name=${name} of=${of} />`} />`;
}

function Drawn({ name, of: { points, fills } }: { name: string; of: PriceHistory }) {
  const data = useMemo(() => aligned(points, fills), [points, fills]);
  if (points.length === 0 && fills.length === 0)
    return html`<${Empty} title="No price of ${name} yet">Prices are kept while the feed follows an instrument: now that you look at it, its line begins.<//>`;
  const last = points.at(-1) ?? fills.at(-1);
  const label = `Price of ${name}: ${price(last?.price)} at ${clockTime(last?.at)}, ${fills.length} fills`;
  return html`<${Chart} label=${label} lines=${lines} data=${data} unit="rupees"
    table=${
      fills.length === 0
        ? html`<p class="soft">No fill of the day. Last price ${price(last?.price)}.</p>`
        : html`<${Table} label="Fills of ${name}, newest first" columns=${columns} rows=${fills.toReversed()} keyOf=${({ order_id, at, quantity: size }: Fill) => `${order_id} ${at} ${size}`} />`
    } />`;
}

/** Prices and fills in one row of times. */
function aligned(
  points: PriceHistory['points'],
  fills: readonly Fill[],
): [number[], (number | null)[], (number | null)[], (number | null)[]] {
  const rows = [
    ...points.map(({ at, price: value }) => ({ at: Date.parse(at), point: value, bought: null, sold: null })),
    ...fills.map(({ at, price: value, side }) => ({
      at: Date.parse(at),
      point: null,
      bought: side === 'BUY' ? value : null,
      sold: side === 'BUY' ? null : value,
    })),
  ].sort((a, b) => a.at - b.at);
  return [rows.map(({ at }) => at / 1000), rows.map(({ point }) => point), rows.map(({ bought }) => bought), rows.map(({ sold }) => sold)];
}

const columns: readonly Column<Fill>[] = [
  { id: 'at', title: 'Time', cell: ({ at }) => clockTime(at) },
  { id: 'side', title: 'Side', card: 'head', cell: ({ side }) => html`<${Side} of=${side} />` },
  { id: 'quantity', title: 'Quantity', number: true, cell: ({ quantity: size }) => quantity(size) },
  { id: 'price', title: 'Price', number: true, cell: ({ price: value }) => price(value) },
  {
    id: 'order',
    title: 'Order',
    card: 'foot',
    cell: ({ order_id }) => html`<a href="#/events?order_id=${encodeURIComponent(order_id)}">${order_id}</a>`,
  },
];
