import { useSignal } from '@preact/signals';
import type { EventList, GatewayEvent } from '../../../../../contract/events.ts';
import type { RecordedOrders, RecordedTrades } from '../../../../../contract/records.ts';
import { html } from '../html.ts';
import { say } from '../parts/toast.ts';
import { get, sentence } from '../state/api.ts';
import { gatewayNow } from '../state/clock.ts';
import { csvOf } from '../state/csv.ts';
import { tradingDay } from '../state/format.ts';
import { type EventFilter, instantOf, NEWEST } from './event-filter.ts';

/** Lines of a file of events, and events of one request. */
const MOST = 100_000;
const AT_ONCE = 1000;

type Row = Readonly<Record<string, unknown>>;

/** The trail as it is filtered, and the orders and trades of the day, as files for a spreadsheet. */
export function Exports({ filter }: { filter: EventFilter }) {
  const busy = useSignal<string | null>(null);
  const today = tradingDay(gatewayNow());
  const files = {
    Events: { name: 'events', rows: () => eventRows(filter, (count) => (busy.value = `${count} events\u2026`)), columns: eventColumns },
    Orders: { name: 'orders', rows: orderRows, columns: orderColumns },
    Trades: { name: 'trades', rows: tradeRows, columns: tradeColumns },
  };
  async function make(title: keyof typeof files): Promise<void> {
    if (busy.value !== null) return;
    busy.value = `${title}\u2026`;
    try {
      const { name, rows, columns } = files[title];
      const found = await rows();
      save(`${name}-${today}.csv`, csvOf(columns, found));
      say(
        found.length < MOST ? 'good' : 'warn',
        `${found.length} ${name} as CSV.${found.length < MOST ? '' : ' There are more: filter them.'}`,
      );
    } catch (error) {
      say('bad', sentence(error));
    }
    busy.value = null;
  }
  return html`${(Object.keys(files) as (keyof typeof files)[]).map(
    (title) =>
      html`<button type="button" key=${title} aria-disabled=${busy.value !== null} onClick=${() => make(title)}>${title} as CSV</button>`,
  )}<span class="soft tiny" role="status">${busy}</span>`;
}

const eventColumns = ['id', 'at', 'kind', 'broker', 'symbol', 'order_id', 'detail'];
const tradeColumns = 'traded_at trade_id order_id exchange symbol instrument transaction_type product_type quantity price'.split(' ');
const orderColumns = [
  ...'placed_at order_id exchange symbol instrument transaction_type order_type product_type quantity filled_quantity'.split(' '),
  ...'price trigger_price average_price status attempt_state strategy reason external'.split(' '),
];

async function eventRows({ from, to, ...rest }: EventFilter, told: (count: number) => void): Promise<Row[]> {
  const events: GatewayEvent[] = [];
  let before: number | null = NEWEST;
  while (before !== null && events.length < MOST) {
    const query = { ...rest, from: instantOf(from), to: instantOf(to), before: String(before), limit: String(AT_ONCE) };
    const page: EventList = await get<EventList>('/broker/events', query);
    events.push(...page.events);
    before = page.before ?? null;
    told(events.length);
  }
  return events;
}

async function orderRows(): Promise<Row[]> {
  return (await get<RecordedOrders>('/broker/records/orders')).orders;
}

async function tradeRows(): Promise<Row[]> {
  return (await get<RecordedTrades>('/broker/records/trades')).trades;
}

/** Hands the browser a file to keep. */
function save(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
