import { useEffect, useRef } from 'preact/hooks';
import type { Overview } from '../../../../contract/overview.ts';
import { html } from './html.ts';
import { KillSwitch } from './kill-switch.ts';
import { Pill, type PillTone } from './parts/parts.ts';
import { ticking } from './state/clock.ts';
import { NONE, shortTime, span } from './state/format.ts';
import { overview } from './state/gateway.ts';
import { useResource } from './state/resource.ts';
import { heardAt, link } from './state/stream.ts';

/** The bar over every view: which money this is, whose account, and whether everything behind it lives. */
export function HeadBar() {
  const { value, error } = useResource(overview);
  const known = value.value;
  const mode = known?.mode ?? null;
  return html`<header class="head" data-mode=${mode ?? 'unknown'}>
    <div class="band"><b>${mode === 'live' ? 'LIVE' : mode === 'practice' ? 'PRACTICE' : 'GATEWAY'}</b>
      <span>${mode === 'live' ? 'real orders, real money' : mode === 'practice' ? 'simulated exchange, no real money' : 'mode not known yet'}</span>
    </div>
    <div class="bar">
      <div class="account">
        <b>${known ? (known.broker ?? 'No broker') : '\u2026'}</b><span>${known?.account ?? ''}</span>
      </div>
      <${Streaming} />
      ${known && html`<${Facts} of=${known} old=${error.value !== null} />`}
      <${KillSwitch} />
    </div>
  </header>`;
}

/** Whether the page hears the gateway, and when it last did. */
function Streaming() {
  const now = Date.now();
  ticking();
  const states = { live: ['good', 'Live'], connecting: ['info', 'Connecting'], away: ['bad', 'No connection'] } as const;
  const [tone, word] = states[link.value];
  const title = heardAt.value === 0 ? '' : `Last heard ${span(now - heardAt.value)} ago`;
  return html`<span class="streaming" title=${title}><${Pill} tone=${tone}>${word}<//></span>`;
}

interface Fact {
  name: string;
  tone: PillTone;
  text: string;
  title?: string;
}

/** In one line on a wide screen, behind one word on a narrow one; what is wrong is shown always. */
function Facts({ of, old }: { of: Overview; old: boolean }) {
  const facts = factsOf(of, ticking());
  const wrong = facts.filter(({ tone }) => tone === 'bad' || tone === 'warn');
  const list = html`<dl class="facts ${old ? 'stale' : ''}">
    ${facts.map(({ name, tone, text, title }) => html`<div key=${name} class=${tone} title=${title ?? ''}><dt>${name}</dt><dd>${text}</dd></div>`)}
  </dl>`;
  return html`<div class="facts-wide">${list}</div>
    <details class="facts-narrow" ref=${useFolding()}>
      <summary>${wrong.length === 0 ? html`<${Pill} tone="good">All well<//>` : html`<${Pill} tone=${wrong[0]?.tone}>${wrong.map(({ name }) => name).join(', ')}<//>`}</summary>
      ${list}
    </details>`;
}

/** An unfolded piece of the page that folds up again when something else is looked at: another view, another place, or nothing (Escape). */
function useFolding() {
  const unfolded = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const fold = (event: Event) => {
      const { current } = unfolded;
      const within = event.target instanceof Node && current?.contains(event.target);
      if (!current || (event instanceof KeyboardEvent ? event.key !== 'Escape' : within)) return;
      current.open = false;
    };
    const told = ['pointerdown', 'hashchange', 'keydown'] as const;
    for (const type of told) addEventListener(type, fold);
    return () => {
      for (const type of told) removeEventListener(type, fold);
    };
  }, []);
  return unfolded;
}

function factsOf(of: Overview, now: number): Fact[] {
  const { session, feed, clock, database, market } = of;
  const ends = session.ends_at ? `until ${shortTime(session.ends_at, now)}` : 'active';
  const tickAge = feed.last_tick_at ? `, ${span(now - Date.parse(feed.last_tick_at))} ago` : '';
  const offset = clock.offset_ms;
  return [
    {
      name: 'Session',
      tone: session.active ? 'quiet' : 'bad',
      text: session.active ? ends : 'none',
      ...(session.message !== null && { title: session.message }),
    },
    { name: 'Prices', tone: feedTones[feed.prices], text: `${feed.prices.toLowerCase()}${tickAge}` },
    { name: 'Order news', tone: feedTones[feed.orders], text: feed.orders.toLowerCase() },
    { name: 'Market', tone: 'quiet', text: marketText(market, now) },
    {
      name: 'Clock',
      tone: offset !== null && Math.abs(offset) > 1000 ? 'warn' : 'quiet',
      text: offset === null ? NONE : `${offset > 0 ? '+' : ''}${Math.round(offset)} ms`,
    },
    {
      name: 'Database',
      tone: database.ok ? 'quiet' : 'bad',
      text: database.ok ? (database.latency_ms === null ? 'ok' : `ok, ${Math.round(database.latency_ms)} ms`) : 'trouble',
    },
    { name: 'Version', tone: 'quiet', text: of.version },
  ];
}

const feedTones: Readonly<Record<Overview['feed']['prices'], PillTone>> = { LIVE: 'quiet', CONNECTING: 'warn', NONE: 'quiet' };

/** Of the exchanges together; where they differ, what a share trades on. */
function marketText(market: Overview['market'], now: number): string {
  const of = market.find(({ open }) => open) ?? market[0];
  if (!of) return NONE;
  if (of.open) return of.closes_at ? `open until ${shortTime(of.closes_at, now)}` : 'open';
  return of.opens_at ? `opens ${shortTime(of.opens_at, now)}` : 'closed';
}
