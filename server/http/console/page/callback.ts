import { useEffect, useState } from 'preact/hooks';
import { html } from './html.ts';
import { Notice } from './parts/parts.ts';
import { sentence } from './state/api.ts';
import { begunLogin, finishLogin } from './state/login.ts';

/** Whether this page is where a broker's login comes back to. What the broker said is read once, and leaves the address bar and the history at once. */
export const atCallback = location.pathname === '/console/callback';
const said = atCallback ? location.search || location.hash.replace(/^#/, '?') : '';
if (atCallback) history.replaceState(null, '', location.pathname);

/** Hands what the broker's page said to the gateway, with what this tab knows of the login. */
export function Callback() {
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    finish().then(
      () => location.replace('/console#/session'),
      (error: unknown) => setFault(sentence(error)),
    );
  }, []);
  return html`<main class="sign-in">
    <div class="panel stack">
      <h1>Broker login</h1>
      ${
        fault === null
          ? html`<p role="status">The broker has sent you back. Signing in${'\u2026'}</p>`
          : html`<${Notice} tone="bad" title="The login did not work.">${fault}<//><p><a class="button" href="/console#/session">Back to the session</a></p>`
      }
    </div>
  </main>`;
}

async function finish(): Promise<void> {
  const begun = begunLogin();
  if (said === '') throw new Error('The broker sent nothing along. Begin the login again');
  if (!begun) throw new Error('This login was not begun in this tab. Begin it again in the session view');
  await finishLogin(begun.state, { callback: said });
}
