import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Overview } from '../../../../../contract/overview.ts';
import { html } from '../html.ts';
import { KillSwitch } from '../kill-switch.ts';
import { confirmed } from '../parts/dialog.ts';
import { Loaded, Notice, Pill, ViewHead } from '../parts/parts.ts';
import { say } from '../parts/toast.ts';
import { post, sentence } from '../state/api.ts';
import { ticking } from '../state/clock.ts';
import { NONE, plain, shortTime, span, wait } from '../state/format.ts';
import { overview } from '../state/gateway.ts';
import { supportedBrokers } from '../state/login.ts';
import { useResource } from '../state/resource.ts';
import { openLogin } from './login.ts';
import { SelfTest } from './self-test.ts';

const CONNECT_MS = 60_000;

/** The one session with a broker: whether it lives, how to begin one, whether it works, and how to stop everything. */
export function View() {
  const of = useResource(overview);
  return html`<${ViewHead} title="Session" />
    <${Loaded} of=${of} show=${(known: Overview) => html`<div class="tiles">
      <${Standing} of=${known} />
      <${Connect} connected=${known.session.active ? known.broker : null} mode=${known.mode} />
      <${Stop} of=${known} />
      <${SelfTest} active=${known.session.active} />
    </div>`} />`;
}

function Standing({ of }: { of: Overview }) {
  const { session, broker, account, clock, database } = of;
  const now = ticking();
  const left = session.ends_at === null ? null : Date.parse(session.ends_at) - now;
  const rows: [string, unknown][] = [
    ['Broker', plain(broker)],
    ['Account', account ?? NONE],
    ['Since', shortTime(session.since, now)],
    ['Login ends', session.ends_at === null ? NONE : `${shortTime(session.ends_at, now)}, in ${span(left ?? 0)}`],
    ['Prices', plain(of.feed.prices)],
    ['Order news', plain(of.feed.orders)],
    ['Clock', clock.offset_ms === null ? NONE : wait(Math.abs(clock.offset_ms)) + (clock.offset_ms < 0 ? ' behind' : ' ahead')],
    ['Database', `${plain(database.kind)}, ${database.ok ? wait(database.latency_ms) : 'does not answer'}`],
  ];
  return html`<section class="panel stack" aria-labelledby="s-now">
    <h2 id="s-now">Now <${Pill} tone=${session.active ? 'good' : 'bad'}>${session.active ? 'connected' : 'not connected'}<//></h2>
    ${session.message !== null && html`<${Notice} tone="warn">${session.message}<//>`}
    <dl class="ledger">${rows.map(([name, value]) => html`<dt key=${name}>${name}</dt><dd>${value}</dd>`)}</dl>
    ${session.active && html`<div class="actions"><button type="button" class="danger" onClick=${() => disconnect(broker)}>Disconnect</button></div>`}
  </section>`;
}

async function disconnect(broker: string | null): Promise<void> {
  const agreed = await confirmed({
    title: `Disconnect ${plain(broker)}?`,
    body: html`<p>Strategies can place nothing until a broker is connected again. Orders that rest at the exchange live on, and nobody here sees them fill.</p>`,
    yes: 'Disconnect',
    danger: true,
  });
  if (agreed) await told(() => post<{ message: string }>('/broker/disconnect'));
}

/** Does it, and says what the gateway said. */
async function told(doing: () => Promise<{ message: string }>): Promise<boolean> {
  try {
    say('good', (await doing()).message);
    return true;
  } catch (error) {
    say('bad', sentence(error));
    return false;
  } finally {
    await overview.refresh();
  }
}

function Connect({ connected, mode }: { connected: string | null; mode: string }) {
  const brokers = useSignal<readonly string[]>([]);
  const chosen = useSignal(connected ?? '');
  const busy = useSignal(false);
  useEffect(() => {
    supportedBrokers().then(
      (all) => {
        brokers.value = all;
        chosen.value ||= all[0] ?? '';
      },
      (error: unknown) => say('bad', sentence(error)),
    );
  }, []);
  async function once(doing: () => Promise<unknown>): Promise<void> {
    if (busy.value) return;
    busy.value = true;
    await doing();
    busy.value = false;
  }
  const connect = () =>
    told(() => post<{ message: string }>(`/broker/connect?broker=${encodeURIComponent(chosen.value)}`, undefined, CONNECT_MS));
  const another = connected !== null && chosen.value !== connected;
  return html`<section class="panel stack" aria-labelledby="s-connect">
    <h2 id="s-connect">Connect a broker</h2>
    <div class="field"><label for="s-broker">Broker</label>
      <select id="s-broker" value=${chosen} onChange=${(event: Event) => (chosen.value = (event.target as HTMLSelectElement).value)}>
        ${brokers.value.map((id) => html`<option key=${id} value=${id} selected=${id === chosen.value}>${plain(id)}</option>`)}
      </select></div>
    ${another && html`<${Notice} tone="warn">One broker at a time: ${plain(connected)} is disconnected by it.<//>`}
    <div class="actions">
      <button type="button" class="primary" aria-disabled=${busy} onClick=${() => once(connect)}>${busy.value ? 'Connecting\u2026' : 'Connect'}</button>
      <button type="button" aria-disabled=${busy} onClick=${() => once(() => openLogin(chosen.value))}>Sign in at the broker</button>
    </div>
    <p class="soft tiny">Connect takes up a login that is kept, or signs in by itself where the broker allows it. Sign in at the broker where it wants a person each day${mode === 'practice' ? '; in practice its page is a simulated one' : ''}.</p>
  </section>`;
}

function Stop({ of }: { of: Overview }) {
  const { on, since, by } = of.kill_switch;
  return html`<section class="panel stack" aria-labelledby="s-kill">
    <h2 id="s-kill">Kill switch <${Pill} tone=${on ? 'bad' : 'quiet'}>${on ? 'on' : 'off'}<//></h2>
    <p>${on ? 'Nothing leaves that can grow a position. Exits and cancels do.' : 'Turned on, nothing leaves that can grow a position. Exits and cancels still do.'}</p>
    ${since !== null && html`<p class="soft">Turned ${on ? 'on' : 'off'} ${shortTime(since, ticking())}${by ? ` by ${by}` : ''}.</p>`}
    <div class="actions"><${KillSwitch} state=${of.kill_switch} /></div>
  </section>`;
}
