import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { EventList, GatewayEvent } from '../../../../../contract/events.ts';
import { html } from '../html.ts';
import { Empty, Field, Notice, Pill, type PillTone, ViewHead } from '../parts/parts.ts';
import { type Column, Table } from '../parts/table.ts';
import { get, sentence } from '../state/api.ts';
import { clockTime, NONE, shortTime } from '../state/format.ts';
import { goTo, place } from '../state/route.ts';
import { onEvent } from '../state/stream.ts';
import { type EventFilter, instantOf, NEWEST, PAGE } from './event-filter.ts';
import { Exports } from './exports.ts';

const QUIET_MS = 300;

/** The audit trail, newest first, filtered by the address of the page, growing as things happen. */
export function View() {
  const filter = filterOf(place.value.query);
  return html`<${ViewHead} title="Events" actions=${html`<${Exports} filter=${filter} />`} />
    <${Filters} key=${JSON.stringify(filter)} of=${filter} />
    <${Trail} key=${`trail ${JSON.stringify(filter)}`} filter=${filter} />`;
}

const names = ['kind', 'symbol', 'order_id', 'from', 'to'] as const;

function filterOf(query: URLSearchParams): EventFilter {
  return Object.fromEntries(names.flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])));
}

const kinds = [
  ['', 'Everything'],
  ['order.', 'Orders'],
  ['position.', 'Positions'],
  ['session.', 'Session'],
  ['feed', 'Feed'],
  ['kill_switch', 'Kill switch'],
  ['reconciliation', 'Reconciliation'],
] as const;

function Filters({ of }: { of: EventFilter }) {
  function submit(event: Event): void {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    goTo('events', Object.fromEntries(names.flatMap((name) => (given.get(name) ? [[name, String(given.get(name)).trim()]] : []))));
  }
  const listed = kinds.some(([kind]) => kind === (of.kind ?? ''));
  return html`<form class="filters panel" onSubmit=${submit} role="search" aria-label="Filter events">
    <${Field} id="f-kind" label="Kind"><select id="f-kind" name="kind">
      ${kinds.map(([kind, title]) => html`<option value=${kind} selected=${kind === (of.kind ?? '')}>${title}</option>`)}
      ${!listed && html`<option value=${of.kind} selected>${of.kind}</option>`}
    </select><//>
    <${Field} id="f-symbol" label="Symbol"><input id="f-symbol" name="symbol" defaultValue=${of.symbol ?? ''} autocomplete="off" spellcheck=${false} /><//>
    <${Field} id="f-order" label="Order id"><input id="f-order" name="order_id" defaultValue=${of.order_id ?? ''} autocomplete="off" spellcheck=${false} /><//>
    <${Field} id="f-from" label="From (IST)"><input id="f-from" name="from" type="datetime-local" defaultValue=${of.from ?? ''} /><//>
    <${Field} id="f-to" label="Before (IST)"><input id="f-to" name="to" type="datetime-local" defaultValue=${of.to ?? ''} /><//>
    <div class="actions"><button type="submit" class="primary">Filter</button>
      ${Object.keys(of).length > 0 && html`<button type="button" onClick=${() => goTo('events')}>Clear</button>`}</div>
  </form>`;
}

function Trail({ filter }: { filter: EventFilter }) {
  const events = useSignal<readonly GatewayEvent[] | null>(null);
  const older = useSignal<number | null>(null);
  const fault = useSignal<string | null>(null);
  async function load(before: number): Promise<void> {
    try {
      const page = await pageOf(filter, before);
      const known = before === NEWEST ? (events.value ?? []) : [];
      const fresh = before === NEWEST ? merged(page.events, known) : [...(events.value ?? []), ...page.events];
      // What was unfolded behind the first page stays.
      if (before !== NEWEST || known.length <= PAGE) older.value = page.before ?? null;
      events.value = fresh;
      fault.value = null;
    } catch (error) {
      fault.value = sentence(error);
    }
  }
  useEffect(() => {
    void load(NEWEST);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = onEvent(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void load(NEWEST);
      }, QUIET_MS);
    });
    return () => {
      clearTimeout(timer);
      end();
    };
  }, []);
  if (fault.value !== null && events.value === null)
    return html`<${Notice} tone="bad" title="This cannot be read right now.">${fault.value}<//>`;
  if (events.value === null) return html`<p class="loading" role="status">Loading${'\u2026'}</p>`;
  if (events.value.length === 0)
    return html`<${Empty} title="Nothing like that happened">Widen the filter, or wait: what happens appears here by itself.<//>`;
  return html`<${Table} label="Events, newest first" columns=${columns} rows=${events.value} keyOf=${({ id }: GatewayEvent) => String(id)} />
    ${older.value !== null && html`<p class="more"><button type="button" onClick=${() => load(older.value ?? NEWEST)}>Older events</button></p>`}`;
}

function pageOf(filter: EventFilter, before: number): Promise<EventList> {
  const { from, to, ...rest } = filter;
  return get<EventList>('/broker/events', {
    ...rest,
    from: instantOf(from),
    to: instantOf(to),
    before: String(before),
    limit: String(PAGE),
  });
}

/** The newest page before what is known, without what comes twice. */
function merged(fresh: readonly GatewayEvent[], known: readonly GatewayEvent[]): GatewayEvent[] {
  const seen = new Map(known.map((event) => [event.id, event]));
  const last = fresh.at(-1)?.id ?? 0;
  return [...fresh.map((event) => seen.get(event.id) ?? event), ...known.filter(({ id }) => id < last)];
}

const columns: readonly Column<GatewayEvent>[] = [
  { id: 'at', title: 'When', cell: ({ at }) => html`<span class="nowrap" title=${at}>${when(at)}</span>` },
  { id: 'kind', title: 'What', card: 'head', cell: ({ kind }) => html`<${Pill} tone=${toneOf(kind)}>${kind}<//>` },
  { id: 'symbol', title: 'Symbol', cell: ({ symbol }) => symbol ?? NONE },
  {
    id: 'order',
    title: 'Order',
    cell: ({ order_id }) => (order_id ? html`<a href="#/events?order_id=${encodeURIComponent(order_id)}">${order_id}</a>` : NONE),
  },
  { id: 'detail', title: 'Detail', card: 'foot', cell: ({ detail }) => html`<${Detail} of=${detail} />` },
];

function when(at: string): string {
  const short = shortTime(at, Date.now());
  return short.length > 5 ? short : clockTime(at);
}

function toneOf(kind: string): PillTone {
  if (/lost|rejected|failed|unresolved|ambiguous|silent|refused|expired|trouble/.test(kind)) return 'bad';
  if (/kill_switch|not_sent|mismatch|correct|gap|external/.test(kind)) return 'warn';
  return /done|connected|filled|resolved|live/.test(kind) ? 'good' : 'quiet';
}

/** Members that the row shows already, or that nobody reads. */
const dull = new Set(['tag', 'order_id', 'symbol', 'exchange', 'broker', 'key']);

/** What else is told of it: what was said, or a few members in a line, and all of it on demand. */
function Detail({ of }: { of: unknown }) {
  const members = of !== null && typeof of === 'object' ? Object.entries(of).filter(([, value]) => value !== '' && value !== null) : [];
  if (members.length === 0) return html`${NONE}`;
  const { message, reason } = of as { message?: unknown; reason?: unknown };
  const said = [message, reason].find((text) => typeof text === 'string' && text !== '');
  const line =
    said ??
    members
      .flatMap(([name, value]) => (typeof value === 'object' || dull.has(name) ? [] : [`${name.replaceAll('_', ' ')} ${value}`]))
      .slice(0, 4)
      .join(', ');
  return html`<details class="detail"><summary>${line || members.map(([name]) => name).join(', ')}</summary><pre tabindex="0">${JSON.stringify(of, null, 2)}</pre></details>`;
}
