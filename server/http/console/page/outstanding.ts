import { ExitProgress } from './exit-report.ts';
import { html } from './html.ts';
import { openDialog } from './parts/dialog.ts';
import { PlaceProgress } from './place-progress.ts';
import { forget, type Intent, intents, sendAgain } from './state/intents.ts';

const words = {
  sending: 'waits for its answer.',
  asking: 'lost its answer; the page asks again with the same key.',
  unsent: 'never reached the gateway. Nothing was placed.',
  silent: 'got no answer. Look at orders and positions before acting.',
  answered: 'was answered.',
} as const;

/** What a person has confirmed and not yet seen the end of: over every view, also after a reload. */
export function Outstanding() {
  return html`<div role="status">${intents.value.map((intent) => html`<${Line} key=${intent.key} intent=${intent} />`)}</div>`;
}

function Line({ intent }: { intent: Intent }) {
  const { is } = intent.state.value;
  // It is short, and the view or dialog that sent it shows it.
  if (is === 'sending') return null;
  const again = is === 'unsent' || is === 'silent';
  return html`<div class="banner ${is === 'answered' ? 'settled' : 'away'}">
    <span><b>${intent.title}</b> ${words[is]}</span>
    ${is === 'answered' && html`<button type="button" onClick=${() => show(intent)}>See the answer</button>`}
    ${again && html`<button type="button" onClick=${() => sendAgain(intent)}>Send it, same key</button>`}
    ${again && html`<button type="button" onClick=${() => forget(intent)}>Leave it</button>`}
  </div>`;
}

function show(intent: Intent): void {
  const body = (close: () => void) =>
    intent.kind === 'exit'
      ? html`<${ExitProgress} intent=${intent} close=${close} />`
      : html`<${PlaceProgress} intent=${intent} close=${close} />`;
  openDialog({ title: intent.title, wide: true, body });
}
