import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { DayProfit, Latencies } from '../../../../../contract/profit.ts';
import { html } from '../html.ts';
import { Chart } from '../parts/chart.ts';
import { DayPicker, dayOfAddress } from '../parts/day.ts';
import { Empty, Figure, Gain, Loaded, Notice, ViewHead } from '../parts/parts.ts';
import { type Column, Table } from '../parts/table.ts';
import { get } from '../state/api.ts';
import { clockTime, signedRupees, wait } from '../state/format.ts';
import { Resource, useResource } from '../state/resource.ts';
import { Bars } from './bars.ts';
import { PriceChart } from './price-chart.ts';

const EVERY_MS = 10_000;

/** How the day went: equity, who earned what, one price with its fills, and how fast orders were. */
export function View() {
  const of = dayOfAddress();
  const { day, today, query } = of;
  const everyMs = day === today ? EVERY_MS : 3_600_000;
  const profit = useResource(
    useMemo(
      () =>
        new Resource<DayProfit>(() => get<DayProfit>('/broker/profit', query), { everyMs, topics: ['order', 'position'], restMs: 1000 }),
      [day],
    ),
  );
  const latencies = useResource(
    useMemo(
      () => new Resource<Latencies>(() => get<Latencies>('/broker/latencies', query), { everyMs, topics: ['order'], restMs: 1000 }),
      [day],
    ),
  );
  return html`<${ViewHead} title="Charts" actions=${html`<${DayPicker} view="charts" of=${of} />`}><${Sums} of=${profit.value.value} /><//>
    <${Loaded} of=${profit} show=${(known: DayProfit) => html`<${Profit} of=${known} />`} />
    <${Price} day=${day} today=${today} of=${profit.value.value} />
    <section class="panel stack" aria-labelledby="c-latency"><h2 id="c-latency">Latency of orders</h2>
      <${Loaded} of=${latencies} show=${(known: Latencies) => html`<${Waits} of=${known} />`} /></section>`;
}

function Sums({ of }: { of: DayProfit | null }) {
  if (!of) return null;
  return html`<${Figure} name="Realised"><${Gain} of=${of.realised} /><//>
    <${Figure} name="Unrealised"><${Gain} of=${of.unrealised} /><//>
    <${Figure} name="Profit of the day"><${Gain} of=${of.total} /><//>`;
}

function Profit({ of }: { of: DayProfit }) {
  return html`${
    of.unknown.length > 0 &&
    html`<${Notice} tone="warn" title="A part is not known.">${of.unknown.map(({ exchange, symbol, reason }) => `${exchange}:${symbol}: ${reason}`).join('; ')}.
      What is known comes to ${signedRupees(of.known)}.<//>`
  }
    <section class="panel stack" aria-labelledby="c-equity"><h2 id="c-equity">Equity of the day</h2><${Equity} of=${of} /></section>
    <div class="tiles">
      <section class="panel stack" aria-labelledby="c-instruments"><h2 id="c-instruments">By instrument</h2>
        <${Bars} label="Profit by instrument" of="Instrument" rows=${of.by_instrument.map(({ instrument, exchange, symbol, ...rest }) => ({ ...rest, name: instrument ?? `${exchange}:${symbol}` }))} /></section>
      <section class="panel stack" aria-labelledby="c-strategies"><h2 id="c-strategies">By strategy</h2>
        <${Bars} label="Profit by strategy" of="Strategy" rows=${of.by_strategy.map(({ strategy, ...rest }) => ({ ...rest, name: strategy ?? 'without one' }))} /></section>
    </div>`;
}

type Point = DayProfit['equity'][number];
const equityLines = [
  { name: 'Profit', colour: 'accent', filled: true },
  { name: 'Realised', colour: 'soft', as: 'steps', dashed: true },
] as const;

function Equity({ of: { equity } }: { of: DayProfit }) {
  const data = useMemo(
    (): [number[], (number | null)[], number[]] => [
      equity.map(({ at }) => Date.parse(at) / 1000),
      equity.map(({ total }) => total),
      equity.map(({ realised }) => realised),
    ],
    [equity],
  );
  const last = equity.at(-1);
  if (!last) return html`<${Empty} title="Nothing moved yet">The line begins with the first fill of the day.<//>`;
  if (equity.length === 1)
    return html`<${Empty} title="One point so far">The line is drawn as soon as there is a second one, a minute later.<//>`;
  const totals = equity.flatMap(({ total }) => total ?? []);
  const label = `Profit over the day: ${signedRupees(last.total)} rupees at ${clockTime(last.at)}, highest ${signedRupees(Math.max(...totals))}, lowest ${signedRupees(Math.min(...totals))}`;
  return html`<${Chart} label=${label} lines=${equityLines} data=${data} unit="rupees"
    table=${html`<${Table} label="Equity of the day, newest first" columns=${equityColumns} rows=${equity.toReversed()} keyOf=${({ at }: Point) => at} />`} />`;
}

const equityColumns: readonly Column<Point>[] = [
  { id: 'at', title: 'Time', card: 'head', cell: ({ at }) => clockTime(at) },
  { id: 'realised', title: 'Realised', number: true, cell: ({ realised }) => html`<${Gain} of=${realised} />` },
  { id: 'unrealised', title: 'Unrealised', number: true, cell: ({ unrealised }) => html`<${Gain} of=${unrealised} />` },
  { id: 'total', title: 'Profit', number: true, cell: ({ total }) => html`<${Gain} of=${total} />` },
];

/** The price of one instrument: the one that moved the day most, until another is chosen. */
function Price({ day, today, of }: { day: string; today: string; of: DayProfit | null }) {
  const chosen = useSignal('');
  const moved = (of?.by_instrument ?? []).toSorted((a, b) => Math.abs(b.total ?? 0) - Math.abs(a.total ?? 0));
  const names = moved.map(({ instrument, exchange, symbol }) => instrument ?? `${exchange}:${symbol}`);
  useEffect(() => {
    chosen.value ||= names[0] ?? '';
  }, [names[0]]);
  const choose = (event: Event) => {
    chosen.value = (event.target as HTMLInputElement).value.trim().toUpperCase();
  };
  return html`<section class="panel stack" aria-labelledby="c-price">
    <div class="spread"><h2 id="c-price">Price and fills</h2>
      <div class="inline"><label for="c-name">Instrument</label>
        <input id="c-name" class="narrow" list="c-names" value=${chosen} placeholder="NSE:SBIN" autocomplete="off" spellcheck=${false} onChange=${choose} />
        <datalist id="c-names">${names.map((name) => html`<option key=${name} value=${name}></option>`)}</datalist></div></div>
    ${chosen.value === '' ? html`<${Empty} title="No instrument yet">Name one: its exchange, a colon, its symbol.<//>` : html`<${PriceChart} key=${chosen.value} name=${chosen.value} day=${day === today ? undefined : day} />`}
  </section>`;
}

type Taken = Latencies['orders'][number] & { at: string };
const waitLines = [
  { name: 'In all', colour: 'accent', as: 'points' },
  { name: "To the broker's answer", colour: 'warn', as: 'points' },
] as const;

function Waits({ of: { orders } }: { of: Latencies }) {
  const known = useMemo(() => orders.filter((order): order is Taken => order.at !== null), [orders]);
  const data = useMemo(
    (): [number[], (number | null)[], (number | null)[]] => [
      known.map(({ at }) => Date.parse(at) / 1000),
      known.map(({ total_ms }) => total_ms),
      known.map(({ to_sent_ms, to_accepted_ms }) => (to_sent_ms === null || to_accepted_ms === null ? null : to_sent_ms + to_accepted_ms)),
    ],
    [known],
  );
  if (known.length === 0)
    return html`<${Empty} title="No order of the day">Each order is a point here: how long it took from your request to its end.<//>`;
  const totals = known.flatMap(({ total_ms }) => total_ms ?? []).sort((a, b) => a - b);
  const at = (part: number) => totals[Math.min(totals.length - 1, Math.floor(totals.length * part))];
  return html`<div class="sums"><${Figure} name="Orders">${known.length}<//><${Figure} name="Half within">${wait(at(0.5))}<//><${Figure} name="95 % within">${wait(at(0.95))}<//><${Figure} name="Slowest">${wait(totals.at(-1))}<//></div>
    <${Chart} label="Latency of ${known.length} orders: half took at most ${wait(at(0.5))}, the slowest ${wait(totals.at(-1))}" lines=${waitLines} data=${data} unit="ms"
      table=${html`<${Table} label="Latency of orders, newest first" columns=${waitColumns} rows=${known.toReversed()} keyOf=${({ at: when, order_id }: Taken) => `${when} ${order_id}`} />`} />`;
}

const waitColumns: readonly Column<Taken>[] = [
  { id: 'at', title: 'Time', cell: ({ at }) => clockTime(at) },
  {
    id: 'symbol',
    title: 'Order',
    card: 'head',
    cell: ({ symbol, order_id }) => html`<b>${symbol}</b><span class="sub">${order_id}</span>`,
  },
  { id: 'sent', title: 'To the send', number: true, cell: ({ to_sent_ms }) => wait(to_sent_ms) },
  { id: 'accepted', title: 'To the answer', number: true, cell: ({ to_accepted_ms }) => wait(to_accepted_ms) },
  { id: 'final', title: 'To the end', number: true, cell: ({ to_final_ms }) => wait(to_final_ms) },
  { id: 'total', title: 'In all', number: true, cell: ({ total_ms }) => wait(total_ms) },
];
