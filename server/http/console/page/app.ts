import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { LinkBanner } from './banner.ts';
import { atCallback, Callback } from './callback.ts';
import { HeadBar } from './head.ts';
import { html } from './html.ts';
import { Outstanding } from './outstanding.ts';
import { Dialogs } from './parts/dialog.ts';
import { addShortcuts, showShortcuts } from './parts/keys.ts';
import { Notice } from './parts/parts.ts';
import { nextTheme, theme } from './parts/theme.ts';
import { Toasts } from './parts/toast.ts';
import { SignIn } from './sign-in.ts';
import { sentence } from './state/api.ts';
import { goTo, place } from './state/route.ts';
import { link } from './state/stream.ts';
import { dropToken, token } from './state/token.ts';
import { type View, views } from './views.ts';

/** The whole page: the sign-in, what a broker's login comes back to, or head, navigation and the view of the address. */
export function App() {
  const signedIn = token.value !== null;
  const page = atCallback ? html`<${Callback} />` : html`<${Shell} />`;
  return html`${signedIn ? page : html`<${SignIn} />`}<${Dialogs} /><${Toasts} />`;
}

function Shell() {
  useEffect(
    () =>
      addShortcuts([
        ...views.map(({ id, title, key }) => ({ keys: `g ${key}`, what: title, run: () => goTo(id) })),
        { keys: 'd', what: 'Light, dark or as the system', run: nextTheme },
      ]),
    [],
  );
  const current = views.find(({ id }) => id === place.value.view) ?? views[0];
  if (!current) return null;
  return html`<div class="shell" data-link=${link}>
    <a class="skip" href="#view" onClick=${skip}>Skip to the view</a>
    <${HeadBar} />
    <${Navigation} current=${current.id} />
    <main id="view">
      <${LinkBanner} />
      <${Outstanding} />
      <${Opened} key=${current.id} view=${current} />
    </main>
  </div>`;
}

function skip(event: Event): void {
  event.preventDefault();
  focusView();
}

function focusView(): void {
  document.querySelector<HTMLElement>('#view h1')?.focus();
}

function Navigation({ current }: { current: string }) {
  const bar = useRef<HTMLElement>(null);
  // On a phone the bar is wider than the screen.
  useEffect(() => {
    const { current: nav } = bar;
    const link = nav?.querySelector<HTMLElement>('[aria-current=page]');
    if (nav && link) nav.scrollLeft = link.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2;
  }, [current]);
  return html`<nav aria-label="Views" ref=${bar}>
    <ul>
      ${views.map(
        ({ id, title, key }) => html`<li key=${id}>
          <a href="#/${id}" aria-current=${id === current ? 'page' : undefined}>${title}<kbd aria-hidden="true">g ${key}</kbd></a>
        </li>`,
      )}
    </ul>
    <div class="nav-foot">
      <button type="button" class="quiet" onClick=${nextTheme}>Theme: ${theme}</button>
      <button type="button" class="quiet" onClick=${showShortcuts}>Shortcuts <kbd aria-hidden="true">?</kbd></button>
      <a class="quiet" href="/docs">API</a>
      <button type="button" class="quiet" onClick=${() => dropToken(null)}>Sign out</button>
    </div>
  </nav>`;
}

/** Reads a view's file when it is opened first; whoever came by keyboard stands at its title. */
function Opened({ view }: { view: View }) {
  const [found, setFound] = useState<{ View: ComponentType } | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const shown = useRef(false);
  function load(): void {
    setFault(null);
    view.load().then(setFound, (error: unknown) => setFault(sentence(error)));
  }
  useEffect(load, [view]);
  useEffect(() => {
    document.title = `${view.title} \u00b7 Broker Gateway`;
  }, [view]);
  useLayoutEffect(() => {
    if (found && !shown.current && opened > 0) focusView();
    if (found && !shown.current) opened += 1;
    shown.current ||= found !== null;
  }, [found]);
  if (fault !== null)
    return html`<${Notice} tone="bad" title="This view cannot be read right now.">${fault} <button type="button" onClick=${load}>Try again</button><//>`;
  return found ? html`<${found.View} />` : html`<p class="loading" role="status">Loading${'\u2026'}</p>`;
}
let opened = 0;
