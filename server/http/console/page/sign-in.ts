import { useState } from 'preact/hooks';
import { html } from './html.ts';
import { Field, Notice } from './parts/parts.ts';
import { ask, NoAnswer, sentence } from './state/api.ts';
import { keepToken, signInReason } from './state/token.ts';

/** Asks for an API token, and keeps it for this tab when the gateway takes it. */
export function SignIn() {
  const [given, setGiven] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [asking, setAsking] = useState(false);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (asking) return;
    setAsking(true);
    const problem = await tried(given.trim());
    setAsking(false);
    setFault(problem);
    if (problem === null) keepToken(given.trim());
  }
  return html`<main class="sign-in">
    <form class="panel" onSubmit=${submit}>
      <h1>Broker Gateway</h1>
      ${signInReason.value !== null && html`<${Notice} tone="bad">${signInReason}<//>`}
      <${Field} id="token" label="API token" fault=${fault} hint=${html`Of the file <code>data/token</code>, or of <code>npm run user</code>. Kept for this tab alone.`}>
        <input
          id="token"
          type="password"
          autocomplete="off"
          spellcheck=${false}
          required
          autofocus
          value=${given}
          aria-invalid=${fault !== null}
          aria-describedby="token-hint ${fault === null ? '' : 'token-fault'}"
          onInput=${(event: InputEvent) => setGiven((event.target as HTMLInputElement).value)}
        />
      <//>
      <button class="primary" type="submit" aria-disabled=${asking}>${asking ? 'Asking\u2026' : 'Sign in'}</button>
    </form>
  </main>`;
}

/** What is wrong with a token; null when the gateway takes it. */
async function tried(given: string): Promise<string | null> {
  if (!/^[\x21-\x7e]+$/.test(given)) return 'A token is one word without blanks.';
  try {
    const { status, body } = await ask<{ message?: string }>('/broker/kill-switch', { as: given });
    if (status === 200) return null;
    return status === 401 ? 'The gateway does not know this token.' : (body?.message ?? `The gateway answered ${status}`);
  } catch (error) {
    return error instanceof NoAnswer ? `${error.message}. Is it running?` : sentence(error);
  }
}
