import { useSignal } from '@preact/signals';
import type { LoginBegun } from '../../../../../contract/login.ts';
import { html } from '../html.ts';
import { openDialog } from '../parts/dialog.ts';
import { Field, Notice } from '../parts/parts.ts';
import { say } from '../parts/toast.ts';
import { sentence } from '../state/api.ts';
import { shortTime } from '../state/format.ts';
import { overview } from '../state/gateway.ts';
import { beginLogin, finishLogin } from '../state/login.ts';

/** Begins a broker's login: its page opens, and what it says comes back by itself or is pasted. */
export async function openLogin(broker: string): Promise<void> {
  try {
    const login = await beginLogin(broker);
    openDialog({ title: `Sign in at ${broker}`, body: (close) => html`<${Steps} login=${login} close=${close} />` });
  } catch (error) {
    say('bad', sentence(error));
  }
}

function Steps({ login, close }: { login: LoginBegun; close: () => void }) {
  const { kind, address, redirect_expected, message, expires_at } = login;
  if (kind === 'none' || login.state === null || address === null)
    return html`<div class="stack"><${Notice} tone="info">${message}<//></div>`;
  return html`<div class="stack">
    <p>${message}</p>
    <div class="actions"><a class="button primary" href=${address}>Go to the broker's page</a></div>
    <p class="soft">It comes back to <code>${redirect_expected}</code>, which must be registered with the broker. Where it is another, the page ends in an error:
      copy the address that stands there then, and paste it here.</p>
    <${Paste} state=${login.state} called=${login.code_name} close=${close} />
    <p class="soft tiny">This login waits until ${shortTime(expires_at, Date.now())} IST, for you alone.</p>
  </div>`;
}

function Paste({ state, called, close }: { state: string; called: string | null; close: () => void }) {
  const given = useSignal('');
  const fault = useSignal<string | null>(null);
  const busy = useSignal(false);
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    const text = given.value.trim();
    if (busy.value || text === '') return;
    busy.value = true;
    try {
      const { message } = await finishLogin(state, /[?&=]/.test(text) ? { callback: text } : { code: text });
      say('good', message);
      close();
    } catch (error) {
      fault.value = sentence(error);
    }
    busy.value = false;
    await overview.refresh();
  }
  return html`<form class="stack" onSubmit=${submit}>
    <${Field} id="login-said" label="Address the broker ended at" hint=${called === null ? null : html`Or what stands behind <code>${called}=</code> in it.`} fault=${fault.value}>
      <input id="login-said" autocomplete="off" spellcheck=${false} value=${given} aria-describedby="login-said-hint" aria-invalid=${fault.value !== null}
        onInput=${(event: InputEvent) => (given.value = (event.target as HTMLInputElement).value)} />
    <//>
    <footer class="actions">
      <button type="button" onClick=${close}>Not now</button>
      <button type="submit" class="primary" aria-disabled=${busy}>${busy.value ? 'Signing in\u2026' : 'Sign in'}</button>
    </footer>
  </form>`;
}
