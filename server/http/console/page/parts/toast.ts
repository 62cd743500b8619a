import { signal } from '@preact/signals';
import { html } from '../html.ts';

export type Tone = 'good' | 'bad' | 'warn' | 'info';
interface Toast {
  id: number;
  tone: Tone;
  text: string;
}

const SHOWN_MS = 6000;
const LONG_MS = 15_000;
const MOST = 4;
const words: Readonly<Record<Tone, string>> = { good: 'Done', bad: 'Failed', warn: 'Mind', info: 'Note' };
const toasts = signal<readonly Toast[]>([]);
let count = 0;

/** Says something for a moment; screen readers read it out. What went wrong stays longer. */
export function say(tone: Tone, text: string): void {
  count += 1;
  const toast = { id: count, tone, text };
  // What was done before has been seen by now; what went wrong stays beside it.
  const before = toasts.value.filter((one) => one.tone === 'bad' || one.tone === 'warn');
  toasts.value = [...before, toast].slice(-MOST);
  setTimeout(() => drop(toast.id), tone === 'good' || tone === 'info' ? SHOWN_MS : LONG_MS);
}

function drop(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}

/** The corner where they appear. A popover, so that it stands above dialogs, too. */
export function Toasts() {
  return html`<section class="toasts" aria-live="polite" aria-label="Messages" role="log">
    ${toasts.value.map(
      ({ id, tone, text }) => html`<div key=${id} class="toast ${tone}">
        <p><b>${words[tone]}.</b> ${text}</p>
        <button type="button" class="quiet" aria-label="Dismiss" onClick=${() => drop(id)}>${'\u00d7'}</button>
      </div>`,
    )}
  </section>`;
}
