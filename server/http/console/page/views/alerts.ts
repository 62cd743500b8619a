import { useSignal } from '@preact/signals';
import type { AlertOverview, AlertTest } from '../../../../../contract/alerts.ts';
import { html } from '../html.ts';
import { Empty, Figure, Loaded, Notice, Pill, ViewHead } from '../parts/parts.ts';
import { type Column, Table } from '../parts/table.ts';
import { say } from '../parts/toast.ts';
import { get, post, sentence } from '../state/api.ts';
import { gatewayNow } from '../state/clock.ts';
import { plain, rupees, shortTime, wait } from '../state/format.ts';
import { Resource, useResource } from '../state/resource.ts';

type Channel = AlertOverview['channels'][number];
type Standing = AlertOverview['standing'][number];
type Tested = AlertTest['channels'][number];

/** Each channel is given 10 s by the gateway. */
const TEST_MS = 20_000;
const alerts = new Resource<AlertOverview>(() => get<AlertOverview>('/broker/alerts'), { everyMs: 5000, topics: ['notice', 'session'] });

/** Where alerts go, whether they get there, and what stands now. */
export function View() {
  const asked = useResource(alerts);
  const testing = useSignal(false);
  const results = useSignal<readonly Tested[]>([]);
  async function test(): Promise<void> {
    if (testing.value) return;
    testing.value = true;
    try {
      results.value = (await post<AlertTest>('/broker/alerts/test', {}, TEST_MS)).channels;
    } catch (error) {
      say('bad', sentence(error));
    }
    testing.value = false;
    await alerts.refresh();
  }
  const on = asked.value.value?.on === true;
  const button = html`<button type="button" class="primary" aria-disabled=${testing} onClick=${test}>${testing.value ? 'Sending\u2026' : 'Send a test'}</button>`;
  return html`<${ViewHead} title="Alerts" actions=${on && button}><${Sums} of=${asked.value.value} /><//>
    <div role="status">${results.value.map((one) => html`<${Result} key=${one.channel} ...${one} />`)}</div>
    <${Loaded} of=${asked} show=${(of: AlertOverview) => html`<${Shown} ...${of} />`} />`;
}

function Sums({ of }: { of: AlertOverview | null }) {
  if (!of?.on) return null;
  return html`<${Figure} name="Standing">${of.standing.length}<//>
    <${Figure} name="Told from a loss of">${of.daily_loss === null ? 'never' : rupees(of.daily_loss)}<//>
    <${Figure} name="All is well, daily">${of.all_well_at} IST<//>`;
}

function Result({ channel, delivered, message, took_ms }: Tested) {
  const tone = delivered ? 'good' : 'bad';
  return html`<div class="notice ${tone}"><b>${plain(channel)}: ${delivered ? 'delivered' : 'not delivered'}</b>
    <div>${message ?? ''} ${wait(took_ms)}</div></div>`;
}

function Shown({ on, channels, standing }: AlertOverview) {
  if (!on)
    return html`<${Empty} title="Nobody is told yet">
      Set <code>ALERT_WEBHOOK_URL</code>, or <code>ALERT_TELEGRAM_TOKEN</code> and <code>ALERT_TELEGRAM_CHAT</code>, and start the gateway again. Then a login that is needed, an order of unknown fate or a dead feed finds you.
    <//>`;
  return html`<h2 class="section">What stands</h2>
    ${
      standing.length === 0
        ? html`<${Notice} tone="good">Nothing that was told is still so.<//>`
        : html`<${Table} label="What stands" columns=${standingColumns} rows=${standing} keyOf=${({ kind, since }: Standing) => kind + since} />`
    }
    <h2 class="section">Where alerts go</h2>
    <${Table} label="Channels" columns=${channelColumns} rows=${channels} keyOf=${({ channel }: Channel) => channel} />`;
}

const standingColumns: readonly Column<Standing>[] = [
  { id: 'kind', title: 'What', card: 'head', cell: ({ kind, message }) => html`<b>${plain(kind)}</b><span class="sub">${message}</span>` },
  { id: 'since', title: 'Since', cell: ({ since }) => shortTime(since, gatewayNow()) },
  { id: 'do', title: 'What to do', card: 'foot', cell: ({ what_to_do }) => what_to_do },
];

const channelColumns: readonly Column<Channel>[] = [
  {
    id: 'channel',
    title: 'Channel',
    card: 'head',
    cell: ({ channel, host }) => html`<b>${plain(channel)}</b><span class="sub">${host}</span>`,
  },
  { id: 'state', title: 'State', cell: (channel) => html`<${State} ...${channel} />` },
  { id: 'sent', title: 'Last delivered', cell: ({ last_sent_at }) => shortTime(last_sent_at, gatewayNow()) },
  {
    id: 'failed',
    title: 'Last failed',
    cell: ({ last_failed_at, last_failure }) =>
      html`${shortTime(last_failed_at, gatewayNow())}${last_failure && html`<span class="sub">${last_failure}</span>`}`,
  },
  { id: 'waiting', title: 'Waiting', number: true, cell: ({ waiting }) => waiting },
  { id: 'dropped', title: 'Dropped', number: true, cell: ({ dropped }) => dropped },
];

function State({ last_sent_at, last_failed_at }: Channel) {
  if (last_failed_at && (!last_sent_at || last_failed_at > last_sent_at)) return html`<${Pill} tone="bad">failing<//>`;
  return last_sent_at ? html`<${Pill} tone="good">works<//>` : html`<${Pill} tone="quiet">nothing sent yet<//>`;
}
