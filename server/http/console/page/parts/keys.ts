import { html } from '../html.ts';
import { dialogOpen, openDialog } from './dialog.ts';

/** What a key does. `g` then a letter goes to a view. */
export interface Shortcut {
  keys: string;
  what: string;
  run: () => void;
}

const SECOND_KEY_MS = 1200;
const shortcuts: Shortcut[] = [{ keys: '?', what: 'Show these shortcuts', run: showShortcuts }];

/** Adds shortcuts; returns what takes them away again. */
export function addShortcuts(added: readonly Shortcut[]): () => void {
  shortcuts.push(...added);
  return () => {
    for (const one of added) shortcuts.splice(shortcuts.indexOf(one), 1);
  };
}

export function showShortcuts(): void {
  openDialog({
    title: 'Keyboard shortcuts',
    body: () => html`<dl class="shortcuts">
      ${shortcuts.map(
        ({ keys, what }) => html`<div key=${keys}><dt>${keys.split(' ').map((key) => html`<kbd>${key}</kbd>`)}</dt><dd>${what}</dd></div>`,
      )}
    </dl>`,
  });
}

// A key that is held down repeats: it would press the button of the dialog that it has just opened.
addEventListener('keydown', (event) => event.repeat && event.key === 'Enter' && event.preventDefault(), true);

let first = '';
let firstAt = 0;
addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || dialogOpen() || writing(event.target)) return;
  const now = performance.now();
  const pair = now - firstAt < SECOND_KEY_MS ? `${first} ${event.key}` : '';
  const found = shortcuts.find(({ keys }) => keys === pair) ?? shortcuts.find(({ keys }) => keys === event.key);
  first = event.key;
  firstAt = now;
  if (!found) return;
  first = '';
  event.preventDefault();
  found.run();
});

function writing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));
}
